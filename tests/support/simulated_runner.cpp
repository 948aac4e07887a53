#include "support/simulated_runner.hpp"

#include <utility>

#include "device/synthetic/faulty_device.hpp"

namespace petrel::test {

class SimulatedRunner::Source final : public runner::DeviceSource {
public:
    Source(const device::TimeSource& clock, std::function<Result<device::Device*>()> open)
        : clock_(clock), open_(std::move(open))
    {}
    const device::TimeSource& clock() const override { return clock_; }
    // The test owns the device. The runner gets a wrapper, which passes every call on.
    Result<std::unique_ptr<device::Device>> open(NoteSink) override
    {
        return open_().map([](device::Device* opened) -> std::unique_ptr<device::Device> {
            return std::make_unique<device::FaultyDevice>(*opened);
        });
    }

private:
    const device::TimeSource& clock_;
    std::function<Result<device::Device*>()> open_;
};

class SimulatedRunner::FixedPolicies final : public runner::Policies {
public:
    explicit FixedPolicies(watchdog::PolicyBook book) : book_(std::move(book)) {}
    watchdog::PolicyBook bind(watchdog::Inventory&, std::string_view) const override { return book_; }
    bool same_as(const Policies& other) const override { return this == &other; }

private:
    watchdog::PolicyBook book_;
};

SimulatedRunner::SimulatedRunner(device::ManualClock& clock, Setup setup)
    : time_(clock),
      call_at_([this](Instant when, std::function<void()> call) { time_.call_at(when, std::move(call)); }),
      loop_(clock, call_at_),
      runner_(loop_, *this,
              {.name = "device",
               .driver = "test",
               .hang_after = std::chrono::seconds{5},
               .fault_hook = std::move(setup.fault_hook),
               .source = std::make_unique<Source>(clock, std::move(setup.open)),
               .memory = std::move(setup.memory),
               .worker = std::make_unique<lab::TwinWorker>(loop_, call_at_, std::move(setup.takes)),
               .links = std::move(setup.links)},
              std::make_shared<FixedPolicies>(std::move(setup.policies)))
{
    runner_.start({});
}

SimulatedRunner::SimulatedRunner(device::ManualClock& clock, device::Device& device, lab::SimulatedDisk& disk,
                                 const watchdog::PolicyBook& policies)
    : SimulatedRunner(clock, {[&device] { return &device; }, policies, std::make_unique<lab::DiskMemory>(disk, [] {})})
{}

void SimulatedRunner::run_until(Instant end)
{
    loop_.turn();  // the device or the test may have posted a call
    time_.run_until(end);
}

void SimulatedRunner::order(const watchdog::Order& order)
{
    using Kind = watchdog::Order::Kind;
    if (order.kind == Kind::stop || order.kind == Kind::stop_and_hold) {
        runner_.stop(order.kind == Kind::stop ? config::StopPolicy::restore : config::StopPolicy::hold, order.by);
    } else {
        static_cast<void>(runner_.order(order));
    }
    run_until(time_.now());
}

}  // namespace petrel::test
