// The common part of switches and NICs of the twin as devices: rows, looks, and which commands are valid.
//
// Contract, beyond that of Device and Seat: calls come inside a call of Twin::at for that node, or between two runs.
// The twin outlives the device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/plain_device.hpp"
#include "device/twin/seat.hpp"
#include "device/twin/traits.hpp"
#include "device/undo_fields.hpp"

namespace petrel::device::twin {

namespace sim = petrel::twin;

class NodeDevice : public PlainDevice {
public:
    const watchdog::Inventory& inventory() const final { return inventory_; }
    const watchdog::Capabilities& capabilities() const final { return capabilities_; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) final;

protected:
    explicit NodeDevice(const Seat&);

    // Adds the rows of a port: one for each lossless priority, and before them the port's own if any of the device's
    // fields belongs to the port.
    void add_rows(std::uint16_t port, std::uint8_t lossless, watchdog::Fields of_port);
    virtual void sample(const watchdog::RowInfo&, watchdog::Sample&) = 0;  // all but slot and time
    virtual BitRate speed(std::uint16_t port) const = 0;                   // at present

    const Seat& seat() const { return seat_; }
    sim::Ps now() const { return seat_.now(); }
    Result<void> check(const Target&) const;
    Result<void> check(const watchdog::Command&) const;

    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
    std::int64_t stamp_drift_ppm_{};

private:
    struct Shown {
        watchdog::Sample sample;
        Instant taken;  // its time stamp may be earlier
    };

    Instant stamp(std::uint32_t row, Instant taken) const;

    Seat seat_;
    std::vector<Shown> last_;  // by row: shown until the counters are refreshed
};

}  // namespace petrel::device::twin
