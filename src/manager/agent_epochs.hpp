// Knows when an agent has begun to count its messages again, for example because its state folder was erased. Agents
// report it; the events of those that do not, because they are older, have no other sign of it than their times.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/time.hpp"
#include "fabric/message.hpp"

namespace petrel::manager {

class AgentEpochs {
public:
    // The position of a message with this number. A message with a number that is not new is a known one, unless it is
    // later than all messages of its epoch.
    fabric::Position place(const std::string& device, std::uint64_t number, WallTime at);

    // The agent reports that it counts again behind this position.
    void begin(const std::string& device, fabric::Position);

    // It reports that it kept its events before this number from its former process: they begin no count.
    void kept_before(const std::string& device, std::uint64_t first) { devices_[device].kept_before = first; }

    // A message that an earlier process placed.
    void remember(const std::string& device, fabric::Position, WallTime at);

private:
    struct Epoch {
        std::uint64_t epoch{};
        std::uint64_t first{};  // 0: an earlier process placed it
        std::uint64_t highest{};
        WallTime latest{WallTime::min()};
        std::uint64_t kept_before{};  // this number; 0: the agent has not reported that

        void add(fabric::Position, WallTime at);
    };
    std::map<std::string, Epoch> devices_;
};

}  // namespace petrel::manager
