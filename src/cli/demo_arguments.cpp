// The flags of `petrel demo`.
#include <CLI/CLI.hpp>

#include "cli/arguments.hpp"
#include "demo/demo.hpp"

namespace petrel::cli {

Handler demo_flags(CLI::App& app)
{
    const auto options = std::make_shared<demo::Options>();
    auto* paced =
        app.add_flag("--realtime", options->realtime, "Follow the wall clock, also if the output is no terminal");
    app.add_flag("--fast", options->fast, "Run as fast as possible, also on a terminal")->excludes(paced);
    app.add_option("--report", options->report, "The report's folder; else a new one among the temporary files")
        ->type_name("DIR");
    app.add_flag("--json", options->json, "Only the events, one JSON object a line");
    return handler([options](const Call&) { return demo::run(*options); });
}

}  // namespace petrel::cli
