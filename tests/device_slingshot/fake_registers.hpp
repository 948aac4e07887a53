// Registers in memory that outlive the device in front of them, with injected faults of reads and writes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device/slingshot/registers.hpp"

namespace petrel::test {

using device::slingshot::Port;
using device::slingshot::PortReading;
using device::slingshot::Register;

inline constexpr std::uint32_t kUsualFrame = 9'216;

struct ProcessDied {};

// The switch itself, which outlives a process.
struct FakeSwitch {
    enum class Fault : std::uint8_t { none, fail, deny, no_effect, die_after };
    struct PortState {
        std::uint32_t pause_timeout{};
        std::uint32_t max_frame_size{kUsualFrame};
        std::uint32_t pcp_enable{1};
        std::uint64_t sent{};
        std::uint64_t discarded{};
        std::uint32_t epoch{1};
        bool operator==(const PortState&) const = default;
    };

    std::vector<Port> ports{{{"Ethernet0", "x0c0r4j3p0", 18}, {200'000'000'000}, true, {kUsualFrame, 1}},
                            {{"Ethernet1", "x0c0r4j3p1", 19}, {200'000'000'000}, true, {kUsualFrame, 1}},
                            {{"Ethernet2", "x0c0r4j4p0", 28}, {200'000'000'000}, false, {kUsualFrame, 1}}};
    std::array<PortState, 3> state{};
    bool readable{true};
    bool lost{};
    std::set<std::uint16_t> unreadable_ports;
    std::map<Register, std::pair<Fault, int>> faults;  // for the next writes of a register: fault and count
    std::vector<std::string> writes;                   // "R_PF_EEG_SIZE_CFG = 63"
};

class FakeRegisters final : public device::slingshot::Registers {
public:
    explicit FakeRegisters(FakeSwitch& behind) : switch_(behind) {}

    std::span<const Port> ports() const override { return switch_.ports; }

    Result<std::vector<Result<PortReading>>> read(std::span<const std::uint16_t> ports) override
    {
        if (!switch_.readable || switch_.lost) {
            return unreachable();
        }
        std::vector<Result<PortReading>> readings;
        for (const auto port : ports) {
            const auto& state = switch_.state.at(port);
            readings.push_back(switch_.unreadable_ports.contains(port)
                                   ? Result<PortReading>{unreachable()}
                                   : PortReading{state.epoch,
                                                 state.pause_timeout,
                                                 {state.max_frame_size, state.pcp_enable},
                                                 state.sent,
                                                 state.discarded});
        }
        return readings;
    }

    Result<void> write(std::uint16_t port, Register which, std::uint32_t value) override
    {
        using Fault = FakeSwitch::Fault;
        auto& [fault, left] = switch_.faults[which];
        const auto now = left > 0 ? fault : Fault::none;
        left -= left > 0 ? 1 : 0;
        switch_.writes.push_back(std::string{name(which)} + " = " + std::to_string(value));
        if (now == Fault::fail) {
            return unreachable();
        }
        if (now == Fault::deny) {
            return tl::unexpected(Error{ErrorKind::denied, "refused by an injected fault"});
        }
        if (now != Fault::no_effect) {
            auto& state = switch_.state.at(port);
            (which == Register::max_frame_size ? state.max_frame_size : state.pcp_enable) = value;
        }
        if (now == Fault::die_after) {
            throw ProcessDied{};
        }
        return {};
    }

    bool reads_links() const override { return false; }
    Result<std::vector<link::LinkSample>> read_links() override { return unreachable(); }
    bool lost() const override { return switch_.lost; }
    Result<void> close() override { return {}; }

private:
    static tl::unexpected<Error> unreachable()
    {
        return tl::unexpected(Error{ErrorKind::unreachable, "failed by an injected fault"});
    }

    FakeSwitch& switch_;
};

}  // namespace petrel::test
