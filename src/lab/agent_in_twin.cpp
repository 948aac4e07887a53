#include "lab/agent_in_twin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/stop_policy.hpp"

namespace petrel::lab {

namespace {

// Agents use whole nanoseconds, the twin picoseconds. Times are rounded up.
twin::Ps next_ns(twin::Ps t) { return (t + twin::kNs - 1) / twin::kNs * twin::kNs; }

}  // namespace

// The policies of a scenario. Their port numbers refer to the device with all its ports.
class AgentInTwin::BookPolicies final : public runner::Policies {
public:
    BookPolicies(watchdog::PolicyBook book, const std::vector<PortNames>& ports) : book_(std::move(book)), ports_(ports)
    {}

    watchdog::PolicyBook bind(watchdog::Inventory& inventory, std::string_view) const override
    {
        auto bound = book_;
        bound.assigned.clear();
        for (auto assignment : book_.assigned) {
            if (assignment.port) {
                const auto& name = ports_.at(*assignment.port).name;
                const auto there = std::ranges::find(inventory.ports, name, &PortNames::name);
                if (there == inventory.ports.end()) {
                    continue;
                }
                assignment.port = static_cast<std::uint16_t>(there - inventory.ports.begin());
            }
            bound.assigned.push_back(assignment);
        }
        return bound;
    }
    bool same_as(const Policies& other) const override { return this == &other; }

private:
    watchdog::PolicyBook book_;
    std::vector<PortNames> ports_;
};

// Opens the node's device. The twin's device outlives processes: every process opens the same one.
class AgentInTwin::Node final : public runner::DeviceSource {
public:
    explicit Node(AgentInTwin& agent) : agent_(agent) {}

