#include "codec/control_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/control_fields.hpp"
#include "codec/json_shape.hpp"
#include "codec/json_text.hpp"
#include "config/stop_policy.hpp"
#include "control/names.hpp"
#include "watchdog/policy.hpp"

namespace petrel::codec {
namespace {

using control::ControlRequest;
using control::ExplainReport;
using control::LinkReport;
using control::OrderReport;
using control::QueueReport;
using control::ReloadReport;
using control::StatusReport;
using control::TableChange;
using control::TableHash;
using control::TableReport;
using Command = ControlRequest::Command;
using Condition = control::DeviceReport::Condition;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, static_cast<std::size_t>(TableChange::Kind::count_)> kChangeKinds{
    "set", "remove", "replace"};

constexpr std::array<std::string_view, 7> kErrorKinds{"invalid",   "unsupported", "unreachable", "denied",
                                                      "timed_out", "corrupt",     "exhausted"};

// The keys that a command accepts besides its name.
std::span<const std::string_view> keys_of(Command command)
{
    static constexpr std::array<std::string_view, 2> kQueues{"device", "stormed"};
    static constexpr std::array<std::string_view, 3> kOrder{"device", "queue", "note"};
    static constexpr std::array<std::string_view, 1> kReleaseAll{"note"};
    static constexpr std::array<std::string_view, 3> kRedSwitch{"device", "state", "note"};
    static constexpr std::array<std::string_view, 2> kPolicyPush{"policy", "note"};
    static constexpr std::array<std::string_view, 6> kEvents{"device", "queue", "follow", "last", "since_us", "types"};
    static constexpr std::array<std::string_view, 2> kExplain{"device", "queue"};
    static constexpr std::array<std::string_view, 3> kLinks{"device", "port", "history"};
    static constexpr std::array<std::string_view, 3> kLinkClear{"device", "port", "sequence"};
    static constexpr std::array<std::string_view, 2> kTableKeys{"db", "prefix"};
    static constexpr std::array<std::string_view, 2> kTableHashes{"db", "keys"};
    static constexpr std::array<std::string_view, 2> kTableChange{"db", "changes"};
    switch (command) {
    case Command::queues: return kQueues;
    case Command::mitigate:
    case Command::release:
    case Command::repaired:
    case Command::hold:
    case Command::clear: return kOrder;
    case Command::release_all: return kReleaseAll;
    case Command::red_switch: return kRedSwitch;
    case Command::policy_push: return kPolicyPush;
    case Command::events: return kEvents;
    case Command::explain: return kExplain;
    case Command::table_keys: return kTableKeys;
    case Command::table_hashes: return kTableHashes;
    case Command::table_change: return kTableChange;
    case Command::links: return kLinks;
    case Command::link_clear: return kLinkClear;
    case Command::status:
    case Command::reload:
    case Command::count_: break;
    }
    return {};
}

bool needs_queue(Command command)
{
    const auto keys = keys_of(command);
    const bool for_all = command == Command::clear || command == Command::events;
    return !for_all && std::find(keys.begin(), keys.end(), "queue") != keys.end();
}

// ---------------------------------------------------------------------------------------------------------- writing

// Writes the text directly, without a JSON tree: an answer may hold tens of thousands of queues.
class Writer {
public:
    explicit Writer(std::string& text) : text_(text) {}

    template <class T>
    void operator()(std::string_view key, const T& value)
    {
        text_ += first_ ? "\"" : ",\"";
        text_ += key;
        text_ += "\":";
        first_ = false;
        put(value);
    }

private:
    void put(bool value) { text_ += value ? "true" : "false"; }
    void put(Condition condition) { put(name(condition)); }
    void put(std::optional<config::StopPolicy> policy) { put(policy ? name(*policy) : std::string_view{}); }
    void put(std::optional<watchdog::Phase> phase) { put(control::phase_name(phase)); }
    void put(std::optional<watchdog::Treatment> action) { put(control::action_name(action)); }
    void put(watchdog::Treatment treatment) { put(control::treatment_name(treatment)); }
    void put(TableChange::Kind kind) { put(kChangeKinds.at(static_cast<std::size_t>(kind))); }
    void put(ErrorKind kind) { put(kErrorKinds.at(static_cast<std::size_t>(kind))); }
    void put(const JsonLine<const std::string>& line) { text_ += Json::accept(line.text) ? line.text : "null"; }
    void put(const std::string& text) { put(std::string_view{text}); }

