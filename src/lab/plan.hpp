// The runs that an operator requests: each file, with each combination of the swept values, repeated as requested. Each
// run contains the command that repeats it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "codec/scenario/defaults.hpp"
#include "codec/scenario/template.hpp"
#include "scenario/scenario.hpp"

namespace petrel::lab {

struct PlanOptions {
    std::vector<std::string> files;
    std::vector<std::string> settings;  // "name=value"
    std::vector<std::string> sweeps;    // "name=a,b,c"
    bool all{};                         // with all values of the file's [sweep]
    bool full{};                        // with the values of the file's [full]
    std::uint32_t repeat{1};
    std::optional<std::uint64_t> seed;
    std::string until;  // a time such as 20ms; empty = the scenario's duration
};

struct PlannedRun {
    std::string file;
    codec::Settings settings;
    scenario::Scenario scenario;
    twin::Ps end{};
    std::string command;  // to paste into a shell

    std::string label() const;  // "scenarios/x.toml priority=3 seed 7"
};

// Reads "name=value" settings; adds complaints with the name of the flag.
codec::Settings settings_of(const std::vector<std::string>&, std::vector<Complaint>&);

Result<std::string> read_scenario_file(const std::string& file);

// Reads all scenarios before the first run, so that the problems of all files are reported at once. texts[i] is the
// content of files[i]; `read` reads the shared defaults that it names.
Parsed<std::vector<PlannedRun>> plan_runs(const PlanOptions&, const std::vector<std::string>& texts,
                                          const codec::ReadText& read = read_scenario_file);

}  // namespace petrel::lab
