// Reads a command line as the tools of SONiC do: options anywhere, values after a blank or '=', any number of ports
// before a last argument, the same error messages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sonic_tools/grammar.hpp"
#include "sonic_tools/outcome.hpp"

namespace petrel::sonic_tools {

// The values on the command line, by the long name of an option and the name of an argument. They are checked against
// the grammar.
class Given {
public:
    bool has(std::string_view name) const { return values_.contains(name); }
    std::optional<std::string_view> text(std::string_view name) const;
    std::optional<std::int64_t> number(std::string_view name) const;
    std::vector<std::string> values(std::string_view name) const;

private:
    friend class Reader;
    std::map<std::string_view, std::vector<std::string>> values_;
};

struct Invocation {
    const Command* command{};
    std::string path;  // "pfcwd show config", for later usage errors
    Given given;
};

// Instead of an invocation: a help text or a usage error.
tl::expected<Invocation, Outcome> parse(const Command& tool, std::string_view program, std::span<const std::string>);

// "Usage: ...", how to get help, and the complaint; exit code 2.
Outcome usage_error(const Command&, std::string_view path, std::string_view complaint);

}  // namespace petrel::sonic_tools
