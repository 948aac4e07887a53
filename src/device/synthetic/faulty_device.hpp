// A device with injected faults: the next calls of a kind are refused, fail, time out, have no effect or return a false
// read-back; writes take effect late; counters stand still, restart, wrap or are wrong; time stamps are wrong. All
// other calls go to the device behind it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "device/device.hpp"
#include "device/synthetic/counter_faults.hpp"

namespace petrel::device {

class FaultyDevice final : public Device {
public:
    enum class Call : std::uint8_t { look, prepare, apply, read_back, count_ };
    enum class Fault : std::uint8_t {
        none,
        refuse,
        fail,
        time_out,        // the call has no effect, and its result does not arrive in time
        answer_late,     // the call takes effect, but its result does not arrive in time
        have_no_effect,  // the call succeeds but has no effect
        fail_halfway     // the call fails before the second of several registers is written
    };

    explicit FaultyDevice(Device& behind) : behind_(behind) {}

    void next(Call, Fault, std::uint32_t calls = 1);
    void lie_next(watchdog::Treatment shown, std::uint32_t calls = 1);  // makes read_back() return `shown`
    bool done() const;                                                  // no faults are left to inject

    // For a device whose writes take effect later.
    class Delay {
    public:
        virtual ~Delay() = default;
        // Called with each write that takes effect. True: it is made later. False: it is made at once.
        virtual bool postpone(const watchdog::Command&, std::function<void()> write) = 0;
        virtual Result<void> await(const watchdog::Command&) = 0;
    };
    void delay_writes(Delay& delay) { delay_ = &delay; }

    // While the device behind carries out an apply() that it got at once.
    bool applies() const { return applies_; }
    // The same, and it is to fail before the second of several registers.
    bool fails_halfway() const { return applies_ && fails_halfway_; }

    // These start at once: they read the device behind, so that the fault starts from its present counters.
    void freeze_counters();
    void thaw_counters() { counters_.thaw(); }
    void restart_counters(bool reported, std::optional<std::uint32_t> wraps_after = {});

    void corrupt_counters(std::uint64_t seed) { counters_.corrupt(seed); }
    void correct_counters() { counters_.correct(); }
    void corrupt_stamps(Duration by, std::uint64_t seed) { counters_.corrupt_stamps(by, seed); }
    void correct_stamps() { counters_.correct_stamps(); }

    const watchdog::Inventory& inventory() const override { return behind_.inventory(); }
    const watchdog::Capabilities& capabilities() const override { return behind_.capabilities(); }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    // The same; samples also pass through `after`, behind the counter faults. None: null.
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into, watchdog::SampleFilter* after);
    Result<Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<void> await_effect(const watchdog::Command&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    bool treated_by_others() const override { return behind_.treated_by_others(); }
    void listen(NoticeSink& sink) override { behind_.listen(sink); }
    Result<std::vector<Delegated>> delegate_detection(std::span<const DelegatedRow> rows) override
    {
        return behind_.delegate_detection(rows);
    }
    void set_watched_rows(std::span<const Slot> rows) override { behind_.set_watched_rows(rows); }
    Buffers buffers() override { return behind_.buffers(); }
    Result<void> set_dynamic_threshold(const std::string& profile, int exponent) override
    {
        return behind_.set_dynamic_threshold(profile, exponent);
    }
    std::vector<UnseenQueue> unseen_queues() const override { return behind_.unseen_queues(); }
    int receive_notices() override { return behind_.receive_notices(); }
    void set_waker(const Waker& waker) override { behind_.set_waker(waker); }
    bool wants_reopening() const override { return behind_.wants_reopening(); }
    Result<std::vector<link::LinkSample>> read_links() override { return behind_.read_links(); }
    Result<void> close() override { return behind_.close(); }

private:
    struct Plan {
        Fault fault{};
        std::uint32_t left{};
    };

    Fault take(Call);
    Result<void> apply_now(const watchdog::Command&, const Undo&);
    Result<void> read(std::span<const Slot> rows, watchdog::Intake& into, watchdog::SampleFilter* after);
    void start_counter_faults();
    template <class T, class Real>
    Result<T> call(Call, Result<T> without_effect, Real);

    Device& behind_;
    std::array<Plan, static_cast<std::size_t>(Call::count_)> plans_{};
    watchdog::Treatment shown_{};
    std::uint32_t lies_left_{};
    Delay* delay_{};
    bool applies_{};
    bool fails_halfway_{};
    CounterFaults counters_;
};

}  // namespace petrel::device
