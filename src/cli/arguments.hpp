// The flags of the commands that only petrel has, for the table in commands.cpp. As cli/agent/arguments.hpp.
#pragma once

#include "cli/agent/arguments.hpp"
#include "cli/lab_command.hpp"

namespace petrel::cli {

Handler replay_flags(CLI::App&);
Handler import_flags(CLI::App&);
Handler record_flags(CLI::App&);
Handler policies_flags(CLI::App&);
Handler demo_flags(CLI::App&);
Handler lab_run_flags(CLI::App&);
Handler lab_table_flags(CLI::App&);
Handler lab_swarm_flags(CLI::App&);
Flags lab_files_flags(LabFilesOptions::What);
Handler manager_flags(CLI::App&);
Handler ports_flags(CLI::App&);
Handler enrol_flags(CLI::App&);
Handler invite_flags(CLI::App&);
Handler device_check_flags(CLI::App&);
Handler link_play_flags(CLI::App&);
Handler link_explain_flags(CLI::App&);
Handler link_decode_flags(CLI::App&);
Handler link_import_flags(CLI::App&);
Handler link_codes_flags(CLI::App&);
Handler wire_send_flags(CLI::App&);
Handler wire_count_flags(CLI::App&);

}  // namespace petrel::cli
