#include "reports/replay_json.hpp"

#include "codec/event_json.hpp"

namespace petrel::reports {

std::string replay_json(const ReplayReport& report)
{
    std::string text;
    for (const auto& run : report.runs) {
        for (const auto& [device, event] : events_in_time(run)) {
            const auto& replayed = run.devices[device];
            text += codec::event_json(*event, replayed.watchlist, replayed.device) + '\n';
        }
    }
    return text;
}

}  // namespace petrel::reports
