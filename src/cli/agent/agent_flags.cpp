#include "cli/agent/agent_flags.hpp"

#include <fmt/format.h>

#include "codec/agent_settings.hpp"

namespace petrel::cli {

namespace {

constexpr auto kDeviceFlag = "--device";
constexpr auto kProfileFlag = "--profile";

}  // namespace

AgentFlags::AgentFlags(CLI::App& app) : app_(app), values_(codec::agent_settings().size())
{
    app.add_option("--config", config_, "The agent's file; default: /etc/petrel/agent.toml if there is one")
        ->type_name("FILE.toml");
    app.add_option(kDeviceFlag, devices_, "A device, instead of those in the file; may be given several times")
        ->type_name("KIND:WHAT")
        ->allow_extra_args(false);
    app.add_option(kProfileFlag, profile_, "The profile of the library of a --device sai:PATH")->type_name("FILE");
    const auto settings = codec::agent_settings();
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const auto& standard = settings[i].standard;
        app.add_option(settings[i].flag, values_[i],
                       standard.empty() ? settings[i].about
                                        : fmt::format("{}; default: {}", settings[i].about, standard))
            ->type_name(settings[i].shape)
            ->group("Settings, stronger than the environment (PETREL_...) and the file");
    }
}

AgentOptions AgentFlags::options(const Call& call) const
{
    AgentOptions options{.config = config_, .given = {}, .extras = call.extras, .parts = call.parts};
    for (const auto& device : devices_) {
        options.given.push_back({std::string{codec::kDeviceKey}, device, kDeviceFlag});
    }
    if (app_.count(kProfileFlag) != 0) {
        options.given.push_back({std::string{codec::kProfileKey}, profile_, kProfileFlag});
    }
    const auto settings = codec::agent_settings();
    for (std::size_t i = 0; i < settings.size(); ++i) {
        if (app_.count(settings[i].flag) != 0) {
            options.given.push_back({settings[i].key, values_[i], settings[i].flag});
        }
    }
    return options;
}

}  // namespace petrel::cli
