// A device of the twin for a caller in wall-clock time: each call first gets access to the twin.
#pragma once

#include <functional>
#include <memory>

#include "device/device.hpp"

namespace petrel::lab {

class LiveDevice final : public device::Device {
public:
    // Access to the twin. Both functions return after `what` has run, and no other caller uses the twin meanwhile.
    class Access {
    public:
        virtual ~Access() = default;
        virtual void at_present(const std::function<void()>& what) = 0;  // on the node, after the twin has caught up
        virtual void at_once(const std::function<void()>& what) = 0;     // whatever the twin's time is
    };

    LiveDevice(std::unique_ptr<Access>, std::unique_ptr<device::Device>);
    ~LiveDevice() override;
    LiveDevice(const LiveDevice&) = delete;
    LiveDevice& operator=(const LiveDevice&) = delete;

    const watchdog::Inventory& inventory() const override { return device_->inventory(); }
    const watchdog::Capabilities& capabilities() const override { return device_->capabilities(); }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<device::Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const device::Undo&) override;
    Result<void> await_effect(const watchdog::Command&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    bool treated_by_others() const override { return device_->treated_by_others(); }
    void listen(device::NoticeSink&) override;
    int receive_notices() override;
    Result<std::vector<device::Delegated>> delegate_detection(std::span<const device::DelegatedRow>) override;
    void set_watched_rows(std::span<const Slot>) override;
    device::Buffers buffers() override;
    Result<void> set_dynamic_threshold(const std::string& profile, int exponent) override;
    std::vector<device::UnseenQueue> unseen_queues() const override;
    void set_waker(const device::Waker&) override;
    bool wants_reopening() const override;
    Result<std::vector<link::LinkSample>> read_links() override;
    Result<void> close() override;

private:
    std::unique_ptr<Access> access_;
    std::unique_ptr<device::Device> device_;
};

}  // namespace petrel::lab
