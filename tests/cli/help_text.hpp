// The commands and flags in the program's help, which manual pages and completion must match.
#pragma once

#include <cctype>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "petrel_program.hpp"

namespace petrel::cli::test {

using Words = std::vector<std::string>;

inline Words lines_of(const std::string& text)
{
    Words lines;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

struct Help {
    std::set<std::string> commands;
    std::set<std::string> flags;
};

// A help line about a command or a flag starts with two blanks; its first word contains all its names.
inline Help help_of(Words command)
{
    command.emplace_back("--help");
    Help help;
    const auto text = petrel::test::run(petrel(command)).out;
    for (const auto& line : lines_of(text.substr(0, text.find("\nExamples:")))) {
        if (!line.starts_with("  ") || line.starts_with("   ")) {
            continue;
        }
        std::istringstream names{line.substr(2, line.find(' ', 2) - 2)};
        for (std::string name; std::getline(names, name, ',');) {
            if (name.starts_with("--")) {
                help.flags.insert(name);
            } else if (std::islower(static_cast<unsigned char>(name.front())) != 0) {
                help.commands.insert(name);
            }
        }
    }
    return help;
}

}  // namespace petrel::cli::test
