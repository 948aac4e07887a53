// The flags of `petrel import` and `petrel record`.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/import_command.hpp"
#include "cli/record_command.hpp"
#include "codec/import/import_trace.hpp"

namespace petrel::cli {

Handler import_flags(CLI::App& app)
{
    const auto options = std::make_shared<ImportOptions>();
    const auto formats = fmt::format("{}", fmt::join(codec::import_formats(), "|"));
    app.add_option("--from", options->from, "The format of the files")->type_name(formats);
    app.add_option("FILE", options->files, "What was recorded; - reads stdin")->type_name("");
    app.add_option("--map", options->map, "The names of counters, labels and columns (prometheus, csv)")
        ->type_name("FILE.toml");
    app.add_option("--port", options->port, "ethtool: the interface of snapshots that name none")->type_name("NAME");
    app.add_option("--driver", options->driver, "ethtool: the driver; default: the one whose counters fit best")
        ->type_name("NAME");
    app.add_option("-o,--output", options->output, "Where the trace goes; default: stdout")->type_name("FILE");
    return handler([options](const Call&) { return run_import(*options); },
                   [options, formats](std::vector<Complaint>& problems) {
                       if (options->from.empty()) {
                           problems.push_back({"--from", 0, 0, "which format? " + formats, {}});
                       }
                       if (options->files.empty()) {
                           problems.push_back({"FILE", 0, 0, "which file? Or - for stdin", {}});
                       }
                   });
}

Handler record_flags(CLI::App& app)
{
    const auto options = std::make_shared<RecordOptions>();
    app.add_option("--device", options->device, "The device, as in the agent's file: sonic:local, linux:eth0 ...")
        ->type_name("KIND:...");
    app.add_option("--every-ms", options->every_ms, "The time from one look to the next; default: 100")
        ->check(CLI::Range(1, 3'600'000))
        ->type_name("MS");
    app.add_option("--looks", options->looks, "The number of looks; default: until Ctrl-C")->type_name("N");
    app.add_option("-o,--output", options->output, "Where the trace goes; default: stdout")->type_name("FILE");
    return handler(
        [options](const Call& call) {
            options->parts = call.parts;
            options->extras = call.extras;
            return run_record(*options);
        },
        [options](std::vector<Complaint>& problems) {
            if (options->device.empty()) {
                problems.push_back({"--device", 0, 0, "which one? As in the agent's file, e.g. sonic:local", {}});
            }
        });
}

}  // namespace petrel::cli
