// Which runs a command line asks for: every file, with every combination of the swept values, as often as it is to be
// repeated. Each run knows the command that repeats just it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/lab_command.hpp"
#include "codec/scenario_template.hpp"
#include "scenario/scenario.hpp"

namespace petrel::cli {

struct PlannedRun {
    std::string file;
    codec::Settings settings;
    scenario::Scenario scenario;
    std::string command;  // to paste into a shell

    std::string label() const;  // "scenarios/x.toml priority=3 seed 7"
};

// "name=value", several of them; what is wrong with them is complained of under the flag's name.
codec::Settings settings_of(const std::vector<std::string>&, std::vector<Complaint>&);

Result<std::string> read_scenario_file(const std::string& file);

// All scenarios are read before the first runs: every problem of every file comes at once.
// texts[i] is what stands in files[i].
Parsed<std::vector<PlannedRun>> plan_runs(const LabOptions&, const std::vector<std::string>& texts);

}  // namespace petrel::cli
