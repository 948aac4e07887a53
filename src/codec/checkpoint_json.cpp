#include "codec/checkpoint_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/complaint_list.hpp"
#include "codec/json_text.hpp"
#include "codec/text_lines.hpp"
#include "watchdog/intake.hpp"

namespace petrel::codec {

namespace {

using watchdog::Checkpoint;
using watchdog::QueueStats;

constexpr std::uint64_t kVersion = 1;
constexpr std::string_view kVersionKey = "petrel_checkpoint";
constexpr auto kMostAgeNs = static_cast<std::uint64_t>(watchdog::kOldestAge.count());
constexpr std::size_t kMostStorms = 1'024;

using Counts = std::pair<const char*, std::uint64_t QueueStats::*>;
constexpr std::array<Counts, 10> kCounts{{
    {"detected", &QueueStats::detected},
    {"restored", &QueueStats::restored},
    {"tx_ok", &QueueStats::tx_ok},
    {"tx_drop", &QueueStats::tx_drop},
    {"rx_ok", &QueueStats::rx_ok},
    {"rx_drop", &QueueStats::rx_drop},
    {"tx_ok_last", &QueueStats::tx_ok_last},
    {"tx_drop_last", &QueueStats::tx_drop_last},
    {"rx_ok_last", &QueueStats::rx_ok_last},
    {"rx_drop_last", &QueueStats::rx_drop_last},
}};
// Counts that earlier versions did not write. They are left out while they are zero.
constexpr std::array<Counts, 2> kLaterCounts{
    {{"red_switched", &QueueStats::red_switched}, {"red_released", &QueueStats::red_released}}};

std::optional<Duration> age_of(const std::optional<Instant>& instant)
{
    return instant ? std::optional{instant->time_since_epoch()} : std::nullopt;
}

std::optional<Instant> as_instant(const std::optional<Duration>& age)
{
    return age ? std::optional{Instant{*age}} : std::nullopt;
}

// Formats numbers directly: a large switch has a hundred thousand of them, and the event loop waits. Strings go through
// the JSON library.
class CheckpointWriter {
public:
    explicit CheckpointWriter(const watchdog::Inventory& inventory) : inventory_(inventory) {}

    std::string write(const Checkpoint& checkpoint)
    {
        put("{{\"{}\":{},\"next_seq\":{},\"red_switch\":{}", kVersionKey, kVersion, checkpoint.next_seq,
            checkpoint.red_switch);
        if (checkpoint.drift_ppm != 0) {
            put(",\"drift_ppm\":{}", checkpoint.drift_ppm);
        }
        put(",\"rows\":[");
        for (const auto& row : checkpoint.rows) {
            put("{}", &row == checkpoint.rows.data() ? "" : ",");
            put_row(row);
        }
        put("]");
        if (!checkpoint.departed.empty()) {
            put(",\"departed\":[");
            for (const auto& row : checkpoint.departed) {
                put("{}{{\"name\":{}", &row == checkpoint.departed.data() ? "" : ",",
                    to_line(nlohmann::json(row.name)));
                put_stats(row.stats);
                put("}}");
            }
            put("]");
        }
        put("}}\n");
        return fmt::to_string(text_);
    }

private:
    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args)
    {
        fmt::format_to(fmt::appender(text_), format, std::forward<Args>(args)...);
    }

    void put_age(std::string_view key, const std::optional<Duration>& age)
    {
        age ? put(",\"{}\":{}", key, age->count()) : put(",\"{}\":null", key);
    }

    // A number that earlier versions did not write.
    void put_later(std::string_view key, std::uint64_t number)
    {
        if (number != 0) {
            put(",\"{}\":{}", key, number);
        }
    }

