// `petrel lab`: runs scenarios on the twin. A single run prints its events as they happen; many runs print one line
// each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "lab/plan.hpp"
#include "lab/pool.hpp"
#include "swarm/campaign.hpp"
#include "terminal/exit_code.hpp"
#include "twin/peers.hpp"

namespace petrel::cli {

struct LabOptions {
    lab::PlanOptions plan;
    lab::PoolOptions pool;
    bool json{};
    std::optional<std::string> report;  // a folder
    std::optional<std::string> pcap;    // a folder
    std::vector<std::string> captures;  // ports whose links are captured, besides those of the scenario
    std::optional<std::string> trace;   // a file: the samples of the switches, for `petrel replay`
    std::optional<std::string> syslog;  // a file or a datagram socket: the log lines of the switches
    double pace{};                      // simulated seconds per second; 0 = as fast as possible
    std::vector<Complaint> problems;    // of the command line
    twin::Peers* peers{};               // other processes that run the same scenario; the first one prints for all
};

ExitCode run_lab(const LabOptions&);

// Commands that do not run the scenarios.
struct LabFilesOptions {
    enum class What : std::uint8_t { list, check, explain } what{};
    std::vector<std::string> files;     // or folders with files
    std::vector<std::string> settings;  // "name=value"
    bool markdown{};                    // list: as a page, with a table for each folder
    std::vector<Complaint> problems;
};

ExitCode run_lab_files(const LabFilesOptions&);

// Compares policies against storm patterns.
struct LabTableOptions {
    std::vector<std::string> files;
    std::vector<std::string> policies;  // empty = all presets for switches
    unsigned jobs{};
    std::string output;  // empty = stdout
    std::vector<Complaint> problems;
};

ExitCode run_lab_table(const LabTableOptions&);

// Runs random scenarios, or judges these files as if they were drawn.
struct LabSwarmOptions {
    std::vector<std::string> files;
    swarm::CampaignOptions campaign;
    std::string output;  // the shrunk scenario; empty = swarm-SEED.toml
    std::vector<Complaint> problems;
};

ExitCode run_lab_swarm(const LabSwarmOptions&);

}  // namespace petrel::cli
