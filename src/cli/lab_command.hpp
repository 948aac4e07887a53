// `petrel lab`: scenarios on the twin. One run is told as it happens; many are told a line each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/exit_code.hpp"
#include "twin/peers.hpp"

namespace petrel::cli {

struct LabOptions {
    std::vector<std::string> files;
    std::vector<std::string> settings;  // "name=value"
    std::vector<std::string> sweeps;    // "name=a,b,c"
    bool all{};                         // with every value of the file's own [sweep]
    bool full{};                        // with the values of the file's own [full]
    std::uint32_t repeat{1};
    unsigned jobs{};  // runs at the same time; 0 = as many as there are cores
    bool json{};
    unsigned threads{1};
    std::optional<std::uint64_t> seed;
    std::string until;                  // a time such as 20ms; empty = the scenario's duration
    std::optional<std::string> report;  // a folder
    std::optional<std::string> pcap;    // a folder
    std::vector<std::string> captures;  // ports whose links are captured, besides those of the scenario
    std::optional<std::string> trace;   // a file: what the switches could tell, for `petrel replay`
    std::optional<std::string> syslog;  // a file, or a socket that takes datagrams: what the switches log
    double pace{};                      // simulated seconds a second; 0 = as fast as possible
    std::vector<Complaint> problems;    // of the command line
    twin::Peers* peers{};               // other processes that run the same; the first of them speaks for all
};

ExitCode run_lab(const LabOptions&);

// What can be done with scenarios without running them.
struct LabFilesOptions {
    enum class What : std::uint8_t { list, check, explain } what{};
    std::vector<std::string> files;     // or folders with files
    std::vector<std::string> settings;  // "name=value"
    std::vector<Complaint> problems;
};

ExitCode run_lab_files(const LabFilesOptions&);

// How policies do against patterns.
struct LabTableOptions {
    std::vector<std::string> files;
    std::vector<std::string> policies;  // none = all presets for switches
    unsigned jobs{};
    std::string output;  // empty = stdout
    std::vector<Complaint> problems;
};

ExitCode run_lab_table(const LabTableOptions&);

}  // namespace petrel::cli
