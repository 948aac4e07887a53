// The flags of `petrel lab`. For command_line.cpp only: it includes the option parser.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <variant>
#include <vector>

#include "cli/lab_command.hpp"

namespace petrel::cli {

class LabArguments {
public:
    explicit LabArguments(CLI::App& petrel);

    // `problems` become part of the request, so that they are reported together with those of the scenarios.
    Parsed<std::variant<LabOptions, LabFilesOptions, LabTableOptions>> request(std::vector<Complaint> problems) const;

    CLI::App* app{};

private:
    void add_run();
    CLI::App* add_files_command(const std::string& name, const std::string& about);
    void add_table();
    LabOptions run_request(std::vector<Complaint> problems) const;

    CLI::App* run_{};
    CLI::App* list_{};
    CLI::App* check_{};
    CLI::App* explain_{};
    CLI::App* table_{};
    LabOptions options_;
    LabFilesOptions files_;
    LabTableOptions table_options_;
    // Kept as text and interpreted later, so that all problems are reported together.
    std::string threads_;
    std::string jobs_;
    std::string repeat_;
    std::string seed_;
    std::string pace_;
};

}  // namespace petrel::cli
