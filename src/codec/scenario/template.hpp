// A scenario file may be a template: [parameters] defines names with default values, and "${name}" is replaced by the
// value anywhere below. The text is replaced before the file is parsed, so that all readers see a plain scenario and
// line numbers stay the same.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace petrel::codec {

// By name, with values as on the command line: 3, 400ms, sonic.
using Settings = std::map<std::string, std::string>;

struct Sweep {
    std::string name;
    std::vector<std::string> values;
};

struct ScenarioTemplate {
    Settings parameters;        // [parameters]: with their default values
    Settings full;              // [full]: their values at full size, where they differ
    std::vector<Sweep> sweeps;  // [sweep]: the values for which the scenario is usually run
};

Parsed<ScenarioTemplate> read_template(std::string_view text, std::string_view file);

// The text with all parameters replaced by their settings, or by their defaults. If a whole string is "${name}" and the
// setting is a number or boolean, the quotes are removed; within a longer string it stays text. A setting that is not a
// parameter of the text is a complaint.
Parsed<std::string> fill_in(std::string_view text, std::string_view file, const Settings&);

}  // namespace petrel::codec