    const device::TimeSource& clock() const override { return *agent_.clock_; }
    Result<std::unique_ptr<device::Device>> open(NoteSink) override
    {
        return std::make_unique<device::RemovablePorts>(agent_.faults_, agent_.removed_ports_, agent_.opened_);
    }

private:
    AgentInTwin& agent_;
};

Parsed<std::unique_ptr<AgentInTwin>> AgentInTwin::make(twin::Twin& twin, twin::NodeId node,
                                                       const watchdog::PolicyBook& book, const Options& options)
{
    auto clock = std::make_unique<device::ManualClock>(twin::to_instant(twin.now()));
    auto gate = std::make_shared<device::twin::RegisterGate>();
    auto hardware = static_cast<const Hardware&>(options);
    hardware.gate = gate;
    auto device = device_of(twin, {twin.setup().topology, node, *clock}, hardware);
    auto list = watchdog::compile(book, device->inventory(), device->capabilities());
    if (!list) {
        return tl::unexpected(std::move(list.error()));
    }
    return std::unique_ptr<AgentInTwin>{new AgentInTwin{twin, node, std::move(clock), std::move(gate),
                                                        std::move(device), book, std::move(*list), options}};
}

AgentInTwin::AgentInTwin(twin::Twin& twin, twin::NodeId node, std::unique_ptr<device::ManualClock> clock,
                         std::shared_ptr<device::twin::RegisterGate> gate, std::unique_ptr<device::Device> device,
                         const watchdog::PolicyBook& policies, watchdog::Watchlist list, const Options& options)
    : twin_(twin),
      node_(node),
      clock_(std::move(clock)),
      gate_(std::move(gate)),
      device_(std::move(device)),
      faults_(*device_),
      policies_(std::make_shared<BookPolicies>(policies, device_->inventory().ports)),
      max_mitigated_(policies.max_mitigated),
      options_(options),
      list_(std::make_shared<watchdog::Watchlist>(std::move(list)))
{
    disk_.device = twin.setup().topology.nodes[node.value].name;
    faults_.listen(*this);
    faults_.delay_writes(*this);
    gate_->before_write = [this](device::slingshot::Register which) { return pass(which); };
}

void AgentInTwin::on_node(twin::Ps when, std::function<void()> what)
{
    twin_.at(node_, next_ns(when), [this, what = std::move(what)](twin::Ps now) { call(now, what); });
}

void AgentInTwin::call(twin::Ps now, const std::function<void()>& what)
{
    clock_->set(twin::to_instant(now));
    try {
        what();
    } catch (const Death&) {
        end();
    }
}

void AgentInTwin::in_process(std::function<void(runner::DeviceRunner&)> what)
{
    if (process_) {
        process_->loop.post([this, what = std::move(what)] { what(process_->device_runner()); });
        process_->loop.turn();
    }
}

CallAt AgentInTwin::until_death()
{
    return [this, life = life_](Instant when, std::function<void()> what) {
        twin_.at(node_, twin::from_instant(when), [this, life, what = std::move(what)](twin::Ps now) {
            if (life == life_) {
                call(now, what);
            }
        });
    };
}

void AgentInTwin::start(twin::Ps when, const scenario::StartAgent& how)
{
    on_node(when, [this, how] {
        using Memory = scenario::StartAgent::Memory;
        end();
        if (how.memory == Memory::torn) {
            disk_.tear(how.torn_bytes, how.torn_journal);
        } else if (how.memory == Memory::lost) {
            disk_.lose();
        }
        begin();
    });
}

void AgentInTwin::kill(twin::Ps when, const scenario::KillAgent& how)
{
    on_node(when, [this, how] {
        if (how.when == scenario::KillAgent::When::at_once) {
            end();
        } else {
            dies_ = how;
        }
    });
}

void AgentInTwin::die_if(const scenario::KillAgent& reached)
{
    if (dies_ == reached) {
        throw Death{};
    }
}

void AgentInTwin::begin()
{
    list_generation_ = 0;
    const auto call_at = until_death();
    process_.reset(new Process{TwinLoop{*clock_, call_at}});
    auto& loop = process_->loop;
    auto memory = std::make_unique<DiskMemory>(disk_, [this, &loop] { loop.block(disk_.write_takes); });
    recall(*memory);
    runner::DeviceRunner::Setup setup{
        .name = disk_.device,
        .driver = "twin",
        .hang_after = options_.hang_after,
        .fault_hook = [this](device::FaultPoint step) { die_if({scenario::KillAgent::When::in_command, step}); },
        .source = std::make_unique<Node>(*this),
        .memory = std::move(memory),
        .worker = std::make_unique<TwinWorker>(
            loop, call_at, [this](runner::JobKind job, Instant begin) { return takes(job, begin); })};
    runner::RunnerHost& host = *this;
    process_->runners.push_back(std::make_unique<runner::DeviceRunner>(loop, host, std::move(setup), policies_));
    process_->device_runner().start({});
    if (options_.reporting) {
        begin_uplink(call_at);
    }
    loop.turn();
}

void AgentInTwin::begin_uplink(const CallAt& call_at)
{
    auto& loop = process_->loop;
    auto channel = std::make_unique<TwinChannel>(loop, [this](std::string report) {
        options_.reporting->carry(++last_report_, std::move(report));
        return last_report_;
    });
    process_->channel = channel.get();
    const auto at_once = [](runner::JobKind, Instant) { return Duration::zero(); };
    process_->uplink = std::make_unique<runner::UplinkRunner>(
        loop, process_->runners,
        runner::UplinkRunner::Setup{.agent = disk_.device,
                                    .boot = fmt::format("{:016x}{:016x}", node_.value, life_),
                                    .version = "lab",
                                    .manager = "the manager",
                                    .history_events = DiskMemory::kMostEvents,
                                    .pace = options_.reporting->pace,
                                    .channel = std::move(channel),
                                    .memory = std::make_unique<DiskUplinkMemory>(disk_),
                                    .worker = std::make_unique<TwinWorker>(loop, call_at, at_once),
                                    .neighbours = [](std::string_view) { return runner::Neighbours{}; },
                                    .log = [](const runner::LogLine&) {},
                                    .reached = [](std::string_view) {}});
    process_->uplink->start();
}

// A process that died may have written events and not published them, or published events that it could not write.
void AgentInTwin::recall(const runner::Memory& memory)
{
    if (!options_.reporting) {
        return;
    }
    std::uint64_t last = 0;
    for (auto& event : written_) {
        event.lost = event.lost || event.seq > memory.last_seq();
        last = event.lost ? last : event.seq;
    }
    for (const auto& event : memory.events()) {
        if (event.seq > last) {
            written_.push_back({event.seq, event.json});
        }
    }
}

void AgentInTwin::answer(std::uint64_t number, const runner::ManagerAnswer& answer, twin::Ps when)
{
    on_node(when, [this, number, answer] {
        if (process_ && process_->channel != nullptr) {
            process_->channel->receive(number, answer);
            process_->loop.turn();
        }
    });
}

void AgentInTwin::end()
{
    if (agent() != nullptr) {
        list_ = std::make_shared<watchdog::Watchlist>(agent()->watchdog().watchlist());
    }
    process_.reset();
    dies_ = {};
    ++life_;
}

// The time of a command includes the write of the journal entry, which is durable before the device is written.
Duration AgentInTwin::takes(runner::JobKind job, Instant begin) const
{
    const auto hangs = std::max(hangs_until_ - begin, Duration::zero());
    switch (job) {
    case runner::JobKind::look: return std::max(hangs, options_.look_takes);
    case runner::JobKind::command: return std::max(hangs, options_.command_takes + disk_.write_takes);
    default: return hangs;
    }
}

bool AgentInTwin::postpone(const watchdog::Command& command, std::function<void()> write)
{
    const auto delay = std::max(effect_after_, options_.acts_after);
    if (delay == Duration::zero() && late_writes_.empty()) {
        return false;
    }
    effects_until_ = std::max(effects_until_, clock_->now().mono + delay);
    late_writes_.push_back({++late_write_, life_, command.id, std::move(write)});
    on_node(twin::from_instant(effects_until_), [this, number = late_write_] { make_writes(number); });
    return true;
}

// A call of the device takes no time while it runs, so a write that is awaited is made at once, after those before it.
// Under a fault that delays writes, the other software does not answer in time.
Result<void> AgentInTwin::await(const watchdog::Command& command)
{
    const auto write = std::ranges::find_if(
        late_writes_, [&](const LateWrite& late) { return late.life == life_ && late.command == command.id; });
    if (options_.acts_after == Duration::zero() || write == late_writes_.end()) {
        return {};
    }
    if (effect_after_ != Duration::zero()) {
        return tl::unexpected(Error{ErrorKind::timed_out, "not carried out yet"});
    }
    make_writes(write->number);
    return {};
}

void AgentInTwin::make_writes(std::uint64_t until)
{
    while (!late_writes_.empty() && late_writes_.front().number <= until) {
        late_writes_.front().make();
        late_writes_.pop_front();
    }
}

// A squeeze and its restore write PCP_ENABLE last.
Result<void> AgentInTwin::pass(device::slingshot::Register which)
{
    if (which == device::slingshot::Register::pcp_enable && faults_.applies()) {
        die_if({scenario::KillAgent::When::halfway, {}});
        if (faults_.fails_halfway()) {
            return tl::unexpected(Error{ErrorKind::unreachable, "failed halfway by an injected fault"});
        }
    }
    return {};
}

void AgentInTwin::order(const watchdog::Order& order, twin::Ps when)
{
    on_node(when, [this, order] {
        in_process([order](runner::DeviceRunner& runner) {
            using Kind = watchdog::Order::Kind;
            if (order.kind == Kind::stop || order.kind == Kind::stop_and_hold) {
                runner.stop(order.kind == Kind::stop ? config::StopPolicy::restore : config::StopPolicy::hold,
                            order.by);
            } else {
                static_cast<void>(runner.order(order));
            }
        });
    });
}

Parsed<void> AgentInTwin::change(const watchdog::PolicyBook& to, twin::Ps when)
{
    auto book = to;
    book.max_mitigated = max_mitigated_;
    if (auto fits = watchdog::compile(book, device_->inventory(), device_->capabilities()); !fits) {
        return tl::unexpected(std::move(fits.error()));
    }
    reconfigure(std::make_shared<BookPolicies>(std::move(book), device_->inventory().ports), when);
    return {};
}

void AgentInTwin::reload(twin::Ps when) { reconfigure(nullptr, when); }

// As in the service, the runner keeps its policies if the new ones do not fit the present inventory of the device.
void AgentInTwin::reconfigure(std::shared_ptr<const runner::Policies> to, twin::Ps when)
{
    on_node(when, [this, to = std::move(to)] {
        policies_ = to ? to : policies_;
        in_process([this](runner::DeviceRunner& runner) {
            if (runner.check(*policies_)) {
                runner.change(policies_);
            }
        });
    });
}

void AgentInTwin::on_device(twin::Ps when, std::function<void(device::FaultyDevice&)> what)
{
    on_node(when, [this, what = std::move(what)] { what(faults_); });
}

void AgentInTwin::set_port(std::uint16_t port, bool there, twin::Ps when)
{
    on_node(when, [this, name = device_->inventory().ports.at(port).name, there] {
        if (there) {
            removed_ports_.erase(name);
        } else {
            removed_ports_.insert(name);
        }
    });
}

void AgentInTwin::looks_take(Duration takes, twin::Ps when)
{
    on_node(when, [this, takes] { options_.look_takes = takes; });
}

void AgentInTwin::commands_take(Duration takes, twin::Ps when)
{
    on_node(when, [this, takes] { options_.command_takes = takes; });
}

void AgentInTwin::writes_take_effect_after(Duration takes, twin::Ps when)
{
    on_node(when, [this, takes] { effect_after_ = takes; });
}

void AgentInTwin::hang(twin::Ps until, twin::Ps when)
{
    on_node(when, [this, until] { hangs_until_ = twin::to_instant(until); });
}

void AgentInTwin::lose_notices(bool lost, twin::Ps when)
{
    on_node(when, [this, lost] { notices_lost_ = lost; });
}

void AgentInTwin::step_wall_clock(std::chrono::microseconds by, twin::Ps when)
{
    on_node(when, [this, by] { clock_->step_wall(by); });
}

void AgentInTwin::disk_writes_take(Duration takes, twin::Ps when)
{
    on_node(when, [this, takes] { disk_.write_takes = takes; });
}

void AgentInTwin::fill_disk(bool full, twin::Ps when)
{
    on_node(when, [this, full] { disk_.full = full; });
}

void AgentInTwin::delay_notices(const scenario::DelayNotices& how, twin::Ps when)
{
    on_node(when, [this, how] {
        notice_delay_ = how;
        notice_random_.seed(how.seed);
    });
}

void AgentInTwin::post(const watchdog::Notice& notice) noexcept
{
    if (process_ && !notices_lost_) {
        deliver(notice);
        if (notice_delay_.twice) {
            deliver(notice);
        }
    }
}

// Delivers the notice at least 1 ns later, when the current call on the node has returned.
void AgentInTwin::deliver(const watchdog::Notice& notice)
{
    const auto most = static_cast<std::uint64_t>(notice_delay_.takes.count());
    const auto late = most == 0 ? 0 : notice_random_() % (most + 1);
    until_death()(notice.at + Duration{1} + Duration{late}, [this, notice] {
        if (opened_ != nullptr) {
            opened_->post(notice);
            process_->loop.turn();
        }
    });
}

void AgentInTwin::state_written(const runner::DeviceRunner&, const Result<void>& written)
{
    if (written) {
        die_if({scenario::KillAgent::When::remembered, {}});
    }
}

void AgentInTwin::settled(const runner::DeviceRunner&)
{
    if (process_->uplink) {
        process_->uplink->look();
    }
}

void AgentInTwin::event_written(const runner::DeviceRunner& runner, const watchdog::Watchlist& list,
                                const watchdog::Event& event, const std::string& json)
{
    events_.push_back(event);
    if (options_.reporting) {
        written_.push_back({event.seq, json});
    }
    if (process_->uplink) {
        process_->uplink->event_written();
    }
    if (runner.agent() == nullptr) {
        lists_.push_back(std::make_shared<watchdog::Watchlist>(list));
        return;
    }
    if (list_generation_ != runner.watchlist_generation()) {
        list_ = std::make_shared<watchdog::Watchlist>(list);
        list_generation_ = runner.watchlist_generation();
    }
    lists_.push_back(list_);
}

const watchdog::Watchlist& AgentInTwin::watchlist() const
{
    return agent() != nullptr ? agent()->watchdog().watchlist() : *list_;
}

}  // namespace petrel::lab
