// Captured frames as pcap files: one file for each end of a link, with the frames that arrived there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenario/scenario.hpp"
#include "twin/twin.hpp"
#include "wire/bytes.hpp"

namespace petrel::lab {

struct CaptureFile {
    std::string name;  // "leaf0-Ethernet4.pcap"
    wire::Bytes bytes;
};

// If several processes share the twin, each returns the files of the link ends that run in it.
std::vector<CaptureFile> capture_files(const scenario::Scenario&, const twin::Twin&);

}  // namespace petrel::lab
