#include "device/sai/buffer_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/complaint_text.hpp"

namespace petrel::device::sai {

namespace {

std::string profile_name(std::size_t number) { return fmt::format("profile{}", number); }

bool is_dynamic(const Objects& objects, abi::ObjectId object, abi::AttrId mode)
{
    const auto shown = objects.get(object, mode);
    return shown && shown->s32 == static_cast<std::int32_t>(abi::ThresholdMode::dynamic);
}

// Zero counts as none: SAI's default for a size that is not used.
std::optional<std::uint64_t> size_of(const Objects& objects, abi::ObjectId object, abi::AttrId size)
{
    const auto shown = objects.get(object, size);
    return shown && shown->u64 != 0 ? std::optional{shown->u64} : std::nullopt;
}

}  // namespace

void BufferObjects::add(abi::ObjectId profile)
{
    if (profile != abi::kNullObject && !treater_.owns_profile(profile) &&
        std::ranges::find(profiles_, profile) == profiles_.end()) {
        profiles_.push_back(profile);
    }
}

// The groups come first: their profiles decide about pause.
void BufferObjects::find()
{
    const auto add_all = [&](const Objects& objects, abi::ObjectId QueueObjects::* of, abi::AttrId id) {
        for (const auto& port : ports_) {
            for (const auto& queue : port.queues) {
                const auto profile =
                    queue.*of != abi::kNullObject ? objects.get(queue.*of, id) : Result<abi::Value>{abi::Value{}};
                add(profile ? profile->oid : abi::kNullObject);
            }
        }
    };
    add_all(library_.groups(), &QueueObjects::group, abi::group_attr::buffer_profile);
    add_all(library_.queues(), &QueueObjects::queue, abi::queue_attr::buffer_profile_id);
}

// A library shows no attribute of an object that it does not have.
bool BufferObjects::exists(std::size_t number) const
{
    namespace attr = abi::profile_attr;
    return library_.profiles().get(profiles_[number], attr::pool_id) ||
           library_.profiles().get(profiles_[number], attr::threshold_mode);
}

Buffers BufferObjects::read()
{
    find();
    Buffers found;
    for (std::size_t number = 0; number != profiles_.size(); ++number) {
        if (exists(number)) {
            found.profiles.push_back(profile(number));
        }
    }
    for (std::size_t number = 0; number != pools_.size(); ++number) {
        auto shown = pool(number);
        if (std::ranges::find(found.profiles, shown.name, &BufferProfile::pool) != found.profiles.end()) {
            found.pools.push_back(std::move(shown));
        }
    }
    return found;
}

BufferProfile BufferObjects::profile(std::size_t number)
{
    namespace attr = abi::profile_attr;
    const auto& objects = library_.profiles();
    const auto id = profiles_[number];
    BufferProfile found{.name = profile_name(number)};
    if (const auto pool = objects.get(id, attr::pool_id); pool && pool->oid != abi::kNullObject) {
        found.pool = pool_name(pool->oid);
    }
    found.reserved = size_of(objects, id, attr::reserved_buffer_size).value_or(0);
    if (is_dynamic(objects, id, attr::threshold_mode)) {
        if (const auto shown = objects.get(id, attr::shared_dynamic_th)) {
            found.dynamic_th = shown->s8;
        }
    } else {
        found.static_th = size_of(objects, id, attr::shared_static_th);
    }
    found.xoff = size_of(objects, id, attr::xoff_th);
    found.xon = size_of(objects, id, attr::xon_th);
    return found;
}

std::string BufferObjects::pool_name(abi::ObjectId pool)
{
    const auto at = std::ranges::find(pools_, pool);
    const auto number = at - pools_.begin();
    if (at == pools_.end()) {
        pools_.push_back(pool);
    }
    return fmt::format("pool{}", number);
}

BufferPool BufferObjects::pool(std::size_t number) const
{
    namespace attr = abi::pool_attr;
    const auto& objects = library_.pools();
    const auto id = pools_[number];
    const auto type = objects.get(id, attr::type);
    return {.name = fmt::format("pool{}", number),
            .ingress = type && type->s32 != static_cast<std::int32_t>(abi::PoolType::egress),
            .dynamic = is_dynamic(objects, id, attr::threshold_mode),
            .size = size_of(objects, id, attr::size).value_or(0),
            .xoff = size_of(objects, id, attr::xoff_size)};
}

Result<void> BufferObjects::set_dynamic_threshold(const std::string& name, int exponent)
{
    find();
    std::map<std::string, abi::ObjectId> ids;
    for (std::size_t number = 0; number != profiles_.size(); ++number) {
        if (exists(number)) {
            ids.emplace(profile_name(number), profiles_[number]);
        }
    }
    const auto at = ids.find(name);
    if (at == ids.end()) {
        std::vector<std::string_view> known;
        for (const auto& [profile, id] : ids) {
            known.emplace_back(profile);
        }
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("there is no buffer profile '{}'; {}",
                                                                    escaped(name), instead_of(name, known))});
    }
    const auto id = at->second;
    const auto& objects = library_.profiles();
    if (!is_dynamic(objects, id, abi::profile_attr::threshold_mode)) {
        return tl::unexpected(Error{ErrorKind::unsupported, fmt::format("{} has no dynamic threshold", name)});
    }
    abi::Value value{};
    value.s8 = static_cast<std::int8_t>(exponent);
    return objects.set(id, abi::profile_attr::shared_dynamic_th, value)
        .and_then([&] { return objects.get(id, abi::profile_attr::shared_dynamic_th); })
        .and_then([&](const abi::Value& shown) -> Result<void> {
            if (shown.s8 == value.s8) {
                return {};
            }
            return tl::unexpected(Error{ErrorKind::unsupported,
                                        fmt::format("the library accepts SHARED_DYNAMIC_TH {} for {} and then shows {}",
                                                    exponent, name, int{shown.s8})});
        });
}

}  // namespace petrel::device::sai
