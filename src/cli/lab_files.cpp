// `petrel lab list|check|explain`: commands that do not run the scenarios.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/lab_command.hpp"
#include "codec/scenario/reader.hpp"
#include "lab/plan.hpp"
#include "reports/scenario_text.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

namespace fs = std::filesystem;

struct ReadFile {
    codec::Settings parameters;
    scenario::Scenario scenario;
};

Parsed<ReadFile> read(const std::string& file, const codec::Settings& settings)
{
    const auto text = lab::read_scenario_file(file);
    if (!text) {
        return tl::unexpected(std::vector{Complaint{file, 0, 0, text.error().what, {}}});
    }
    auto own = codec::read_template(*text, file);
    if (!own) {
        return tl::unexpected(std::move(own.error()));
    }
    auto scenario = codec::read_whole_scenario(*text, file, settings, lab::read_scenario_file);
    if (!scenario) {
        return tl::unexpected(std::move(scenario.error()));
    }
    return ReadFile{std::move(own->parameters), std::move(*scenario)};
}

// Replaces folders by the scenarios in them. Files in a folder `defaults` are parts of scenarios.
std::vector<std::string> files_in(const std::vector<std::string>& places, std::vector<Complaint>& problems)
{
    std::vector<std::string> files;
    for (const auto& place : places) {
        std::error_code error;
        if (!fs::is_directory(place, error)) {
            files.push_back(place);
            continue;
        }
        std::vector<std::string> found;
        for (const auto& entry :
             fs::recursive_directory_iterator{place, fs::directory_options::skip_permission_denied, error}) {
            if (entry.path().extension() == ".toml" && entry.path().parent_path().filename() != "defaults") {
                found.push_back(entry.path().string());
            }
        }
        if (error) {
            problems.push_back({place, 0, 0, error.message(), {}});
        }
        std::sort(found.begin(), found.end());
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

std::string parameters_text(const codec::Settings& parameters)
{
    std::vector<std::string> all;
    for (const auto& [name, value] : parameters) {
        all.push_back(fmt::format("{}={}", name, value));
    }
    return all.empty() ? "-" : fmt::format("{}", fmt::join(all, " "));
}

constexpr auto kPageHeading = R"(# Scenarios

Made by `petrel lab list --markdown`; do not edit. `petrel lab run FILE` runs a scenario, `petrel lab explain FILE` describes it.
)";

// What each scenario shows, by folder. The links are relative to the first folder of the command line.
class ScenarioPage {
public:
    explicit ScenarioPage(const fs::path& first) : root_(first.extension() == ".toml" ? first.parent_path() : first) {}

    void add(const fs::path& file, const scenario::Scenario& scenario)
    {
        folders_[file.parent_path().string()] += fmt::format(
            "| [{}]({}) | {} |\n", cell(scenario.name), file.lexically_relative(root_).string(), cell(scenario.about));
    }

    std::string text() const
    {
        std::string text = kPageHeading;
        for (const auto& [folder, rows] : folders_) {
            text += fmt::format("\n## {}\n\n| scenario | what it shows |\n|---|---|\n{}", folder, rows);
        }
        return text;
    }

private:
    static std::string cell(std::string_view text)
    {
        std::string escaped;
        for (const char c : text) {
            escaped += c == '|' ? std::string{"\\|"} : std::string{c};
        }
        return escaped;
    }

    fs::path root_;
    std::map<std::string, std::string> folders_;  // rows by folder
};

std::string explained(const ReadFile& file)
{
    return fitted(fmt::format("{}\n", fmt::join(reports::explain(file.scenario), "\n")));
}

}  // namespace

ExitCode run_lab_files(const LabFilesOptions& options)
{
    using What = LabFilesOptions::What;
    auto problems = options.problems;
    const auto settings = lab::settings_of(options.settings, problems);
    Table list({{"file", Align::left, {}},
                {"simulates", Align::right, {}, 1},
                {"expects", Align::right, {}, 2},
                {"parameters", Align::left, {}, 3},
                {"about", Align::left, {}}});
    ScenarioPage page{options.files.empty() ? std::string{} : options.files.front()};
    std::string text;
    for (const auto& name : files_in(options.files, problems)) {
        const auto file = read(name, settings);
        if (!file) {
            problems.insert(problems.end(), file.error().begin(), file.error().end());
            continue;
        }
        switch (options.what) {
        case What::list:
            list.add({name, reports::time_text(file->scenario.duration),
                      fmt::format("{}", file->scenario.expectations.size()), parameters_text(file->parameters),
                      file->scenario.about});
            page.add(name, file->scenario);
            break;
        case What::check: text += fmt::format("{}: ok\n", name); break;
        case What::explain: text += explained(*file); break;
        }
    }
    if (options.what == What::list && !list.empty()) {
        list.fit(stdout_columns());
        text = options.markdown ? page.text() : list.text();
    }
    if (const auto written = write_stdout(text); !written) {
        return fail(written.error());
    }
    return problems.empty() ? ExitCode::ok : refuse(problems);
}

}  // namespace petrel::cli
