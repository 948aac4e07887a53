// The log of a Slingshot switch as tests compare it: without times and the number of the process.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace petrel::daemon {

inline std::string masked_switch_log(const std::filesystem::path& file)
{
    std::ifstream in{file};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    text = std::regex_replace(text, std::regex{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00)"}, "TIME");
    text = std::regex_replace(text, std::regex{R"(\[[ \d]{5}\.\d{6}\])"}, "[UPTIME]");
    return std::regex_replace(text, std::regex{fmt::format("fabric_routing {} ", ::getpid())}, "fabric_routing PID ");
}

// The five lines of switch x0c0r4b0 about one pause that was too long, on channel 3.
inline std::string five_masked_lines(unsigned number, const std::string& xname)
{
    return fmt::format(
        "<3>1 TIME x0c0r4b0 kernel - - - [UPTIME] rossw rossw0: pm {0}: pause too long detected, chan timeouts 0x8\n"
        "<11>1 TIME x0c0r4b0 fabric_routing PID - -  Error: Node connected to port {0} (port name: {1}) has asserted "
        "Ethernet flow control pause for too long\n"
        "<11>1 TIME x0c0r4b0 fabric_routing PID - -  Port {0} (port name: {1}) has moved to an error state. Reason: "
        "ERROR_STATE_ETHERNET_FLOW_CONTROL_TOO_LONG\n"
        "<14>1 TIME x0c0r4b0 fabric_routing PID - -  Port {0} (port name: {1}) has stopped asserting pause for too "
        "long.\n"
        "<14>1 TIME x0c0r4b0 fabric_routing PID - -  Port {0} (port name: {1}) is no longer in an error state\n",
        number, xname);
}

}  // namespace petrel::daemon
