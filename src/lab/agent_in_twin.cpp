#include "lab/agent_in_twin.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "device/carry_out.hpp"
#include "runner/start.hpp"

namespace petrel::lab {

namespace {

using watchdog::Command;

// Agents live on whole nanoseconds: what happens in between is heard at the next.
twin::Ps next_ns(twin::Ps t) { return (t + twin::kNs - 1) / twin::kNs * twin::kNs; }

}  // namespace

Parsed<std::unique_ptr<AgentInTwin>> AgentInTwin::make(twin::Twin& twin, twin::NodeId node,
                                                       const watchdog::PolicyBook& book, const Options& options)
{
    auto clock = std::make_unique<device::ManualClock>(twin::to_instant(twin.now()));
    auto device = device_of(twin, {twin.setup().topology, node, *clock}, options);
    auto list = watchdog::compile(book, device->inventory(), device->capabilities());
    if (!list) {
        return tl::unexpected(std::move(list.error()));
    }
    return std::unique_ptr<AgentInTwin>{
        new AgentInTwin{twin, node, std::move(clock), std::move(device), book, std::move(*list), options}};
}

AgentInTwin::AgentInTwin(twin::Twin& twin, twin::NodeId node, std::unique_ptr<device::ManualClock> clock,
                         std::unique_ptr<device::Device> device, watchdog::PolicyBook policies,
                         watchdog::Watchlist list, const Options& options)
    : twin_(twin),
      node_(node),
      clock_(std::move(clock)),
      device_(std::move(device)),
      faults_(*device_),
      policies_(std::move(policies)),
      in_force_(policies_),
      list_(std::move(list)),
      options_(options)
{
    faults_.listen(*this);
}

AgentInTwin::Process::Process(const watchdog::Watchlist& list, const agent::Start& start, Now now)
    : agent(list, start, now, output), intake(list.inventory, list.capabilities), device_free(now.mono)
{}

void AgentInTwin::on_node(twin::Ps when, std::function<void()> what)
{
    twin_.at(node_, next_ns(when), [this, what = std::move(what)](twin::Ps now) {
        clock_->set(twin::to_instant(now));
        what();
    });
}

void AgentInTwin::start(twin::Ps when)
{
    on_node(when, [this] { begin(); });
}

void AgentInTwin::kill(twin::Ps when)
{
    on_node(when, [this] {
        process_.reset();
        ++life_;
    });
}

void AgentInTwin::order(const watchdog::Order& order, twin::Ps when)
{
    on_node(when, [this, order] {
        if (process_) {
            step(order);
        }
    });
}

// Policies are added to those there were, so that events told before still find theirs by its number.
Parsed<void> AgentInTwin::change(const watchdog::PolicyBook& to, twin::Ps when)
{
    const auto before = static_cast<std::uint16_t>(policies_.policies.size());
    policies_.policies.insert(policies_.policies.end(), to.policies.begin(), to.policies.end());
    policies_.assigned = to.assigned;
    for (auto& assignment : policies_.assigned) {
        assignment.policy = static_cast<std::uint16_t>(assignment.policy + before);
    }
    auto list = watchdog::compile(policies_, device_->inventory(), device_->capabilities());
    if (!list) {
        return tl::unexpected(std::move(list.error()));
    }
    on_node(when, [this, list = std::move(*list), book = policies_] {
        in_force_ = book;
        list_ = list;
        if (process_) {
            step(list_);
        }
    });
    return {};
}

void AgentInTwin::on_device(twin::Ps when, std::function<void(device::FaultyDevice&)> what)
{
    on_node(when, [this, what = std::move(what)] { what(faults_); });
}

void AgentInTwin::looks_take(Duration takes, twin::Ps when)
{
    on_node(when, [this, takes] { options_.look_takes = takes; });
}

void AgentInTwin::step_wall_clock(std::chrono::microseconds by, twin::Ps when)
{
    on_node(when, [this, by] { clock_->step_wall(by); });
}

// What the hardware tells in the middle of something is heard when that is over.
void AgentInTwin::post(const watchdog::Notice& notice) noexcept
{
    if (process_) {
        at(notice.at + Duration{1}, [this, notice] { step(notice); });
    }
}

void AgentInTwin::at(Instant when, std::function<void()> what)
{
    twin_.at(node_, twin::from_instant(when), [this, life = life_, what = std::move(what)](twin::Ps now) {
        if (life == life_) {
            clock_->set(twin::to_instant(now));
            what();
        }
    });
}

void AgentInTwin::begin()
{
    const auto start = runner::gather_start(faults_, journal_, std::nullopt);
    PETREL_ASSERT(start.has_value(), "a journal in memory can be read: {}", start.error().what);
    ++life_;
    process_.emplace(list_, *start, clock_->now());
    collect();
}

void AgentInTwin::step(const agent::Input& input)
{
    process_->output.clear();
    process_->agent.step(input, clock_->now(), process_->output);
    collect();
}

void AgentInTwin::collect()
{
    const auto now = clock_->now().mono;
    auto& output = process_->output;
    for (const auto& command : output.box.commands) {
        enqueue(command, options_.command_takes, command.deadline,
                watchdog::Outcome{command.id, watchdog::Verdict::timed_out, {}, command.deadline, "no answer in time"});
    }
    if (const auto& look = output.look) {
        enqueue(Look{look->look, {look->rows.begin(), look->rows.end()}}, options_.look_takes, look->deadline,
                agent::Overdue{look->look});
    }
    events_.insert(events_.end(), output.box.events.begin(), output.box.events.end());
    output.wake = std::max(output.wake, now);
    plan_wake();
}

void AgentInTwin::enqueue(Call call, Duration takes, Instant deadline, agent::Input late)
{
    auto& free = process_->device_free;
    free = std::max(free, clock_->now().mono) + takes;
    process_->calls.push_back(std::move(call));
    if (free > deadline) {
        at(deadline, [this, late = std::move(late)] { step(late); });
    }
    at(free, [this] { answer_next(); });
}

void AgentInTwin::answer_next()
{
    const auto call = std::move(process_->calls.front());
    process_->calls.pop_front();
    std::visit([this](const auto& asked) { answer(asked); }, call);
}

void AgentInTwin::answer(const Look& look)
{
    auto& intake = process_->intake;
    intake.begin();
    const auto read = faults_.look(look.rows, intake);
    step(agent::LookDone{look.id, read ? &intake.view() : nullptr});
    follow_speeds();
}

// A link that came up at another speed is another row: what a pause frame holds and what counts as progress follow.
void AgentInTwin::follow_speeds()
{
    const auto& shown = device_->inventory();
    if (shown.generation == list_.inventory.generation) {
        return;
    }
    auto list = watchdog::compile(in_force_, shown, device_->capabilities());
    PETREL_ASSERT(list.has_value(), "policies that fit a device fit it at any speed");
    list_ = std::move(*list);
    process_->intake.learn_speeds(shown);
    step(list_);
}

void AgentInTwin::answer(const Command& command) { step(device::carry_out(command, faults_, journal_, *clock_)); }

void AgentInTwin::plan_wake()
{
    const auto wake = process_->output.wake;
    if (wake >= process_->wake) {
        return;
    }
    process_->wake = wake;
    at(wake, [this] {
        process_->wake = kNever;
        if (process_->output.wake <= clock_->now().mono) {
            step(agent::Tick{});
        } else {
            plan_wake();
        }
    });
}

}  // namespace petrel::lab
