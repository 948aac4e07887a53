// A device whose ports can be taken out and put back while it is in use, as with a line card or a breakout. The rows
// and ports after a removed one get other numbers, as in the inventory of a real switch. The caller owns the device
// behind it, which must outlive this one.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/synthetic/faulty_device.hpp"

namespace petrel::device {

class RemovablePorts final : public Device, public NoticeSink {
public:
    // `removed` holds the names of the ports that are out. The owner may change it at any time; the next look follows.
    // `opened` holds the address of this object while it lives.
    RemovablePorts(FaultyDevice& behind, const std::set<std::string>& removed, RemovablePorts*& opened);
    ~RemovablePorts() override { opened_ = nullptr; }
    RemovablePorts(const RemovablePorts&) = delete;
    RemovablePorts& operator=(const RemovablePorts&) = delete;

    const watchdog::Inventory& inventory() const override { return shown_; }
    const watchdog::Capabilities& capabilities() const override { return behind_.capabilities(); }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<void> await_effect(const watchdog::Command&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    bool treated_by_others() const override { return behind_.treated_by_others(); }
    void listen(NoticeSink& sink) override { sink_ = &sink; }
    Result<std::vector<Delegated>> delegate_detection(std::span<const DelegatedRow>) override;
    void set_watched_rows(std::span<const Slot>) override;
    Buffers buffers() override { return behind_.buffers(); }
    Result<void> set_dynamic_threshold(const std::string& profile, int exponent) override
    {
        return behind_.set_dynamic_threshold(profile, exponent);
    }
    std::vector<UnseenQueue> unseen_queues() const override { return behind_.unseen_queues(); }
    int receive_notices() override { return behind_.receive_notices(); }
    void set_waker(const Waker& waker) override { behind_.set_waker(waker); }
    bool wants_reopening() const override { return behind_.wants_reopening(); }
    Result<std::vector<link::LinkSample>> read_links() override;
    Result<void> close() override { return behind_.close(); }

    // Receives the notices of the device behind. The owner passes them on through `opened`, because this object may be
    // destroyed before the device is.
    void post(const watchdog::Notice&) noexcept override;

private:
    void follow();
    std::vector<Slot> behind(std::span<const Slot> rows) const;
    std::optional<Target> behind(const Target&) const;
    std::optional<watchdog::Command> behind(const watchdog::Command&) const;

    FaultyDevice& behind_;
    const std::set<std::string>& removed_;
    RemovablePorts*& opened_;
    std::set<std::string> followed_;  // the value of removed_ that shown_ was made from
    std::uint32_t behind_generation_{};
    watchdog::Inventory shown_;
    std::vector<std::optional<Slot>> shown_row_;  // by row of the device behind
    std::vector<Slot> behind_row_;                // by row of shown_
    std::vector<std::optional<std::uint16_t>> shown_port_;
    std::vector<std::uint16_t> behind_port_;
    NoticeSink* sink_{};
};

}  // namespace petrel::device
