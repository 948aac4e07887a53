// Requests of the command line to a fabric manager and its answers (docs/openapi.yaml).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "control/fleet.hpp"

namespace petrel::codec {

std::string fleet_request_json(const control::FleetRequest&);
Result<control::FleetReport> read_fleet_report(std::string_view body);
std::string fleet_answer_json(const control::FleetAnswer&);
Result<control::FleetEvents> read_fleet_events(std::string_view body);
// The agent of each device; empty if it has none.
Result<std::map<std::string, std::string>> read_device_agents(std::string_view body);

}  // namespace petrel::codec
