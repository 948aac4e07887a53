// The configuration of a service that watches a prepared device. The service writes all its files to one folder.
#pragma once

#include <filesystem>

#include "config/agent_config.hpp"

namespace petrel::bench {

std::filesystem::path new_folder();

config::AgentConfig service_config(const std::filesystem::path& folder);

}  // namespace petrel::bench