    void put(std::string_view text)
    {
        const bool plain =
            std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
        if (plain) {
            text_ += '"';
            text_ += text;
            text_ += '"';
        } else {
            text_ += to_line(Json(text));
        }
    }

    void put(const TableHash& hash)
    {
        text_ += '{';
        for (auto at = hash.begin(); at != hash.end(); ++at) {
            text_ += at == hash.begin() ? "" : ",";
            put(at->first);
            text_ += ':';
            put(at->second);
        }
        text_ += '}';
    }

    template <std::integral Number>
    void put(Number number)
    {
        const fmt::format_int digits{number};
        text_.append(digits.data(), digits.size());
    }

    template <class T>
    void put(const std::optional<T>& value)
    {
        if (value) {
            put(*value);
        } else {
            text_ += "null";
        }
    }

    template <class T>
    void put(const std::vector<T>& list)
    {
        put(std::span{list});
    }

    template <class T>
    void put(std::span<const T> list)
    {
        text_ += '[';
        for (const auto& one : list) {
            text_ += &one == list.data() ? "" : ",";
            put(one);
        }
        text_ += ']';
    }

    template <class Report>
        requires std::is_class_v<Report>
    void put(const Report& report)
    {
        text_ += '{';
        Writer fields{text_};
        visit_fields(report, fields);
        text_ += '}';
    }

    std::string& text_;
    bool first_{true};
};

template <class T>
std::string answer(std::string_view key, const T& value)
{
    std::string text{"{"};
    Writer write{text};
    write("ok", true);
    write(key, value);
    return text + '}';
}

// ---------------------------------------------------------------------------------------------------------- reading

// Shows only scalars: printing a nested value recurses as deep as the input is nested.
std::string shown_briefly(const Json& value)
{
    constexpr std::size_t kLongest = 60;
    if (value.is_structured()) {
        return value.is_array() ? "[...]" : "{...}";
    }
    auto text = to_line(value);
    return text.size() <= kLongest ? text : "...";
}

// The first invalid value.
struct Misread {
    std::string what;
};

// Our own messages are nested less deep than this limit. The limit bounds the recursion of copying and reading.
Json parse(std::string_view line)
{
    constexpr std::size_t kDeepest = 16;
    const auto shape = json_shape(line);
    if (shape.depth > kDeepest) {
        throw Misread{"nested too deep"};
    }
    if (shape.repeated) {
        throw Misread{fmt::format("{} is given twice", shown_briefly(*shape.repeated))};
    }
    return Json::parse(line);
}

class Reader {
public:
    Reader(const Json& object, std::string path) : object_(object), path_(std::move(path))
    {
        if (!object.is_object()) {
            throw Misread{
                fmt::format("{}{}: allowed an object", path_.empty() ? "" : path_ + " = ", shown_briefly(object))};
        }
    }

    template <class T>
    void operator()(std::string_view key, T&& into) const
    {
        if (const auto at = object_.find(key); at != object_.end()) {
            take(*at, path_.empty() ? std::string{key} : fmt::format("{}.{}", path_, key), into);
        }
    }

private:
    [[noreturn]] static void refuse(const Json& value, const std::string& path, std::string_view allowed)
    {
        throw Misread{fmt::format("{} = {}: allowed {}", path, shown_briefly(value), allowed)};
    }

    static void take(const Json& value, const std::string& path, std::string& into)
    {
        if (!value.is_string()) {
            refuse(value, path, "text");
        }
        into = value.get_ref<const std::string&>();
    }

    static void take(const Json& value, const std::string& path, bool& into)
    {
        if (!value.is_boolean()) {
            refuse(value, path, "true or false");
        }
        into = value.get<bool>();
    }

    template <std::integral Number>
    static void take(const Json& value, const std::string& path, Number& into)
    {
        const bool fits = value.is_number_unsigned()
                              ? std::in_range<Number>(value.get<std::uint64_t>())
                              : value.is_number_integer() && std::in_range<Number>(value.get<std::int64_t>());
        if (!fits) {
            using Limits = std::numeric_limits<Number>;
            refuse(value, path, fmt::format("{}..{}", Limits::min(), Limits::max()));
        }
        into = value.get<Number>();
    }

    static std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : ""; }

    template <class Enum>
    static void take_word(const Json& value, const std::string& path, std::span<const std::string_view> words,
                          Enum& into)
    {
        const auto word = text_of(value);
        const auto at = std::find(words.begin(), words.end(), word);
        if (at == words.end()) {
            refuse(value, path, "a known word, " + instead_of(word, words));
        }
        into = static_cast<Enum>(at - words.begin());
    }

