#include "api/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "api/answers.hpp"
#include "base/complaint_text.hpp"
#include "codec/manager/fleet_json.hpp"
#include "codec/manager/view_json.hpp"
#include "link/history.hpp"

namespace petrel::api {

namespace {

using manager::Manager;

constexpr std::size_t kMostEvents = 1000;
constexpr std::size_t kMostSamples = 10'000;
constexpr std::size_t kAuditEntries = 1000;
constexpr std::size_t kCommandsShown = 100;

std::string value_of(const http::Request& request, const char* name)
{
    const auto at = request.query.find(name);
    return at == request.query.end() ? std::string{} : at->second;
}

Error wrong(const char* name, std::string_view value, std::string_view allowed)
{
    return {ErrorKind::invalid, fmt::format("{}: '{}': allowed {}", name, excerpt(value), allowed)};
}

Result<std::uint64_t> number_of(const http::Request& request, const char* name, std::uint64_t least, std::uint64_t most,
                                std::uint64_t otherwise)
{
    const auto text = value_of(request, name);
    if (text.empty()) {
        return otherwise;
    }
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || number < least || number > most) {
        return tl::unexpected(wrong(name, text, fmt::format("{}..{}", least, most)));
    }
    return number;
}

Result<std::string> show_devices(const Manager& manager, const http::Request&, Now now)
{
    std::vector<std::pair<fabric::ShownDevice, codec::ShownAgent>> rows;
    for (auto& device : manager.view().devices(now.mono)) {
        const auto agent = manager.agents().find(manager.agent_of(device.name));
        rows.emplace_back(std::move(device), agent == manager.agents().end()
                                                 ? codec::ShownAgent{}
                                                 : codec::ShownAgent{agent->second.agent, agent->second.version});
    }
    return codec::devices_json(rows);
}

Result<std::string> show_ports(const Manager& manager, const http::Request& request, Now now)
{
    const auto errors = value_of(request, "errors");
    if (!errors.empty() && errors != "true" && errors != "false") {
        return tl::unexpected(wrong("errors", errors, "true or false"));
    }
    const auto device = value_of(request, "device");
    auto ports = manager.view().ports(now.mono);
    std::erase_if(ports, [&](const fabric::ShownPort& port) {
        return (errors == "true" && !port.in_error()) || (!device.empty() && port.name.device != device);
    });
    return codec::ports_json(ports);
}

void keep_last(fabric::LinkDowns& history, std::size_t count)
{
    history.erase(history.begin(), history.end() - static_cast<std::ptrdiff_t>(std::min(count, history.size())));
}

Result<std::string> show_links(const Manager& manager, const http::Request& request, Now now)
{
    const auto events = number_of(request, "history", 0, fabric::LinkLog::kMessagesKept, link::PortHistory::kShown);
    if (!events) {
        return tl::unexpected(events.error());
    }
    auto links = manager.view().links(now);
    for (auto& link : links) {
        keep_last(link.end.history, *events);
        if (link.far_end) {
            keep_last(link.far_end->history, *events);
        }
    }
    if (const auto port = value_of(request, "port"); !port.empty()) {
        const auto colon = port.find(':');
        if (colon == port.npos) {
            return tl::unexpected(wrong("port", port, "DEVICE:PORT"));
        }
        const fabric::PortName name{port.substr(0, colon), port.substr(colon + 1)};
        std::erase_if(links, [&](const fabric::ShownLink& link) {
            return link.end.name != name && !(link.far_end && link.far_end->name == name);
        });
    }
    return codec::links_json(links);
}

Result<std::string> show_storms(const Manager& manager, const http::Request&, Now now)
{
    return codec::storms_json(manager.view().storms(now.mono));
}

Result<std::string> show_events(const Manager& manager, const http::Request& request, Now)
{
    return event_query(request).and_then([&](const manager::EventQuery& query) {
        return manager.store().events(query).map([&](const std::vector<manager::StoredEvent>& page) {
            std::vector<std::string> events;
            for (const auto& event : page) {
                events.push_back(shown_event(manager, event));
            }
            return codec::events_json(events, page.empty() ? query.after : page.back().cursor);
        });
    });
}

Result<std::string> show_samples(const Manager& manager, const http::Request& request, Now)
{
    const auto after = number_of(request, "after", 0, INT64_MAX, 0);
    const auto limit = number_of(request, "limit", 1, kMostSamples, kMostSamples);
    if (!after || !limit) {
        return tl::unexpected(!after ? after.error() : limit.error());
    }
    const manager::SampleQuery query{value_of(request, "device"), value_of(request, "port"),
                                     static_cast<std::int64_t>(*after), *limit};
    return manager.store().samples(query).map([&](const std::vector<manager::StoredSample>& page) {
        std::vector<fabric::QueueSample> samples;
        for (const auto& stored : page) {
            samples.push_back(stored.sample);
        }
        return codec::samples_json(samples, page.empty() ? query.after : page.back().cursor);
    });
}

Result<std::string> show_audit(const Manager& manager, const http::Request&, Now)
{
    return manager.store().audit(kAuditEntries).map([](const std::vector<manager::AuditEntry>& entries) {
        std::vector<codec::ShownAudit> rows;
        for (const auto& entry : entries) {
            rows.push_back({entry.at.time_since_epoch().count(), entry.who, entry.what, entry.on, entry.result});
        }
        return codec::audit_json(rows);
    });
}

Result<std::string> show_commands(const Manager& manager, const http::Request&, Now)
{
    return codec::rollouts_json(manager.commands().list(kCommandsShown));
}

Result<std::string> show_command(const Manager& manager, const http::Request& request, Now)
{
    const auto part = find_route("GET", request.path).part;
    std::uint64_t id = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), id);
    if (read.ec != std::errc{} || read.ptr != part.data() + part.size()) {
        return tl::unexpected(wrong("id", part, "the number of a command"));
    }
    return manager.commands().show(id).map(codec::rollout_json);
}

