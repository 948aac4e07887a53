#include "reports/link_explanation.hpp"

#include <fmt/format.h>

#include "base/complaint_text.hpp"
#include "link/both_ends.hpp"
#include "link/history.hpp"
#include "link/reasons.hpp"

namespace petrel::reports {
namespace {

std::string explained_reason(const link::Reason& reason, const Paint& paint)
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

std::string meaning_and_advice(link::Canonical canonical, std::string_view indent)
{
    const auto cause = link::cause(canonical);
    return fmt::format("{0}means        {1}\n{0}what to do   {2}\n", indent, cause.meaning, cause.advice);
}

// One end of an imported port.
std::string end_text(std::string_view end, const std::optional<link::Decoded>& decoded)
{
    if (!decoded) {
        return fmt::format("  {}not shown\n", end);
    }
    if (decoded->parts.empty()) {
        return fmt::format("  {}{}: unknown, kept as it is\n", end, excerpt(decoded->raw));
    }
    std::string text;
    for (const auto& part : decoded->parts) {
        text += fmt::format("  {}{}{}\n", end,
                            part.canonical <= 0xff ? link::code_text(static_cast<std::uint8_t>(part.canonical))
                                                   : cause_text(part.canonical),
                            decoded->parts.size() > 1 ? ", one of several codes with this text" : "");
        text += meaning_and_advice(part.canonical, "    ");
    }
    return text;
}

}  // namespace

std::string explained(link::Canonical canonical, const Paint& paint)
{
    if (canonical <= 0xff) {
        return explained_reason(link::reason(static_cast<std::uint8_t>(canonical)), paint);
    }
    const auto cause = link::cause(canonical);
    return fmt::format("{}\n\n{}  group        {}\n  intentional  {}\n  sent to the neighbour: as {}\n",
                       paint.bold(cause_text(canonical)), meaning_and_advice(canonical, "  "),
                       link::name(cause.cause_class), link::name(cause.intent), link::code_text(cause.wire));
}

std::string decoded_text(const link::Decoded& decoded, const Paint& paint)
{
    auto text = fmt::format("{} {}: {}\n", decoded.list, decoded.raw,
                            decoded.known() ? paint.bold(cause_text(decoded.canonical)) : "unknown, kept as it is");
    for (const auto& part : decoded.parts) {
        text += fmt::format("  {} {} -> {}\n", part.code, part.name, cause_text(part.canonical));
        text += meaning_and_advice(part.canonical, "    ");
    }
    if (decoded.unknown_bits != 0) {
        text += fmt::format("  unknown bits 0x{:x}\n", decoded.unknown_bits);
    }
    for (const auto& remark : decoded.remarks) {
        text += fmt::format("  {}\n", remark);
    }
    return text;
}

std::string imported_text(const link::ImportedPort& port, const Paint& paint)
{
    auto text = fmt::format("{}{}{}\n  {}\n", paint.bold(excerpt(port.port)), port.state.empty() ? "" : ": ",
                            excerpt(port.state), link::account_of(port));
    text += end_text("this end     ", port.local) + end_text("neighbour    ", port.neighbor);
    for (const auto& event : port.log) {
        text += fmt::format("  logged       {}, neighbour {}, {}\n", link::code_text(event.ldr),
                            event.nldr ? link::code_text(*event.nldr) : "unavailable", excerpt(event.time));
    }
    if (port.log.size() == link::PortHistory::kShown) {
        text += "  opasaquery prints a full log in a wrong order: its last entry is the oldest.\n";
    }
    return text;
}

}  // namespace petrel::reports
