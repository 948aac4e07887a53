// A switch in a file. Its queues, registers, treatments, faults and a record of all writes are in mapped memory, so
// that it outlives the process of the agent, as hardware does, while another process simulates the world around it.
// Time is the machine's clock, which all processes share, or the simulated time of a test in one process.
//
// It needs no lock, and a process may be killed at any point: events are appended (first the entry, then its count),
// and the present state follows from them. The world has one writer and the agent's side another.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "daemon/driver.hpp"
#include "device/device.hpp"
#include "support/simulated_time.hpp"

namespace petrel::test {

class SharedSwitch {
public:
    static constexpr std::uint16_t kPorts = 4;  // "Ethernet0" ...; each has one lossless queue, of this priority:
    static constexpr Priority kPriority{3};
    static constexpr std::uint32_t kConfigured = 0x1200;  // + port: the configuration before the first treatment

    // Creates the file if it does not exist. Without a simulated time its clock is that of the machine.
    explicit SharedSwitch(const std::filesystem::path&, SimulatedTime* = nullptr);
    ~SharedSwitch();
    SharedSwitch(const SharedSwitch&) = delete;
    SharedSwitch& operator=(const SharedSwitch&) = delete;

    // --- the world: from now on the queue is paused without end, or not at all
    void storm(std::uint16_t port);
    void calm(std::uint16_t port);
    bool in_storm(std::uint16_t port, Instant at) const;
    bool in_storm(std::uint16_t port) const { return in_storm(port, now()); }
    // The last pause and the last quiet that had begun by then, up to that time.
    struct Stretch {
        Instant from;
        Instant to;
    };
    Stretch last_pause(std::uint16_t port, Instant at) const { return last_stretch(port, at, true); }
    Stretch last_quiet(std::uint16_t port, Instant at) const { return last_stretch(port, at, false); }

    // --- faults; a fault lasts until it is cleared
    enum class Fault : std::uint8_t {
        gone,            // the switch cannot be opened, and all calls fail
        looks_fail,      //
        looks_hang,      // the call returns when the fault is cleared
        writes_fail,     //
        writes_hang,     // nothing is written before the fault is cleared
        writes_refused,  //
        read_back_lies,  // read_back() returns none
        count_
    };
    void set(Fault, bool on);
    bool is(Fault) const;
    // The ports from now on, in this order.
    void have_ports(const std::vector<std::uint16_t>&);

    // --- what the agent has done
    struct Write {
        Instant at;
        std::uint32_t value{};  // written to the queue's register
    };
    std::vector<Write> writes(std::uint16_t port) const;
    std::uint32_t configuration(std::uint16_t port) const;
    watchdog::Treatment in_force(std::uint16_t port) const;
    std::uint64_t opens() const;
    std::uint64_t looks() const;

    static watchdog::Treatment treatment_in(std::uint32_t word);

    // Waits, or lets simulated time pass, until the condition holds. False: it did not within a time that only a hang
    // exceeds.
    bool wait_until(const std::function<bool()>&) const;

    Instant now() const { return clock_.now().mono; }

private:
    friend class SharedSwitchDevice;
    friend class SharedSwitchDriver;
    struct Memory;

    SharedSwitch(const std::filesystem::path&, SimulatedTime*, const device::TimeSource&);
    void happened() const;  // wakes the waiting threads and processes

    std::vector<Instant> edges(std::uint16_t port, Instant until) const;
    Stretch last_stretch(std::uint16_t port, Instant at, bool paused) const;
    std::uint64_t pause_us(std::uint16_t port, Instant now) const;
    std::uint64_t pauses_ended(std::uint16_t port) const;
    std::uint64_t dropped(std::uint16_t port, Instant now) const;
    void write(std::uint16_t port, std::uint32_t word);
    std::vector<std::uint16_t> ports() const;

    SimulatedTime* time_;
    const device::TimeSource& clock_;
    Memory* memory_;
};

// "shared:FILE"; the device has the name of the file.
class SharedSwitchDriver final : public daemon::Driver {
public:
    // Called in a device call that hangs. By default the call waits until the fault is cleared.
    explicit SharedSwitchDriver(std::function<void()> hang = {}) : hang_(std::move(hang)) {}

    std::string_view kind() const override { return "shared"; }
    Result<std::vector<config::DeviceEntry>> expand(const config::DeviceEntry&) override;
    Result<std::unique_ptr<device::Device>> open(const config::DeviceEntry&, DeviceId, const device::TimeSource&,
                                                 NoteSink) override;

private:
    std::function<void()> hang_;
};

}  // namespace petrel::test
