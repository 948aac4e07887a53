#include "lab/live/live_twin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/live/live_device.hpp"
#include "lab/live/twin_device.hpp"

namespace petrel::lab {

using std::chrono::milliseconds;
using twin::Ps;

namespace {

constexpr Duration kPatience = milliseconds{50};  // after this time a call uses the twin as it is
constexpr Ps kMostLag = 200 * twin::kMs;          // lag that later calls may catch up with; more is skipped
constexpr Ps kFirstLossReport = twin::kSecond;

// The simulated time between two reads of the clock. It shrinks when a piece takes longer than kPieceTakes. It is
// bounded, so that the first frames after an idle time do not make a piece take long.
constexpr Duration kPieceTakes = milliseconds{5};
constexpr Ps kShortestPiece = 10 * twin::kUs;
constexpr Ps kLongestPiece = 100 * twin::kUs;

Duration to_duration(Ps t) { return twin::to_instant(t).time_since_epoch(); }

}  // namespace

// The access of one device to the twin. It keeps the twin alive, and its node in use.
class LiveTwin::OnNode final : public LiveDevice::Access {
public:
    OnNode(std::shared_ptr<LiveTwin> twin, scenario::NodeId node, const device::TimeSource& clock)
        : twin_(std::move(twin)), node_(node), clock_(clock)
    {}
    ~OnNode() override
    {
        at_once([&] { twin_->in_use_.erase(node_); });
    }
    OnNode(const OnNode&) = delete;
    OnNode& operator=(const OnNode&) = delete;

    void at_present(const std::function<void()>& what) override { twin_->call(node_, clock_, what); }
    void at_once(const std::function<void()>& what) override
    {
        const std::lock_guard lock{twin_->mutex_};
        what();
    }

private:
    std::shared_ptr<LiveTwin> twin_;
    scenario::NodeId node_;
    const device::TimeSource& clock_;
};

Result<std::shared_ptr<LiveTwin>> LiveTwin::make(scenario::Scenario scenario, Instant start, OnLoss on_loss)
{
    return twin::Twin::build(scenario.setup).map([&](std::unique_ptr<twin::Twin> twin) {
        schedule(scenario.faults, *twin);
        return std::shared_ptr<LiveTwin>{new LiveTwin{std::move(scenario), std::move(twin), start, std::move(on_loss)}};
    });
}

LiveTwin::LiveTwin(scenario::Scenario scenario, std::unique_ptr<twin::Twin> twin, Instant start, OnLoss on_loss)
    : scenario_(std::move(scenario)),
      twin_(std::move(twin)),
      start_(start),
      device_clock_(start_),
      next_loss_report_(kFirstLossReport),
      piece_(kShortestPiece),
      on_loss_(std::move(on_loss))
{}

Result<std::unique_ptr<device::Device>> LiveTwin::open(scenario::NodeId node, DeviceId id,
                                                       const device::TimeSource& clock)
{
    const std::lock_guard lock{mutex_};
    const auto& topology = twin_->setup().topology;
    if (!in_use_.insert(node).second) {
        return tl::unexpected(
            Error{ErrorKind::denied, fmt::format("{} is in use already", topology.nodes[node.value].name)});
    }
    const device::twin::Seat seat{topology, node, device_clock_, id, start_};
    auto hardware = hardware_of(scenario_, node);
    hardware.traits.reads_links = true;  // no manager of the lab does
    return std::make_unique<LiveDevice>(std::make_unique<OnNode>(shared_from_this(), node, clock),
                                        device_of(*twin_, seat, hardware));
}

Duration LiveTwin::let_go() const
{
    const std::lock_guard lock{mutex_};
    return to_duration(let_go_);
}

void LiveTwin::use(const device::TimeSource& clock, const std::function<void(twin::Twin&)>& what)
{
    const auto called = clock.now().mono;
    const std::lock_guard lock{mutex_};
    run_up_to_now(clock, called);
    what(*twin_);
}

// Runs the function on the node, in order with the node's other calls.
void LiveTwin::call(scenario::NodeId node, const device::TimeSource& clock, const std::function<void()>& what)
{
    use(clock, [&](twin::Twin& twin) {
        const auto present = twin.now();
        twin.at(node, present, [&](Ps now) {
            device_clock_.set(start_ + to_duration(now));
            what();
        });
        twin.run_until(present + twin::kNs);
    });
}

// `called`: the time before the caller waited for the mutex. That wait counts towards kPatience. On return the twin is
// at the present, or as near to it as kPatience allows.
void LiveTwin::run_up_to_now(const device::TimeSource& clock, Instant called)
{
    auto time = clock.now().mono;
    const Ps present = twin::from_instant(Instant{time - start_}) - let_go_;
    while (twin_->now() < present && time - called < kPatience) {
        twin_->run_until(std::min(present, twin_->now() + piece_));
        const auto before = std::exchange(time, clock.now().mono);
        piece_ = std::clamp(time - before < kPieceTakes ? piece_ * 2 : piece_ / 2, kShortestPiece, kLongestPiece);
    }
    if (twin_->now() + kMostLag < present) {
        let_go(present - kMostLag - twin_->now());
    }
}

void LiveTwin::let_go(Ps missed)
{
    let_go_ += missed;
    if (let_go_ >= next_loss_report_) {
        next_loss_report_ = 2 * let_go_;
        if (on_loss_) {
            on_loss_(to_duration(let_go_));
        }
    }
}

}  // namespace petrel::lab
