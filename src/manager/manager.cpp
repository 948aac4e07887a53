#include "manager/manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "manager/event_message.hpp"
#include "manager/log_message.hpp"

namespace petrel::manager {

namespace {

constexpr std::size_t kMostLogs = 4096;  // switches that the manager knows by their logs alone
constexpr Duration kLogHeardEvery = std::chrono::seconds{1};

}  // namespace

Result<Manager> Manager::start(std::unique_ptr<Store> store, const fabric::Cables& cables, Duration silent_after)
{
    Manager manager{std::move(store), cables, silent_after};
    if (const auto remembered = manager.remember(); !remembered) {
        return tl::unexpected(remembered.error());
    }
    return manager;
}

Result<void> Manager::remember()
{
    const auto sources = store_->sources();
    if (!sources) {
        return tl::unexpected(sources.error());
    }
    for (const auto& known : *sources) {
        view_.received_before(known.source.device, known.epoch, known.forgotten);
    }
    const auto agents = store_->agents();
    const auto devices = store_->devices();
    const auto heard = store_->heard();
    if (!agents || !devices || !heard) {
        return tl::unexpected(!agents ? agents.error() : !devices ? devices.error() : heard.error());
    }
    apply({.now = {}, .messages = {}, .heard = {}, .agents = *agents, .devices = *devices, .samples = {}, .audit = {}});
    for (const auto& [device, at] : *heard) {
        view_.heard_before(device, at);
    }
    const auto known =
        store_
            ->each_position(
                [&](const fabric::Source& source, fabric::Position position) { view_.received(source, position); })
            .and_then([&] { return store_->each_message([&](const auto& message) { view_.apply(message); }); });
    return known.and_then([&] { return lead({}); });
}

Result<void> Manager::lead(Instant now)
{
    taken_ = {};
    epochs_ = {};
    commands_ = {};
    const auto sources = store_->sources();
    const auto rollouts = store_->rollouts();
    const auto commands = store_->commands();
    if (!sources || !rollouts || !commands) {
        return tl::unexpected(!sources ? sources.error() : !rollouts ? rollouts.error() : commands.error());
    }
    for (const auto& known : *sources) {
        epochs_.remember(known.source.device, {known.epoch, known.highest}, known.latest);
    }
    commands_.load(*rollouts, *commands, troubles(now));
    return {};
}

void Manager::take(const codec::Report& report, const std::string& from, Now now)
{
    taken_.now = std::max(taken_.now, now.wall);
    take_recounts(report, now.wall);
    take_agent(report, from, now);
    std::set<std::string_view> devices;
    for (const auto& [event, text] : report.events) {
        if (auto message = event_message(event)) {
            message->position = epochs_.place(message->source.device, message->position.number, message->at);
            message->observed_at = now.wall;
            taken_.messages.push_back({std::move(*message), text});
            devices.insert(event.device);
        }
    }
    for (const auto device : devices) {
        heard(std::string{device}, now);
    }
    for (const auto& state : report.devices) {
        taken_.devices.push_back({report.agent, state});
        heard(state.device, now);
    }
    for (const auto& storms : report.storms) {
        close_forgotten(storms, now.wall);
    }
    taken_.samples.insert(taken_.samples.end(), report.samples.begin(), report.samples.end());
    if (const auto own = devices_of_.find(report.agent); own != devices_of_.end()) {
        for (const auto& device : own->second) {
            heard(device, now);
        }
    }
}

// Events with the numbers of a process that has just started are of records that the agent has lost. The stored boot of
// the agent shows whether it has just started: this process of it has sent no event then.
void Manager::take_recounts(const codec::Report& report, WallTime now)
{
    const auto known = agents_.find(report.agent);
    if (known == agents_.end()) {
        return;
    }
    for (const auto& [device, first] : report.recounts) {
        if (known->second.boot == report.boot) {
            epochs_.kept_before(device, first);
        } else if (const auto last = store_->last(device); last.number >= first) {
            const fabric::Position behind{last.epoch + 1, first - 1};
            epochs_.begin(device, behind);
            taken_.messages.push_back(recount_message(device, behind, now));
        }
    }
}

// An agent that lost its memory in a storm does not report the end. A report that is late or doubled names an earlier
// event than the last one, and changes nothing.
void Manager::close_forgotten(const fabric::OpenStorms& storms, WallTime now)
{
    if (store_->last(storms.device) != storms.last) {
        return;
    }
    for (const auto& [port, error] : view_.open_errors(storms.device)) {
        if (std::ranges::find(storms.open, fabric::OpenStorms::Place{port, error.priority}) == storms.open.end()) {
            taken_.messages.push_back(forgotten_message(storms.device, port, error, now));
        }
    }
}

void Manager::take_agent(const codec::Report& report, const std::string& from, Now now)
{
    const auto known = agents_.find(report.agent);
    if (report.boot.empty()) {
        return;
    }
    if (known != agents_.end() && known->second.boot == report.boot && known->second.version == report.version) {
        return;
    }
    taken_.agents.push_back({report.agent, report.boot, report.version, now.wall});
    audit({now.wall, from, "agent_started", report.agent, report.boot});
}

void Manager::take_message(TakenMessage taken, Now now)
{
    heard(taken.message.source.device, now);
    taken.message.observed_at = now.wall;
    taken_.messages.push_back(std::move(taken));
}

bool Manager::take_log(const wire::LogLine& line, Now now)
{
    auto taken = log_message(line, now.wall);
    if (!taken) {
        log_heard(line.host, now);
        return false;
    }
    const auto& device = taken->message.source.device;
    if (logs_.size() >= kMostLogs && !logs_.contains(device)) {
        return false;
    }
    logs_[device] = now.mono;
    take_message(std::move(*taken), now);
    return true;
}

// Not for each of many lines: what was heard is stored.
void Manager::log_heard(const std::string& device, Now now)
{
    const auto known = logs_.find(device);
    if (known != logs_.end() && now.mono - known->second >= kLogHeardEvery) {
        known->second = now.mono;
        heard(device, now);
    }
}

void Manager::audit(AuditEntry entry)
{
    taken_.now = std::max(taken_.now, entry.at);
    taken_.audit.push_back(std::move(entry));
}

void Manager::heard(const std::string& device, Now now)
{
    heard_[device] = now;
    taken_.heard[device] = now.wall;
    taken_.now = now.wall;
}

Batch Manager::take_batch()
{
    auto batch = std::exchange(taken_, {});
    commands_.add_changes(batch);
    return batch;
}

Result<Batch> Manager::prepare()
{
    heard_.clear();
    return store_->only_new(take_batch());
}

Result<std::vector<StoredEvent>> Manager::follow(std::span<const Batch> entries, const LogPosition& position,
                                                 std::optional<Instant> arrives)
{
    auto added = store_->append(entries, position);
    if (!added) {
        return added;
    }
    for (const auto& batch : entries) {
        apply(batch);
        for (const auto& [device, at] : batch.heard) {
            arrives ? view_.heard(device, {*arrives, at}) : view_.heard_before(device, at);
        }
    }
    return added;
}

Result<std::vector<StoredEvent>> Manager::commit()
{
    const auto heard = std::exchange(heard_, {});
    const auto batch = take_batch();
    if (batch.empty()) {
        return std::vector<StoredEvent>{};
    }
    auto added = store_->append(batch);
    if (added) {
        commands_.stored();
        apply(batch);
        for (const auto& [device, at] : heard) {
            view_.heard(device, at);
        }
    }
    return added;
}

void Manager::apply(const Batch& batch)
{
    for (const auto& taken : batch.messages) {
        view_.apply(taken.message);
    }
    for (const auto& agent : batch.agents) {
        agents_[agent.agent] = agent;
    }
    for (const auto& device : batch.devices) {
        const auto& name = device.state.device;
        if (const auto former = agent_of_.find(name); former != agent_of_.end()) {
            devices_of_[former->second].erase(name);
        }
        agent_of_[name] = device.agent;
        devices_of_[device.agent].insert(name);
        view_.set_state(device.state);
    }
}

std::map<std::string, std::map<std::string, std::uint64_t>> Manager::to_clear(const std::string& agent,
                                                                              WallTime now) const
{
    std::map<std::string, std::map<std::string, std::uint64_t>> devices;
    if (const auto own = devices_of_.find(agent); own != devices_of_.end()) {
        for (const auto& device : own->second) {
            if (auto ports = view_.to_clear(device, now); !ports.empty()) {
                devices[device] = std::move(ports);
            }
        }
    }
    return devices;
}

std::string Manager::agent_of(const std::string& device) const
{
    const auto known = agent_of_.find(device);
    return known == agent_of_.end() ? std::string{} : known->second;
}

Commands::Troubles Manager::troubles(Instant now) const
{
    using Found = std::map<std::string, std::set<std::string>>;
    return [this, now, found = std::make_shared<std::optional<Found>>()](const std::string& agent) {
        if (!*found) {
            auto& all = found->emplace();
            for (const auto& device : view_.devices(now)) {
                if (!device.sight.reports) {
                    all[agent_of(device.name)].insert(fmt::format("{} does not report", device.name));
                }
            }
            for (const auto& storm : view_.storms(now)) {
                const auto& [port, error] = std::pair{storm.port, storm.error};
                all[agent_of(port.device)].insert(
                    fmt::format("{}:{}{} is in error: {} (event {})", port.device, port.port,
                                error.priority ? fmt::format(":{}", error.priority->value) : "", error.raw, error.seq));
            }
        }
        const auto known = (*found)->find(agent);
        return known == (*found)->end() ? std::set<std::string>{} : known->second;
    };
}

fleet::KnownAgents Manager::known_agents(std::vector<fleet::AgentPlace> places) const
{
    fleet::KnownAgents known{{}, agent_of_, std::move(places)};
    for (const auto& [agent, record] : agents_) {
        known.agents.insert(agent);
    }
    return known;
}

// What stands at the beginning of a pass stays in all of it: to find it takes long in a large fabric.
Result<bool> Manager::prune(const Retention& retention, WallTime now)
{
    if (!standing_) {
        standing_ = view_.standing();
    }
    const auto complete = store_->prune(retention, now, *standing_);
    if (complete.value_or(true)) {
        standing_.reset();
    }
    return complete;
}

}  // namespace petrel::manager
