// The demo's last act: the same fabric and the same storm in real time, watched by the real service, a process of its
// own with a journal, a log and commands. What is shown is what an operator sees.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "cli/demo_plans.hpp"
#include "cli/demo_screen.hpp"
#include "cli/terminal.hpp"

namespace petrel::cli {

// `folder`: for what the service keeps. An error if the service did not do what the plan expects of it.
Result<void> play_service(const DemoPlan&, const std::filesystem::path& folder, DemoScreen&, const Paint&);

}  // namespace petrel::cli
