#include "service_config.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <array>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "codec/agent_config_reader.hpp"

namespace petrel::bench {

std::filesystem::path new_folder()
{
    auto pattern = (std::filesystem::temp_directory_path() / "petrel-bench-XXXXXX").string();
    PETREL_ASSERT(::mkdtemp(pattern.data()) != nullptr, "cannot make {}", pattern);
    return pattern;
}

config::AgentConfig service_config(const std::filesystem::path& folder)
{
    const auto text = fmt::format(R"(
[agent]
state_dir = "{0}"
[control]
socket = "{0}/control.sock"
[metrics]
listen = ""
[log]
to = "{0}/log"
[[device]]
name = "switch"
driver = "bench:prepared"
[[policy]]
preset = "sonic"
priorities = [0, 1, 2, 3, 4, 5, 6, 7]
)",
                                  folder.string());
    constexpr std::array<codec::DriverKind, 1> kKinds{{{"bench"}}};
    auto read = codec::read_agent_config(text, "bench.toml", {}, kKinds);
    PETREL_ASSERT(read, "{}", to_text(read.error().front()));
    return std::move(*read);
}

}  // namespace petrel::bench
