// The attributes of a queue: those that a watchdog polls, and those it treats the queue with.
#include <array>

#include "libsai/attributes.hpp"

namespace petrel::libsai {

using sai::Status;
using sai::Value;
using Use = Row::Use;
namespace queue_attr = sai::queue_attr;
namespace status = sai::status;

namespace {

constexpr std::array kStates{static_cast<std::int32_t>(sai::DeadlockState::not_paused),
                             static_cast<std::int32_t>(sai::DeadlockState::paused),
                             static_cast<std::int32_t>(sai::DeadlockState::paused_not_continuous)};

Status get_queue_type(const Place&, Value& value)
{
    value.s32 = static_cast<std::int32_t>(sai::QueueType::unicast);
    return status::success;
}

Status get_paused(const Place& p, Value& value)
{
    value.booldata = p.device.paused(p.at.port(), p.at.index(), p.now);
    return status::success;
}

Status get_state(const Place& p, Value& value)
{
    value.s32 = static_cast<std::int32_t>(p.device.take_state(p.at.port(), p.at.index(), p.now));
    return status::success;
}

template <bool Queue::* which>
Status get_flag(const Place& p, Value& value)
{
    value.booldata = p.queue().*which;
    return status::success;
}

Status set_watched(const Place& p, const Value& value)
{
    p.queue().watched = flag(value);
    p.device.program_detectors(p.at.port(), p.now);
    return status::success;
}

Status set_treated(const Place& p, const Value& value)
{
    p.queue().resumed |= p.queue().treated && !flag(value);
    p.queue().treated = flag(value);
    p.device.program_port(p.at.port(), p.now);
    if (!flag(value)) {
        p.view().end_recovery(p.at.port(), p.at.index(), p.now);  // also a recovery that the switch started itself
    }
    return status::success;
}

Status get_queue_action(const Place& p, Value& value)
{
    value.s32 = static_cast<std::int32_t>(p.device.action_of(p.queue()));
    return status::success;
}

Status set_queue_action(const Place& p, const Value& value)
{
    p.queue().action = static_cast<sai::PacketAction>(value.s32);
    p.device.program_port(p.at.port(), p.now);
    return status::success;
}

constexpr Row kQueueRows[] = {
    {queue_attr::type, Use::read_only, get_queue_type},
    {queue_attr::port, Use::read_only, get_port},
    {queue_attr::index, Use::read_only, get_index},
    {queue_attr::pause_status, Use::read_only, get_paused},
    {queue_attr::enable_pfc_dldr, Use::create_and_set, get_flag<&Queue::watched>, set_watched},
    {queue_attr::pfc_dlr_init, Use::create_and_set, get_flag<&Queue::treated>, set_treated},
    {queue_attr::pfc_dlr_packet_action, Use::create_and_set, get_queue_action, set_queue_action, kPacketActions},
    {queue_attr::pfc_continuous_deadlock_state, Use::read_only, get_state, nullptr, kStates},
};

}  // namespace

std::span<const Row> queue_rows() { return kQueueRows; }

}  // namespace petrel::libsai
