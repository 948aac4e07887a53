// A device behind a helper program that speaks JSON lines (docs/device-exec.md). Each call is one request.
//
// If the helper ends, is silent or breaks the protocol, every later look fails with the reason and the device wants to
// be opened again: a new helper may find other treatments in force than the old one left. If only an answer is wrong (a
// counter that is negative), that call fails and the helper continues.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/exec/conversation.hpp"
#include "device/plain_device.hpp"

namespace petrel::device::exec {

class ExecDevice final : public PlainDevice {
public:
    using NoteSink = std::function<void(const std::string&)>;

    // The clock must outlive the device.
    static Result<std::unique_ptr<ExecDevice>> open(const StartHelper&, DeviceId, const TimeSource&, NoteSink);

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    bool treated_by_others() const override { return treated_by_others_; }
    void listen(NoticeSink&) override;
    int receive_notices() override;
    Result<std::vector<Delegated>> delegate_detection(std::span<const DelegatedRow>) override;
    void set_watched_rows(std::span<const Slot> rows) override { watched_.assign(rows.begin(), rows.end()); }
    std::vector<UnseenQueue> unseen_queues() const override;
    bool wants_reopening() const override { return conversation_.ended(); }
    Result<std::vector<link::LinkSample>> read_links() override;
    Result<void> close() override { return conversation_.close(); }

private:
    ExecDevice(Conversation, codec::ExecHello, const TimeSource&, NoteSink);

    template <class Make>
    Result<codec::ExecMessage> ask(Make make);
    void deliver();
    Result<std::string> find(const Target&) const;
    void adopt_inventory();
    void note_unseen(const codec::ExecSamples&, std::span<const Slot> rows);

    Conversation conversation_;
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
    codec::ExecNames names_;
    bool treated_by_others_;
    const TimeSource& clock_;
    NoteSink report_;
    NoticeSink* sink_{};
    std::vector<Slot> watched_;
    std::map<Slot, std::string> unseen_;  // and why, as of the last look at the row
};

}  // namespace petrel::device::exec
