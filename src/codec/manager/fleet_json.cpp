#include "codec/manager/fleet_json.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "codec/control_json.hpp"
#include "codec/json_shape.hpp"
#include "codec/json_text.hpp"
#include "codec/manager/json_values.hpp"
#include "codec/toml_text.hpp"

namespace petrel::codec {

namespace {

using nlohmann::ordered_json;
using Command = control::ControlRequest::Command;
using FleetJson = nlohmann::json;

constexpr std::size_t kDeepestOrder = 24;
constexpr std::size_t kMostNames = 10'000;  // in a list of a selection
constexpr std::uint64_t kLongestWait_ms = 25'000;
constexpr std::uint64_t kLongest_s = 86'400;
constexpr std::array<std::string_view, 11> kOrderKeys{"request", "agents", "racks",   "roles",    "devices", "all",
                                                      "canary",  "then",   "watch_s", "within_s", "dry_run"};
constexpr std::array<std::string_view, 1> kFleetTables{"agent"};
constexpr std::array<std::string_view, 3> kAgentKeys{"name", "rack", "role"};

FleetJson fleet_object(std::string_view text)
{
    const auto shape = json_shape(text);
    check_depth(shape.depth, kDeepestOrder);
    if (shape.repeated) {
        throw BadValue{fmt::format("{}: occurs twice: allowed once", excerpt(*shape.repeated))};
    }
    return checked_object(text);
}

void allow_keys(const FleetJson& object, std::span<const std::string_view> allowed)
{
    for (const auto& [key, value] : object.items()) {
        if (std::ranges::find(allowed, key) == allowed.end()) {
            throw BadValue{fmt::format("unknown key '{}': {}", excerpt(key), instead_of(key, allowed))};
        }
    }
}

std::uint64_t number_or(const FleetJson& object, const char* key, std::uint64_t otherwise, std::uint64_t least,
                        std::uint64_t most)
{
    const auto* value = value_at(object, key);
    if (value == nullptr) {
        return otherwise;
    }
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() < least || value->get<std::uint64_t>() > most) {
        refuse_value(key, value, fmt::format("{}..{}", least, most));
    }
    return value->get<std::uint64_t>();
}

bool flag(const FleetJson& object, const char* key)
{
    const auto* value = value_at(object, key);
    if (value != nullptr && !value->is_boolean()) {
        refuse_value(key, value, "true or false");
    }
    return value != nullptr && value->get<bool>();
}

std::vector<std::string> names(const FleetJson& object, const char* key)
{
    std::vector<std::string> all;
    const auto* list = value_at(object, key);
    if (list == nullptr) {
        return all;
    }
    if (!list->is_array() || list->size() > kMostNames) {
        refuse_value(key, list, fmt::format("a list of at most {} names", kMostNames));
    }
    for (const auto& one : *list) {
        all.push_back(name_at(FleetJson{{key, one}}, key));
    }
    return all;
}

// "10%"
unsigned percent(const FleetJson& object)
{
    const auto* value = value_at(object, "then");
    if (value == nullptr) {
        return 100;
    }
    const auto text = value->is_string() ? value->get<std::string>() : std::string{};
    unsigned share = 0;
    for (const char c : text.substr(0, text.size() - (text.empty() ? 0 : 1))) {
        share = c >= '0' && c <= '9' && share <= 100 ? share * 10 + static_cast<unsigned>(c - '0') : 1000;
    }
    if (text.size() < 2 || !text.ends_with('%') || share < 1 || share > 100) {
        refuse_value("then", value, R"("1%".."100%")");
    }
    return share;
}

bool reads(Command command)
{
    return command == Command::status || command == Command::queues || command == Command::explain ||
           command == Command::links;
}

bool allowed_for_agents(Command command)
{
    return reads(command) || command == Command::mitigate || command == Command::release ||
           command == Command::repaired || command == Command::release_all || command == Command::hold ||
           command == Command::clear || command == Command::red_switch || command == Command::reload ||
           command == Command::policy_push;
}

std::string for_people(const control::ControlRequest& request)
{
    std::string text{control::name(request.command)};
    for (const auto* part : {&request.state, &request.device, &request.queue, &request.port}) {
        text += part->empty() ? "" : " " + escaped(*part);
    }
    return text + (request.note.empty() ? "" : fmt::format(" ({})", escaped(request.note)));
}

fleet::Order order_in(const FleetJson& object)
{
    allow_keys(object, kOrderKeys);
    const auto* given = value_at(object, "request");
    if (given == nullptr || !given->is_object()) {
        refuse_value("request", given, R"(an object, such as {"command":"status"})");
    }
    const auto request = read_request(to_line(*given));
    if (!request) {
        throw BadValue{request.error().what};
    }
    if (!allowed_for_agents(request->command)) {
        throw BadValue{fmt::format("request: {} is no command for many agents", control::name(request->command))};
    }
    fleet::Order order;
    order.request = request_json(*request);
    order.what = for_people(*request);
    order.reads = reads(request->command);
    order.selection = {flag(object, "all"), names(object, "agents"), names(object, "racks"), names(object, "roles"),
                       names(object, "devices")};
    order.canary = number_or(object, "canary", 0, 1, 1'000'000);
    order.then_percent = percent(object);
    order.watch = std::chrono::seconds{number_or(object, "watch_s", 30, 0, kLongest_s)};
    order.within = std::chrono::seconds{number_or(object, "within_s", 30, 1, kLongest_s)};
    order.dry_run = flag(object, "dry_run");
    if (object.contains("then") && order.canary == 0) {
        throw BadValue{"then: allowed with canary only"};
    }
    return order;
}

CommandPoll poll_in(const FleetJson& object)
{
    constexpr std::array<std::string_view, 2> kPollKeys{"results", "wait_ms"};
    allow_keys(object, kPollKeys);
    CommandPoll poll;
    each_object(object, "results", true, [&](const FleetJson& one) {
        const auto* answer = value_at(one, "answer");
        const auto* ok = answer != nullptr && answer->is_object() ? value_at(*answer, "ok") : nullptr;
        if (ok == nullptr || !ok->is_boolean()) {
            refuse_value("answer", answer, "an agent's answer, with \"ok\"");
        }
        // A configuration that was refused is an answer, too.
        const auto* reload = value_at(*answer, "reload");
        const auto* problems = reload != nullptr && reload->is_object() ? value_at(*reload, "problems") : nullptr;
        const bool good = ok->get<bool>() && (problems == nullptr || problems->empty());
        poll.results.push_back({count_at(one, "id"), good, to_line(*answer)});
    });
    poll.wait = std::chrono::milliseconds{number_or(object, "wait_ms", 0, 0, kLongestWait_ms)};
    return poll;
}

ordered_json rollout_object(const fleet::ShownRollout& rollout)
{
    auto agents = ordered_json::array();
    for (const auto& command : rollout.commands) {
        agents.push_back({{"agent", command.agent},
                          {"wave", command.wave},
                          {"state", command.sent ? fleet::name(command.state) : "not_sent"},
                          {"answer", command.answer.empty() ? ordered_json()
                                                            : ordered_json::parse(command.answer, nullptr, false)}});
    }
    return {{"id", rollout.id},
            {"at_us", wall_us(rollout.at)},
            {"by", rollout.by},
            {"what", rollout.what},
            {"state", fleet::name(rollout.state)},
            {"why", rollout.why.empty() ? ordered_json() : ordered_json(rollout.why)},
            {"agents", std::move(agents)}};
}

template <class Read>
auto guarded_read(std::string_view text, const Read& read) -> Result<decltype(read(FleetJson{}))>
{
    try {
        return read(fleet_object(text));
    } catch (const BadValue& why) {
        return tl::unexpected(Error{ErrorKind::invalid, why.what()});
    }
}

class FleetFileReader {
public:
    explicit FleetFileReader(TomlText& text) : text_(text) {}

