#include "device/sai/empty_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace petrel::device::sai {

namespace {

constexpr auto kDynamic = static_cast<std::int32_t>(abi::ThresholdMode::dynamic);
constexpr std::int8_t kLeastShare = -8;  // 2^-8 of the free space, in a pool of size zero

// The attributes of the objects that this agent creates. An object that differs in one of them, or cannot show it, is
// not ours.
std::array<abi::Attribute, 3> pool_attributes()
{
    std::array<abi::Attribute, 3> all{};
    all[0].id = abi::pool_attr::type;
    all[0].value.s32 = static_cast<std::int32_t>(abi::PoolType::ingress);
    all[1].id = abi::pool_attr::size;
    all[2].id = abi::pool_attr::threshold_mode;
    all[2].value.s32 = kDynamic;
    return all;
}

std::array<abi::Attribute, 4> profile_attributes(abi::ObjectId pool)
{
    std::array<abi::Attribute, 4> all{};
    all[0].id = abi::profile_attr::pool_id;
    all[0].value.oid = pool;
    all[1].id = abi::profile_attr::reserved_buffer_size;
    all[2].id = abi::profile_attr::threshold_mode;
    all[2].value.s32 = kDynamic;
    all[3].id = abi::profile_attr::shared_dynamic_th;
    all[3].value.s8 = kLeastShare;
    return all;
}

bool is_our_pool(const Objects& pools, abi::ObjectId pool)
{
    const auto type = pools.get(pool, abi::pool_attr::type);
    const auto size = pools.get(pool, abi::pool_attr::size);
    const auto mode = pools.get(pool, abi::pool_attr::threshold_mode);
    return type && type->s32 == static_cast<std::int32_t>(abi::PoolType::ingress) && size && size->u64 == 0 && mode &&
           mode->s32 == kDynamic;
}

bool is_our_profile(const Objects& profiles, abi::ObjectId profile)
{
    const auto reserved = profiles.get(profile, abi::profile_attr::reserved_buffer_size);
    const auto mode = profiles.get(profile, abi::profile_attr::threshold_mode);
    const auto share = profiles.get(profile, abi::profile_attr::shared_dynamic_th);
    return reserved && reserved->u64 == 0 && mode && mode->s32 == kDynamic && share && share->s8 == kLeastShare;
}

bool is_full(abi::Status status)
{
    return status == abi::status::table_full || status == abi::status::insufficient_resources;
}

}  // namespace

void EmptyBuffers::adopt(abi::ObjectId profile)
{
    if (own_.contains(profile) || !is_our_profile(library_.profiles(), profile)) {
        return;
    }
    if (const auto pool = library_.profiles().get(profile, abi::profile_attr::pool_id);
        pool && pool->oid != abi::kNullObject && is_our_pool(library_.pools(), pool->oid)) {
        own_[profile].pool = pool->oid;
    }
}

bool EmptyBuffers::available()
{
    if (!own_.empty()) {
        return true;
    }
    const auto made = create();
    remove_unused();
    return made.has_value();
}

Result<abi::ObjectId> EmptyBuffers::get(abi::ObjectId now)
{
    if (own_.contains(now)) {
        return now;
    }
    return own_.empty() ? create() : own_.begin()->first;
}

// Fails as unsupported, so that the queue gets a weaker treatment at once.
Result<abi::ObjectId> EmptyBuffers::create()
{
    const auto& api = library_.buffer_api();
    const auto refused = [&](std::string_view what, abi::Status status) {
        Error error{
            ErrorKind::unsupported,
            fmt::format("a buffer {} without room cannot be made: {}{}; drop-egress replaces drop", what,
                        status_text(status),
                        is_full(status) ? fmt::format(", the switch's table of buffer {}s is full", what) : "")};
        notes_.add(error.what);
        return tl::unexpected(std::move(error));
    };
    if (api.create_pool == nullptr || api.create_profile == nullptr) {
        return refused("profile", abi::status::not_implemented);
    }
    abi::ObjectId pool{};
    const auto of_pool = pool_attributes();
    if (const auto status = api.create_pool(&pool, switch_id_, of_pool.size(), of_pool.data());
        status != abi::status::success) {
        return refused("pool", status);
    }
    abi::ObjectId profile{};
    const auto of_profile = profile_attributes(pool);
    if (const auto status = api.create_profile(&profile, switch_id_, of_profile.size(), of_profile.data());
        status != abi::status::success) {
        remove(abi::kNullObject, pool);
        return refused("profile", status);
    }
    own_[profile].pool = pool;
    return profile;
}

void EmptyBuffers::changed(abi::ObjectId group, abi::ObjectId profile)
{
    for (auto& [id, own] : own_) {
        own.groups.erase(group);
    }
    if (const auto own = own_.find(profile); own != own_.end()) {
        own->second.groups.insert(group);
    }
    remove_unused();
}

void EmptyBuffers::remove_unused()
{
    std::erase_if(
        own_, [&](const auto& entry) { return entry.second.groups.empty() && remove(entry.first, entry.second.pool); });
}

// Returns false if the profile still exists.
bool EmptyBuffers::remove(abi::ObjectId profile, abi::ObjectId pool)
{
    const auto& api = library_.buffer_api();
    const auto call = [&](abi::Remove method, abi::ObjectId id, std::string_view what) {
        const auto status = method == nullptr ? abi::Status{abi::status::not_implemented} : method(id);
        if (status != abi::status::success && status != abi::status::object_in_use) {
            notes_.add(fmt::format("a buffer {} without room cannot be removed: {}; it stays in the switch, and each "
                                   "start of the agent may leave one more",
                                   what, status_text(status)));
        }
        return status == abi::status::success;
    };
    if (profile != abi::kNullObject && !call(api.remove_profile, profile, "profile")) {
        return false;
    }
    call(api.remove_pool, pool, "pool");
    return true;
}

}  // namespace petrel::device::sai
