// The events of one link in a script, as `petrel link play` reads them and LinkPlay simulates them.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

namespace petrel::link {

enum class Side : std::uint8_t { a, b };  // A is a switch port, B the NIC port it is connected to

struct Down {
    Side at{};
    std::uint8_t reason{};
    bool delivered{true};  // whether LinkGoingDown reaches the other end
};
struct DownBoth {
    std::uint8_t a{};
    std::uint8_t b{};
    bool a_delivered{true};  // A's LinkGoingDown reaches B
    bool b_delivered{true};
};
struct Loss {};  // the signal is lost at both ends, without a code
struct PowerLoss {
    Side at{};
};
struct Up {};
struct Arm {};
struct Activate {};
struct TrainingFailure {
    Side at{};
};
struct Receive {  // a LinkGoingDown that the other end did not send on purpose
    Side at{};
    std::uint8_t reason{};
};
struct LateReason {
    Side at{};
    std::uint8_t reason{};
};
struct Write {
    Side at{};
    std::uint8_t ldr{};
    std::uint8_t nldr{};
    std::optional<std::uint64_t> ack;
};
struct PortError {
    Side at{};
    std::uint8_t bit{};
};
struct Mask {
    Side at{};
    std::uint32_t value{};
};
struct Sweep {
    std::uint64_t time{};  // in seconds
};
struct ManagerRestart {};
struct Read {};
struct Log {};

using ScriptEvent = std::variant<Down, DownBoth, Loss, PowerLoss, Up, Arm, Activate, TrainingFailure, Receive,
                                 LateReason, Write, PortError, Mask, Sweep, ManagerRestart, Read, Log>;

}  // namespace petrel::link
