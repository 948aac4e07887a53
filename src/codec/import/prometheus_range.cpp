// The answer of Prometheus' HTTP API to a query with a range: a matrix of series, each with its labels and values.
#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/complaint_text.hpp"
#include "codec/import/import_readers.hpp"
#include "codec/json_place.hpp"
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
        text_ = text;
        const auto answer = parse_json(text, kDeepestAnswer, complaints_);
        if (answer.is_discarded()) {
            return;
        }
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
            read_series((*result)[i], {"data", "result", fmt::format("{}", i)});
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

    // `value` is the text of the value, or empty.
    void complain(const JsonPath& path, std::string_view value, std::string allowed)
    {
        std::string name;
        for (const auto& step : path) {
            const bool index = step.find_first_not_of("0123456789") == std::string::npos;
            name += index ? fmt::format("[{}]", step) : fmt::format("{}{}", name.empty() ? "" : ".", step);
        }
        complaints_.add(json_place(text_, path, complaints_),
                        fmt::format("{}{}{}", name, value.empty() ? "" : ": ", value), std::move(allowed));
    }

    static JsonPath below(JsonPath path, std::string step)
    {
        path.push_back(std::move(step));
        return path;
    }

    void read_series(const json& series, const JsonPath& path)
    {
        const auto* labels = member(series, "metric");
        const auto* values = member(series, "values");
        if (labels == nullptr || values == nullptr || !labels->is_object() || !values->is_array()) {
            complain(path, {}, "a series with \"metric\" and \"values\"");
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
            complain(below(path, "metric"), {},
                     import_.map.port.empty()
                         ? "a label with the port: port, interface, ifname; or name it in a mapping file"
                         : fmt::format("the label '{}'", import_.map.port));
            return;
        }
        const auto number = label(*labels, import_.map.queue, {"queue", "priority", "prio", "pg", "tc"});
        if (!number.empty() && !queue.priority) {
            queue.priority = priority_in(number);
            if (!queue.priority) {
                complain(below(path, "metric"), number, "a queue 0..7");
                return;
            }
        }
        for (std::size_t i = 0; i != values->size(); ++i) {
            if (const auto wrong = read_point((*values)[i], queue, *meaning)) {
                complain(below(below(path, "values"), fmt::format("{}", i)), *wrong,
                         "[seconds since 1970, \"a number from 0\"]");
            }
        }
    }

    // Returns the text of a value that is none.
    std::optional<std::string> read_point(const json& point, const RecordedQueue& queue, const CounterMeaning& meaning)
    {
        const bool pair = point.is_array() && point.size() == 2;
        const auto at = pair ? recorded_time(text_of(point[0]), TimeUnit::s) : std::nullopt;
        const auto value = pair ? recorded_value(text_of(point[1]), meaning.times)
                                : Result<std::optional<std::uint64_t>>{std::nullopt};
        if (!at || !value) {
            return pair ? text_of(point[1]) : std::string{"..."};
        }
        if (*value) {
            import_.recording.add(queue, *at, meaning.column, **value);
        }
        return std::nullopt;
    }

    Import& import_;
    ComplaintList& complaints_;
    std::string_view text_;
};

}  // namespace

void read_prometheus(const ImportFile& file, Import& import, ComplaintList& complaints)
{
    RangeReader{import, complaints}.read(file.text);
}

}  // namespace petrel::codec
