#include "codec/import/counter_names.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/toml_text.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::codec {
namespace {

using watchdog::Field;

constexpr std::array<std::pair<std::string_view, Field>, 14> kSaiCounters{{
    {"SAI_PORT_STAT_PFC_#_RX_PKTS", Field::rx_pfc},
    {"SAI_PORT_STAT_PFC_#_TX_PKTS", Field::pause_tx},
    {"SAI_PORT_STAT_PFC_#_ON2OFF_RX_PKTS", Field::on2off},
    {"SAI_PORT_STAT_PFC_#_RX_PAUSE_DURATION_US", Field::pause_us},
    {"SAI_PORT_STAT_PFC_#_TX_PAUSE_DURATION_US", Field::pause_tx_us},
    {"SAI_PORT_STAT_PAUSE_RX_PKTS", Field::rx_pfc},
    {"SAI_PORT_STAT_PAUSE_TX_PKTS", Field::pause_tx},
    {"SAI_QUEUE_STAT_PACKETS", Field::tx_packets},
    {"SAI_QUEUE_STAT_BYTES", Field::tx_bytes},
    {"SAI_QUEUE_STAT_DROPPED_PACKETS", Field::tx_drops},
    {"SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", Field::occupancy},
    {"SAI_QUEUE_ATTR_PAUSE_STATUS", Field::paused_now},
    {"SAI_INGRESS_PRIORITY_GROUP_STAT_PACKETS", Field::rx_packets},
    {"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", Field::rx_drops},
}};

constexpr std::array<std::string_view, 4> kUnits{"s", "ms", "us", "ns"};

bool same_letter(char a, char b)
{
    return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b));
}

// Whether a name fits a pattern, whose # stands for a priority.
struct Fit {
    bool fits{};
    std::optional<std::uint8_t> priority;
};

Fit fit(std::string_view pattern, std::string_view name)
{
    Fit found;
    if (pattern.size() != name.size()) {
        return found;
    }
    for (std::size_t i = 0; i != name.size(); ++i) {
        if (pattern[i] == '#' && !found.priority && name[i] >= '0' && name[i] < '0' + int{kPriorities}) {
            found.priority = static_cast<std::uint8_t>(name[i] - '0');
        } else if (!same_letter(pattern[i], name[i])) {
            return {};
        }
    }
    found.fits = true;
    return found;
}

// Columns that a mapping may fill.
bool is_value(Column column)
{
    return column == Column::link_up || column == Column::speed_bps ||
           (column >= Column::first_field && column != column_of(Field::pause_state));
}

std::vector<std::string_view> value_columns()
{
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i != kColumns; ++i) {
        if (is_value(static_cast<Column>(i))) {
            names.push_back(column_names()[i]);
        }
    }
    return names;
}

class MapReader {
public:
    explicit MapReader(std::string_view file) : text_(file) {}

    Parsed<CounterMap> read(std::string_view text)
    {
        text_.parse(text, [&](toml::table& table) {
            map_ = {};
            read_top(table);
        });
        if (!text_.complaints().empty()) {
            return tl::make_unexpected(std::move(text_.complaints()).take());
        }
        return std::move(map_);
    }

private:
    void read_top(const toml::table& table)
    {
        static constexpr std::array<std::string_view, 6> kKeys{"time", "time_unit", "device",
                                                               "port", "queue",     "values"};
        text_.only(table, kKeys);
        for (const auto& [key, into] : {std::pair{"time", &map_.time}, std::pair{"device", &map_.device},
                                        std::pair{"port", &map_.port}, std::pair{"queue", &map_.queue}}) {
            if (const auto* node = table.get(key)) {
                *into = text_.text(*node);
            }
        }
        if (const auto* node = table.get("time_unit")) {
            const auto found = std::ranges::find(kUnits, text_.text(*node));
            if (found == kUnits.end()) {
                text_.wrong(*node, "s, ms, us or ns");
            } else {
                map_.time_unit = static_cast<TimeUnit>(1 + (found - kUnits.begin()));
            }
        }
        if (const auto* node = table.get("values")) {
            if (const auto* values = node->as_table()) {
                for (const auto& [name, value] : *values) {
                    read_value(name, value);
                }
            } else {
                text_.wrong(*node, "a table: \"their name\" = \"our column\"");
            }
        }
    }

