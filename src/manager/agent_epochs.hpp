// Finds out when an agent has begun to count its messages again, for example because its state folder was erased. Its
// events have no other sign of that.
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

    // A message that an earlier process placed.
    void remember(const std::string& device, fabric::Position, WallTime at);

private:
    struct Epoch {
        std::uint64_t epoch{};
        std::uint64_t first{};  // 0: an earlier process placed it
        std::uint64_t highest{};
        WallTime latest{WallTime::min()};

        void add(fabric::Position, WallTime at);
    };
    std::map<std::string, Epoch> devices_;
};

}  // namespace petrel::manager
