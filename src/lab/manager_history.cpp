#include "lab/manager_history.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "codec/event_reader.hpp"
#include "codec/uplink_json.hpp"

namespace petrel::lab {

HistoryFindings compare_history(std::span<const WrittenEvent> written, std::span<const manager::StoredEvent> history)
{
    HistoryFindings found;
    std::map<std::string_view, std::size_t> places;  // of what the agent has written, by its text
    for (std::size_t i = 0; i != written.size(); ++i) {
        places.emplace(written[i].json, i);
    }
    std::vector<std::size_t> times(written.size());
    std::vector<bool> excused(written.size());
    std::size_t last = 0;
    for (const auto& stored : history) {
        if (const auto gap = codec::read_gap(stored.event)) {
            found.forgotten += gap->last - gap->first + 1;
            for (std::size_t i = 0; i != written.size(); ++i) {
                excused[i] = excused[i] || (written[i].seq >= gap->first && written[i].seq <= gap->last);
            }
            continue;
        }
        if (const auto event = codec::read_event(stored.event); event && event->seq == 0) {
            continue;  // of the manager itself
        }
        ++found.events;
        const auto place = places.find(stored.event);
        if (place == places.end()) {
            found.foreign.push_back(stored.event);
            continue;
        }
        if (++times[place->second] == 2) {
            found.doubled.push_back(stored.event);
        }
        if (place->second < last && !excused[place->second]) {
            found.disordered.push_back(stored.event);
        }
        last = std::max(last, place->second);
    }
    for (std::size_t i = 0; i != written.size(); ++i) {
        if (times[i] == 0 && !excused[i] && !written[i].lost) {
            found.missing.push_back(written[i].json);
        }
    }
    return found;
}

}  // namespace petrel::lab
