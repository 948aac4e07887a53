// The commands of a tool as data: what stands on the command line, what it means to people, who carries it out.
// arguments.hpp reads command lines by it, help_text.hpp writes it down.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "sonic_tools/outcome.hpp"

namespace petrel::sonic_tools {

class Given;
class Desk;

struct Flag {};
struct Text {};
struct Choice {
    std::vector<std::string_view> of;
};
struct Range {
    std::optional<std::int64_t> least;
    std::optional<std::int64_t> most;
};
using Kind = std::variant<Flag, Text, Choice, Range>;

struct Option {
    std::vector<std::string_view> names;  // as errors name them; Given knows it by its long name
    Kind kind;
    std::string_view about;
};

struct Argument {
    enum class Count : std::uint8_t { one, at_most_one, any };

    std::string_view name;  // in capitals
    Kind kind{Text{}};
    Count count{Count::one};
};

struct Command {
    using Run = Outcome (*)(const Given&, Desk&);

    std::string_view name;
    std::string_view about;  // paragraphs; the first sentence stands in the list of commands
    Run run{};               // of a command without commands of its own
    std::vector<Option> options{};
    std::vector<Argument> arguments{};
    std::vector<Command> commands{};
    std::string_view version{};  // told by --version
    bool short_options{};  // -h and -v stand for --help and --version: SONiC's pfcstat has them, its others have not
};

// Of every command of every tool, wherever they stand.
const std::vector<Option>& common_options();

}  // namespace petrel::sonic_tools
