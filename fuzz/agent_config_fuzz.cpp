// Any bytes give an agent configuration or a list of complaints, never a crash. The values that it shows can be given
// as flags. The bytes after a zero byte are an environment.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "codec/agent_config_reader.hpp"
#include "codec/agent_settings.hpp"

namespace {

using petrel::config::AgentConfig;

std::vector<petrel::codec::Given> given_by(std::string_view bytes)
{
    std::vector<std::string> entries;
    while (!bytes.empty()) {
        const auto end = std::min(bytes.find('\0'), bytes.size() - 1);
        entries.emplace_back(bytes.substr(0, end));
        bytes.remove_prefix(end + 1);
    }
    std::vector<const char*> environment;
    for (const auto& entry : entries) {
        environment.push_back(entry.c_str());
    }
    environment.push_back(nullptr);
    return petrel::codec::given_by_environment(environment.data());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::array<petrel::codec::DriverKind, 2> kDrivers{{{"twin"}, {"sai"}}};
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const auto text = bytes.substr(0, bytes.find('\0'));
    const auto given = given_by(bytes.substr(std::min(text.size() + 1, size)));
    const auto config = petrel::codec::read_agent_config(text, "fuzz", given, kDrivers);
    if (!config) {
        PETREL_ASSERT(!config.error().empty(), "refused without a reason");
        for (const auto& complaint : config.error()) {
            PETREL_ASSERT(!petrel::to_text(complaint).empty(), "an empty complaint");
        }
        return 0;
    }
    for (const auto& setting : petrel::codec::agent_settings()) {
        const auto value = std::find_if(config->values.begin(), config->values.end(),
                                        [&](const auto& candidate) { return candidate.key == setting.key; });
        AgentConfig scratch;
        PETREL_ASSERT(value != config->values.end() && setting.set(scratch, value->value), "{}", setting.key);
    }
    for (const auto& entry : config->policies.policies) {
        PETREL_ASSERT(petrel::watchdog::check(entry.policy).empty(), "a policy that does not hold together");
    }
    return 0;
}
