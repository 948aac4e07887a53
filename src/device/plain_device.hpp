// The base of adapters: a device that does nothing beyond looks and commands. An adapter overrides the calls for which
// its hardware does more. A device that wraps another one derives from Device and passes every call on.
#pragma once

#include "device/device.hpp"

namespace petrel::device {

class PlainDevice : public Device {
public:
    Result<void> await_effect(const watchdog::Command&) override { return {}; }
    bool treated_by_others() const override { return false; }
    int receive_notices() override { return -1; }
    void set_waker(const Waker&) override {}
    Result<std::vector<Delegated>> delegate_detection(std::span<const DelegatedRow>) override
    {
        return tl::unexpected(Error{ErrorKind::unsupported, "the device does not detect storms itself"});
    }
    void set_watched_rows(std::span<const Slot>) override {}
    Buffers buffers() override { return {}; }
    Result<void> set_dynamic_threshold(const std::string&, int) override
    {
        return tl::unexpected(Error{ErrorKind::unsupported, "the device does not show its buffer profiles"});
    }
    std::vector<UnseenQueue> unseen_queues() const override { return {}; }
    bool wants_reopening() const override { return false; }
    Result<std::vector<link::LinkSample>> read_links() override
    {
        return tl::unexpected(Error{ErrorKind::unsupported, "the device does not report its links"});
    }
    Result<void> close() override { return {}; }
};

}  // namespace petrel::device
