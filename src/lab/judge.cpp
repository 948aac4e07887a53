#include "lab/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace petrel::lab {

namespace {

using scenario::Expectation;
using scenario::NodeId;
using twin::Ps;

template <class T>
bool among(const std::vector<T>& chosen, const T& one)
{
    return chosen.empty() || std::find(chosen.begin(), chosen.end(), one) != chosen.end();
}

// The present value of a quantity: its count since the start of the run, or its state now.
class Measure {
public:
    Measure(const Experiment& experiment, const Expectation& expectation, const Standstill* since)
        : experiment_(experiment), expectation_(expectation), twin_(experiment.twin()), since_(since)
    {}

    double operator()(const scenario::EventsExpected& wanted) const
    {
        const auto events = experiment_.events();
        return static_cast<double>(std::count_if(events.begin(), events.end(),
                                                 [&](const AgentEvent& reported) { return counts(wanted, reported); }));
    }

    double operator()(const scenario::TrafficExpected& wanted) const
    {
        using What = scenario::TrafficExpected::What;
        const auto& item = experiment_.scenario().traffic[wanted.item];
        double sum = 0;
        for (auto i = item.first_flow; i < item.first_flow + item.flows; ++i) {
            const auto flow = twin_.flow(i);
            const auto delivered = static_cast<double>(flow.delivered);
            switch (wanted.what) {
            case What::delivered: sum += delivered; break;
            case What::lost:
            case What::loss: sum += static_cast<double>(flow.sent) - delivered; break;
            case What::rate: sum += delivered * 8 * twin_.setup().flows[i].frame_bytes; break;
            case What::finished: sum += flow.finished ? 1 : 0; break;
            case What::count_: break;
            }
        }
        return sum;
    }

    double operator()(const scenario::PauseExpected& wanted) const
    {
        double sum = 0;
        for (const auto& port : wanted.ports) {
            for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
                if ((unsigned{wanted.priorities} >> priority & 1U) != 0) {
                    sum += pause_at(port, priority, wanted.what);
                }
            }
        }
        return sum;
    }

    double operator()(const scenario::DropsExpected& wanted) const
    {
        double sum = 0;
        each_node(wanted.nodes, [&](NodeId node) {
            const auto drops = twin_.is_switch(node) ? twin_.switch_view(node).drops() : twin_.nic_view(node).drops();
            for (std::size_t i = 0; i < twin::kDrops; ++i) {
                const auto cause = static_cast<twin::Drop>(i);
                sum += among(wanted.causes, cause) ? static_cast<double>(drops[cause]) : 0;
            }
        });
        return sum;
    }

    double operator()(const scenario::StateExpected& wanted) const
    {
        using What = scenario::StateExpected::What;
        switch (wanted.what) {
        case What::mitigated: return static_cast<double>(experiment_.mitigated(wanted.nodes));
        case What::in_flight: return static_cast<double>(twin_.totals().in_flight);
        case What::unseen: return static_cast<double>(experiment_.unseen(wanted.nodes));
        case What::paused:
        case What::count_: break;
        }
        double sum = 0;
        each_node(wanted.nodes, [&](NodeId node) { sum += paused_queues(node); });
        return sum;
    }

    // At the beginning of the window there is no earlier state to compare with: the value is 0.
    double operator()(const scenario::FrozenExpected& wanted) const
    {
        return since_ == nullptr ? 0 : static_cast<double>(since_->frozen(wanted.nodes));
    }
    double operator()(const scenario::DeadlockExpected&) const
    {
        return since_ == nullptr ? 0 : static_cast<double>(since_->deadlocked());
    }

    double operator()(const scenario::LinkExpected& wanted) const
    {
        using What = scenario::LinkExpected::What;
        const auto story = experiment_.link_story(wanted.port);
        if (!story) {
            return 0;  // the link never went down
        }
        const auto& registers = story->reading.registers;
        const bool logged = !story->history.empty();
        switch (wanted.what) {
        case What::reason: return registers.ldr;
        case What::neighbor_reason: return registers.nldr;
        case What::events: return static_cast<double>(story->history.size());
        case What::last_reason: return logged ? story->history.back().ldr : 0;
        case What::last_neighbor_reason: return logged ? story->history.back().nldr : 0;
        case What::count_: break;
        }
        return 0;
    }

