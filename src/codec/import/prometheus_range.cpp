// The answer of Prometheus' HTTP API to a query with a range: a matrix of series, each with its labels and values.
#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "base/complaint_text.hpp"
#include "codec/import/import_readers.hpp"
#include "codec/json_shape.hpp"
#include "codec/json_text.hpp"

namespace petrel::codec {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepestAnswer = 6;

class RangeReader {
public:
    RangeReader(Import& import, ComplaintList& complaints) : import_(import), complaints_(complaints) {}

    void read(std::string_view text)
    {
        const auto answer = json_shape(text).depth > kDeepestAnswer ? json(json::value_t::discarded)
                                                                    : json::parse(text, nullptr, false);
        if (answer.is_object() && answer.value("status", json{}) == "error") {
            complaints_.add_sentence({}, "Prometheus answered with an error: " +
                                             excerpt(text_of(answer.value("error", json{}))));
            return;
        }
        const auto* data = member(answer, "data");
        const auto* result = data != nullptr ? member(*data, "result") : nullptr;
        const auto type = data != nullptr ? text_of(data->value("resultType", json{})) : std::string{};
        if (result == nullptr || !result->is_array() || type != "matrix") {
            complaints_.add({1, 1}, type,
                            "an answer of Prometheus with resultType \"matrix\": of query_range, or of query with a "
                            "range such as [1h]");
            return;
        }
        for (std::size_t i = 0; i != result->size(); ++i) {
            read_series((*result)[i], fmt::format("data.result[{}]", i));
        }
    }

private:
    static const json* member(const json& object, const char* name)
    {
        const auto at = object.is_object() ? object.find(name) : object.end();
        return object.is_object() && at != object.end() ? &*at : nullptr;
    }

    static std::string text_of(const json& value)
    {
        return value.is_string() ? value.get<std::string>() : value.is_structured() ? "..." : to_line(value);
    }

    // The label that the mapping names, else the first of the usual ones.
    static std::string label(const json& labels, const std::string& wanted, std::initializer_list<const char*> usual)
    {
        if (const auto* found = wanted.empty() ? nullptr : member(labels, wanted.c_str())) {
            return text_of(*found);
        }
        for (const auto* name : usual) {
            if (const auto* found = member(labels, name)) {
                return text_of(*found);
            }
        }
        return {};
    }

    void read_series(const json& series, const std::string& path)
    {
        const auto* labels = member(series, "metric");
        const auto* values = member(series, "values");
        if (labels == nullptr || values == nullptr || !labels->is_object() || !values->is_array()) {
            complaints_.add({}, path, "a series with \"metric\" and \"values\"");
            return;
        }
        const auto name = label(*labels, "__name__", {});
        const auto meaning = import_.map.find(name);
        if (!meaning) {
            import_.left_out.insert(name);
            return;
        }
        RecordedQueue queue;
        queue.port = label(*labels, import_.map.port, {"port", "interface", "ifname", "ifName", "if_name", "device"});
        queue.device = label(*labels, import_.map.device, {"switch", "hostname", "host", "instance"});
        queue.priority = meaning->priority;
        if (queue.port.empty()) {
            complaints_.add({}, path + ".metric",
                            import_.map.port.empty()
                                ? "a label with the port: port, interface, ifname; or name it in a "
                                  "mapping file"
                                : fmt::format("the label '{}'", import_.map.port));
            return;
        }
        const auto number = label(*labels, import_.map.queue, {"queue", "priority", "prio", "pg", "tc"});
        if (!number.empty() && !queue.priority) {
            queue.priority = priority_in(number);
            if (!queue.priority) {
                complaints_.add({}, fmt::format("{}.metric: {}", path, number), "a queue 0..7");
                return;
            }
        }
        for (std::size_t i = 0; i != values->size(); ++i) {
            read_point((*values)[i], fmt::format("{}.values[{}]", path, i), queue, *meaning);
        }
    }

    void read_point(const json& point, const std::string& path, const RecordedQueue& queue,
                    const CounterMeaning& meaning)
    {
        const bool pair = point.is_array() && point.size() == 2;
        const auto at = pair ? recorded_time(text_of(point[0]), TimeUnit::s) : std::nullopt;
        const auto value = pair ? recorded_value(text_of(point[1]), meaning.times)
                                : Result<std::optional<std::uint64_t>>{std::nullopt};
        if (!at || !value) {
            complaints_.add({}, fmt::format("{} = {}", path, pair ? text_of(point[1]) : std::string{"..."}),
                            "[seconds since 1970, \"a number from 0\"]");
        } else if (*value) {
            import_.recording.add(queue, *at, meaning.column, **value);
        }
    }

    Import& import_;
    ComplaintList& complaints_;
};

}  // namespace

void read_prometheus(const ImportFile& file, Import& import, ComplaintList& complaints)
{
    RangeReader{import, complaints}.read(file.text);
}

}  // namespace petrel::codec
