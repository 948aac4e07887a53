// The presets as JSON, for `petrel policies --json`. Schema: {"policies":[{"name","about","parameters":[{"key","about",
// "default","allowed"}]}]}; values are text as the command line takes them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace petrel::codec {

struct ParameterListing {
    std::string key;
    std::string about;
    std::string standard;  // the default
    std::string allowed;
};

struct PolicyListing {
    std::string name;
    std::string about;
    std::vector<ParameterListing> parameters;
};

std::string policies_json(std::span<const PolicyListing>);  // ends with a newline

}  // namespace petrel::codec
