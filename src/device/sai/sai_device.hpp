// A switch behind a vendor's library (libsai.so) as a device, with a row for each PFC priority that has a queue.
// reader.hpp reads, treater.hpp treats queues, lossless_off.hpp ports, detection.hpp programs the library's own
// detection, links.hpp follows the links, buffer_objects.hpp shows and changes buffer profiles.
//
// Callbacks of the library only post notices; they decide nothing. If a library misbehaves, the device uses what works
// and reports each workaround once (notes.hpp). Libraries that throw or hang cannot be contained within their own
// process: the runner watches how long calls take.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "device/plain_device.hpp"
#include "device/sai/buffer_objects.hpp"
#include "device/sai/detection.hpp"
#include "device/sai/frames_without_pfc.hpp"
#include "device/sai/links.hpp"
#include "device/sai/lossless_off.hpp"
#include "device/sai/lost_notices.hpp"
#include "device/sai/reader.hpp"
#include "device/sai/treater.hpp"
#include "device/status_check.hpp"

namespace petrel::device::sai {

class SaiDevice final : public PlainDevice, Listener {
public:
    static Result<std::unique_ptr<SaiDevice>> open(const LibraryPlace&, DeviceId, const TimeSource&, Notes::Sink);
    ~SaiDevice() override;

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    void listen(NoticeSink&) override;
    void set_watched_rows(std::span<const Slot> rows) override { watched_rows_.assign(rows.begin(), rows.end()); }
    Buffers buffers() override { return buffer_objects_->read(); }
    Result<void> set_dynamic_threshold(const std::string& profile, int exponent) override
    {
        return buffer_objects_->set_dynamic_threshold(profile, exponent);
    }
    std::vector<UnseenQueue> unseen_queues() const override;
    Result<std::vector<link::LinkSample>> read_links() override;
    Result<std::vector<Delegated>> delegate_detection(std::span<const DelegatedRow>) override;

private:
    struct PortState {
        Reader::Link link;
        std::uint32_t epoch{1};
        std::uint32_t flaps_seen{};
        std::atomic<std::uint32_t> flaps{};  // counts the link notifications of the library
    };
    struct Place {
        const PortObjects* port{};
        const QueueObjects* queue{};
    };

    SaiDevice(DeviceId id, const TimeSource& clock, Notes::Sink report)
        : id_(id), clock_(clock), notes_(std::move(report))
    {}

    Result<void> start(const LibraryPlace&);
    Result<void> take_ports(const std::vector<abi::ObjectId>& listed);
    bool has_other_ports();
    Result<void> take_other_ports();
    void list_rows();
    void read_lossless();
    bool mark_lossless_rows();
    Result<void> check(std::span<const Slot>) const;
    std::vector<Detector> detectors_for(std::span<const DelegatedRow>);
    void expect_notices(std::span<const Detector>);
    void receive(const abi::DeadlockNotice&) noexcept override;
    void receive(const abi::PortStateNotice&) noexcept override;
    void follow_link(std::uint16_t port);
    void check_status(watchdog::Sample&);
    void withhold_frozen(Slot row, watchdog::Sample&);
    void report_missed_notices(const watchdog::Sample&);
    Result<Place> find(const Target&) const;
    Result<Place> check(const watchdog::Command&) const;
    Result<void> apply_to_port(const watchdog::Command&, const Undo&);
    Result<void> apply_to_queue(const watchdog::Command&, const Place&, const Undo&);
    void expect_no_end(const QueueObjects&);

    DeviceId id_;
    const TimeSource& clock_;
    Notes notes_;
    StatusCheck status_check_;
    Library::Held library_;
    std::vector<NamedPort> port_names_;
    std::vector<abi::ObjectId> listed_;  // all ports of the switch, also those that have no PortObjects
    std::vector<abi::ObjectId> listed_now_;
    std::vector<PortObjects> ports_;
    std::vector<RowPlace> places_;  // by row
    std::vector<Slot> all_rows_;
    std::vector<Slot> watched_rows_;
    std::vector<std::uint8_t> lossless_;  // by port: its lossless priorities
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
    std::optional<Treater> treater_;
    std::optional<LosslessOff> lossless_off_;
    NamedBuffers named_buffers_;
    std::optional<BufferObjects> buffer_objects_;
    FramesWithoutPfc frames_without_pfc_;
    std::optional<Detection> detection_;
    std::optional<Reader> reader_;
    std::optional<Links> links_;
    std::vector<PortState> port_states_;
    std::mutex notices_mutex_;  // orders notices: guards lost_ and posts to sink_
    std::optional<LostNotices> lost_;
    std::vector<std::uint8_t> masked_;                         // by port: priorities whose pause we have masked out
    std::unordered_map<abi::ObjectId, std::uint32_t> row_of_;  // by queue; does not change while callbacks may come
    std::unordered_map<abi::ObjectId, std::uint16_t> port_of_;
    NoticeSink* sink_{};
};

}  // namespace petrel::device::sai
