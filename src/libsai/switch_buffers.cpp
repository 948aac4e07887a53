// Translates between SAI's buffer model and the twin's: pools contain the reserved and the shared space, profiles
// define how much of it a group may use.
#include <algorithm>
#include <limits>

#include "libsai/switch.hpp"

namespace petrel::libsai {

namespace {

std::uint32_t clipped(std::uint64_t bytes)
{
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::uint32_t>::max() / 2));
}

BufferProfile to_sai(const twin::PgProfile& from, std::uint32_t pool)
{
    using Mode = twin::Limit::Mode;
    BufferProfile profile;
    profile.pool = pool;
    profile.lossless = from.lossless;
    profile.reserved_bytes = from.reserved_bytes;
    profile.mode = from.limit.mode == Mode::dynamic ? sai::ThresholdMode::dynamic : sai::ThresholdMode::static_;
    profile.alpha_exponent = from.limit.alpha_exponent;
    profile.static_bytes = from.limit.mode == Mode::fixed ? from.limit.bytes : 0;
    profile.xoff_bytes = from.headroom_bytes;
    profile.xon_bytes = from.xon_bytes;
    profile.xon_offset_bytes = from.xon_offset_bytes;
    return profile;
}

twin::PgProfile to_twin(const BufferProfile& from, const BufferPool& pool)
{
    using Mode = twin::Limit::Mode;
    twin::PgProfile group;
    group.lossless = from.lossless;
    group.pool = pool.slot;
    group.reserved_bytes = clipped(from.reserved_bytes);
    group.limit.mode = from.mode == sai::ThresholdMode::dynamic ? Mode::dynamic
                       : from.static_bytes != 0                 ? Mode::fixed
                                                                : Mode::none;
    group.limit.alpha_exponent = from.alpha_exponent;
    group.limit.bytes = clipped(from.static_bytes);
    group.headroom_bytes = clipped(from.xoff_bytes);
    group.xon_bytes = clipped(from.xon_bytes);
    group.xon_offset_bytes = clipped(from.xon_offset_bytes);
    return group;
}

constexpr twin::PgProfile kNothing{false, 0, 0, {twin::Limit::Mode::fixed, 0, 0}, 0, 0, 0};

}  // namespace

// Creates one object for each pool of the scenario, and one profile for each of the eight groups, shared by all ports.
void Switch::set_up_buffers()
{
    const auto& made = view_.profile();
    std::map<std::uint8_t, std::uint32_t> pool_in;
    for (const auto& group : made.groups) {
        if (pool_in.count(group.pool) == 0) {
            pools[next_number] = {group.pool, view_.pool_size(group.pool), made.shared_headroom_bytes.value_or(0)};
            pool_in[group.pool] = next_number++;
        }
        auto& pool = pools[pool_in[group.pool]];
        pool.bytes += std::uint64_t{group.reserved_bytes} * view_.ports();
    }
    for (std::uint8_t g = 0; g != kPriorities; ++g) {
        profiles[next_number] = to_sai(made.groups[g], pool_in[made.groups[g].pool]);
        for (auto& port : ports) {
            port.profile_of_group[g] = next_number;
        }
        ++next_number;
    }
}

void Switch::program_buffers(Ps now)
{
    std::map<std::uint32_t, std::uint64_t> reserved;  // by pool
    std::uint64_t headroom = 0;
    std::uint64_t shared_headroom = 0;
    for (std::uint8_t port = 0; port != view_.ports(); ++port) {
        for (std::uint8_t g = 0; g != kPriorities; ++g) {
            const auto found = profiles.find(ports[port].profile_of_group[g]);
            if (found == profiles.end()) {
                view_.set_group(port, g, kNothing);
                continue;
            }
            const auto& profile = found->second;
            view_.set_group(port, g, to_twin(profile, pools.at(profile.pool)));
            reserved[profile.pool] += profile.reserved_bytes;
            headroom += profile.xoff_bytes;
        }
    }
    for (const auto& [number, pool] : pools) {
        view_.set_pool_size(pool.slot, pool.bytes - std::min(pool.bytes, reserved[number]));
        shared_headroom += pool.shared_headroom_bytes;
    }
    view_.set_headroom_size(shared_headroom != 0 ? shared_headroom : headroom);
    for (std::uint8_t port = 0; port != view_.ports(); ++port) {
        program_port(port, now);
    }
}

bool Switch::has_room(std::uint32_t profile) const
{
    const auto found = profiles.find(profile);
    return found != profiles.end() && (found->second.reserved_bytes != 0 || pools.at(found->second.pool).bytes != 0);
}

}  // namespace petrel::libsai
