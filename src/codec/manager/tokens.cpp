#include "codec/manager/tokens.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "codec/toml_text.hpp"

namespace petrel::codec {

namespace {

constexpr std::array<std::string_view, 1> kTokenTables{"token"};
constexpr std::array<std::string_view, 3> kTokenKeys{"name", "role", "token"};
constexpr std::size_t kShortestSecret = 16;
constexpr std::array<std::pair<std::string_view, config::Role>, 3> kRoles{
    {{"read", config::Role::read}, {"agent", config::Role::agent}, {"operator", config::Role::operator_}}};

class TokenReader {
public:
    explicit TokenReader(TomlText& text) : text_(text) {}

    void read(const toml::table& table)
    {
        text_.only(table, kTokenKeys);
        for (const auto key : kTokenKeys) {
            if (!table.contains(key)) {
                return text_.complaints().add(place(table), {}, fmt::format("a table with {}", key));
            }
        }
        config::Token token;
        token.name = text_.name(*table.get("name"));
        token.role = role(*table.get("role"));
        token.secret = text_.name(*table.get("token"));
        if (token.secret.size() < kShortestSecret) {
            text_.complaints().add(place(*table.get("token")), "a short token",
                                   fmt::format("at least {} characters", kShortestSecret));
        }
        if (!names_.insert(token.name).second) {
            text_.wrong(*table.get("name"), "a name that no other token has");
        }
        tokens.push_back(std::move(token));
    }

    std::vector<config::Token> tokens;

private:
    config::Role role(const toml::node& node)
    {
        const auto word = text_.name(node);
        const auto* known = std::find_if(kRoles.begin(), kRoles.end(), [&](auto& one) { return one.first == word; });
        if (known == kRoles.end()) {
            text_.wrong(node, "read, agent or operator");
            return config::Role::none;
        }
        return known->second;
    }

    TomlText& text_;
    std::set<std::string> names_;
};

}  // namespace

Parsed<std::vector<config::Token>> read_tokens(std::string_view text, std::string_view file)
{
    TomlText toml{file};
    std::vector<config::Token> found;
    toml.parse(text, [&](toml::table& top) {
        TokenReader reader{toml};
        toml.only(top, kTokenTables);
        if (const auto* tokens = top.get("token")) {
            toml.each_table(*tokens, "[[token]]", [&](const toml::table& token) { reader.read(token); });
        }
        found = std::move(reader.tokens);
    });
    if (toml.complaints().empty() && found.empty()) {
        toml.complaints().add({}, {}, "at least one [[token]]");
    }
    if (toml.complaints().empty()) {
        return found;
    }
    return tl::unexpected(std::move(toml.complaints()).take());
}

}  // namespace petrel::codec
