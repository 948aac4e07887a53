#include "device/sai/treater.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace petrel::device::sai {

namespace {

using watchdog::Treatment;

constexpr auto kDrop = static_cast<std::int32_t>(abi::PacketAction::drop);
constexpr auto kForward = static_cast<std::int32_t>(abi::PacketAction::forward);

abi::Value number(std::int32_t s32)
{
    abi::Value value{};
    value.s32 = s32;
    return value;
}

abi::Value object(abi::ObjectId oid)
{
    abi::Value value{};
    value.oid = oid;
    return value;
}

}  // namespace

Treater::Treater(const Library& library, abi::ObjectId switch_id, std::span<const PortObjects> ports, Notes& notes)
    : library_(library), switch_id_(switch_id), ports_(ports), notes_(notes), empty_buffers_(library, switch_id, notes)
{
    for (const auto& port : ports_) {
        if (!port.queues.empty()) {
            find_recovery(port.queues.front());
            find_mask(port);
            break;
        }
    }
    learn_profiles();
    drops_at_ingress_ =
        recovers_ && library_.buffer_api().get_group != nullptr && all_have_groups() && empty_buffers_.available();
}

bool Treater::all_have_groups() const
{
    return std::ranges::all_of(ports_, [](const PortObjects& port) {
        return std::ranges::none_of(port.queues,
                                    [](const QueueObjects& queue) { return queue.group == abi::kNullObject; });
    });
}

// Sets the attribute to its present value, or to `fallback` if the library has no value until one is set.
bool Treater::takes(const Objects& objects, abi::ObjectId of, abi::AttrId id, const abi::Value& fallback) const
{
    const auto there = objects.get(of, id);
    return objects.set(of, id, there ? *there : fallback) && objects.get(of, id);
}

void Treater::find_recovery(const QueueObjects& queue)
{
    namespace attr = abi::queue_attr;
    recovers_ = takes(library_.queues(), queue.queue, attr::pfc_dlr_init, boolean(false));
    if (!recovers_) {
        notes_.add("queues do not accept PFC_DLR_INIT; a storm is treated by the port's PFC mask, which forwards");
        return;
    }
    if (library_.version() >= abi::kContinuousState &&
        takes(library_.queues(), queue.queue, attr::pfc_dlr_packet_action, number(kDrop))) {
        action_of_ = ActionOf::queue;
    } else if (takes(library_.switches(), switch_id_, abi::switch_attr::pfc_dlr_packet_action, number(kDrop))) {
        action_of_ = ActionOf::whole_switch;
        notes_.add("queues have no packet action of their own; the switch's is used, one for all queues at a time");
    } else {
        notes_.add("no packet action can be set; recovery is taken to drop, which is the default");
    }
}

void Treater::find_mask(const PortObjects& port)
{
    masks_ = library_.ports().get(port.port, pause_mask_attribute(port)).has_value();
    if (!masks_ && !forwards_by_recovery()) {
        notes_.add("the port's PFC mask cannot be read: forward is not possible");
    }
}

// Learns the normal buffer profile of each priority, the profile ids that are valid in this library, and the zero-size
// profiles that an earlier process of ours has left.
void Treater::learn_profiles()
{
    std::vector<std::pair<const PortObjects*, const QueueObjects*>> without_room;
    for (const auto& port : ports_) {
        for (const auto& queue : port.queues) {
            if (queue.group == abi::kNullObject) {
                continue;
            }
            const auto profile = library_.groups().get(queue.group, abi::group_attr::buffer_profile);
            if (profile && is_empty(profile->oid)) {
                without_room.emplace_back(&port, &queue);
            } else if (profile) {
                usual_profile_.emplace(queue.priority.value, profile->oid);
            }
        }
    }
    adopt_buffers(without_room);
}

// A queue in recovery, with packet action drop and a group without buffers, is in our `drop`: no other software does
// all three.
void Treater::adopt_buffers(std::span<const std::pair<const PortObjects*, const QueueObjects*>> without_room)
{
    for (const auto& [port, queue] : without_room) {
        if (const auto set = read(*port, *queue); set && shown_by(*port, *queue, *set) == Treatment::drop) {
            empty_buffers_.adopt(set->group_profile);
        }
    }
    for (const auto& [port, queue] : without_room) {
        if (const auto profile = library_.groups().get(queue->group, abi::group_attr::buffer_profile);
            profile && empty_buffers_.ours(profile->oid)) {
            profiles_.erase(profile->oid);
            empty_buffers_.changed(queue->group, profile->oid);
        }
    }
}

bool Treater::is_empty(abi::ObjectId profile)
{
    if (profile == abi::kNullObject || empty_buffers_.ours(profile)) {
        return profile != abi::kNullObject;
    }
    const auto [at, met_now] = profiles_.try_emplace(profile, false);
    if (met_now) {
        if (const auto pool = library_.profiles().get(profile, abi::profile_attr::pool_id);
            pool && pool->oid != abi::kNullObject) {
            const auto size = library_.pools().get(pool->oid, abi::pool_attr::size);
            at->second = size && size->u64 == 0;
        }
    }
    return at->second;
}

