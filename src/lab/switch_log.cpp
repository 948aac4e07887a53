#include "lab/switch_log.hpp"

#include <chrono>

#include "runtime/pause_messages.hpp"

namespace petrel::lab {

namespace {

constexpr std::uint32_t kProcess = 1;  // placeholder: an agent in the twin has no process id

}  // namespace

std::vector<wire::LogLine> log_lines(const AgentEvent& reported)
{
    const auto& event = *reported.event;
    const wire::LogOrigin origin{WallTime{std::chrono::microseconds{whole_us(event.at)}}, std::string{reported.device},
                                 kProcess};
    return runtime::pause_lines(event, reported.watchlist->inventory.ports[event.target.port.index], origin);
}

}  // namespace petrel::lab
