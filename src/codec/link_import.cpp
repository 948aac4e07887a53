#include "codec/link_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/complaint_list.hpp"
#include "codec/text_lines.hpp"

namespace petrel::codec {
namespace {

std::optional<unsigned> number_at_front(std::string_view text, int base)
{
    unsigned number = 0;
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return problem == std::errc{} ? std::optional{number} : std::nullopt;
}

// The value behind "key:" in a line that may hold several. Two blanks end a value.
std::optional<std::string_view> field_of(std::string_view line, std::string_view key)
{
    for (auto at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
        const bool whole_word = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t';
        const auto rest = line.substr(at + key.size());
        if (whole_word && rest.starts_with(':')) {
            const auto value = trimmed(rest.substr(1));
            return trimmed(value.substr(0, value.find("  ")));
        }
    }
    return std::nullopt;
}

// A list is named, so that a text with a colon is not taken for "list:code". The lists exist.
link::Decoded decode_in_list(std::string_view vendor, std::string_view list, std::string_view value)
{
    return *link::decode(vendor, fmt::format("{}:{}", list, value));
}

class PortInfoReader {
public:
    explicit PortInfoReader(std::string_view file) : complaints_(file) {}

    void read(const Line& line)
    {
        const auto text = trimmed(line.text);
        if (const auto lid = field_of(text, "PortLID")) {
            const auto port = field_of(text, "PortNum").value_or("");
            begin(fmt::format("LID {} port {}", *lid, port_number(port)));
        } else if (text.starts_with("Port ") && text.ends_with(" Info")) {
            begin(fmt::format("port {}", trimmed(text.substr(4, text.size() - 8))));
        } else if (const auto state = field_of(text, "PortState")) {
            if (ports_.empty() || !ports_.back().state.empty()) {
                begin(fmt::format("port {}", field_of(text, "LocalPort").value_or("")));
            }
            ports_.back().state = *state;
        } else if (!ports_.empty()) {
            read_reasons(line, text);
        }
    }

    Parsed<ImportedPorts> take() &&
    {
        if (ports_.empty() && complaints_.empty()) {
            complaints_.add({1, 1}, {}, "the output of opasaquery -o portinfo, or of opaportinfo");
        }
        if (!complaints_.empty()) {
            return tl::make_unexpected(std::move(complaints_).take());
        }
        return std::move(ports_);
    }

private:
    // "0x01 ( 1)"
    static std::string port_number(std::string_view text)
    {
        const auto number = text.starts_with("0x") ? number_at_front(text.substr(2), 16) : number_at_front(text, 10);
        return number ? fmt::format("{}", *number) : std::string{text};
    }

    void begin(std::string name)
    {
        ports_.emplace_back();
        ports_.back().port = std::move(name);
    }

    void read_reasons(const Line& line, std::string_view text)
    {
        auto& port = ports_.back();
        if (const auto local = field_of(text, "LinkDownReason")) {
            port.local = decode_in_list("opa", "ldr", *local);
            port.neighbor = decode_in_list("opa", "ldr", field_of(text, "NeighborLinkDownReason").value_or(""));
        } else if (const auto own = logged(line, text, "LinkDownErrorLog")) {
            port.log.push_back({*own, link::kNoReason, std::string{field_of(text, "Time").value_or("")}});
        } else if (field_of(text, "NeighborLinkDownErrorLog") == "unavailable" && !port.log.empty()) {
            port.log.back().nldr.reset();
        } else if (const auto other = logged(line, text, "NeighborLinkDownErrorLog"); other && !port.log.empty()) {
            port.log.back().nldr = other;
        }
    }

    // "39 (           FM Bounce) Time: ..."
    std::optional<std::uint8_t> logged(const Line& line, std::string_view text, std::string_view key)
    {
        const auto value = field_of(text, key);
        if (!value || *value == "None") {
            return std::nullopt;
        }
        const auto code = number_at_front(*value, 10);
        if (!code || *code > 0xff) {
            complaints_.add(line.place(value->data()), *value, "a code 0..255");
            return std::nullopt;
        }
        return static_cast<std::uint8_t>(*code);
    }

