#include "cli/link_command.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "codec/link_json.hpp"
#include "link/decode.hpp"
#include "link/reasons.hpp"
#include "terminal/table.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

std::optional<std::uint8_t> code_in(std::string_view text)
{
    const bool hex = text.starts_with("0x");
    text.remove_prefix(hex ? 2 : 0);
    std::uint8_t code = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, code, hex ? 16 : 10);
    return problem == std::errc{} && stop == end ? std::optional{code} : std::nullopt;
}

std::string explained(const link::Reason& reason, const Paint& paint)
{
    const auto* sent = reason.code == link::kNoReason ? "no, there is no reason to send"
                       : !reason.known()              ? "no, except by a port with a newer table, or a broken one"
                       : reason.local_only            ? "no, it stays in the port's own register"
                                                      : "yes, with LinkGoingDown";
    return fmt::format("{} ({})\n\n  means        {}\n  set by       {}\n  what to do   {}\n  group        {}\n  "
                       "intentional  {}\n  sent to the neighbour: {}\n",
                       paint.bold(link::code_text(reason.code)), link::symbol_of(reason.code), reason.meaning,
                       reason.set_by, reason.advice, link::name(reason.cause_class), link::name(reason.intent), sent);
}

std::string cause_text(link::Canonical canonical)
{
    const auto cause = link::cause(canonical);
    return fmt::format("0x{:04X} {} ({}, {})", canonical, link::symbol_of(canonical), link::name(cause.cause_class),
                       cause.link_stays_up ? "the link stays up" : "link down");
}

std::string decoded_text(const link::Decoded& decoded, const Paint& paint)
{
    auto text = fmt::format("{} {}: {}\n", decoded.list, decoded.raw,
                            decoded.known() ? paint.bold(cause_text(decoded.canonical)) : "unknown, kept as it is");
    for (const auto& part : decoded.parts) {
        text += fmt::format("  {} {} -> {}\n", part.code, part.name, cause_text(part.canonical));
    }
    if (decoded.unknown_bits != 0) {
        text += fmt::format("  unknown bits 0x{:x}\n", decoded.unknown_bits);
    }
    for (const auto& remark : decoded.remarks) {
        text += fmt::format("  {}\n", remark);
    }
    return text;
}

std::string codes_text()
{
    Table table({{"code", Align::right, {}},
                 {"name", Align::left, {}},
                 {"group", Align::left, {}},
                 {"intentional", Align::left, {}},
                 {"local only", Align::left, {}},
                 {"meaning", Align::left, {}}});
    for (unsigned code = 0; code <= 0xff; ++code) {
        if (const auto& reason = link::reason(static_cast<std::uint8_t>(code)); reason.known()) {
            table.add({std::to_string(code), std::string{reason.text}, std::string{link::name(reason.cause_class)},
                       std::string{link::name(reason.intent)}, reason.local_only ? "yes" : "",
                       std::string{reason.meaning}});
        }
    }
    return table.text() + "\nAll other codes up to 255 are reserved: they are stored and shown, but have no meaning.\n";
}

}  // namespace

ExitCode run_link_explain(const LinkExplainOptions& options)
{
    const auto code = code_in(options.code);
    if (!code) {
        return refuse({{"CODE", 0, 0, options.code, "0..255"}});
    }
    const auto& reason = link::reason(*code);
    return finish(options.json ? codec::reason_json(reason) + '\n' : explained(reason, Paint{stdout_wants_colour()}),
                  ExitCode::ok);
}

ExitCode run_link_decode(const LinkDecodeOptions& options)
{
    const auto decoded = link::decode(options.from, options.value);
    if (!decoded) {
        return fail(decoded.error());
    }
    return finish(options.json ? codec::decoded_json(*decoded) + '\n'
                               : decoded_text(*decoded, Paint{stdout_wants_colour()}),
                  ExitCode::ok);
}

ExitCode run_link_codes(const LinkCodesOptions& options)
{
    return finish(options.json ? codec::reasons_json() + '\n' : codes_text(), ExitCode::ok);
}

}  // namespace petrel::cli