watchdog::Treatments Treater::treatments() const
{
    watchdog::Treatments can = 0;
    can |= forwards_by_recovery() || masks_ ? bit(Treatment::ignore_pause) : 0;
    can |= recovers_ ? bit(Treatment::drop_egress) : 0;
    can |= recovers_ && drops_at_ingress_ ? bit(Treatment::drop) : 0;
    return can;
}

Result<QueueSettings> Treater::read(const PortObjects& port, const QueueObjects& queue)
{
    QueueSettings found;
    // An attribute that was never set has its default, but some libraries cannot report it.
    const auto recovery = library_.queues().get(queue.queue, abi::queue_attr::pfc_dlr_init);
    if (!recovery && recovery.error().kind != ErrorKind::unsupported) {
        return tl::unexpected(recovery.error());
    }
    found.recovering = recovery && recovery->booldata ? 1 : 0;
    found.action = kDrop;
    if (action_of_ != ActionOf::none) {
        const bool own = action_of_ == ActionOf::queue;
        if (const auto action = own ? library_.queues().get(queue.queue, abi::queue_attr::pfc_dlr_packet_action)
                                    : library_.switches().get(switch_id_, abi::switch_attr::pfc_dlr_packet_action)) {
            found.action = action->s32;
        }
    }
    if (queue.group != abi::kNullObject) {
        if (const auto profile = library_.groups().get(queue.group, abi::group_attr::buffer_profile)) {
            found.group_profile = profile->oid;
        }
    }
    if (masks_) {
        const auto mask = library_.ports().get(port.port, pause_mask_attribute(port));
        if (!mask) {
            return tl::unexpected(mask.error());
        }
        found.honours_pause = (mask->u8 & bit_of(queue)) != 0 ? 1 : 0;
    }
    return found;
}

Treatment Treater::shown_by(const PortObjects& port, const QueueObjects& queue, const QueueSettings& set)
{
    const bool empty = is_empty(set.group_profile);
    if (set.recovering != 0 && set.action != kForward) {
        return empty ? Treatment::drop : Treatment::drop_egress;
    }
    const bool masked = masks_ && set.honours_pause == 0 && (port.pfc & bit_of(queue)) != 0;
    return set.recovering != 0 || empty || masked ? Treatment::ignore_pause : Treatment::none;
}

QueueSettings Treater::usual(const PortObjects& port, const QueueObjects& queue) const
{
    QueueSettings set;
    set.action = kDrop;
    set.honours_pause = (port.pfc & bit_of(queue)) != 0 ? 1 : 0;
    const auto profile = usual_profile_.find(queue.priority.value);
    set.group_profile = profile == usual_profile_.end() ? abi::kNullObject : profile->second;
    return set;
}

// A profile id from the journal may belong to an earlier run of the library: then use the normal profile of its
// priority.
abi::ObjectId Treater::known_or_usual(abi::ObjectId profile, Priority priority) const
{
    if (profile == abi::kNullObject || profiles_.contains(profile)) {
        return profile;
    }
    const auto usual = usual_profile_.find(priority.value);
    return usual == usual_profile_.end() ? abi::kNullObject : usual->second;
}

QueueSettings Treater::wanted(const QueueObjects& queue, Treatment want, const QueueSettings& before) const
{
    auto set = before;
    set.group_profile = known_or_usual(before.group_profile, queue.priority);
    switch (want) {
    case Treatment::drop:  // write() also takes the group's buffers away
    case Treatment::drop_egress:
        set.recovering = 1;
        set.action = kDrop;
        break;
    case Treatment::ignore_pause:
        if (forwards_by_recovery()) {
            set.recovering = 1;
            set.action = kForward;
        } else {
            set.recovering = 0;
            set.honours_pause = 0;
        }
        break;
    default: break;
    }
    return set;
}

Result<void> Treater::write(const PortObjects& port, const QueueObjects& queue, Treatment want,
                            const QueueSettings& before)
{
    return read(port, queue).and_then([&](const QueueSettings& now) -> Result<void> {
        auto set = wanted(queue, want, before);
        if (want == Treatment::drop) {
            const auto without_room = empty_buffers_.get(now.group_profile);
            if (!without_room) {
                return tl::unexpected(without_room.error());  // nothing has been written yet
            }
            set.group_profile = *without_room;
        }
        auto done = write(port, queue, now, set);
        empty_buffers_.remove_unused();  // if the group did not accept the profile
        return done;
    });
}