    ComplaintList complaints_;
    ImportedPorts ports_;
};

struct ExtText {
    unsigned state{};
    unsigned substate{};  // 0: the text of the state itself
    std::string_view text;
};

constexpr ExtText kExtTexts[] = {
    {0, 0, "Autoneg"},
    {0, 1, "No partner detected"},
    {0, 2, "Ack not received"},
    {0, 3, "Next page exchange failed"},
    {0, 4, "No partner detected during force mode"},
    {0, 5, "FEC mismatch during override"},
    {0, 6, "No HCD"},
    {1, 0, "Link training failure"},
    {1, 1, "KR frame lock not acquired"},
    {1, 2, "KR link inhibit timeout"},
    {1, 3, "KR Link partner did not set receiver ready"},
    {1, 4, "Remote side is not ready yet"},
    {2, 0, "Logical mismatch"},
    {2, 1, "PCS did not acquire block lock"},
    {2, 2, "PCS did not acquire AM lock"},
    {2, 3, "PCS did not get align_status"},
    {2, 4, "FC FEC is not locked"},
    {2, 5, "RS FEC is not locked"},
    {3, 0, "Bad signal integrity"},
    {3, 1, "Large number of physical errors"},
    {3, 2, "Unsupported rate"},
    {3, 3, "Serdes reference clock lost"},
    {3, 4, "Serdes ALOS"},
    {4, 0, "No cable"},
    {5, 0, "Cable issue"},
    {5, 1, "Unsupported cable"},
    {5, 2, "Cable test failure"},
    {6, 0, "EEPROM issue"},
    {7, 0, "Calibration failure"},
    {8, 0, "Power budget exceeded"},
    {9, 0, "Overheat"},
    {10, 0, "Module"},
    {10, 1, "CMIS module is not in ModuleReady state"},
};

// Both a text and, for states that ethtool does not have a text for, a number.
std::optional<unsigned> ext_state(std::string_view text)
{
    const auto* at = std::find_if(std::begin(kExtTexts), std::end(kExtTexts),
                                  [&](const ExtText& one) { return one.substate == 0 && one.text == text; });
    return at != std::end(kExtTexts) ? std::optional{at->state} : number_at_front(text, 10);
}

std::optional<unsigned> ext_substate(unsigned state, std::string_view text)
{
    const auto* at = std::find_if(std::begin(kExtTexts), std::end(kExtTexts), [&](const ExtText& one) {
        return one.substate != 0 && one.state == state && one.text == text;
    });
    return at != std::end(kExtTexts) ? std::optional{at->substate} : number_at_front(text, 10);
}

// "Autoneg, No partner detected"
link::Decoded ext_reason(std::string_view text)
{
    const auto comma = text.find(", ");
    const auto state = ext_state(text.substr(0, comma));
    if (!state) {
        return decode_in_list("ethtool", "ext", text);
    }
    const auto substate =
        comma == std::string_view::npos ? std::optional{0U} : ext_substate(*state, text.substr(comma + 2));
    auto decoded = decode_in_list("ethtool", "ext", fmt::format("{}.{}", *state, substate.value_or(0)));
    if (!substate) {
        decoded.raw = text;
    }
    return decoded;
}

}  // namespace

Parsed<ImportedPorts> read_opa_port_info(std::string_view text, std::string_view file)
{
    PortInfoReader reader{file};
    TextLines lines{text};
    while (const auto line = lines.next()) {
        reader.read(*line);
    }
    return std::move(reader).take();
}

Parsed<ImportedPorts> read_ethtool_settings(std::string_view text, std::string_view file)
{
    ImportedPorts ports;
    TextLines lines{text};
    while (const auto line = lines.next()) {
        constexpr std::string_view kHeading = "Settings for ";
        const auto words = trimmed(line->text);
        if (words.starts_with(kHeading) && words.ends_with(':')) {
            ports.emplace_back();
            ports.back().port = words.substr(kHeading.size(), words.size() - kHeading.size() - 1);
        } else if (const auto link = field_of(words, "Link detected"); link && !ports.empty()) {
            ports.back().state = link->starts_with("yes") ? "link" : "no link";
            const auto open = link->find('(');
            if (open != std::string_view::npos && link->ends_with(')')) {
                ports.back().local = ext_reason(link->substr(open + 1, link->size() - open - 2));
            }
        }
    }
    if (ports.empty()) {
        return tl::make_unexpected(std::vector<Complaint>{{std::string{file}, 1, 1, {}, "the output of ethtool"}});
    }
    return ports;
}

}  // namespace petrel::codec
