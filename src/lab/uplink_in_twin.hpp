// The parts that the lab gives to an agent's uplink: a simulated network instead of HTTP, and the agent's simulated
// disk instead of files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "lab/simulated_disk.hpp"
#include "lab/twin_loop.hpp"
#include "runner/manager_channel.hpp"
#include "runner/uplink_memory.hpp"

namespace petrel::lab {

class TwinChannel final : public runner::ManagerChannel {
public:
    // `carry` gives a report to the network. Its number is not used again, also by other processes of the agent.
    using Carry = std::function<std::uint64_t(std::string report)>;

    TwinChannel(TwinLoop& loop, Carry carry) : loop_(loop), carry_(std::move(carry)) {}

    void send(std::string report, Then) override;
    void cancel() override;

    // An answer arrives. It has no effect if its request was cancelled or answered.
    void receive(std::uint64_t number, const runner::ManagerAnswer&);

private:
    TwinLoop& loop_;
    Carry carry_;
    std::uint64_t number_{};
    Then then_;
};

class DiskUplinkMemory final : public runner::UplinkMemory {
public:
    explicit DiskUplinkMemory(SimulatedDisk& disk) : disk_(disk), acknowledged_(disk.acknowledged) {}

    const uplink::Acknowledged& acknowledged() const override { return acknowledged_; }
    Result<void> save(const uplink::Acknowledged&) override;
    Result<bool> append_samples(std::string_view line) override;
    std::optional<std::string> next_samples() override;
    void samples_sent() override { disk_.samples.pop_front(); }
    bool has_samples() const override { return !disk_.samples.empty(); }

private:
    SimulatedDisk& disk_;
    uplink::Acknowledged acknowledged_;  // as it was when the process started
};

}  // namespace petrel::lab
