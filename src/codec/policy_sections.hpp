// What a policy file is made of, one key of its top table at a time: the agent's file has the same keys among its own.
// For the .cpp files of codec only.
#pragma once

#include <array>
#include <string_view>

#include "codec/policy_reader.hpp"
#include "codec/toml_text.hpp"

namespace petrel::codec {

class PolicySections {
public:
    static constexpr std::string_view kNoPolicy = "at least one [[policy]]";  // to say where there has to be one
    static constexpr std::array<std::string_view, 4> kKeys{"limits", "big_red_switch", "policy", "port"};

    PolicySections(TomlText& text, PolicyFile& into) : text_(text), into_(into) {}

    // Everything under these keys. Problems go to the text; what then is read is of no use.
    void read(const toml::table& top);

private:
    void read_limits(const toml::node&);
    void read_policy(const toml::table&);
    void read_port(const toml::table&);

    TomlText& text_;
    PolicyFile& into_;
};

}  // namespace petrel::codec
