#include "codec/link_json.hpp"

#include <fmt/format.h>

#include "codec/json_text.hpp"
#include "link/both_ends.hpp"

namespace petrel::codec {
namespace {

using nlohmann::ordered_json;

ordered_json register_json(std::uint8_t code, bool available)
{
    return available ? ordered_json(code) : ordered_json(nullptr);
}

ordered_json to_json(const link::LinkReading& reading, bool available)
{
    const auto& registers = reading.registers;
    return {{"state", link::logical_name(reading.state)},
            {"ldr", register_json(registers.ldr, available)},
            {"nldr", register_json(registers.nldr, available)},
            {"seq", registers.seq}};
}

ordered_json to_json(const link::PortHistory& history, bool newest_first)
{
    auto entries = ordered_json::array();
    for (const auto& event : history.shown(newest_first)) {
        const auto time = std::chrono::floor<std::chrono::seconds>(event.observed_at).time_since_epoch().count();
        ordered_json entry{{"ldr", event.ldr}, {"nldr", event.nldr}, {"time", time}, {"seq", event.seq}};
        if (event.correlated_cause) {
            entry["correlated_cause"] = *event.correlated_cause;
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

ordered_json to_json(const link::Reason& reason)
{
    return {{"code", reason.code},
            {"name", link::symbol_of(reason.code)},
            {"text", reason.text},
            {"known", reason.known()},
            {"group", link::name(reason.cause_class)},
            {"intentional", link::name(reason.intent)},
            {"local_only", reason.local_only},
            {"meaning", reason.meaning},
            {"set_by", reason.set_by},
            {"advice", reason.advice}};
}

ordered_json to_json(link::Canonical canonical)
{
    const auto cause = link::cause(canonical);
    return {{"canonical", fmt::format("0x{:04X}", canonical)},
            {"canonical_name", link::symbol_of(canonical)},
            {"class", link::name(cause.cause_class)},
            {"intent", link::name(cause.intent)},
            {"link_effect", cause.link_stays_up ? "up-error" : "down"},
            {"wire8", cause.wire},
            {"meaning", cause.meaning},
            {"advice", cause.advice}};
}

ordered_json to_json(const link::Decoded& decoded)
{
    ordered_json json{{"list", decoded.list}, {"raw", decoded.raw}, {"known", decoded.known()}};
    json.update(to_json(decoded.canonical));
    json["parts"] = ordered_json::array();
    for (const auto& part : decoded.parts) {
        ordered_json one{{"code", part.code}, {"name", part.name}};
        one.update(to_json(part.canonical));
        json["parts"].push_back(std::move(one));
    }
    json["unknown_bits"] = fmt::format("0x{:x}", decoded.unknown_bits);
    json["remarks"] = decoded.remarks;
    return json;
}

}  // namespace

std::string link_registers_json(const link::LinkReading& a, const link::LinkReading& b, bool b_available)
{
    return to_line(ordered_json{{"A", to_json(a, true)}, {"B", to_json(b, b_available)}});
}

std::string link_log_json(const link::PortHistory& a, const link::PortHistory& b, bool newest_first)
{
    return to_line(ordered_json{{"A", to_json(a, newest_first)}, {"B", to_json(b, newest_first)}});
}

std::string reasons_json()
{
    auto codes = ordered_json::array();
    for (unsigned code = 0; code <= 0xff; ++code) {
        codes.push_back(to_json(link::reason(static_cast<std::uint8_t>(code))));
    }
    return ordered_json{{"codes", std::move(codes)}}.dump(2);
}

std::string explained_json(link::Canonical canonical)
{
    return to_line(canonical <= 0xff ? to_json(link::reason(static_cast<std::uint8_t>(canonical)))
                                     : to_json(canonical));
}

std::string decoded_json(const link::Decoded& decoded) { return to_line(to_json(decoded)); }

std::string imported_json(const link::ImportedPort& port)
{
    ordered_json json{{"port", port.port}, {"state", port.state}, {"account", link::account_of(port)}};
    json["local"] = port.local ? to_json(*port.local) : ordered_json(nullptr);
    json["neighbor"] = port.neighbor ? to_json(*port.neighbor) : ordered_json(nullptr);
    json["log"] = ordered_json::array();
    for (const auto& [ldr, nldr, time] : port.log) {
        json["log"].push_back(
            {{"ldr", ldr}, {"nldr", register_json(nldr.value_or(0), nldr.has_value())}, {"time", time}});
    }
    return to_line(json);
}

}  // namespace petrel::codec
