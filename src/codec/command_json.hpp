// What an agent and its manager exchange about commands (docs/manager.md), on the agent's side, and the agent's own
// record of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "uplink/command_inbox.hpp"

namespace petrel::codec {

// A request for commands: results of earlier ones, and how long the manager may hold the request.
std::string command_poll_json(const std::vector<uplink::CommandResult>&, Duration wait);

struct PolledCommands {
    std::vector<uplink::ManagerCommand> commands;
    Duration held{};
};
Result<PolledCommands> read_commands(std::string_view body);

// About the manager at this URL. The record of another manager is empty.
std::string command_record_json(std::string_view url, const uplink::CommandRecord&);
Result<uplink::CommandRecord> read_command_record(std::string_view text, std::string_view url);

}  // namespace petrel::codec
