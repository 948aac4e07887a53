#include "cli/import_command.hpp"

#include <fmt/format.h>

#include "base/complaint_text.hpp"
#include "codec/import/import_trace.hpp"
#include "runtime/atomic_file.hpp"
#include "terminal/output_file.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

// A missing file is a wrong argument, not an unreachable device.
codec::ImportFile read_input(const std::string& file, std::vector<Complaint>& problems)
{
    const bool is_stdin = file == "-";
    auto text = runtime::read_whole_file(is_stdin ? "/dev/stdin" : file);
    if (!text) {
        problems.push_back({{}, 0, 0, text.error().what, {}});
    }
    return {is_stdin ? "stdin" : file, std::move(text).value_or(std::string{})};
}

}  // namespace

ExitCode run_import(const ImportOptions& options)
{
    codec::ImportRequest request{options.from, {}, std::nullopt, options.port, options.driver};
    std::vector<Complaint> problems;
    if (auto wrong = codec::unknown_format(options.from)) {
        problems.push_back(std::move(*wrong));
    }
    for (const auto& file : options.files) {
        request.files.push_back(read_input(file, problems));
    }
    if (options.map) {
        request.map = read_input(*options.map, problems);
    }
    if (!problems.empty()) {
        return refuse(problems);
    }
    const auto made = codec::import_trace(request);
    if (!made) {
        return refuse(made.error());
    }
    for (const auto& note : made->notes) {
        print_stderr("petrel: note: " + note);
    }
    if (options.output == "-") {
        return finish(made->csv, ExitCode::ok);
    }
    if (const auto written = write_output_file(options.output, made->csv); !written) {
        return fail(written.error());
    }
    print_stderr(fmt::format("petrel: next: petrel replay {} --policy sonic", escaped(options.output)));
    return ExitCode::ok;
}

}  // namespace petrel::cli