    static void take(const Json& value, const std::string& path, Condition& into)
    {
        take_word(value, path, control::kConditions, into);
    }
    static void take(const Json& value, const std::string& path, Command& into)
    {
        take_word(value, path, control::kCommands, into);
    }
    static void take(const Json& value, const std::string& path, std::optional<config::StopPolicy>& into)
    {
        into.reset();
        if (value != Json("")) {
            take_word(value, path, config::kStopPolicies, into.emplace());
        }
    }
    static void take(const Json& value, const std::string& path, ErrorKind& into)
    {
        take_word(value, path, kErrorKinds, into);
    }

    static void take(const Json& value, const std::string& path, TableChange::Kind& into)
    {
        take_word(value, path, kChangeKinds, into);
    }

    template <class Enum>
    static void take_word(const Json& value, const std::string& path, std::optional<Enum> read, Enum& into)
    {
        if (!read) {
            refuse(value, path, "a known word");
        }
        into = *read;
    }

    static void take(const Json& value, const std::string& path, std::optional<watchdog::Phase>& into)
    {
        const auto word = text_of(value);
        into.reset();
        if (word != control::phase_name(std::nullopt)) {
            take_word(value, path, watchdog::phase_from_name(word), into.emplace());
        }
    }
    static void take(const Json& value, const std::string& path, std::optional<watchdog::Treatment>& into)
    {
        const auto word = text_of(value);
        into.reset();
        if (!word.empty()) {
            take_word(value, path, watchdog::action_from_name(word), into.emplace());
        }
    }
    static void take(const Json& value, const std::string& path, watchdog::Treatment& into)
    {
        const auto word = text_of(value);
        const bool is_none = word == control::treatment_name(watchdog::Treatment::none);
        take_word(value, path, is_none ? watchdog::Treatment::none : watchdog::action_from_name(word), into);
    }

    static void take(const Json& value, const std::string& path, TableHash& into)
    {
        if (!value.is_object()) {
            refuse(value, path, "an object");
        }
        into.clear();
        for (const auto& [field, text] : value.items()) {
            take(text, fmt::format("{}.{}", path, field), into[field]);
        }
    }

    static void take(const Json& value, const std::string& path, JsonLine<std::string>& into)
    {
        if (!value.is_object() && !value.is_null()) {
            refuse(value, path, "an object or null");
        }
        into.text = value.is_null() ? std::string{} : to_line(value);
    }

    template <class T>
    static void take(const Json& value, const std::string& path, std::optional<T>& into)
    {
        into.reset();
        if (!value.is_null()) {
            take(value, path, into.emplace());
        }
    }

    template <class T>
    static void take(const Json& value, const std::string& path, std::vector<T>& into)
    {
        if (!value.is_array()) {
            refuse(value, path, "a list");
        }
        into.clear();
        for (const auto& one : value) {
            const auto place = fmt::format("{}[{}]", path, into.size());
            take(one, place, into.emplace_back());
        }
    }

    template <class Report>
        requires std::is_class_v<Report>
    static void take(const Json& value, const std::string& path, Report& into)
    {
        const Reader read{value, path};
        visit_fields(into, read);
    }

