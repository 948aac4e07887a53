#include "codec/fleet_client_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "codec/control_json.hpp"
#include "codec/json_shape.hpp"
#include "codec/json_text.hpp"

namespace petrel::codec {
namespace {

using FleetTree = nlohmann::ordered_json;

constexpr std::size_t kDeepestAnswer = 32;

// Throws an exception of the JSON library if a member is missing or has another type.
template <class Read>
auto from_manager(std::string_view body, const Read& read) -> Result<decltype(read(FleetTree{}))>
{
    const auto refused = [](std::string_view why) {
        return tl::unexpected(Error{ErrorKind::corrupt, fmt::format("the manager's answer cannot be read: {}", why)});
    };
    if (json_shape(body).depth > kDeepestAnswer) {
        return refused("it is nested too deeply");
    }
    try {
        return read(FleetTree::parse(body));
    } catch (const FleetTree::exception&) {
        return refused("it is no JSON, or a value is missing");
    }
}

std::string text_or_empty(const FleetTree& value) { return value.is_null() ? std::string{} : value.get<std::string>(); }

}  // namespace

std::string fleet_request_json(const control::FleetRequest& request)
{
    FleetTree tree{{"request", FleetTree::parse(request_json(request.request))},
                   {"within_s", request.within_s},
                   {"dry_run", request.dry_run},
                   {"all", request.all}};
    for (const auto& [key, names] : {std::pair{"agents", &request.agents}, std::pair{"racks", &request.racks},
                                     std::pair{"roles", &request.roles}, std::pair{"devices", &request.devices}}) {
        if (!names->empty()) {
            tree[key] = *names;
        }
    }
    if (request.canary != 0) {
        tree["canary"] = request.canary;
        tree["watch_s"] = request.watch_s;
        if (!request.then.empty()) {
            tree["then"] = request.then;
        }
    }
    return to_line(tree);
}

Result<control::FleetReport> read_fleet_report(std::string_view body)
{
    return from_manager(body, [](const FleetTree& tree) {
        control::FleetReport report;
        report.id = tree.at("id").get<std::uint64_t>();
        report.state = tree.at("state").get<std::string>();
        report.why = text_or_empty(tree.at("why"));
        for (const auto& one : tree.at("agents")) {
            const auto& answer = one.at("answer");
            report.agents.push_back({one.at("agent").get<std::string>(), one.at("wave").get<std::uint64_t>(),
                                     one.at("state").get<std::string>(),
                                     answer.is_null() ? std::string{} : to_line(answer)});
        }
        return report;
    });
}

std::string fleet_answer_json(const control::FleetAnswer& one)
{
    return to_line(FleetTree{{"agent", one.agent},
                             {"wave", one.wave},
                             {"state", one.state},
                             {"answer", one.answer.empty() ? FleetTree() : FleetTree::parse(one.answer)}});
}

Result<control::FleetEvents> read_fleet_events(std::string_view body)
{
    return from_manager(body, [](const FleetTree& tree) {
        control::FleetEvents page;
        page.next = tree.at("next").get<std::int64_t>();
        for (const auto& one : tree.at("events")) {
            const auto& event = one.at("event");
            page.lines.push_back({text_or_empty(event.value("device", FleetTree())), to_line(event)});
        }
        return page;
    });
}

Result<std::map<std::string, std::string>> read_device_agents(std::string_view body)
{
    return from_manager(body, [](const FleetTree& tree) {
        std::map<std::string, std::string> agents;
        for (const auto& one : tree.at("devices")) {
            agents[one.at("device").get<std::string>()] = text_or_empty(one.at("agent"));
        }
        return agents;
    });
}

}  // namespace petrel::codec
