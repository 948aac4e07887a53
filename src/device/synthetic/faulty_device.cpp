#include "device/synthetic/faulty_device.hpp"

#include <algorithm>

namespace petrel::device {

using watchdog::Command;
using watchdog::Treatment;

namespace {

class InTurn final : public watchdog::SampleFilter {
public:
    InTurn(watchdog::SampleFilter& first, watchdog::SampleFilter* after) : first_(first), after_(after) {}
    void pass(watchdog::Sample& sample) override
    {
        first_.pass(sample);
        if (after_ != nullptr) {
            after_->pass(sample);
        }
    }

private:
    watchdog::SampleFilter& first_;
    watchdog::SampleFilter* after_;
};

class Start final : public watchdog::SampleFilter {
public:
    explicit Start(CounterFaults& faults) : faults_(faults) {}
    void pass(watchdog::Sample& sample) override { faults_.start_from(sample); }

private:
    CounterFaults& faults_;
};

}  // namespace

void FaultyDevice::next(Call call, Fault fault, std::uint32_t calls)
{
    plans_[static_cast<std::size_t>(call)] = {fault, calls};
}

void FaultyDevice::lie_next(Treatment shown, std::uint32_t calls)
{
    shown_ = shown;
    lies_left_ = calls;
}

bool FaultyDevice::done() const
{
    return lies_left_ == 0 && std::ranges::all_of(plans_, [](const Plan& plan) { return plan.left == 0; });
}

FaultyDevice::Fault FaultyDevice::take(Call call)
{
    auto& plan = plans_[static_cast<std::size_t>(call)];
    if (plan.left == 0) {
        return Fault::none;
    }
    --plan.left;
    return plan.fault;
}

// One call that may go wrong. `without_effect` is the result of a call that does nothing.
template <class T, class Real>
Result<T> FaultyDevice::call(Call which, Result<T> without_effect, Real real)
{
    switch (take(which)) {
    case Fault::none: return real();
    case Fault::refuse: return tl::unexpected(Error{ErrorKind::denied, "refused by an injected fault"});
    case Fault::fail: return tl::unexpected(Error{ErrorKind::unreachable, "failed by an injected fault"});
    case Fault::answer_late: static_cast<void>(real()); [[fallthrough]];
    case Fault::time_out: return tl::unexpected(Error{ErrorKind::timed_out, "timed out by an injected fault"});
    case Fault::have_no_effect: return without_effect;
    case Fault::fail_halfway: fails_halfway_ = true; return real();
    }
    return without_effect;
}

Result<void> FaultyDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    return look(rows, into, nullptr);
}

Result<void> FaultyDevice::look(std::span<const Slot> rows, watchdog::Intake& into, watchdog::SampleFilter* after)
{
    return call(Call::look, Result<void>{}, [&] { return read(rows, into, after); });
}

Result<void> FaultyDevice::read(std::span<const Slot> rows, watchdog::Intake& into, watchdog::SampleFilter* after)
{
    InTurn both{counters_, after};
    into.through(counters_.any() ? &both : after);
    auto done = behind_.look(rows, into);
    into.through(nullptr);
    return done;
}

void FaultyDevice::freeze_counters()
{
    counters_.freeze();
    start_counter_faults();
}

void FaultyDevice::restart_counters(bool reported, std::optional<std::uint32_t> wraps_after)
{
    counters_.restart(reported, wraps_after);
    start_counter_faults();
}

// If the device cannot be read now, the next look gives the counter faults their starting values.
void FaultyDevice::start_counter_faults()
{
    Start start{counters_};
    watchdog::Intake unused{inventory(), capabilities()};
    unused.begin();
    unused.through(&start);
    static_cast<void>(behind_.look({}, unused));
}

Result<Undo> FaultyDevice::prepare(const Command& command)
{
    return call(Call::prepare, Result<Undo>{}, [&] { return behind_.prepare(command); });
}

Result<void> FaultyDevice::apply(const Command& command, const Undo& undo)
{
    return call(Call::apply, Result<void>{}, [&] {
        const bool later = delay_ != nullptr && delay_->postpone(command, [this, command, undo] {
            static_cast<void>(behind_.apply(command, undo));
        });
        return later ? Result<void>{} : apply_now(command, undo);
    });
}

Result<void> FaultyDevice::apply_now(const Command& command, const Undo& undo)
{
    struct Applies {
        explicit Applies(FaultyDevice& of) : device(of) { device.applies_ = true; }
        ~Applies() { device.applies_ = device.fails_halfway_ = false; }
        Applies(const Applies&) = delete;
        Applies& operator=(const Applies&) = delete;
        FaultyDevice& device;
    };
    const Applies applies{*this};
    return behind_.apply(command, undo);
}

Result<void> FaultyDevice::await_effect(const Command& command)
{
    const auto made = delay_ != nullptr ? delay_->await(command) : Result<void>{};
    return made.and_then([&] { return behind_.await_effect(command); });
}

Result<Treatment> FaultyDevice::read_back(const Target& target)
{
    auto shown = call(Call::read_back, Result<Treatment>{}, [&] { return behind_.read_back(target); });
    if (shown && lies_left_ > 0) {
        --lies_left_;
        return shown_;
    }
    return shown;
}

}  // namespace petrel::device
