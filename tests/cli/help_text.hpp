// The program's help as data. Manual page and completion must match it.
#pragma once

#include <cctype>
#include <set>
#include <sstream>
#include <string>
#include <utility>
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
    std::string about;
    Words arguments;                                    // "QUEUE", "FILE..."
    std::vector<std::pair<std::string, Words>> groups;  // the commands below a heading, in order
    std::set<std::string> flags;

    Words commands() const
    {
        Words all;
        for (const auto& [heading, names] : groups) {
            all.insert(all.end(), names.begin(), names.end());
        }
        return all;
    }
};

// "Usage: petrel lab run [OPTIONS] [FILE...]"
inline Words arguments_in(const std::string& usage)
{
    Words arguments;
    std::istringstream words{usage};
    for (std::string word; words >> word;) {
        if (word.starts_with('[') && word != "[OPTIONS]" && word != "[SUBCOMMAND]") {
            arguments.push_back(word.substr(1, word.size() - 2));
        }
    }
    return arguments;
}

// A help line about a command or a flag starts with two blanks; its first word contains all its names.
inline Help help_of(Words command)
{
    command.emplace_back("--help");
    Help help;
    const auto text = petrel::test::run(petrel(command)).out;
    const auto lines = lines_of(text.substr(0, text.find("\nExamples:")));
    help.about = lines.at(0);
    help.arguments = arguments_in(lines.at(1));
    std::string heading;
    for (const auto& line : lines) {
        if (!line.starts_with(' ') && line.ends_with(':')) {
            heading = line.substr(0, line.size() - 1);
        }
        if (!line.starts_with("  ") || line.starts_with("   ")) {
            continue;
        }
        std::istringstream names{line.substr(2, line.find(' ', 2) - 2)};
        for (std::string name; std::getline(names, name, ',');) {
            if (name.starts_with("--")) {
                help.flags.insert(name);
            } else if (std::islower(static_cast<unsigned char>(name.front())) != 0) {
                if (help.groups.empty() || help.groups.back().first != heading) {
                    help.groups.emplace_back(heading, Words{});
                }
                help.groups.back().second.push_back(name);
            }
        }
    }
    return help;
}

}  // namespace petrel::cli::test