    void put_row(const Checkpoint::Row& row)
    {
        if (row.target.port != port_) {
            port_ = row.target.port;
            port_name_ = to_line(nlohmann::json(watchdog::to_string(inventory_, {row.target.port, std::nullopt})));
        }
        const auto queue = row.target.priority ? std::to_string(row.target.priority->value) : "null";
        put("{{\"port\":{},\"queue\":{},\"phase\":\"{}\",\"treatment\":\"{}\",\"ordered\":{}", port_name_, queue,
            watchdog::name(row.phase), watchdog::name(row.treatment), row.ordered);
        put(",\"proven_ns\":{},\"in_phase_ns\":{},\"storm_age_ns\":{},\"backoff\":{},\"cause\":{}", row.proven.count(),
            row.in_phase.count(), row.storm_age.count(), row.backoff, row.cause);
        put_later("held", row.held ? 1U : 0U);
        put_later("unclear_ns", static_cast<std::uint64_t>(row.unclear.count()));
        put_later("recovery_ns", static_cast<std::uint64_t>(row.recovery.count()));
        put_later("probe_looks", row.probe_looks);
        put_later("storm_proven_ns", static_cast<std::uint64_t>(row.storm_proven.count()));
        put_later("storm_limit_ns", static_cast<std::uint64_t>(row.storm_limit.count()));
        put_later("paused_ns", static_cast<std::uint64_t>(row.paused.count()));
        put_age("restored_ago_ns", row.restored_ago);
        put(",\"storms_ago_ns\":[");
        for (const auto& age : row.storms_ago) {
            put("{}{}", &age == row.storms_ago.data() ? "" : ",", age.count());
        }
        put("]");
        put_stats(row.stats);
        put("}}");
    }

    void put_stats(const QueueStats& stats)
    {
        put(",\"stats\":{{");
        for (const auto& [key, count] : kCounts) {
            put("\"{}\":{},", key, stats.*count);
        }
        for (const auto& [key, count] : kLaterCounts) {
            if (stats.*count != 0) {
                put("\"{}\":{},", key, stats.*count);
            }
        }
        put("\"in_storm_ns\":{},\"longest_pause_ns\":{}", stats.in_storm.count(), stats.longest_pause.count());
        put_age("last_detected_ago_ns", age_of(stats.last_detected));
        put_age("last_restored_ago_ns", age_of(stats.last_restored));
        put("}}");
    }

    const watchdog::Inventory& inventory_;
    fmt::memory_buffer text_;
    std::optional<PortId> port_;  // the port of the previous row
    std::string port_name_;
};

// Shows only scalars: printing a nested value recurses as deep as the input is nested.
std::string shown_scalar(const nlohmann::json& value)
{
    if (value.is_structured()) {
        return value.is_array() ? "[...]" : "{...}";
    }
    return to_line(value);
}

// Reads the values of one JSON object, and adds complaints with the path of missing or invalid ones.
class ObjectReader {
public:
    ObjectReader(const nlohmann::json& object, std::string path, ComplaintList& complaints)
        : object_(object), path_(std::move(path)), complaints_(complaints)
    {
        if (!object.is_object()) {
            complaints_.add({},
                            path_.empty() ? shown_scalar(object) : fmt::format("{} = {}", path_, shown_scalar(object)),
                            "an object");
        }
    }

    std::string path(std::string_view key) const
    {
        return path_.empty() ? std::string{key} : fmt::format("{}.{}", path_, key);
    }

    const nlohmann::json& value(std::string_view key) const
    {
        static const nlohmann::json kNothing;
        const auto at = object_.is_object() ? object_.find(key) : object_.end();
        return at == object_.end() ? kNothing : *at;
    }

    // If the value is not an object, that is one complaint; its members get none.
    void complain(std::string_view key, std::string allowed)
    {
        if (object_.is_object()) {
            complaints_.add({}, fmt::format("{} = {}", path(key), shown_scalar(value(key))), std::move(allowed));
        }
    }

    bool flag(std::string_view key)
    {
        if (!value(key).is_boolean()) {
            complain(key, "true or false");
            return false;
        }
        return value(key).get<bool>();
    }

