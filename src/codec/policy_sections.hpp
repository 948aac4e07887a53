// The top-level keys of a policy file. The agent's configuration file has the same keys beside its own. For the .cpp
// files of codec only.
#pragma once

#include <array>
#include <string_view>

#include "codec/toml_text.hpp"
#include "config/policy_file.hpp"

namespace petrel::codec {

class PolicySections {
public:
    static constexpr std::string_view kNoPolicy = "at least one [[policy]]";  // complaint of files that need one
    static constexpr std::array<std::string_view, 4> kKeys{"limits", "big_red_switch", "policy", "port"};

    PolicySections(TomlText& text, config::PolicyFile& into) : text_(text), into_(into) {}

    // Reads everything under these keys. Adds complaints to `text`; if there are any, the result is not usable.
    void read(const toml::table& top);

private:
    void read_limits(const toml::node&);
    void read_policy(const toml::table&);
    void read_port(const toml::table&);

    TomlText& text_;
    config::PolicyFile& into_;
};

}  // namespace petrel::codec