    // No value if no process of the manager in use runs.
    double operator()(const scenario::ManagerExpected& wanted) const
    {
        using What = scenario::ManagerExpected::What;
        const auto& managers = *experiment_.managers();
        const auto* manager = managers.in_use();
        if (manager == nullptr) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        if (wanted.what == What::errors || wanted.what == What::opened_at || wanted.what == What::closed_at) {
            return port_errors(manager->view(), wanted);
        }
        double sum = 0;
        for (const auto& of : managers.agents()) {
            if (!among(wanted.devices, of.node)) {
                continue;
            }
            if (wanted.what == What::unknown) {
                sum += managers.reports(of.agent->name()) ? 0 : 1;
                continue;
            }
            const auto found = managers.compare_history(of);
            sum += static_cast<double>(wanted.what == What::events       ? found.events
                                       : wanted.what == What::missing    ? found.missing.size()
                                       : wanted.what == What::doubled    ? found.doubled.size()
                                       : wanted.what == What::disordered ? found.disordered.size()
                                                                         : found.forgotten);
        }
        return sum;
    }

private:
    bool counts(const scenario::EventsExpected& wanted, const AgentEvent& reported) const
    {
        const auto& event = *reported.event;
        const auto at = twin::from_instant(event.at);
        if (at < expectation_.from || at >= expectation_.until || !among(wanted.kinds, event.kind) ||
            !among(wanted.devices, reported.node) || (wanted.reason && *wanted.reason != event.reason)) {
            return false;
        }
        if (wanted.port && (wanted.port->node != reported.node || wanted.port->port != reported.port)) {
            return false;
        }
        const auto& priority = event.target.priority;
        return !priority || (unsigned{wanted.priorities} >> priority->value & 1U) != 0;
    }

    // How many are open, or the time of the last one; no value if there is none.
    double port_errors(const fabric::FabricView& view, const scenario::ManagerExpected& wanted) const
    {
        using What = scenario::ManagerExpected::What;
        double open = 0;
        std::optional<WallTime> last;
        for (const auto& port : view.ports(twin::to_instant(twin_.now()))) {
            for (const auto& error : is_wanted(port.name, wanted) ? port.errors : decltype(port.errors){}) {
                if (error.priority && (unsigned{wanted.priorities} >> error.priority->value & 1U) == 0) {
                    continue;
                }
                const bool is_open = error.closed == fabric::PortErrorRecord::Closed::not_yet;
                open += is_open ? 1 : 0;
                if (wanted.what == What::opened_at || !is_open) {
                    last = std::max(last.value_or(WallTime::min()),
                                    wanted.what == What::opened_at ? error.opened_at : error.closed_at);
                }
            }
        }
        return wanted.what == What::errors ? open
               : last ? static_cast<double>(last->time_since_epoch().count()) * static_cast<double>(twin::kUs)
                      : std::numeric_limits<double>::quiet_NaN();
    }

    bool is_wanted(const fabric::PortName& port, const scenario::ManagerExpected& wanted) const
    {
        const auto& nodes = twin_.setup().topology.nodes;
        const auto node = std::ranges::find(nodes, port.device, &topology::Node::name);
        const NodeId id{static_cast<std::uint32_t>(node - nodes.begin())};
        return among(wanted.devices, id) &&
               (!wanted.port || (wanted.port->node == id && node->ports[wanted.port->port].name == port.port));
    }

    double pause_at(const topology::End& port, std::uint8_t priority, scenario::PauseExpected::What what) const
    {
        using What = scenario::PauseExpected::What;
        Ps paused = 0;
        std::uint64_t received = 0;
        std::uint64_t sent = 0;
        if (twin_.is_switch(port.node)) {
            const auto view = twin_.switch_view(port.node);
            const auto queue = view.queue(static_cast<std::uint8_t>(port.port),
                                          view.profile().queue_of_priority[priority], twin_.now());
            paused = queue.paused_for;
            received = queue.rx_xoff;
            sent = queue.pause_sent;
        } else {
            const auto nic = twin_.nic_view(port.node).read(priority, twin_.now());
            paused = nic.paused_for;
            received = nic.rx_xoff;
            sent = nic.pause_sent;
        }
        return what == What::paused ? static_cast<double>(paused)
                                    : static_cast<double>(what == What::received ? received : sent);
    }

    double paused_queues(NodeId node) const
    {
        double sum = 0;
        for (std::uint8_t queue = 0; queue < kPriorities; ++queue) {
            if (!twin_.is_switch(node)) {
                sum += twin_.nic_view(node).read(queue, twin_.now()).paused ? 1 : 0;
                continue;
            }
            const auto view = twin_.switch_view(node);
            for (std::uint8_t port = 0; port < view.ports(); ++port) {
                sum += view.queue(port, queue, twin_.now()).paused ? 1 : 0;
            }
        }
        return sum;
    }

