#include "codec/manager/cables.hpp"

#include <array>
#include <optional>
#include <set>

#include "codec/toml_text.hpp"

namespace petrel::codec {

namespace {

constexpr std::array<std::string_view, 1> kCableTables{"cable"};
constexpr std::array<std::string_view, 1> kCableKeys{"ends"};
constexpr auto kEnds = R"(two ports, as in ["leaf3:Ethernet20", "gpu-1207:eth2"])";

class CableReader {
public:
    explicit CableReader(TomlText& text) : text_(text) {}

    void read(const toml::table& cable)
    {
        text_.only(cable, kCableKeys);
        const auto* node = cable.get("ends");
        const auto* ends = node == nullptr ? nullptr : node->as_array();
        if (ends == nullptr || ends->size() != 2) {
            return text_.wrong(node == nullptr ? cable : *node, kEnds);
        }
        const auto a = port(*ends->get(0));
        const auto b = port(*ends->get(1));
        if (a && b) {
            cables.emplace_back(*a, *b);
        }
    }

    fabric::Cables cables;

private:
    std::optional<fabric::PortName> port(const toml::node& node)
    {
        const auto name = text_.name(node);
        const auto colon = name.find(':');
        if (colon == name.npos || colon == 0 || colon + 1 == name.size()) {
            text_.wrong(node, "DEVICE:PORT");
            return std::nullopt;
        }
        fabric::PortName port{name.substr(0, colon), name.substr(colon + 1)};
        if (!used_.insert(port).second) {
            text_.wrong(node, "a port without another cable");
            return std::nullopt;
        }
        return port;
    }

    TomlText& text_;
    std::set<fabric::PortName> used_;
};

}  // namespace

Parsed<fabric::Cables> read_cables(std::string_view text, std::string_view file)
{
    TomlText toml{file};
    fabric::Cables found;
    toml.parse(text, [&](toml::table& top) {
        CableReader reader{toml};
        toml.only(top, kCableTables);
        if (const auto* cables = top.get("cable")) {
            toml.each_table(*cables, "[[cable]]", [&](const toml::table& cable) { reader.read(cable); });
        }
        found = std::move(reader.cables);
    });
    if (toml.complaints().empty()) {
        return found;
    }
    return tl::unexpected(std::move(toml.complaints()).take());
}

}  // namespace petrel::codec
