#include "device/sonic/doubts.hpp"

#include <fmt/format.h>

#include <utility>

namespace petrel::device::sonic {

namespace {

using watchdog::Field;
using watchdog::has;

// A busy machine reads a poll up to a second late. Over this time, such delays change the pace by less than half.
constexpr Duration kPaceTime = std::chrono::seconds{2};
constexpr Duration kOtherClock = std::chrono::seconds{2};  // two changes of the clock within this time are a doubt

}  // namespace

void Doubts::see(const Poll& poll, const Reader& reader, const Links& links)
{
    const bool other_clock = stamps_change_clock(poll);
    const bool off_pace = stamps_lose_pace(poll);
    const auto row = row_with_frames_on_a_dead_link(reader, links);
    first_.clear();
    if (other_clock) {
        first_ = "syncd's time stamps (COUNTERS:TIME_STAMP) appear and disappear";
    } else if (off_pace) {
        first_ = "syncd's time stamps (COUNTERS:TIME_STAMP) do not advance as time does";
    } else if (row) {
        const auto& queue = reader.layout().queues[*row];
        const auto& port = reader.layout().ports[queue.port].name;
        first_ = fmt::format("PFC frames arrive for {}:{}, and APPL_DB shows the link as down (PORT_TABLE:{}): the "
                             "databases do not belong "
                             "to the same ASIC, or no process follows the links",
                             port, queue.priority.value, port);
    }
}

bool Doubts::stamps_change_clock(const Poll& poll)
{
    if (std::exchange(by_syncd_, poll.by_syncd).value_or(poll.by_syncd) != poll.by_syncd) {
        changed_before_ = std::exchange(changed_, poll.seen);
    }
    return changed_before_ && poll.seen - *changed_before_ <= kOtherClock;
}

bool Doubts::stamps_lose_pace(const Poll& poll)
{
    if (!poll.by_syncd) {
        since_.reset();
        off_pace_ = false;
        return false;
    }
    since_ = since_.value_or(poll);
    const auto passed = poll.seen - since_->seen;
    if (passed >= kPaceTime) {
        const auto stamped = poll.stamp - since_->stamp;
        off_pace_ = 2 * stamped < passed || stamped > 2 * passed;
        since_ = poll;
    }
    return off_pace_;
}

std::optional<std::uint32_t> Doubts::row_with_frames_on_a_dead_link(const Reader& reader, const Links& links)
{
    const auto& queues = reader.layout().queues;
    frames_.resize(queues.size());
    std::optional<std::uint32_t> found;
    for (std::uint32_t row = 0; row != queues.size(); ++row) {
        const auto& reading = reader[Slot{row}];
        const bool known = has(reading.sample.known, Field::rx_pfc);
        const auto now = known ? reading.sample[Field::rx_pfc] : 0;
        const auto before = std::exchange(frames_[row], now);
        if (!found && is_watched(reading) && before != 0 && now > before && !links.up(queues[row].port)) {
            found = row;
        }
    }
    return found;
}

}  // namespace petrel::device::sonic
