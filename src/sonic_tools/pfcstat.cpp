#include "sonic_tools/pfcstat.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/complaint_text.hpp"
#include "sonic_tools/desk.hpp"
#include "sonic_tools/json_document.hpp"
#include "sonic_tools/saved_counters.hpp"
#include "sonic_tools/simple_table.hpp"

namespace petrel::sonic_tools {
namespace {

constexpr std::string_view kNone = "N/A";

// A counter by priority: its name in the file of saved counters and in JSON, and its fields in COUNTERS_DB, the
// preferred one first.
struct Counter {
    std::string_view name;
    std::vector<std::string_view> fields;  // {} = the priority
};

const std::vector<Counter>& kinds()
{
    static const std::vector<Counter> all{
        {"rx", {"SAI_PORT_STAT_PFC_{}_RX_PKTS"}},
        {"tx", {"SAI_PORT_STAT_PFC_{}_TX_PKTS"}},
        {"transitions", {"SAI_PORT_STAT_PFC_{}_ON2OFF_RX_PKTS", "EST_PORT_STAT_PFC_{}_ON2OFF_RX_PKTS"}},
        {"pause_us", {"SAI_PORT_STAT_PFC_{}_RX_PAUSE_DURATION_US", "EST_PORT_STAT_PFC_{}_RX_PAUSE_DURATION_US"}}};
    return all;
}

std::string read_counter(const Hash& counters, const std::vector<std::string_view>& fields, std::size_t priority)
{
    for (const auto name : fields) {
        if (const auto value = field(counters, fmt::format(fmt::runtime(name), priority)); !value.empty()) {
            return value;
        }
    }
    return std::string{kNone};
}

std::optional<std::uint64_t> number(std::string_view text)
{
    std::uint64_t value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

std::string with_commas(std::string_view text)
{
    std::string result{text};
    if (number(text)) {
        for (auto at = std::ssize(result) - 3; at > 0; at -= 3) {
            result.insert(static_cast<std::size_t>(at), ",");
        }
    }
    return result;
}

// The increase since the counters were saved. A counter below its saved value was reset since, and a counter without a
// saved value did not exist then: both count in full.
std::string since(const std::string& now, const std::string& before)
{
    const auto later = number(now);
    const auto earlier = number(before);
    return !later || !earlier || *later < *earlier ? now : fmt::format("{}", *later - *earlier);
}

struct Port {
    std::string name;
    std::string saved_name;  // two ASICs may have ports of the same name
    Hash counters;
};

std::vector<Port> read_ports(Tables& tables, Display shown)
{
    std::vector<Port> ports;
    std::vector<std::string> keys;
    for (const auto& [name, id] : named_ports(tables, shown)) {
        ports.push_back({name, tables.asic().empty() ? name : fmt::format("{}/{}", tables.asic(), name), {}});
        keys.push_back("COUNTERS:" + id);
    }
    auto counters = tables.hashes(Db::counters, keys);
    for (std::size_t i = 0; i != ports.size(); ++i) {
        ports[i].counters = std::move(counters[i]);
    }
    return ports;
}

class Statistics {
public:
    Statistics(const std::vector<Tables*>& asics, Display shown, std::optional<SavedCounters> saved)
        : saved_(std::move(saved))
    {
        for (auto* tables : asics) {
            asics_.push_back({tables, read_ports(*tables, shown)});
        }
    }

    SavedCounters to_save(std::string time) const
    {
        SavedCounters saved{std::move(time), {}};
        for_each_port([&](const Port& port) {
            for (const auto& kind : kinds()) {
                saved.counts.emplace(fmt::format("{} {}", kind.name, port.saved_name), raw(port, kind));
            }
        });
        return saved;
    }

    std::string frames_text() const
    {
        return fmt::format("{}{}\n{}{}", saved_text(), frames_table("Port Rx", 0), saved_text(),
                           frames_table("Port Tx", 1));
    }

    std::string history_text() const
    {
        SimpleTable table{{"Port", "Priority", "RX Pause Transitions", "Total RX Pause Time US",
                           "Recent RX Pause Time US", "Recent RX Pause Timestamp"},
                          {},
                          SimpleTable::TextAlign::right};
        for_each_port([&](const Port& port) {
            const auto transitions = counts(port, kinds()[2]);
            const auto pauses = counts(port, kinds()[3]);
            for (std::size_t i = 0; i != kPriorities; ++i) {
                table.rows.push_back({port.name, fmt::format("PFC{}", i), with_commas(transitions[i]),
                                      with_commas(pauses[i]), with_commas(recent(port, i, "TIME_US")),
                                      moment(recent(port, i, "TIMESTAMP"))});
            }
            table.rows.emplace_back();
        });
        return saved_text() + to_text(table);
    }

    std::string json(bool history) const
    {
        std::string lines;
        for (const auto& [tables, ports] : asics_) {
            lines += json_line(*tables, ports, history);
        }
        return lines;
    }

private:
    std::string json_line(const Tables& tables, const std::vector<Port>& ports, bool history) const
    {
        std::vector<Members> rows;
        for (const auto& port : ports) {
            for (std::size_t i = 0; i != kPriorities; ++i) {
                auto& row = rows.emplace_back(Members{{"port", port.name}, {"priority", fmt::format("{}", i)}});
                for (const auto& kind : kinds()) {
                    row.emplace_back(kind.name, counts(port, kind)[i]);
                }
                if (history) {
                    row.emplace_back("recent_pause_us", recent(port, i, "TIME_US"));
                    row.emplace_back("recent_pause_at_us", recent(port, i, "TIMESTAMP"));
                }
            }
        }
        auto head = json_head(tables);
        if (saved_) {
            head.emplace_back("since", saved_->time);
        }
        return json_document(head, "counters", rows);
    }

    template <class Visit>
    void for_each_port(Visit visit) const
    {
        for (const auto& asic : asics_) {
            std::for_each(asic.items.begin(), asic.items.end(), visit);
        }
    }

    static Counts raw(const Port& port, const Counter& kind)
    {
        Counts counts;
        for (std::size_t i = 0; i != kPriorities; ++i) {
            counts[i] = read_counter(port.counters, kind.fields, i);
        }
        return counts;
    }

    // The increase since the counters were saved; if they were not, the counters.
    Counts counts(const Port& port, const Counter& kind) const
    {
        auto counts = raw(port, kind);
        if (!saved_) {
            return counts;
        }
        const auto before = saved_->counts.find(fmt::format("{} {}", kind.name, port.saved_name));
        for (std::size_t i = 0; before != saved_->counts.end() && i != kPriorities; ++i) {
            counts[i] = since(counts[i], before->second[i]);
        }
        return counts;
    }

    static std::string recent(const Port& port, std::size_t priority, std::string_view what)
    {
        return field(port.counters, fmt::format("EST_PORT_STAT_PFC_{}_RECENT_PAUSE_{}", priority, what), kNone);
    }

    static std::string moment(const std::string& time_us)
    {
        const auto since_1970_us = number(time_us.substr(0, time_us.find('.')));
        if (!since_1970_us) {
            return time_us;
        }
        return fmt::format("{:%m/%d/%Y, %H:%M:%S}",
                           fmt::localtime(static_cast<std::time_t>(*since_1970_us / 1'000'000)));
    }

    std::string saved_text() const
    {
        return saved_ ? fmt::format("Last cached time was {}\n", excerpt(saved_->time)) : std::string{};
    }

    std::string frames_table(std::string title, std::size_t kind) const
    {
        SimpleTable table{{std::move(title)}, {}, SimpleTable::TextAlign::right};
        for (std::size_t i = 0; i != kPriorities; ++i) {
            table.heading.push_back(fmt::format("PFC{}", i));
        }
        for_each_port([&](const Port& port) {
            auto& row = table.rows.emplace_back(std::vector{port.name});
            for (const auto& count : counts(port, kinds()[kind])) {
                row.push_back(with_commas(count));
            }
        });
        return to_text(table);
    }

    std::vector<OfAsic<Port>> asics_;
    std::optional<SavedCounters> saved_;
};

std::string time_text(std::chrono::system_clock::time_point now)
{
    const auto whole = std::chrono::floor<std::chrono::seconds>(now);
    const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(now - whole);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}", fmt::localtime(std::chrono::system_clock::to_time_t(whole)),
                       rest.count());
}

// Saves the ports of every ASIC, as SONiC's pfcstat does, also with -n: there is one file for all of them.
Outcome clear(Desk& desk)
{
    desk.ignore_named_asic();
    const Statistics all{shown_asics(desk, Display::all), Display::all, std::nullopt};
    if (const auto done = save(desk.around.cache, all.to_save(time_text(desk.around.now))); !done) {
        stop_with(done.error());
    }
    return {"Clear saved PFC counters and history\n", {}, 0};
}

Outcome run_pfcstat(const Given& given, Desk& desk)
{
    if (given.has("--delete")) {
        forget(desk.around.cache);
    }
    if (given.has("--clear")) {
        return clear(desk);
    }
    const auto shown = given.text("--show") == "all" ? Display::all : Display::frontend;
    const bool history = given.has("--history");
    const Statistics statistics{shown_asics(desk, shown), shown, load(desk.around.cache)};
    if (given.has("--json")) {
        return {statistics.json(history), {}, 0};
    }
    return {history ? statistics.history_text() : statistics.frames_text(), {}, 0};
}

}  // namespace

const Command& pfcstat()
{
    static const Command command{
        .name = "pfcstat",
        .about = "PFC frames that ports have received and sent, by priority.",
        .run = run_pfcstat,
        .options = {{{"-c", "--clear"}, Flag{}, "Count from now on: later calls show what has come since."},
                    {{"-d", "--delete"}, Flag{}, "Count from the beginning again."},
                    {{"-s", "--show"}, Choice{{"all", "frontend"}}, "Also ports inside of the box."},
                    namespace_option({"-n", "--namespace"}),
                    {{"--history"}, Flag{}, "How often and how long ports were paused."},
                    json_option()},
        .version = "1.0",
        .short_options = true};
    return command;
}

}  // namespace petrel::sonic_tools
