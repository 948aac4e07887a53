// The last act of the demo: the same fabric and the same storm in real time, watched by the real service in its own
// process, with journal, log and commands. It shows what an operator sees.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "demo/plans.hpp"
#include "demo/screen.hpp"
#include "terminal/terminal.hpp"

namespace petrel::demo {

// `folder`: for the files of the service. Returns an error if the service did not do what the plan expects.
Result<void> play_service(const Plan&, const std::filesystem::path& folder, Screen&, const Paint&);

}  // namespace petrel::demo
