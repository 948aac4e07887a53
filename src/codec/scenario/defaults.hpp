// Tables that several scenarios share: `defaults = "../defaults/nothing-left.toml"` in a scenario names the file that
// holds them. The tables of a list, such as [[expect]], are put before the scenario's own tables. Any other key applies
// only if the scenario does not have it. Documented in docs/scenario-file.md.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::codec {

struct Defaults {
    std::string file;  // empty: the scenario names none
    std::string text;
};

using ReadText = std::function<Result<std::string>(const std::string& file)>;

// Reads the file that the scenario `text` names. `file` is the scenario's own file: the path of the defaults is
// relative to its folder and leads to a folder `defaults` there or one level higher, nowhere else.
Parsed<Defaults> read_defaults(std::string_view text, const std::string& file, const ReadText&);

}  // namespace petrel::codec
