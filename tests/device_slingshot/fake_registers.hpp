// Registers in memory that outlive the device in front of them, with injected write faults.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "device/slingshot/registers.hpp"

namespace petrel::test {

using device::slingshot::Counter;
using device::slingshot::Port;
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

    std::vector<Port> ports{{{"Ethernet0", "x0c0r4j3p0", 18}, {200'000'000'000}, true},
                            {{"Ethernet1", "x0c0r4j3p1", 19}, {200'000'000'000}, true},
                            {{"Ethernet2", "x0c0r4j4p0", 28}, {200'000'000'000}, false}};
    std::array<PortState, 3> state{};
    std::array<std::uint32_t, 3> usual_pcp{1, 1, 1};
    bool readable{true};
    std::map<Register, std::pair<Fault, int>> faults;  // for the next writes of a register: fault and count
    std::vector<std::string> writes;                   // "R_PF_EEG_SIZE_CFG = 63"
};

class FakeRegisters final : public device::slingshot::Registers {
public:
    explicit FakeRegisters(FakeSwitch& behind) : switch_(behind) {}

    std::span<const Port> ports() const override { return switch_.ports; }

    Result<std::uint32_t> read(std::uint16_t port, Register which) override
    {
        const auto& state = switch_.state.at(port);
        if (!switch_.readable) {
            return unreachable();
        }
        switch (which) {
        case Register::pause_timeout: return state.pause_timeout;
        case Register::max_frame_size: return state.max_frame_size;
        case Register::pcp_enable: break;
        }
        return state.pcp_enable;
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

    std::uint32_t usual(std::uint16_t port, Register which) const override
    {
        return which == Register::max_frame_size ? kUsualFrame : switch_.usual_pcp.at(port);
    }

    Result<std::uint64_t> count(std::uint16_t port, Counter which) override
    {
        const auto& state = switch_.state.at(port);
        return which == Counter::frames_sent ? state.sent : state.discarded;
    }

    Result<std::uint32_t> epoch(std::uint16_t port) override { return switch_.state.at(port).epoch; }

private:
    static tl::unexpected<Error> unreachable()
    {
        return tl::unexpected(Error{ErrorKind::unreachable, "failed by an injected fault"});
    }

    FakeSwitch& switch_;
};

}  // namespace petrel::test
