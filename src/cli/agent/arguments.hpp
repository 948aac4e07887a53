// The flags of the commands of an agent, for the tables of commands. The functions are in *_arguments.cpp; only these
// files and command_line.cpp use the option parser.
#pragma once

#include <vector>

#include "cli/agent/command.hpp"
#include "cli/agent/control_command.hpp"

namespace petrel::cli {

// A handler that calls `run` if neither the parser nor `check` finds a problem.
Handler handler(std::function<ExitCode(const Call&)> run, std::function<void(std::vector<Complaint>&)> check = {});

Handler agent_flags(CLI::App&);
Handler hand_back_flags(CLI::App&);
Handler config_check_flags(CLI::App&);
Handler config_show_flags(CLI::App&);
Handler host_agent_flags(CLI::App&);
Handler host_doctor_flags(CLI::App&);

// The flags of the commands for a running agent. All of them have --socket and --json.
struct ControlArguments;
using ControlFlag = void (*)(CLI::App&, ControlArguments&);
void queue_flag(CLI::App&, ControlArguments&);   // QUEUE, and --device if several have such a queue
void device_flag(CLI::App&, ControlArguments&);  // --device, for lists
void stormed_flag(CLI::App&, ControlArguments&);
void note_flag(CLI::App&, ControlArguments&);
void state_flag(CLI::App&, ControlArguments&);        // on or off
void policy_file_flag(CLI::App&, ControlArguments&);  // FILE
void no_policies_flag(CLI::App&, ControlArguments&);  // none: the request is fixed
void all_flag(CLI::App&, ControlArguments&);          // instead of QUEUE
void port_flag(CLI::App&, ControlArguments&);         // PORT, and --device
void history_flag(CLI::App&, ControlArguments&);      // --history and --format, of links
void sequence_flag(CLI::App&, ControlArguments&);
void manager_flags_of_links(CLI::App&, ControlArguments&);  // --manager, --token-file and --ca-file
void follow_flag(CLI::App&, ControlArguments&);
void last_flag(CLI::App&, ControlArguments&);
void choice_flags(CLI::App&, ControlArguments&);  // --since, --queue and --type, of events
void check_flag(CLI::App&, ControlArguments&);
void state_dir_flag(CLI::App&, ControlArguments&);
void fleet_flags(CLI::App&, ControlArguments&);          // --manager, and which of its agents
void fleet_order_flags(CLI::App&, ControlArguments&);    // the same, and how the order spreads
void configuration_flags(CLI::App&, ControlArguments&);  // the agent's own, to find it and its journals

// Sends the request `command` with the values of these flags: `run` does it and prints the answer.
Flags control_flags(control::ControlRequest::Command command, std::vector<ControlFlag>,
                    ExitCode (*run)(const ControlOptions&));

}  // namespace petrel::cli