    void read_value(const toml::key& name, const toml::node& node)
    {
        static constexpr std::array<std::string_view, 2> kKeys{"column", "times"};
        CounterMap::Entry entry{std::string{name.str()}, {}};
        const toml::node* column = &node;
        if (const auto* table = node.as_table()) {
            text_.only(*table, kKeys);
            column = table->get("column");
            if (const auto* times = table->get("times")) {
                entry.meaning.times = times->value<double>().value_or(0);
                if (!(entry.meaning.times > 0) || !std::isfinite(entry.meaning.times)) {
                    text_.wrong(*times, "a number above 0");
                }
            }
        }
        if (column == nullptr) {
            text_.wrong(node, "{ column = \"our column\", times = 1000 }");
            return;
        }
        const auto word = text_.text(*column);
        const auto known = value_columns();
        if (std::ranges::find(known, word) == known.end()) {
            text_.wrong(*column, "a column of a trace, " + instead_of(word, known));
            return;
        }
        entry.meaning.column = *column_from_name(word);
        map_.entries.push_back(std::move(entry));
    }

    TomlText text_;
    CounterMap map_;
};

}  // namespace

std::optional<CounterMeaning> sai_counter(std::string_view name)
{
    for (const auto& [pattern, field] : kSaiCounters) {
        if (const auto found = fit(pattern, name); found.fits) {
            return CounterMeaning{column_of(field), found.priority};
        }
    }
    return std::nullopt;
}

Result<std::optional<std::uint64_t>> recorded_value(std::string_view text, double times)
{
    constexpr std::array<std::string_view, 6> kNoValue{"", "-", "N/A", "NaN", "nan", "null"};
    if (std::ranges::find(kNoValue, text) != kNoValue.end()) {
        return std::nullopt;
    }
    if (text == "true" || text == "false") {
        return text == "true" ? 1 : 0;
    }
    const auto* end = text.data() + text.size();
    std::uint64_t whole{};
    if (const auto read = std::from_chars(text.data(), end, whole);
        times == 1 && read.ec == std::errc{} && read.ptr == end) {
        return whole;
    }
    constexpr double kBeyond = 18446744073709551616.0;  // 2^64
    double number{};
    const auto read = std::from_chars(text.data(), end, number);
    number = std::round(number * times);
    if (read.ec != std::errc{} || read.ptr != end || !(number >= 0 && number < kBeyond)) {
        return tl::unexpected(Error{ErrorKind::invalid, "a number from 0, true, false, or N/A"});
    }
    return static_cast<std::uint64_t>(number);
}

std::optional<std::int64_t> recorded_time(std::string_view text, TimeUnit unit)
{
    constexpr std::int64_t kLatestUs = 4'000'000'000'000'000;  // in 2096: twice this time fits into a Duration
    if (const auto at = wire::time_from_text(text)) {
        const auto us = at->time_since_epoch().count();
        return us >= 0 && us <= kLatestUs ? std::optional{us} : std::nullopt;
    }
    double number{};
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc{} || read.ptr != end || !(number >= 0)) {
        return std::nullopt;
    }
    if (unit == TimeUnit::guessed) {
        // Of today's times, seconds have 10 digits, and each smaller unit three more.
        unit = number >= 1e17   ? TimeUnit::ns
               : number >= 1e14 ? TimeUnit::us
               : number >= 1e11 ? TimeUnit::ms
                                : TimeUnit::s;
    }
    constexpr std::array<double, 5> kMicroseconds{0, 1e6, 1e3, 1, 1e-3};
    const auto us = std::round(number * kMicroseconds.at(static_cast<std::size_t>(unit)));
    return us <= static_cast<double>(kLatestUs) ? std::optional{static_cast<std::int64_t>(us)} : std::nullopt;
}

std::optional<CounterMeaning> CounterMap::find(std::string_view name) const
{
    for (const auto& entry : entries) {
        if (const auto found = fit(entry.name, name); found.fits) {
            auto meaning = entry.meaning;
            meaning.priority = found.priority;
            return meaning;
        }
    }
    if (const auto column = column_from_name(name); column && is_value(*column)) {
        return CounterMeaning{*column, std::nullopt};
    }
    return sai_counter(name);
}

Parsed<CounterMap> read_counter_map(std::string_view text, std::string_view file) { return MapReader{file}.read(text); }

}  // namespace petrel::codec