    std::uint64_t number(std::string_view key, std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
    {
        return number_in(value(key), key, most);
    }
    std::uint64_t number_or_zero(std::string_view key, std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
    {
        return value(key).is_null() ? 0 : number(key, most);
    }
    std::int32_t signed_or_zero(std::string_view key, std::int32_t most)
    {
        const auto& given = value(key);
        if (given.is_null()) {
            return 0;
        }
        const bool fits = given.is_number_unsigned()
                              ? given.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                              : given.is_number_integer() && given.get<std::int64_t>() >= -std::int64_t{most};
        if (!fits) {
            complain(key, fmt::format("{}..{}", -most, most));
            return 0;
        }
        return given.get<std::int32_t>();
    }
    Duration duration(std::string_view key) { return duration_in(value(key), key); }

    std::optional<Duration> optional_duration(std::string_view key)
    {
        return value(key).is_null() ? std::nullopt : std::optional{duration(key)};
    }

    std::vector<Duration> durations(std::string_view key)
    {
        const auto& list = value(key);
        if (!list.is_array() || list.size() > kMostStorms) {
            complain(key, fmt::format("a list of at most {} ages", kMostStorms));
            return {};
        }
        std::vector<Duration> ages;
        std::transform(list.begin(), list.end(), std::back_inserter(ages),
                       [&](const nlohmann::json& age) { return duration_in(age, key); });
        return ages;
    }

    // from_name is one of the watchdog's functions that map a name to an enum value.
    template <class FromName>
    auto named(std::string_view key, FromName from_name) -> typename decltype(from_name(""))::value_type
    {
        const auto& word = value(key);
        const auto found = word.is_string() ? from_name(word.get_ref<const std::string&>()) : std::nullopt;
        if (!found) {
            complain(key, "a known name");
        }
        return found.value_or(typename decltype(from_name(""))::value_type{});
    }

private:
    std::uint64_t number_in(const nlohmann::json& given, std::string_view key, std::uint64_t most)
    {
        if (!given.is_number_unsigned() || given.get<std::uint64_t>() > most) {
            complain(key, fmt::format("0..{}", most));
            return 0;
        }
        return given.get<std::uint64_t>();
    }

    Duration duration_in(const nlohmann::json& given, std::string_view key)
    {
        return Duration{static_cast<Duration::rep>(number_in(given, key, kMostAgeNs))};
    }

    const nlohmann::json& object_;
    std::string path_;
    ComplaintList& complaints_;
};

QueueStats read_stats(ObjectReader reader)
{
    QueueStats stats;
    for (const auto& [key, count] : kCounts) {
        stats.*count = reader.number(key);
    }
    for (const auto& [key, count] : kLaterCounts) {
        stats.*count = reader.number_or_zero(key);
    }
    stats.in_storm = reader.duration("in_storm_ns");
    stats.longest_pause = reader.duration("longest_pause_ns");
    stats.last_detected = as_instant(reader.optional_duration("last_detected_ago_ns"));
    stats.last_restored = as_instant(reader.optional_duration("last_restored_ago_ns"));
    return stats;
}

class CheckpointReader {
public:
    CheckpointReader(const watchdog::Inventory& inventory, ComplaintList& complaints, watchdog::Inventory* gone)
        : complaints_(complaints), gone_(gone)
    {
        for (const auto& row : inventory.rows) {
            targets_.emplace(Name{inventory.ports.at(row.target.port.index).name, row.target.priority}, row.target);
        }
    }

    Checkpoint read(const nlohmann::json& document)
    {
        Checkpoint checkpoint;
        ObjectReader reader{document, {}, complaints_};
        if (reader.value(kVersionKey) != kVersion) {
            reader.complain(kVersionKey, fmt::format("{}", kVersion));
            return checkpoint;
        }
        checkpoint.next_seq = reader.number("next_seq");
        checkpoint.red_switch = reader.flag("red_switch");
        checkpoint.drift_ppm = reader.signed_or_zero("drift_ppm", watchdog::StampDrift::kMostPpm);
        const auto& rows = reader.value("rows");
        if (!rows.is_array()) {
            reader.complain("rows", "a list of rows");
            return checkpoint;
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (auto row = read_row(ObjectReader{rows[i], fmt::format("rows[{}]", i), complaints_})) {
                checkpoint.rows.push_back(std::move(*row));
            }
        }
        read_departed(reader, checkpoint);
        return checkpoint;
    }

private:
    using Name = std::pair<std::string, std::optional<Priority>>;

    void read_departed(ObjectReader& reader, Checkpoint& checkpoint)
    {
        const auto& departed = reader.value("departed");
        if (!departed.is_array()) {
            if (!departed.is_null()) {
                reader.complain("departed", "a list of rows");
            }
            return;
        }
        for (std::size_t i = 0; i < departed.size(); ++i) {
            ObjectReader row{departed[i], fmt::format("departed[{}]", i), complaints_};
            if (!row.value("name").is_string()) {
                row.complain("name", "a name");
                continue;
            }
            checkpoint.departed.push_back({row.value("name").get<std::string>(),
                                           read_stats({row.value("stats"), row.path("stats"), complaints_})});
        }
    }

    std::optional<Checkpoint::Row> read_row(ObjectReader reader)
    {
        Checkpoint::Row row;
        row.phase = reader.named("phase", watchdog::phase_from_name);
        row.treatment = reader.named("treatment", watchdog::treatment_from_name);
        row.ordered = reader.flag("ordered");
        row.held = reader.number_or_zero("held", 1) != 0;
        row.proven = reader.duration("proven_ns");
        row.in_phase = reader.duration("in_phase_ns");
        row.storm_age = reader.duration("storm_age_ns");
        row.backoff = static_cast<std::uint32_t>(reader.number("backoff", std::numeric_limits<std::uint32_t>::max()));
        row.cause = reader.number("cause");
        const auto duration_or_zero = [&](const char* key) {
            return Duration{static_cast<Duration::rep>(reader.number_or_zero(key, kMostAgeNs))};
        };
        row.unclear = duration_or_zero("unclear_ns");
        row.recovery = duration_or_zero("recovery_ns");
        row.storm_proven = duration_or_zero("storm_proven_ns");
        row.storm_limit = duration_or_zero("storm_limit_ns");
        row.paused = duration_or_zero("paused_ns");
        row.probe_looks =
            static_cast<std::uint32_t>(reader.number_or_zero("probe_looks", std::numeric_limits<std::uint32_t>::max()));
        row.restored_ago = reader.optional_duration("restored_ago_ns");
        row.storms_ago = reader.durations("storms_ago_ns");
        row.stats = read_stats({reader.value("stats"), reader.path("stats"), complaints_});

        const auto name = read_name(reader);
        if (!seen_.insert(name).second) {
            reader.complain("port", "each row once");
        }
        const auto at = targets_.find(name);
        if (at == targets_.end()) {
            add_gone(name);
            return std::nullopt;
        }
        row.target = at->second;
        return row;
    }

    void add_gone(const Name& name)
    {
        if (gone_ == nullptr) {
            return;
        }
        const auto next = static_cast<std::uint16_t>(gone_->ports.size());
        const auto [port, is_new] = gone_ports_.try_emplace(name.first, next);
        if (is_new) {
            gone_->ports.push_back({name.first, "", {}});
        }
        gone_->rows.emplace_back().target = {{{}, port->second}, name.second};
    }

    static Name read_name(ObjectReader& reader)
    {
        Name name;
        if (const auto& port = reader.value("port"); port.is_string()) {
            name.first = port.get_ref<const std::string&>();
        } else {
            reader.complain("port", "a port name");
        }
        if (!reader.value("queue").is_null()) {
            name.second = Priority{static_cast<std::uint8_t>(reader.number("queue", kPriorities - 1))};
        }
        return name;
    }

    ComplaintList& complaints_;
    watchdog::Inventory* gone_;
    std::map<std::string, std::uint16_t> gone_ports_;
    std::map<Name, Target> targets_;
    std::set<Name> seen_;
};

Place place_of_byte(std::string_view text, std::size_t byte)
{
    const auto before = text.substr(0, byte == 0 ? 0 : byte - 1);
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 is the start of the text
    const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    return Line{text.substr(line_start), line}.place(text.data() + before.size());
}

}  // namespace

std::string checkpoint_json(const Checkpoint& checkpoint, const watchdog::Inventory& inventory)
{
    return CheckpointWriter{inventory}.write(checkpoint);
}

Parsed<Checkpoint> read_checkpoint(std::string_view text, std::string_view file, const watchdog::Inventory& inventory,
                                   watchdog::Inventory* gone)
{
    ComplaintList complaints{file};
    Checkpoint checkpoint;
    try {
        checkpoint = CheckpointReader{inventory, complaints, gone}.read(nlohmann::json::parse(text));
    } catch (const nlohmann::json::exception& error) {
        const auto* broken = dynamic_cast<const nlohmann::json::parse_error*>(&error);
        complaints.add(broken != nullptr ? place_of_byte(text, broken->byte) : Place{}, {}, "a checkpoint as JSON");
    }
    if (!complaints.empty()) {
        return tl::make_unexpected(std::move(complaints).take());
    }
    return checkpoint;
}

std::vector<std::string> treated_queues(std::string_view text)
{
    std::vector<std::string> names;
    try {
        const auto checkpoint = nlohmann::json::parse(text);
        const bool all = checkpoint.at("red_switch").get<bool>();
        for (const auto& row : checkpoint.at("rows")) {
            const auto phase = watchdog::phase_from_name(row.at("phase").get<std::string_view>());
            if (all || (phase && *phase > watchdog::Phase::alerted)) {
                const auto& port = row.at("port").get_ref<const std::string&>();
                const auto& queue = row.at("queue");
                names.push_back(queue.is_null() ? port : fmt::format("{}:{}", port, queue.get<unsigned>()));
            }
        }
    } catch (const nlohmann::json::exception&) {
        names.clear();
    }
    return names;
}

}  // namespace petrel::codec