    template <class Visit>
    void each_node(const std::vector<NodeId>& chosen, const Visit& visit) const
    {
        const auto count = static_cast<std::uint32_t>(twin_.setup().topology.nodes.size());
        for (std::uint32_t id = 0; id < count; ++id) {
            if (among(chosen, NodeId{id})) {
                visit(NodeId{id});
            }
        }
    }

    const Experiment& experiment_;
    const Expectation& expectation_;
    const twin::Twin& twin_;
    const Standstill* since_;
};

// The divisor of a rate (time) or of a share (frames sent).
double base_of(const Experiment& experiment, const Expectation& expectation)
{
    if (expectation.unit == scenario::Unit::rate) {
        return static_cast<double>(experiment.twin().now()) / twin::kSecond;
    }
    double sum = 0;
    if (const auto* traffic = std::get_if<scenario::TrafficExpected>(&expectation.quantity)) {
        const auto& item = experiment.scenario().traffic[traffic->item];
        for (auto i = item.first_flow; i < item.first_flow + item.flows; ++i) {
            sum += static_cast<double>(experiment.twin().flow(i).sent);
        }
    }
    return sum;
}

bool is_ratio(scenario::Unit unit) { return unit == scenario::Unit::rate || unit == scenario::Unit::share; }

// These quantities count from the start of the run, so the count at the beginning of the window is subtracted.
bool counts_from_start(const scenario::Quantity& quantity)
{
    return std::holds_alternative<scenario::TrafficExpected>(quantity) ||
           std::holds_alternative<scenario::PauseExpected>(quantity) ||
           std::holds_alternative<scenario::DropsExpected>(quantity);
}

bool needs_standstill(const scenario::Quantity& quantity)
{
    return std::holds_alternative<scenario::FrozenExpected>(quantity) ||
           std::holds_alternative<scenario::DeadlockExpected>(quantity);
}

std::string time_text(double ps)
{
    const auto unit = std::abs(ps) < twin::kMs ? std::pair{twin::kUs, "us"} : std::pair{twin::kMs, "ms"};
    return fmt::format("{:.6g} {}", ps / static_cast<double>(unit.first), unit.second);
}

}  // namespace

std::string quantity_text(double value, scenario::Unit unit)
{
    if (std::isnan(value)) {
        return unit == scenario::Unit::count  ? "no manager runs"
               : unit == scenario::Unit::time ? "the manager shows none"
                                              : "nothing was sent";
    }
    switch (unit) {
    case scenario::Unit::count: return fmt::format("{:.0f}", value);
    case scenario::Unit::time: return time_text(value);
    case scenario::Unit::rate: return fmt::format("{:.6g} Gb/s", value / 1e9);
    case scenario::Unit::share: return fmt::format("{:.6g} %", value * 100);
    }
    return {};
}

Judge::Judge(Experiment& experiment) : experiment_(experiment)
{
    for (const auto& expectation : experiment.scenario().expectations) {
        cases_.push_back({&expectation, {}, {}, 0, false});
    }
    for (auto& one : cases_) {
        experiment_.look_at(one.expectation->from, [this, &one] { open(one); });
        experiment_.look_at(one.expectation->until, [this, &one] { close(one); });
    }
}

Judge::Reading Judge::read(const Case& one) const
{
    const auto& expectation = *one.expectation;
    return {std::visit(Measure{experiment_, expectation, one.since ? &*one.since : nullptr}, expectation.quantity),
            base_of(experiment_, expectation)};
}

void Judge::open(Case& one) const
{
    if (counts_from_start(one.expectation->quantity)) {
        one.before = read(one);
    }
    if (needs_standstill(one.expectation->quantity)) {
        one.since.emplace(experiment_.twin());
    }
}

void Judge::close(Case& one) const
{
    const auto now = read(one);
    const auto added = now.value - one.before.value;
    one.value = is_ratio(one.expectation->unit) ? added / (now.base - one.before.base) : added;
    one.reached = true;
}

std::vector<Finding> Judge::findings() const
{
    std::vector<Finding> all;
    for (const auto& one : cases_) {
        using scenario::Verdict;
        if (!one.reached) {
            all.push_back({Verdict::not_reached, one.expectation, {}});
            continue;
        }
        all.push_back({one.expectation->range.contains(one.value) ? Verdict::met : Verdict::failed, one.expectation,
                       quantity_text(one.value, one.expectation->unit)});
    }
    return all;
}

}  // namespace petrel::lab
