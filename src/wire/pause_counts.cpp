#include "wire/pause_counts.hpp"

namespace petrel::wire {
namespace {

void count_quanta(std::uint16_t quanta, PauseCount& counted) { ++(quanta != 0 ? counted.xoff : counted.xon); }

}  // namespace

void count(const PauseFrame& frame, PauseCounts& counts)
{
    ++counts.frames;
    if (const auto* port = std::get_if<PortPause>(&frame.pause)) {
        count_quanta(port->quanta, counts.port);
        return;
    }
    const auto& classes = std::get<ClassPause>(frame.pause);
    for (std::size_t priority = 0; priority < kPriorities; ++priority) {
        if ((classes.enabled >> priority & 1U) != 0) {
            count_quanta(classes.quanta.at(priority), counts.priorities.at(priority));
        }
    }
}

}  // namespace petrel::wire
