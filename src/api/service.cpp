#include "api/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "api/answers.hpp"
#include "api/manager_metrics.hpp"
#include "api/openapi.hpp"
#include "base/complaint_text.hpp"
#include "codec/manager/view_json.hpp"
#include "http/listening_socket.hpp"
#include "runtime/random_digits.hpp"
#include "wire/rfc5424.hpp"

namespace petrel::api {

namespace {

using namespace std::chrono_literals;

constexpr auto kPurpose = "agents and clients";
constexpr std::size_t kMostWaitingBytes = std::size_t{64} << 20;
constexpr auto kPruneEvery = 10s;
constexpr auto kPruneAgain = 20ms;  // while there is more to forget
constexpr auto kKeepAliveEvery = 15s;
constexpr auto kTickEvery = 1s;

std::string media_type(const http::Request& request)
{
    const auto type = request.header("content-type");
    return type.substr(0, std::min(type.find_first_of("; "), type.size()));
}

}  // namespace

Result<std::unique_ptr<Service>> Service::start(runtime::EventLoop& loop, manager::Manager manager,
                                                ServiceOptions options)
{
    auto listening = http::listening_socket(kPurpose, options.listen);
    if (!listening) {
        return tl::unexpected(listening.error());
    }
    if (!http::loopback_only(*listening) && (!options.tls || options.tokens.empty())) {
        return tl::unexpected(http::listen_error(
            kPurpose, options.listen, ErrorKind::invalid,
            "other machines reach this address: allowed with --tls-cert, --tls-key and --tokens, or 127.0.0.1"));
    }
    const auto revocations = manager.store().revocations();
    if (!revocations) {
        return tl::unexpected(revocations.error());
    }
    if (options.tls && options.issuer) {
        options.tls->clients = options.issuer->certificate;
    }
    std::unique_ptr<Service> service{new Service{loop, std::move(manager), std::move(options)}};
    for (const auto& revocation : *revocations) {
        service->access_.revoke(revocation.agent, revocation.at);
    }
    service->port_ = http::port_of(*listening);
    http::ServerOptions http{.purpose = kPurpose, .tls = service->options_.tls};
    auto server = http::Server::start(std::move(*listening), std::move(http), service->handlers());
    if (!server) {
        return tl::unexpected(server.error());
    }
    service->server_ = std::move(*server);
    return service->listen_for_logs().and_then([&] { return service->join_group(); }).map([&] {
        return std::move(service);
    });
}

Service::Service(runtime::EventLoop& loop, manager::Manager manager, ServiceOptions options)
    : loop_(loop),
      manager_(std::move(manager)),
      reports_(manager_, runtime::random_digits()),
      options_(std::move(options)),
      access_(options_.tokens, options_.issuer ? options_.issuer->certificate : ""),
      viewers_(loop_, manager_),
      desk_(manager_, options_.places, [this] { store_soon(); })
{
    tick_later();
    if (options_.issuer) {
        enrolment_.emplace(manager_, *options_.issuer);
    }
    prune_later(kPruneAgain);
    keep_alive_later();
}

Service::~Service() = default;

Result<void> Service::listen_for_logs()
{
    for (const auto& address : options_.logs) {
        auto listener = syslog::LogListener::listen(loop_, address, options_.log_senders,
                                                    [this](std::string_view line) { take_log(line); });
        if (!listener) {
            return tl::unexpected(listener.error());
        }
        logs_.push_back(std::move(*listener));
    }
    return {};
}

std::vector<std::string> Service::log_addresses() const
{
    std::vector<std::string> all;
    std::transform(logs_.begin(), logs_.end(), std::back_inserter(all), [](const auto& one) { return one->where(); });
    return all;
}

void Service::take_log(std::string_view text)
{
    const auto line = wire::parse_log_line(text);
    if (!line) {
        ++counts_.logs_refused;
        return;
    }
    if (member_ && !member_->leads()) {
        return keep_recent_line(text);
    }
    change_in_turn([](const auto&) {},
                   [this, line = *line] {
                       ++(manager_.take_log(line, loop_.now()) ? counts_.logs_taken : counts_.logs_other);
                       store_soon();
                   });
}

http::Server::Handlers Service::handlers()
{
    return {[this](const http::Request& request) { return admit(request); },
            [this](http::Request request, http::Reply reply) { handle(std::move(request), std::move(reply)); },
            [this](unsigned status, std::string_view why) {
                ++counts_.refused;
                return problem(status, why);
            }};
}

std::optional<http::Answer> Service::admit(const http::Request& request)
{
    auto refused = [&]() -> std::optional<http::Answer> {
        const auto found = find_route(request.method, request.path);
        if (auto denied = access_.refusal(request, found.route == nullptr ? Role::read : found.route->role, found.part,
                                          loop_.now().wall)) {
            return denied;
        }
        if (found.methods.empty()) {
            return problem(kNotFound,
                           fmt::format("{}: allowed the paths of /api/v1/openapi.yaml", excerpt(request.path)));
        }
        if (found.route == nullptr) {
            auto answer =
                problem(kMethodNotAllowed, fmt::format("{}: allowed {}", excerpt(request.method), found.methods));
            answer.headers.emplace_back("Allow", found.methods);
            return answer;
        }
        for (const auto& [name, value] : request.query) {
            if (std::find(found.route->query.begin(), found.route->query.end(), name) == found.route->query.end()) {
                return problem(
                    kBadRequest,
                    fmt::format("unknown parameter '{}': {}", excerpt(name),
                                found.route->query.empty() ? "allowed none" : instead_of(name, found.route->query)));
            }
        }
        if (found.route->method == "POST" && media_type(request) != found.route->type) {
            return problem(kUnsupportedType, fmt::format("Content-Type '{}': allowed {}", excerpt(media_type(request)),
                                                         found.route->type));
        }
        return std::nullopt;
    }();
    counts_.refused += refused ? 1 : 0;
    return refused;
}

void Service::handle(http::Request request, http::Reply reply)
{
    const auto found = find_route(request.method, request.path);
    if (found.route == nullptr) {
        return reply(problem(kNotFound, "no such path"));
    }
    if (found.route->role == Role::agent) {
        return found.route->path.ends_with("/commands") ? handle_poll(request, found.part, std::move(reply))
                                                        : handle_report(request, found.part, std::move(reply));
    }
    if (found.route->path == "/api/v1/commands" && found.route->method == "POST") {
        return handle_order(request, std::move(reply));
    }
    if (found.route->method == "POST") {
        return loop_.post(
            [this, route = found.route, request = std::move(request), part = found.part, reply = std::move(reply)] {
                change_in_turn(reply, [this, route, request, part, reply] { change(*route, request, part, reply); });
            });
    }
    loop_.post([this, route = found.route, request = std::move(request), reply = std::move(reply)] {
        show(*route, request, reply);
    });
}

void Service::handle_report(const http::Request& request, const std::string& agent, http::Reply reply)
{
    const auto size = request.body.size();
    if (waiting_bytes_ + size > kMostWaitingBytes) {
        ++counts_.refused;
        return reply(problem(kUnavailable, "too many reports wait to be stored"));
    }
    auto report = codec::read_report(request.body);
    if (report && report->agent != agent) {
        report =
            tl::unexpected(Error{ErrorKind::invalid, fmt::format("line 1: agent: '{}': allowed '{}', as in the path",
                                                                 excerpt(report->agent), excerpt(agent))});
    }
    if (!report) {
        return reply(refused(report.error()));
    }
    waiting_bytes_ += size;
    const std::shared_ptr<const codec::Report> waits{new codec::Report{std::move(*report)}, [this, size](auto* done) {
                                                         waiting_bytes_ -= size;
                                                         delete done;
                                                     }};
    loop_.post([this, waits, from = who(request), reply = std::move(reply)] {
        change_in_turn(reply, [this, waits, from, reply] { take(*waits, from, reply); });
    });
}

http::Answer Service::refused(const Error& why)
{
    ++counts_.refused;
    return problem(why.kind == ErrorKind::exhausted ? kTooLarge : kBadRequest, why.what);
}

void Service::handle_poll(const http::Request& request, const std::string& agent, http::Reply reply)
{
    auto poll = codec::read_command_poll(request.body);
    if (!poll) {
        return reply(refused(poll.error()));
    }
    loop_.post([this, agent, poll = std::move(*poll), reply = std::move(reply)] {
        change_in_turn(reply, [this, agent, poll, reply] { desk_.poll(agent, poll, loop_.now(), reply); });
    });
}

void Service::handle_order(const http::Request& request, http::Reply reply)
{
    auto order = codec::read_fleet_order(request.body);
    if (!order) {
        return reply(refused(order.error()));
    }
    if (auto denied = order->reads ? std::nullopt : access_.refusal(request, Role::operator_, {}, loop_.now().wall)) {
        ++counts_.refused;
        return reply(std::move(*denied));
    }
    loop_.post([this, order = std::move(*order), by = who(request), reply = std::move(reply)] {
        change_in_turn(reply, [this, order, by, reply] { desk_.order(order, by, loop_.now(), reply); });
    });
}

void Service::take(const codec::Report& report, const std::string& from, http::Reply reply)
{
    const auto now = loop_.now();
    auto taken = reports_.take(report, from, now);
    if (!taken) {
        ++counts_.refused;
        return reply(problem(kConflict, taken.error().what));
    }
    waiting_.push_back(
        {std::move(reply), [this, taken = std::move(*taken)] { return reports_.answer(taken, loop_.now().wall); }});
    ++reports_taken_;
    options_.reached("report_taken");
    store_soon();
}

void Service::change(const Route& route, const http::Request& request, const std::string& part, http::Reply reply)
{
    if (route.path == kBackup) {
        return back_up(request, std::move(reply));
    }
    auto answer = enrol(route, request, part);
    if (!answer) {
        ++counts_.refused;
        const auto kind = answer.error().kind;
        return reply(problem(kind == ErrorKind::denied    ? kForbidden
                             : kind == ErrorKind::invalid ? kBadRequest
                                                          : kUnavailable,
                             answer.error().what));
    }
    waiting_.push_back({std::move(reply), [body = std::move(*answer)] { return body; }});
    store_soon();
}

void Service::back_up(const http::Request& request, http::Reply reply)
{
    if (options_.backup.empty() || copy_) {
        ++counts_.refused;
        return reply(copy_ ? problem(kUnavailable, "a copy is under way")
                           : problem(kForbidden, "this manager writes no copies"));
    }
    auto begun = manager_.copy(options_.backup);
    if (!begun) {
        return reply(problem(kUnavailable, begun.error().what));
    }
    copy_ = std::move(*begun);
    copied_ = std::move(reply);
    copied_for_ = who(request);
    copy_next();
}

// A step of the copy, then what else waits in the loop.
void Service::copy_next()
{
    loop_.post([this] {
        const auto done = copy_->step();
        if (done && !*done) {
            return copy_next();
        }
        copy_.reset();
        const auto reply = std::exchange(copied_, {});
        if (!done) {
            return reply(problem(kUnavailable, done.error().what));
        }
        change_in_turn(reply, [this, reply] {
            manager_.audit({loop_.now().wall, copied_for_, "backed_up", options_.backup.string(), "done"});
            waiting_.push_back({reply, [this] { return codec::backup_json(options_.backup.string()); }});
            store_soon();
        });
    });
}

Result<std::string> Service::enrol(const Route& route, const http::Request& request, const std::string& agent)
{
    const auto now = loop_.now().wall;
    if (!enrolment_) {
        return tl::unexpected(
            Error{ErrorKind::denied, "this manager issues no certificates: start it with --ca FOLDER"});
    }
    if (route.path == kInvitation) {
        return enrolment_->invite(agent, request.body, who(request), now);
    }
    if (route.path == kCertificate) {
        return enrolment_->certify(agent, request.body, access_.agent_shown(request, now), bearer(request),
                                   who(request), now);
    }
    return enrolment_->revoke(agent, who(request), now).map([&](std::string answer) {
        access_.revoke(agent, now);
        return answer;
    });
}

std::string Service::who(const http::Request& request) const { return access_.who(request, loop_.now().wall); }

// After the reports that are posted already, so that one transaction stores them all.
void Service::store_soon()
{
    if (!std::exchange(storing_, true)) {
        loop_.post([this] { store(); });
    }
}

void Service::store()
{
    storing_ = false;
    if (!member_) {
        stored(manager_.commit());
    } else if (!member_->leads()) {
        stored(tl::unexpected(Error{ErrorKind::unreachable, "this manager leads no more"}));
    } else {
        member_->commit([this](const auto& added) {
            stored(added);
            changes_that_waited();
        });
    }
}

void Service::stored(const Result<std::vector<manager::StoredEvent>>& added)
{
    const auto waiting = std::exchange(waiting_, {});
    if (!added) {
        if (!member_) {  // it reports its own troubles
            ++counts_.failures;
            if (options_.log && trouble_.empty()) {
                options_.log(added.error().what);
            }
            trouble_ = added.error().what;
        }
        for (const auto& one : waiting) {
            one.reply(problem(kUnavailable, added.error().what));
        }
        desk_.not_stored(added.error());
        return;
    }
    counts_.reports += std::exchange(reports_taken_, 0);
    counts_.events += added->size();
    if (!waiting.empty()) {
        trouble_.clear();
    }
    options_.reached("batch_stored");
    for (const auto& one : waiting) {
        one.reply(json(one.answer()));
        options_.reached("report_answered");
    }
    viewers_.publish(*added);
    desk_.stored(loop_.now());
}

void Service::show(const Route& route, const http::Request& request, const http::Reply& reply)
{
    if (route.of_leader && member_ && !member_->leads()) {
        return reply(not_leading());
    }
    if (route.show != nullptr) {
        auto body = route.show(manager_, request, loop_.now());
        return reply(
            body ? json(std::move(*body))
                 : problem(body.error().kind == ErrorKind::invalid ? kBadRequest : kUnavailable, body.error().what));
    }
    if (route.path == "/api/v1/events/stream") {
        return reply(stream(request));
    }
    if (route.path == "/api/v1/openapi.yaml") {
        return reply({kOk, "application/yaml", std::string{openapi()}});
    }
    if (route.path == "/metrics") {
        return reply({kOk, "text/plain; version=0.0.4; charset=utf-8", metrics()});
    }
    reply(route.path == "/healthz" ? http::Answer{kOk, kPlain, "ok\n"} : ready());
}

http::Answer Service::stream(const http::Request& request)
{
    auto after = request.header("last-event-id");
    if (const auto given = request.query.find("after"); after.empty() && given != request.query.end()) {
        after = given->second;
    }
    if (after.empty()) {
        const auto last = manager_.store().last_cursor();
        return last ? viewers_.add(*last) : problem(kUnavailable, last.error().what);
    }
    std::int64_t cursor = 0;
    const auto read = std::from_chars(after.data(), after.data() + after.size(), cursor);
    if (read.ec != std::errc{} || read.ptr != after.data() + after.size() || cursor < 0) {
        return problem(kBadRequest, fmt::format("Last-Event-ID or after: '{}': allowed a cursor", excerpt(after)));
    }
    return viewers_.add(cursor);
}

std::string Service::metrics() const
{
    auto refused = counts_.logs_refused;
    for (const auto& listener : logs_) {
        refused += listener->refused();
    }
    return manager_metrics(manager_, loop_.now(),
                           {.reports = counts_.reports,
                            .events = counts_.events,
                            .failures = counts_.failures,
                            .refused = counts_.refused,
                            .viewers = viewers_.count(),
                            .logs_taken = counts_.logs_taken,
                            .logs_other = counts_.logs_other,
                            .logs_refused = refused,
                            .group = member_ ? std::optional{member_->status(loop_.now().mono)} : std::nullopt});
}

void Service::prune_later(Duration after)
{
    loop_.at(loop_.now().mono + after, [this] {
        const auto complete = manager_.prune(options_.retention, loop_.now().wall);
        if (!complete && options_.log) {
            options_.log(complete.error().what);
        }
        prune_later(complete.value_or(true) ? kPruneEvery : kPruneAgain);
    });
}

void Service::tick_later()
{
    loop_.at(loop_.now().mono + kTickEvery, [this] {
        if (!member_ || (member_->leads() && !member_->busy())) {
            desk_.tick(loop_.now());
        }
        tick_later();
    });
}

void Service::keep_alive_later()
{
    loop_.at(loop_.now().mono + kKeepAliveEvery, [this] {
        viewers_.keep_alive();
        keep_alive_later();
    });
}

}  // namespace petrel::api
