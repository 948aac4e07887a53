#include "device/sonic/canaries.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace petrel::device::sonic {

namespace {

constexpr watchdog::Fields kOfThisGroupOnly = bit(watchdog::Field::pause_us) | bit(watchdog::Field::on2off);

}  // namespace

PollStamp::Keys canaries(const Reader& reader)
{
    const auto& queues = reader.layout().queues;
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
        return std::pair{queues[a].oid.size(), std::string_view{queues[a].oid}} <
               std::pair{queues[b].oid.size(), std::string_view{queues[b].oid}};
    };
    // orchagent writes its statistics to a queue in a storm once a second, which looks like a poll. A queue that syncd
    // cannot read is not written at all.
    const auto suits = [&](std::uint32_t row) {
        const auto& reading = reader[Slot{row}];
        return !reading.registered ? 0
                                   : 1 + (reading.counters != 0 ? 2 : 0) + (reading.status != Status::stormed ? 1 : 0);
    };
    int best = 1;
    std::optional<std::uint32_t> first;
    std::optional<std::uint32_t> last;
    for (std::uint32_t row = 0; row != queues.size(); ++row) {
        const auto grade = suits(row);
        if (grade > best) {
            best = grade;
            first = last = std::nullopt;
        }
        if (grade == best) {
            first = first && before(*first, row) ? first : row;
            last = last && before(row, *last) ? last : row;
        }
    }
    PollStamp::Keys keys;
    for (const auto row : {first, last}) {
        if (row && (keys.queues.empty() || first != last)) {
            keys.queues.push_back("COUNTERS:" + queues[*row].oid);
        }
    }
    if (first && (reader[Slot{*first}].counters & kOfThisGroupOnly) != 0) {
        keys.port = "COUNTERS:" + reader.layout().ports[queues[*first].port].oid;
    }
    return keys;
}

}  // namespace petrel::device::sonic
