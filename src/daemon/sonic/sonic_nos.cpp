#include "daemon/sonic/sonic_nos.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "codec/flat_json.hpp"
#include "codec/sonic/json_list.hpp"
#include "daemon/sonic/store_report.hpp"

namespace petrel::daemon {

namespace {

using namespace std::chrono_literals;
using sonic::Db;
using sonic::Role;

// The timeout of an answer of Redis. A healthy server needs less than a millisecond.
constexpr Duration kPatience = 2s;

// While events cannot be published, at most this many wait and the oldest are dropped. Contents of tables are not
// dropped.
constexpr std::size_t kMostUnpublished = 10'000;

constexpr std::string_view kActionChannel = "PFC_WD_ACTION";
constexpr std::string_view kEventChannel = "sonic-events-swss";

sonic::DatabasePlace place_of(const sonic::Databases& databases, Db db)
{
    const auto at = databases.find(db);
    return at != databases.end() ? at->second : sonic::DatabasePlace{};
}

std::string time_text(WallTime at) { return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", at); }

// An object id as SONiC's events show it: "oid:0x1000000000002" is 281474976710658.
std::string decimal(std::string_view object)
{
    constexpr std::string_view kPrefix = "oid:0x";
    std::uint64_t id = 0;
    if (object.starts_with(kPrefix)) {
        std::from_chars(object.data() + kPrefix.size(), object.data() + object.size(), id, 16);
    }
    return fmt::format("{}", id);
}

void add_message(redis::Pipeline& pipeline, const Alerts::Message& message, const sonic::StormInfo& info = {})
{
    std::vector<std::string> texts{message.object, message.storm ? "storm" : "restore"};
    for (const auto& [name, value] : sonic::fields(info)) {
        texts.push_back(name);
        texts.push_back(value);
    }
    pipeline.add({"PUBLISH", kActionChannel, codec::json_list(texts)});
}

// The part of the configuration that determines which queues are watched and how, as text to compare. Other parts, such
// as buffer thresholds, do not change the policies.
std::string text_of(const sonic::Config& config)
{
    auto text = fmt::format("{} {}\n", config.poll_ms, config.big_red_switch);
    for (const auto& server : config.policies.server_ports) {
        text += server.port + '\n';
    }
    for (const auto& entry : config.policies.policies) {
        text += entry.policy.name;
        for (const auto& parameter : watchdog::parameters()) {
            text += ' ' + watchdog::parameter_text(entry.policy, parameter.key);
        }
        for (const auto& port : entry.ports) {
            text += '\n' + port.name;
        }
        text += "\n\n";
    }
    return text;
}

}  // namespace

SonicNos::SonicNos(const sonic::Databases& databases, Role role, std::filesystem::path memory,
                   const device::TimeSource& clock)
    : role_(role),
      clock_(clock),
      databases_(databases),
      store_(databases, kPatience),
      follower_(place_of(databases, Db::config), role, kPatience),
      memory_(std::move(memory)),
      log_(role, role == Role::owner ? SonicLog::Thresholds::by_no_process : SonicLog::Thresholds::by_orchagent)
{}

void SonicNos::take(Report report)
{
    overrides_.set(report.overrides);
    for (auto& event : report.events) {
        unpublished_.push_back({std::move(event), false});
    }
    if (unpublished_.size() > kMostUnpublished) {
        unpublished_.erase(unpublished_.begin(), unpublished_.end() - kMostUnpublished);
    }
    if (role_ == Role::detector) {
        const auto now = clock_.now().mono;
        for (const auto& queue : report.queues) {
            alerts_.update(queue, now);
        }
        for (const auto& queue : report.gone) {
            alerts_.forget(queue);
        }
        return;
    }
    store_report(report, tables_, counters_);
}

Nos::Reply SonicNos::exchange(Report report)
{
    take(std::move(report));
    Reply reply;
    // Write the tables also if the configuration cannot be read, for example while CONFIG_DB is not filled yet.
    const auto followed = follow_configuration(reply).and_then([&] { return follow_actions(reply); });
    auto written = overrides_.write(store_);
    if (role_ == Role::owner) {
        written = written ? write_tables() : written;
        reply.counts_every = counters_.every();
    }
    reply.concern = concern_.empty() ? stale_actions_.concern() : concern_;
    log_events(reply);
    const auto published = written ? publish_events().and_then([&] { return repeat_alerts(); }) : written;
    bool server_lost = false;
    std::optional<Error> trouble;
    for (const auto& done : {followed, written, published}) {
        if (!done) {
            server_lost = server_lost || done.error().of_server;
            trouble = trouble ? trouble : done.error();
        }
    }
    // A server that goes down causes several errors in turn: refused, broken connection, timeout. Report the first of
    // them until the server is back.
    if (!(trouble && trouble->of_server && trouble_ && trouble_->of_server)) {
        trouble_ = trouble;
    }
    reply.trouble = trouble_ ? trouble_->what : "";
    if (server_lost) {
        start_over();
    }
    // An owner also writes the statistics of queues, which change without a notification.
    if (role_ == Role::detector && !trouble_ && unpublished_.empty()) {
        reply.changes_fd = follower_.changes_fd();
    }
    return reply;
}

// Drops all connections: if one broke, the others did, too, and each would be reported as another error. Then reads and
// writes everything anew, because the server may come back with the content of its last save.
void SonicNos::start_over()
{
    store_ = sonic::RedisStore{databases_, kPatience};
    follower_.start_over();
    tables_.start_over();
    overrides_.start_over();
}

Result<void> SonicNos::follow_configuration(Reply& reply)
{
    Result<std::optional<ConfigMemory::Kept>> memory;
    if (role_ == Role::owner && !std::exchange(memory_read_, true)) {
        memory = memory_.recall();
        if (memory && *memory) {
            follower_.remember((*memory)->config);
        }
    }
    auto config = follower_.follow(store_, clock_.now().mono);
    memory_good_ = config && *config ? (*config)->problems.empty() : memory_good_;
    memory_right_ = config && memory_good_;
    if (!config) {
        remember_configuration(std::move(memory), reply);
        return tl::unexpected(std::move(config.error()));
    }
    if (!*config) {
        return {};
    }
    if (role_ == Role::owner && memory_right_) {
        if (const auto kept = memory_.keep(**config); !kept) {
            reply.lines.push_back(
                {Log::Level::error,
                 "nos_not_remembered",
                 {},
                 {},
                 fmt::format("the configuration cannot be saved for a start without Redis: {}", kept.error().what),
                 {}});
        }
    }
    put_in_force(std::move(**config), reply);
    return {};
}

// CONFIG_DB cannot be read at the start: uses the configuration in the file, if there is one.
void SonicNos::remember_configuration(Result<std::optional<ConfigMemory::Kept>> kept, Reply& reply)
{
    if (!kept) {
        reply.lines.push_back(
            {Log::Level::error,
             "nos_memory_bad",
             {},
             {},
             fmt::format(
                 "the saved configuration {} cannot be read: {}; nothing is watched until CONFIG_DB can be read",
                 memory_.file().string(), kept.error().what),
             {}});
    } else if (*kept) {
        reply.lines.push_back(
            {Log::Level::warning,
             "nos_remembered",
             {},
             {},
             fmt::format("uses {}, the content of CONFIG_DB at {}, because CONFIG_DB could not be read since the start",
                         memory_.file().string(), time_text((*kept)->right_at)),
             {}});
        put_in_force(std::move((*kept)->config), reply);
    }
}

void SonicNos::put_in_force(sonic::Config config, Reply& reply)
{
    log_.configured(config, tables_, reply.lines);
    tables_.configure(config);
    counters_.configure(config);
    concern_ = concern(config);
    if (role_ == Role::detector) {
        stale_actions_.follow(config);
    }
    if (auto text = text_of(config); text != in_force_) {
        in_force_ = std::move(text);
        reply.policies = std::move(config.policies);
    }
}

Result<void> SonicNos::follow_actions(Reply& reply)
{
    auto forgotten = stale_actions_.forget_unregistered(store_, clock_.now().mono);
    stale_actions_.confirm(reply.lines);
    return forgotten;
}

Result<void> SonicNos::write_tables()
{
    return tables_.write(store_).and_then([&] { return counters_.write(store_, tables_); });
}

// Logs events also while Redis cannot be reached. Only an event of a queue whose object id was never read waits.
void SonicNos::log_events(Reply& reply)
{
    for (auto& [event, logged] : unpublished_) {
        if (!logged && tables_.object(event.port, event.priority) != nullptr) {
            logged = true;
            log_.happened(event, tables_, reply.lines);
        }
    }
}

// Publishes the events in order. If one cannot be published, the later ones wait.
Result<void> SonicNos::publish_events()
{
    Result<void> published;
    auto next = unpublished_.begin();
    for (; published && next != unpublished_.end(); ++next) {
        if (published = publish(next->event); !published) {
            break;
        }
    }
    unpublished_.erase(unpublished_.begin(), next);
    return published;
}

// Publishes the begin or the end of a storm. As a detector the agent publishes only the end, because orchagent
// publishes the begin. As a detector it also sends storms of queues whose policy only alerts to orchagent, on the same
// channel as storms that orchagent mitigates. It does not send storms whose mitigation is withheld, and publishes no
// end of them: orchagent has not published their begin.
Result<void> SonicNos::publish(const NosEvent& event)
{
    if (!storm_begins(event) && !storm_ends(event)) {
        return {};
    }
    const auto object = object_of(event);
    if (!object) {
        return tl::unexpected(object.error());
    }
    redis::Pipeline pipeline;
    const bool withheld = event.configured != watchdog::Treatment::none && event.applied == watchdog::Treatment::none;
    if (role_ == Role::owner || (storm_ends(event) && !withheld)) {
        const auto priority = fmt::format("{}", event.priority);
        const auto at = time_text(event.at);
        const auto queue = decimal(object->queue);
        const auto port = decimal(object->port);
        const auto info = storm_begins(event) ? sonic::info_text(storm_info(event)) : std::string{};
        std::vector<std::pair<std::string_view, std::string_view>> fields{
            {"ifname", event.port}, {"queue_index", priority}, {"queue_id", queue}, {"port_id", port}};
        fields.emplace_back("timestamp", at);
        if (!info.empty()) {
            fields.emplace_back("additional_info", info);
        }
        pipeline.add({"PUBLISH", kEventChannel,
                      fmt::format(R"({{"sonic-events-swss:{}":{}}})",
                                  storm_begins(event) ? "pfc-storm" : "pfc-storm-restored", codec::flat_json(fields))});
    }
    if (role_ == Role::detector && event.configured == watchdog::Treatment::none && !object->queue.empty()) {
        const auto expected = orchagent_expects(event);
        if (!expected) {
            return tl::unexpected(expected.error());
        }
        if (*expected) {
            add_message(pipeline, {object->queue, storm_begins(event)},
                        storm_begins(event) ? storm_info(event) : sonic::StormInfo{});
        }
    }
    if (pipeline.empty()) {
        return {};
    }
    return run(pipeline, [](std::size_t, redis::View) {});
}

// Whether to send the message to orchagent. If the port has no entry in PFC_WD, orchagent ends the storm itself when it
// unregisters the port, and logs an error for a later message.
Result<bool> SonicNos::orchagent_expects(const NosEvent& event)
{
    if (storm_begins(event)) {
        return true;
    }
    const auto entry = "PFC_WD|" + event.port;
    return store_.hashes(Db::config, {&entry, 1}).map([](const std::vector<sonic::Hash>& found) {
        return !found.front().empty();
    });
}

Result<void> SonicNos::repeat_alerts()
{
    return alerts_.unconfirmed(store_, clock_.now().mono)
        .and_then([&](const std::vector<Alerts::Message>& messages) -> Result<void> {
            redis::Pipeline pipeline;
            for (const auto& message : messages) {
                add_message(pipeline, message);
            }
            return pipeline.empty() ? Result<void>{} : run(pipeline, [](std::size_t, redis::View) {});
        });
}

// The object ids from the maps in COUNTERS_DB; empty if these do not have them.
Result<sonic::QueueObject> SonicNos::object_of(const NosEvent& event)
{
    if (const auto* known = tables_.object(event.port, event.priority)) {
        return *known;
    }
    redis::Pipeline pipeline;
    pipeline.add({"HGET", "COUNTERS_QUEUE_NAME_MAP", fmt::format("{}:{}", event.port, event.priority)})
        .add({"HGET", "COUNTERS_PORT_NAME_MAP", event.port});
    sonic::QueueObject object;
    return run(pipeline, [&](std::size_t command,
                             redis::View reply) { (command == 0 ? object.queue : object.port) = reply.text(); })
        .map([&] { return object; });
}

Result<void> SonicNos::run(const redis::Pipeline& pipeline, const redis::Connection::Visit& visit)
{
    return store_.connection(Db::counters)
        .and_then([&](redis::Connection* connection) { return connection->run(pipeline, visit); })
        .map_error([&](Error error) {
            store_.forget(Db::counters);
            return error;
        });
}

Result<void> SonicNos::leave()
{
    auto retired = overrides_.retire(store_);
    if (role_ == Role::detector) {
        return retired;
    }
    if (memory_right_) {
        memory_.confirm();
    }
    const auto left = tables_.retire(store_);
    return left ? retired : left;
}

}  // namespace petrel::daemon
