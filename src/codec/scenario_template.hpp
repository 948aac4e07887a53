// A scenario file may be a template: [parameters] names values with their defaults, "${name}" stands for them anywhere
// below. Filled in as text, before the file is read, so that every reader sees a plain scenario and lines stay where
// they are.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace petrel::codec {

// By name, as people write them on a command line: 3, 400ms, sonic.
using Settings = std::map<std::string, std::string>;

struct Sweep {
    std::string name;
    std::vector<std::string> values;
};

struct ScenarioTemplate {
    Settings parameters;        // [parameters]: with their defaults
    Settings full;              // [full]: what they are at full size, where that differs
    std::vector<Sweep> sweeps;  // [sweep]: the values with which the scenario is worth running
};

Parsed<ScenarioTemplate> read_template(std::string_view text, std::string_view file);

// The text with all parameters replaced by the settings, or else by their defaults. A whole string "${name}" becomes a
// number, true or false where the setting is one; within a string it stays text. A setting the text has no parameter
// for is a complaint.
Parsed<std::string> fill_in(std::string_view text, std::string_view file, const Settings&);

}  // namespace petrel::codec
