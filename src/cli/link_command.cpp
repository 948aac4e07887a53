#include "cli/link_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/link_input.hpp"
#include "codec/link_import.hpp"
#include "codec/link_json.hpp"
#include "link/decode.hpp"
#include "link/reasons.hpp"
#include "reports/link_explanation.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

struct ImportTool {
    std::string_view name;
    Parsed<codec::ImportedPorts> (*read)(std::string_view text, std::string_view file);
};

constexpr std::array<ImportTool, 3> kImportTools{{
    {"opasaquery", codec::read_opa_port_info},
    {"opaportinfo", codec::read_opa_port_info},
    {"ethtool", codec::read_ethtool_settings},
}};

std::string imported(const codec::ImportedPorts& ports, bool json)
{
    std::string text;
    for (const auto& port : ports) {
        text += json ? codec::imported_json(port) + '\n'
                     : (text.empty() ? "" : "\n") + reports::imported_text(port, Paint{stdout_wants_colour()});
    }
    return text;
}

std::string codes_text()
{
    Table table({{"code", Align::right, {}},
                 {"name", Align::left, {}},
                 {"group", Align::left, {}, 3},
                 {"intentional", Align::left, {}, 1},
                 {"local only", Align::left, {}, 2},
                 {"meaning", Align::left, {}}});
    for (unsigned code = 0; code <= 0xff; ++code) {
        if (const auto& reason = link::reason(static_cast<std::uint8_t>(code)); reason.known()) {
            table.add({std::to_string(code), std::string{reason.text}, std::string{link::name(reason.cause_class)},
                       std::string{link::name(reason.intent)}, reason.local_only ? "yes" : "",
                       std::string{reason.meaning}});
        }
    }
    table.fit(stdout_columns());
    return table.text() + "\nAll other codes up to 255 are reserved: they are stored and shown, but have no meaning.\n";
}

}  // namespace

ExitCode run_link_explain(const LinkExplainOptions& options)
{
    const auto causes = link::causes_named(options.code);
    if (causes.empty()) {
        return refuse(
            {{"CODE", 0, 0, options.code, "0..255, 0x0101..0xFFFF, or a name that `petrel link codes` lists"}});
    }
    const Paint paint{stdout_wants_colour()};
    std::string text;
    for (const auto cause : causes) {
        text += options.json ? codec::explained_json(cause) + '\n'
                             : (text.empty() ? "" : "\n") + reports::explained(cause, paint);
    }
    return finish(options.json ? text : fitted(text), ExitCode::ok);
}

ExitCode run_link_decode(const LinkDecodeOptions& options)
{
    const auto decoded = link::decode(options.from, options.value);
    if (!decoded) {
        return fail(decoded.error());
    }
    return finish(options.json ? codec::decoded_json(*decoded) + '\n'
                               : fitted(reports::decoded_text(*decoded, Paint{stdout_wants_colour()})),
                  ExitCode::ok);
}

std::string import_tools(std::string_view separator)
{
    std::vector<std::string_view> names;
    std::transform(kImportTools.begin(), kImportTools.end(), std::back_inserter(names),
                   [](const auto& tool) { return tool.name; });
    return fmt::format("{}", fmt::join(names, separator));
}

ExitCode run_link_import(const LinkImportOptions& options)
{
    const auto* tool = std::find_if(kImportTools.begin(), kImportTools.end(),
                                    [&](const auto& one) { return one.name == options.from; });
    if (tool == kImportTools.end()) {
        return refuse({{"--from", 0, 0, options.from, "one of " + import_tools(", ")}});
    }
    const auto input = read_link_input(options.file);
    if (!input) {
        return fail(input.error());
    }
    const auto ports = tool->read(input->text, input->name);
    return ports ? finish(imported(*ports, options.json), ExitCode::ok) : refuse(ports.error());
}

ExitCode run_link_codes(const LinkCodesOptions& options)
{
    return finish(options.json ? codec::reasons_json() + '\n' : fitted(codes_text()), ExitCode::ok);
}

}  // namespace petrel::cli
