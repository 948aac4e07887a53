// The flags of `petrel link`.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/link_command.hpp"
#include "link/decode.hpp"

namespace petrel::cli {
namespace {

std::string allowed_vendors() { return fmt::format("{}", fmt::join(link::vendors(), "|")); }

void want(const char* what, const std::string& given, const std::string& question, std::vector<Complaint>& problems)
{
    if (given.empty()) {
        problems.push_back({what, 0, 0, question, {}});
    }
}

}  // namespace

Handler link_play_flags(CLI::App& app)
{
    const auto options = std::make_shared<LinkPlayOptions>();
    app.add_option("FILE", options->file, "The script, JSON lines; - reads stdin")->type_name("");
    app.add_flag("--json", options->json, "JSON only, also for the final state");
    app.add_flag("--newest-first", options->newest_first, "Histories begin with the last event");
    return handler([options](const Call&) { return run_link_play(*options); },
                   [options](std::vector<Complaint>& problems) {
                       want("FILE", options->file, "which script? A file, or - for stdin", problems);
                   });
}

Handler link_explain_flags(CLI::App& app)
{
    const auto options = std::make_shared<LinkExplainOptions>();
    app.add_option("CODE", options->code, "0..255, or a name: FM_BOUNCE")->type_name("");
    app.add_flag("--json", options->json, "As one JSON object");
    return handler([options](const Call&) { return run_link_explain(*options); },
                   [options](std::vector<Complaint>& problems) {
                       want("CODE", options->code, "which one? 0..255, or a name", problems);
                   });
}

Handler link_decode_flags(CLI::App& app)
{
    const auto options = std::make_shared<LinkDecodeOptions>();
    app.add_option("--from", options->from, "The vendor of the code")->type_name(allowed_vendors());
    app.add_option("VALUE", options->value, "The code, as that vendor writes it")->type_name("");
    app.add_flag("--json", options->json, "As one JSON object");
    return handler([options](const Call&) { return run_link_decode(*options); },
                   [options](std::vector<Complaint>& problems) {
                       want("--from", options->from, "whose code? " + allowed_vendors(), problems);
                       want("VALUE", options->value, "which code?", problems);
                   });
}

Handler link_import_flags(CLI::App& app)
{
    const auto options = std::make_shared<LinkImportOptions>();
    app.add_option("--from", options->from, "The tool that printed the file")->type_name(import_tools("|"));
    app.add_option("FILE", options->file, "The output of the tool; - reads stdin")->type_name("");
    app.add_flag("--json", options->json, "One JSON object a port");
    return handler([options](const Call&) { return run_link_import(*options); },
                   [options](std::vector<Complaint>& problems) {
                       want("--from", options->from, "which tool? " + import_tools("|"), problems);
                       want("FILE", options->file, "which file? Or - for stdin", problems);
                   });
}

Handler link_codes_flags(CLI::App& app)
{
    const auto options = std::make_shared<LinkCodesOptions>();
    app.add_flag("--json", options->json, "As one JSON object, reserved codes included");
    return handler([options](const Call&) { return run_link_codes(*options); });
}

}  // namespace petrel::cli
