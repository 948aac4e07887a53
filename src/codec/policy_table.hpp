// Reads one [[policy]] table, of a policy file or of a scenario. For the .cpp files of codec and codec/scenario only.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "codec/toml_text.hpp"
#include "config/policy_file.hpp"

namespace petrel::codec {

class PolicyTable {
public:
    explicit PolicyTable(TomlText& text) : text_(text) {}

    // Adds complaints to `text`; if there are any, the result is not usable. `also`: keys that the caller reads itself.
    config::PolicyEntry read(const toml::table&, std::span<const std::string_view> also = {});

private:
    const watchdog::Preset* read_preset(const toml::table&);
    void read_overrides(const toml::table&, const watchdog::Preset*, config::PolicyEntry&);
    void read_parameter(const toml::key&, const toml::node&, const watchdog::Preset*,
                        std::span<const std::string_view> allowed, watchdog::Policy&);
    void check(const watchdog::Policy&, const toml::table&);
    std::vector<config::PortName> port_names(const toml::node&);

    TomlText& text_;
};

}  // namespace petrel::codec