    const Json& object_;
    std::string path_;
};

Error not_understood(std::string_view why)
{
    return {ErrorKind::corrupt, fmt::format("the agent's answer cannot be read: {}", why)};
}

// The result of `look`, unless the answer is an error.
template <class Look>
auto from_answer(std::string_view line, const Look& look) -> Result<decltype(look(Json{}))>
{
    try {
        const auto json = parse(line);
        const Reader read{json, {}};
        bool ok = true;
        read("ok", ok);
        if (!ok) {
            Error error{ErrorKind::corrupt, "the agent refused, without saying why"};
            read("error", error);
            return tl::unexpected(std::move(error));
        }
        return look(json);
    } catch (const Misread& misread) {
        return tl::unexpected(not_understood(misread.what));
    } catch (const Json::exception&) {
        return tl::unexpected(not_understood("it is no JSON"));
    }
}

template <class Report>
Result<Report> read_answer(std::string_view key, std::string_view line)
{
    return from_answer(line, [key](const Json& json) {
        Report report;
        if (!json.contains(key)) {
            throw Misread{fmt::format("it has no {}", key)};
        }
        Reader{json, {}}(key, report);
        return report;
    });
}

void refuse_other_keys(const Json& json, Command command)
{
    const auto known = keys_of(command);
    for (const auto& [key, value] : json.items()) {
        if (key != "command" && std::find(known.begin(), known.end(), key) == known.end()) {
            const auto near = nearest(key, known);
            throw Misread{fmt::format("{} has no key '{}'{}", name(command), key,
                                      near.empty() ? "" : fmt::format("; the nearest is '{}'", near))};
        }
    }
}

ControlRequest request_of(const Json& json)
{
    ControlRequest request;
    const Reader read{json, {}};
    if (!json.contains("command")) {
        throw Misread{fmt::format("no command: allowed {}", fmt::join(control::kCommands, ", "))};
    }
    read("command", request.command);
    refuse_other_keys(json, request.command);
    visit_fields(request, read);
    if (needs_queue(request.command) && request.queue.empty()) {
        throw Misread{"no queue: allowed PORT:PRIORITY, or PORT for all its queues"};
    }
    if (request.command == Command::link_clear && (request.port.empty() || request.sequence == 0)) {
        throw Misread{"no port or no sequence: allowed a port and the number of its event"};
    }
    if (request.command == Command::policy_push && request.policy.empty()) {
        throw Misread{"no policy: allowed the text of a policy file, or none"};
    }
    if (request.command == Command::red_switch && request.state != "on" && request.state != "off") {
        throw Misread{fmt::format("state: '{}': allowed on or off", excerpt(request.state))};
    }
    return request;
}

}  // namespace

std::string request_json(const ControlRequest& request)
{
    std::string text{"{"};
    Writer write{text};
    write("command", name(request.command));
    const auto keys = keys_of(request.command);
    // Only the keys that the command accepts, and only those that differ from their default.
    visit_fields(request, [&](std::string_view key, const auto& value) {
        if (std::find(keys.begin(), keys.end(), key) != keys.end() && value != std::decay_t<decltype(value)>{}) {
            write(key, value);
        }
    });
    return text + '}';
}

Result<ControlRequest> read_request(std::string_view line)
{
    std::string problem;
    try {
        return request_of(parse(line));
    } catch (const Misread& misread) {
        problem = misread.what;
    } catch (const Json::exception&) {
        problem = "allowed one JSON object, such as {\"command\":\"status\"}";
    }
    return tl::unexpected(Error{ErrorKind::invalid, "the request cannot be read: " + problem});
}

std::string answer_json(const StatusReport& status) { return answer("status", status); }
std::string answer_json(std::span<const QueueReport> queues) { return answer("queues", queues); }
std::string answer_json(const ExplainReport& explanation) { return answer("explanation", explanation); }
std::string answer_json(const OrderReport& order) { return answer("order", order); }
std::string answer_json(const ReloadReport& reload) { return answer("reload", reload); }
std::string answer_json(const TableReport& tables) { return answer("tables", tables); }
std::string answer_json(std::span<const LinkReport> links) { return answer("links", links); }
std::string events_end_json(std::uint64_t events) { return answer("events", events); }

std::string answer_json(const Error& error)
{
    std::string text{"{"};
    Writer write{text};
    write("ok", false);
    write("error", error);
    return text + '}';
}

Result<StatusReport> read_status(std::string_view line) { return read_answer<StatusReport>("status", line); }
Result<std::vector<QueueReport>> read_queues(std::string_view line)
{
    return read_answer<std::vector<QueueReport>>("queues", line);
}
Result<ExplainReport> read_explanation(std::string_view line)
{
    return read_answer<ExplainReport>("explanation", line);
}
Result<OrderReport> read_order(std::string_view line) { return read_answer<OrderReport>("order", line); }
Result<TableReport> read_tables(std::string_view line) { return read_answer<TableReport>("tables", line); }
Result<std::vector<LinkReport>> read_links(std::string_view line)
{
    return read_answer<std::vector<LinkReport>>("links", line);
}
Result<ReloadReport> read_reload(std::string_view line) { return read_answer<ReloadReport>("reload", line); }

Result<std::optional<std::uint64_t>> read_events_end(std::string_view line)
{
    return from_answer(line, [](const Json& json) {
        std::optional<std::uint64_t> events;
        if (json.contains("ok")) {
            Reader{json, {}}("events", events.emplace());
        }
        return events;
    });
}

}  // namespace petrel::codec
