// `petrel lab run`: a scenario on the twin, as fast as it can be computed or paced by the wall clock.
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
    std::string file;
    bool json{};
    unsigned threads{1};
    std::optional<std::uint64_t> seed;
    std::string until;                 // a time such as 20ms; empty = the scenario's duration
    std::optional<std::string> pcap;   // a folder
    std::optional<std::string> trace;  // a file: what the switches could tell, for `petrel replay`
    double pace{};                     // simulated seconds a second; 0 = as fast as possible
    std::vector<Complaint> problems;   // of the command line
    twin::Peers* peers{};              // other processes that run the same; the first of them speaks for all
};

ExitCode run_lab(const LabOptions&);

}  // namespace petrel::cli
