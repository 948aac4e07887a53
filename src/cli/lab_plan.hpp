// The runs that a command line requests: each file, with each combination of the swept values, repeated as requested.
// Each run contains the command that repeats it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/lab_command.hpp"
#include "codec/scenario/defaults.hpp"
#include "codec/scenario/template.hpp"
#include "scenario/scenario.hpp"

namespace petrel::cli {

struct PlannedRun {
    std::string file;
    codec::Settings settings;
    scenario::Scenario scenario;
    std::string command;  // to paste into a shell

    std::string label() const;  // "scenarios/x.toml priority=3 seed 7"
};

// Reads "name=value" settings; adds complaints with the name of the flag.
codec::Settings settings_of(const std::vector<std::string>&, std::vector<Complaint>&);

Result<std::string> read_scenario_file(const std::string& file);

// Reads all scenarios before the first run, so that the problems of all files are reported at once. texts[i] is the
// content of files[i]; `read` reads the shared defaults that it names.
Parsed<std::vector<PlannedRun>> plan_runs(const LabOptions&, const std::vector<std::string>& texts,
                                          const codec::ReadText& read = read_scenario_file);

}  // namespace petrel::cli
