// What was captured, as files of the usual tools: one for each end of a link, with what arrived there.
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

// Of processes that share the twin each has the ends that run there.
std::vector<CaptureFile> capture_files(const scenario::Scenario&, const twin::Twin&);

}  // namespace petrel::lab
