// The token with which the agent's requests to its manager are admitted.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace petrel::daemon {

// The one line of the file; empty without a file. It is read for each request, so that a token can be replaced.
Result<std::string> manager_token(const std::filesystem::path& file);

}  // namespace petrel::daemon