// Writes only what differs. A treatment starts with the queue, which frees the traffic behind it, then changes its
// group. It ends in the reverse order, so that a process that dies in between leaves a profile of ours only where the
// next one recognises it.
Result<void> Treater::write(const PortObjects& port, const QueueObjects& queue, const QueueSettings& now,
                            const QueueSettings& set)
{
    Result<void> done;
    const auto then = [&done](bool needed, auto step) {
        if (done && needed) {
            done = step();
        }
    };
    const bool other_group = set.group_profile != now.group_profile && queue.group != abi::kNullObject;
    const auto change_group = [&] { return set_group(queue, set.group_profile); };
    then(other_group && set.recovering == 0, change_group);
    // The switch's packet action matters only during a recovery: it is not put back.
    then(set.action != now.action && (action_of_ == ActionOf::queue || set.recovering != 0),
         [&] { return set_action(queue, set.action); });
    then(set.recovering != now.recovering, [&] { return set_recovery(queue, set.recovering != 0); });
    then(other_group && set.recovering != 0, change_group);
    then(masks_ && set.honours_pause != now.honours_pause,
         [&] { return set_honours_pause(port, queue, set.honours_pause != 0); });
    return done;
}

std::size_t Treater::others_recovering(const QueueObjects& queue) const
{
    std::size_t others = 0;
    for (const auto& port : ports_) {
        for (const auto& other : port.queues) {
            const auto recovery = other.queue == queue.queue
                                      ? Result<abi::Value>{boolean(false)}
                                      : library_.queues().get(other.queue, abi::queue_attr::pfc_dlr_init);
            others += recovery && recovery->booldata ? 1U : 0U;
        }
    }
    return others;
}

Result<void> Treater::set_action(const QueueObjects& queue, std::int32_t action)
{
    if (action_of_ == ActionOf::queue) {
        return library_.queues().set(queue.queue, abi::queue_attr::pfc_dlr_packet_action, number(action));
    }
    if (own_action_ && *own_action_ != action) {
        return tl::unexpected(Error{ErrorKind::unsupported,
                                    "the switch has one packet action for all queues, and those that it recovers by "
                                    "itself have the other one"});
    }
    if (const auto others = others_recovering(queue); others != 0) {
        return tl::unexpected(
            Error{ErrorKind::unsupported,
                  fmt::format("the switch has one packet action for all queues, and {} others are treated with the "
                              "other one",
                              others)});
    }
    return library_.switches().set(switch_id_, abi::switch_attr::pfc_dlr_packet_action, number(action));
}

Result<void> Treater::delegate_recovery(const QueueObjects& queue, Treatment want)
{
    const auto refuse = [](std::string why) { return tl::unexpected(Error{ErrorKind::unsupported, std::move(why)}); };
    if (want == Treatment::none) {
        return refuse("a library that detects storms also recovers from them, and the policy only alerts");
    }
    const auto action = want == Treatment::ignore_pause ? kForward : kDrop;
    if (action_of_ == ActionOf::none) {
        return action == kDrop ? Result<void>{} : refuse("recovery drops, and no packet action can be set");
    }
    const bool own = action_of_ == ActionOf::queue;
    const auto now = own ? library_.queues().get(queue.queue, abi::queue_attr::pfc_dlr_packet_action)
                         : library_.switches().get(switch_id_, abi::switch_attr::pfc_dlr_packet_action);
    auto set = (now && now->s32 == action) ? Result<void>{} : set_action(queue, action);
    if (set && !own) {
        own_action_ = action;
    }
    return set;
}

// If a recovery is refused, or accepted without effect, it is not tried again: only the port's PFC mask is left.
Result<void> Treater::set_recovery(const QueueObjects& queue, bool on)
{
    auto set = library_.queues().set(queue.queue, abi::queue_attr::pfc_dlr_init, boolean(on));
    if (set) {
        const auto shown = library_.queues().get(queue.queue, abi::queue_attr::pfc_dlr_init);
        if (shown && shown->booldata != on) {
            set = tl::unexpected(no_effect("PFC_DLR_INIT"));
        }
    }
    if (!set && on && set.error().kind == ErrorKind::unsupported) {
        recovers_ = false;
        notes_.add(set.error().what + "; storms are treated by the port's PFC mask from now on, which forwards");
    }
    return set;
}

Result<void> Treater::set_group(const QueueObjects& queue, abi::ObjectId profile)
{
    return library_.groups().set(queue.group, abi::group_attr::buffer_profile, object(profile)).map([&] {
        empty_buffers_.changed(queue.group, profile);
    });
}

Result<void> Treater::set_honours_pause(const PortObjects& port, const QueueObjects& queue, bool on)
{
    const auto id = pause_mask_attribute(port);
    return library_.ports().get(port.port, id).and_then([&](abi::Value mask) {
        mask.u8 = static_cast<std::uint8_t>(on ? mask.u8 | bit_of(queue) : mask.u8 & ~bit_of(queue));
        return library_.ports().set(port.port, id, mask).and_then([&]() -> Result<void> {
            const auto shown = library_.ports().get(port.port, id);
            if (shown && shown->u8 != mask.u8) {
                return tl::unexpected(no_effect("its PFC mask"));
            }
            auto& masked_out = masked_out_[port.port];
            masked_out = static_cast<std::uint8_t>(on ? masked_out & ~bit_of(queue) : masked_out | bit_of(queue));
            return {};
        });
    });
}

}  // namespace petrel::device::sai
