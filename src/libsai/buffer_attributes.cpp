// The attributes of priority groups, buffer pools and buffer profiles.
#include <array>

#include "libsai/attributes.hpp"

namespace petrel::libsai {

using sai::ObjectType;
using sai::Status;
using sai::Value;
using Use = Row::Use;
namespace status = sai::status;

namespace {

constexpr std::array kPoolTypes{static_cast<std::int32_t>(sai::PoolType::ingress)};
constexpr std::array kThresholdModes{static_cast<std::int32_t>(sai::ThresholdMode::static_),
                                     static_cast<std::int32_t>(sai::ThresholdMode::dynamic)};
constexpr std::array kPoolModes{static_cast<std::int32_t>(sai::ThresholdMode::dynamic)};
constexpr std::int8_t kMostAlpha = 8;

BufferPool& pool(const Place& p) { return p.device.pools.at(p.at.number); }
BufferProfile& profile(const Place& p) { return p.device.profiles.at(p.at.number); }

// The number of the object with this id, if it is of this switch and type.
template <class Objects>
std::optional<std::uint32_t> number_of(const Place& p, ObjectType type, const Objects& objects, sai::ObjectId id)
{
    const auto handle = to_handle(id);
    const bool there = handle && handle->type == type && handle->switch_number == p.at.switch_number &&
                       objects.count(handle->number) != 0;
    return there ? std::optional{handle->number} : std::nullopt;
}

// A size beyond the switch's buffer is invalid.
bool fits(const Place& p, std::uint64_t bytes) { return bytes <= p.view().profile().buffer_bytes; }

// ---- priority group

Status get_group_profile(const Place& p, Value& value)
{
    const auto number = p.port().profile_of_group[p.at.index()];
    value.oid = number == 0 ? sai::kNullObject : p.device.id_of(ObjectType::buffer_profile, number);
    return status::success;
}

Status set_group_profile(const Place& p, const Value& value)
{
    std::optional<std::uint32_t> number{0};
    if (value.oid != sai::kNullObject) {
        number = number_of(p, ObjectType::buffer_profile, p.device.profiles, value.oid);
    }
    if (!number) {
        return kBadValue;
    }
    p.port().profile_of_group[p.at.index()] = *number;
    p.device.program_buffers(p.now);
    return status::success;
}

constexpr Row kGroupRows[] = {
    {sai::group_attr::buffer_profile, Use::create_and_set, get_group_profile, set_group_profile},
    {sai::group_attr::port, Use::read_only, get_port},
    {sai::group_attr::index, Use::read_only, get_index},
};

// ---- pool

Status get_pool_type(const Place&, Value& value)
{
    value.s32 = static_cast<std::int32_t>(sai::PoolType::ingress);
    return status::success;
}

Status get_pool_mode(const Place&, Value& value)
{
    value.s32 = static_cast<std::int32_t>(sai::ThresholdMode::dynamic);
    return status::success;
}

Status get_shared_size(const Place& p, Value& value)
{
    value.u64 = p.view().pool_size(pool(p).slot);
    return status::success;
}

template <std::uint64_t BufferPool::* bytes>
Status get_pool_bytes(const Place& p, Value& value)
{
    value.u64 = pool(p).*bytes;
    return status::success;
}

template <std::uint64_t BufferPool::* bytes>
Status set_pool_bytes(const Place& p, const Value& value)
{
    if (!fits(p, value.u64)) {
        return kBadValue;
    }
    pool(p).*bytes = value.u64;
    p.device.program_buffers(p.now);
    return status::success;
}

constexpr Row kPoolRows[] = {
    {sai::pool_attr::shared_size, Use::read_only, get_shared_size},
    {sai::pool_attr::type, Use::on_create, get_pool_type, nullptr, kPoolTypes},
    {sai::pool_attr::size, Use::create_and_set, get_pool_bytes<&BufferPool::bytes>, set_pool_bytes<&BufferPool::bytes>},
    {sai::pool_attr::threshold_mode, Use::create_only, get_pool_mode, nullptr, kPoolModes},
    {sai::pool_attr::xoff_size, Use::create_and_set, get_pool_bytes<&BufferPool::shared_headroom_bytes>,
     set_pool_bytes<&BufferPool::shared_headroom_bytes>},
};

// ---- profile

Status get_pool(const Place& p, Value& value)
{
    value.oid = p.device.id_of(ObjectType::buffer_pool, profile(p).pool);
    return status::success;
}

Status set_pool(const Place& p, const Value& value)
{
    const auto number = number_of(p, ObjectType::buffer_pool, p.device.pools, value.oid);
    if (!number) {
        return kBadValue;
    }
    profile(p).pool = *number;
    p.device.program_buffers(p.now);
    return status::success;
}

Status get_threshold_mode(const Place& p, Value& value)
{
    value.s32 = static_cast<std::int32_t>(profile(p).mode);
    return status::success;
}

Status set_threshold_mode(const Place& p, const Value& value)
{
    profile(p).mode = static_cast<sai::ThresholdMode>(value.s32);
    p.device.program_buffers(p.now);
    return status::success;
}

Status get_alpha(const Place& p, Value& value)
{
    value.s8 = profile(p).alpha_exponent;
    return status::success;
}

Status set_alpha(const Place& p, const Value& value)
{
    if (value.s8 < -kMostAlpha || value.s8 > kMostAlpha) {
        return kBadValue;
    }
    profile(p).alpha_exponent = value.s8;
    p.device.program_buffers(p.now);
    return status::success;
}

template <std::uint64_t BufferProfile::* bytes>
Status get_bytes(const Place& p, Value& value)
{
    value.u64 = profile(p).*bytes;
    return status::success;
}

template <std::uint64_t BufferProfile::* bytes>
Status set_bytes(const Place& p, const Value& value)
{
    if (!fits(p, value.u64)) {
        return kBadValue;
    }
    profile(p).*bytes = value.u64;
    p.device.program_buffers(p.now);
    return status::success;
}

// Headroom beyond XOFF makes a group lossless.
Status set_xoff(const Place& p, const Value& value)
{
    profile(p).lossless = fits(p, value.u64) ? value.u64 != 0 : profile(p).lossless;
    return set_bytes<&BufferProfile::xoff_bytes>(p, value);
}

namespace profile_attr = sai::profile_attr;
constexpr Row kProfileRows[] = {
    {profile_attr::pool_id, Use::on_create, get_pool, set_pool},
    {profile_attr::reserved_buffer_size, Use::create_and_set, get_bytes<&BufferProfile::reserved_bytes>,
     set_bytes<&BufferProfile::reserved_bytes>},
    {profile_attr::threshold_mode, Use::create_only, get_threshold_mode, set_threshold_mode, kThresholdModes},
    {profile_attr::shared_dynamic_th, Use::create_and_set, get_alpha, set_alpha},
    {profile_attr::shared_static_th, Use::create_and_set, get_bytes<&BufferProfile::static_bytes>,
     set_bytes<&BufferProfile::static_bytes>},
    {profile_attr::xoff_th, Use::create_and_set, get_bytes<&BufferProfile::xoff_bytes>, set_xoff},
    {profile_attr::xon_th, Use::create_and_set, get_bytes<&BufferProfile::xon_bytes>,
     set_bytes<&BufferProfile::xon_bytes>},
    {profile_attr::xon_offset_th, Use::create_and_set, get_bytes<&BufferProfile::xon_offset_bytes>,
     set_bytes<&BufferProfile::xon_offset_bytes>},
};

}  // namespace

std::span<const Row> group_rows() { return kGroupRows; }
std::span<const Row> pool_rows() { return kPoolRows; }
std::span<const Row> profile_rows() { return kProfileRows; }

}  // namespace petrel::libsai
