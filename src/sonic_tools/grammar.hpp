// The commands of a tool as data: options and arguments, help texts, and the function that runs each command.
// arguments.hpp parses command lines by it, help_text.hpp prints it.
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
    std::vector<std::string_view> names;  // as errors show them; Given stores it under the longest
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
    std::string_view about;  // paragraphs; the list of commands shows the first sentence
    Run run{};               // for commands without subcommands
    std::vector<Option> options{};
    std::vector<Argument> arguments{};
    std::vector<Command> commands{};
    std::string_view version{};  // printed by --version
    bool short_options{};        // -h and -v stand for --help and --version, as in SONiC's pfcstat only
};

// Options that every command of every tool accepts, at any place on the command line.
const std::vector<Option>& common_options();

}  // namespace petrel::sonic_tools
