// A device with one port and one queue, for tests of its link: the test decides what it reports. The queue is never
// paused.
#pragma once

#include <poll.h>

#include <functional>
#include <string>
#include <vector>

#include "device/plain_device.hpp"
#include "device/waker.hpp"
#include "support/synthetic_switch.hpp"

namespace petrel::test {

class LinkedPort final : public device::PlainDevice {
public:
    static constexpr auto kName = "Ethernet0";

    explicit LinkedPort(std::function<Result<link::LinkSample>()> link) : link_(std::move(link))
    {
        inventory_.ports.push_back({kName, "", {}});
        watchdog::RowInfo row;
        row.target = {{{}, 0}, Priority{3}};
        inventory_.rows.push_back(row);
        capabilities_ = device::SyntheticSwitch::everything();
        capabilities_.reads_links = true;
    }

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot>, watchdog::Intake&) override { return {}; }
    Result<device::Undo> prepare(const watchdog::Command&) override { return device::Undo{}; }
    Result<void> apply(const watchdog::Command&, const device::Undo&) override { return {}; }
    Result<watchdog::Treatment> read_back(const Target&) override { return watchdog::Treatment::none; }
    void listen(device::NoticeSink& sink) override { sink_ = &sink; }
    void set_waker(const device::Waker& waker) override { waker_ = &waker; }
    Result<std::vector<link::LinkSample>> read_links() override
    {
        ++link_reads;
        return link_().map([](link::LinkSample sample) {
            sample.port = kName;
            return std::vector{std::move(sample)};
        });
    }

    void notify(watchdog::Notice::Kind kind, Instant at) { sink_->post({kind, {{{}, 0}, std::nullopt}, at}); }
    // Another call has ended the wait of a look.
    bool was_woken() const
    {
        pollfd woken{waker_->fd(), POLLIN, 0};
        return ::poll(&woken, 1, 0) == 1;
    }

    int link_reads{};

private:
    std::function<Result<link::LinkSample>()> link_;
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
    device::NoticeSink* sink_{};
    const device::Waker* waker_{};
};

}  // namespace petrel::test