    void read(const toml::table& table)
    {
        text_.only(table, kAgentKeys);
        const auto* name = table.get("name");
        if (name == nullptr) {
            return text_.wrong(table, "a table with name");
        }
        fleet::AgentPlace place{text_.name(*name), {}, {}};
        for (const auto& [key, into] : {std::pair{"rack", &place.rack}, std::pair{"role", &place.role}}) {
            if (const auto* node = table.get(key)) {
                *into = text_.name(*node);
            }
        }
        if (!names_.insert(place.agent).second) {
            text_.wrong(*name, "a name that no other agent has");
        }
        places.push_back(std::move(place));
    }

    std::vector<fleet::AgentPlace> places;

private:
    TomlText& text_;
    std::set<std::string> names_;
};

}  // namespace

Result<CommandPoll> read_command_poll(std::string_view body) { return guarded_read(body, poll_in); }

std::string commands_json(const std::vector<fleet::Delivery>& commands, Duration held)
{
    auto all = ordered_json::array();
    for (const auto& command : commands) {
        all.push_back({{"id", command.id},
                       {"by", command.by},
                       {"within_ms", whole_ms(command.within)},
                       {"request", ordered_json::parse(command.request, nullptr, false)}});
    }
    return to_line(ordered_json{{"held_ms", whole_ms(held)}, {"commands", std::move(all)}});
}

Result<fleet::Order> read_fleet_order(std::string_view body) { return guarded_read(body, order_in); }

std::string rollout_json(const fleet::ShownRollout& rollout) { return to_line(rollout_object(rollout)); }

std::string rollouts_json(const std::vector<fleet::ShownRollout>& rollouts)
{
    auto all = ordered_json::array();
    for (const auto& rollout : rollouts) {
        all.push_back(rollout_object(rollout));
    }
    return to_line(ordered_json{{"commands", std::move(all)}});
}

std::string plan_json(const fleet::RolloutPlan& plan)
{
    return to_line(ordered_json{{"agents", plan.agents},
                                {"canary", plan.canary},
                                {"then_percent", plan.then_percent},
                                {"watch_ms", whole_ms(plan.watch)}});
}

Result<fleet::RolloutPlan> read_plan(std::string_view text)
{
    return guarded_read(text, [](const FleetJson& object) {
        return fleet::RolloutPlan{names(object, "agents"), count_at(object, "canary"),
                                  static_cast<unsigned>(number_or(object, "then_percent", 100, 1, 100)),
                                  std::chrono::milliseconds{count_at(object, "watch_ms")}};
    });
}

Parsed<std::vector<fleet::AgentPlace>> read_fleet_file(std::string_view text, std::string_view file)
{
    TomlText toml{file};
    std::vector<fleet::AgentPlace> found;
    toml.parse(text, [&](toml::table& top) {
        FleetFileReader reader{toml};
        toml.only(top, kFleetTables);
        if (const auto* agents = top.get("agent")) {
            toml.each_table(*agents, "[[agent]]", [&](const toml::table& agent) { reader.read(agent); });
        }
        found = std::move(reader.places);
    });
    if (toml.complaints().empty()) {
        return found;
    }
    return tl::unexpected(std::move(toml.complaints()).take());
}

}  // namespace petrel::codec