constexpr std::array<std::string_view, 2> kPortQuery{"errors", "device"};
constexpr std::array<std::string_view, 2> kLinkQuery{"port", "history"};
constexpr std::array<std::string_view, 3> kEventQuery{"device", "after", "limit"};
constexpr std::array<std::string_view, 4> kSampleQuery{"device", "port", "after", "limit"};
constexpr std::array<std::string_view, 1> kStreamQuery{"after"};

constexpr std::array kRoutes{
    Route{"POST", "/api/v1/agents/{agent}/reports", Role::agent, {}, nullptr, kReports},
    Route{"POST", "/api/v1/agents/{agent}/commands", Role::agent, {}, nullptr},
    Route{"POST", kInvitation, Role::operator_, {}, nullptr},
    Route{"POST", kCertificate, Role::none, {}, nullptr, kPem},
    Route{"POST", kRevocation, Role::operator_, {}, nullptr},
    Route{"POST", kBackup, Role::operator_, {}, nullptr},
    // An order that changes something needs the role operator.
    Route{"POST", "/api/v1/commands", Role::read, {}, nullptr},
    Route{"GET", "/api/v1/commands", Role::read, {}, show_commands, kJson, true},
    Route{"GET", "/api/v1/commands/{id}", Role::read, {}, show_command, kJson, true},
    Route{"GET", "/api/v1/devices", Role::read, {}, show_devices},
    Route{"GET", "/api/v1/ports", Role::read, kPortQuery, show_ports},
    Route{"GET", "/api/v1/links", Role::read, kLinkQuery, show_links},
    Route{"GET", "/api/v1/storms", Role::read, {}, show_storms},
    Route{"GET", "/api/v1/events", Role::read, kEventQuery, show_events},
    Route{"GET", "/api/v1/events/stream", Role::read, kStreamQuery, nullptr},
    Route{"GET", "/api/v1/samples", Role::read, kSampleQuery, show_samples},
    Route{"GET", "/api/v1/audit", Role::operator_, {}, show_audit},
    Route{"GET", "/api/v1/openapi.yaml", Role::read, {}, nullptr},
    Route{"GET", "/metrics", Role::read, {}, nullptr},
    Route{"GET", "/healthz", Role::none, {}, nullptr},
    Route{"GET", "/readyz", Role::none, {}, nullptr},
};

// The part of `path` at {name}; none if the path does not match.
std::optional<std::string> match(std::string_view pattern, std::string_view path)
{
    const auto open = pattern.find('{');
    if (open == pattern.npos) {
        return pattern == path ? std::optional{std::string{}} : std::nullopt;
    }
    const auto before = pattern.substr(0, open);
    const auto after = pattern.substr(pattern.find('}') + 1);
    if (!path.starts_with(before) || !path.ends_with(after) || path.size() <= before.size() + after.size()) {
        return std::nullopt;
    }
    const auto part = path.substr(before.size(), path.size() - before.size() - after.size());
    return part.find('/') == part.npos ? std::optional{std::string{part}} : std::nullopt;
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

Found find_route(std::string_view method, std::string_view path)
{
    Found found;
    for (const auto& route : kRoutes) {
        if (auto part = match(route.path, path)) {
            if (route.method == method || (route.method == "GET" && method == "HEAD")) {
                found.route = &route;
                found.part = std::move(*part);
            }
            found.methods += (found.methods.empty() ? "" : ", ") + std::string{route.method};
        }
    }
    return found;
}

Result<manager::EventQuery> event_query(const http::Request& request)
{
    const auto after = number_of(request, "after", 0, INT64_MAX, 0);
    const auto limit = number_of(request, "limit", 1, kMostEvents, 100);
    if (!after || !limit) {
        return tl::unexpected(!after ? after.error() : limit.error());
    }
    return manager::EventQuery{value_of(request, "device"), static_cast<std::int64_t>(*after), *limit};
}

std::string shown_event(const Manager& manager, const manager::StoredEvent& event)
{
    const auto neighbour = event.port.empty() ? std::nullopt : manager.view().neighbour({event.device, event.port});
    return codec::event_json(event.cursor, neighbour, event.event);
}

}  // namespace petrel::api
