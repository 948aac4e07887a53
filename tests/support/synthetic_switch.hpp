// A switch that consists of a formula and a script: its capabilities are options, its effect on queues is exact within
// the model (queue_model.hpp). For tests that do not need a whole fabric.
//
// A command for a port-wide treatment has the port as its target, every other one a queue; the stronger of the two
// applies to a queue. Each queue and port has one word of configuration. A treatment overwrites it, as in hardware, and
// only the Undo can bring it back.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "device/plain_device.hpp"
#include "support/queue_model.hpp"
#include "support/script.hpp"

namespace petrel::device {

class SyntheticSwitch final : public PlainDevice {
public:
    // Has all fields and all treatments, all signals survive, and it reads back.
    static watchdog::Capabilities everything();

    struct Options {
        DeviceId device;
        std::uint16_t ports{1};
        std::vector<Priority> priorities{{3}, {4}};
        bool port_rows{};  // each port has a row of its own, for pause_timeout
        bool host_facing{true};
        BitRate speed{100'000'000'000};
        std::uint32_t packet_bytes{1024};
        std::uint64_t buffer_bytes{2'000'000};  // of each queue
        watchdog::Capabilities capabilities{everything()};
        watchdog::Fields
            freezes{};  // what really stands still while treated; an honest device does not declare it in survive
        Duration pause_timeout{std::chrono::milliseconds{100}};  // a pause this long sets the port's status bit
    };

    SyntheticSwitch(Options, const TimeSource&);

    Target port(std::uint16_t index) const;
    Target queue(std::uint16_t port_index, Priority) const;
    Slot slot(const Target&) const;

    // The script, for any time from now on. A link's speed of zero means down.
    void pause(const Target& queue, const Stretches&);
    void stall_receive(const Target& queue, const Stretches&);
    void change_link(std::uint16_t port_index, const LinkChange&);

    // Data for the queue and data received in its priority group, from now on.
    void demand(const Target& queue, BitRate);
    void receive(const Target& queue, BitRate);

    void notify(const watchdog::Notice&);  // a notice of the device itself

    watchdog::Treatment in_force(const Target&) const;  // the truth, whatever read_back() returns

    // The configured word; with kTreated set it belongs to a treatment.
    static constexpr std::uint32_t kDefaultConfiguration = 1;
    static constexpr std::uint32_t kTreated = 0x8000'0000;
    void configure(const Target&, std::uint32_t word);
    std::uint32_t configuration(const Target&) const;

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return options_.capabilities; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override;
    Result<Undo> prepare(const watchdog::Command&) override;
    Result<void> apply(const watchdog::Command&, const Undo&) override;
    Result<watchdog::Treatment> read_back(const Target&) override;
    void listen(NoticeSink& sink) override { sink_ = &sink; }

private:
    bool exists(const Target&) const;
    Result<void> check(const watchdog::Command&) const;
    std::uint32_t index_of(const Target& queue) const;
    QueueModel& current(const Target& queue);
    std::span<QueueModel> queues_of(std::uint16_t port_index);
    void sample_queue(std::uint32_t index, watchdog::Sample&);
    void sample_port(std::uint16_t port_index, watchdog::Sample&);
    std::uint32_t queues_per_port() const { return static_cast<std::uint32_t>(options_.priorities.size()); }
    std::uint32_t rows_per_port() const { return queues_per_port() + (options_.port_rows ? 1 : 0); }

    Options options_;
    const TimeSource& clock_;
    watchdog::Inventory inventory_;
    std::array<std::uint8_t, kPriorities> place_{};  // priority -> index among the queues of a port
    std::vector<QueueModel> queues_;                 // port by port
    std::vector<std::uint32_t> queue_configuration_;
    std::vector<std::uint32_t> port_configuration_;
    NoticeSink* sink_{};
};

}  // namespace petrel::device
