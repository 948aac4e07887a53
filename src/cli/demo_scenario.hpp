// The demo's fabric and its bad day, in the words of any scenario file; inside the program, so that it needs no other.
#pragma once

#include <string_view>

namespace petrel::cli {

inline constexpr std::string_view kDemoScenario = R"toml(
name = "demo"
duration = "2500ms"

[topology]
kind = "leaf-spine"
leaves = 4
spines = 2
hosts_per_leaf = 4
host_links = { speed = "1G", cable_m = 5 }
fabric_links = { speed = "4G", cable_m = 100 }

[[switch]]
buffer = "2MiB"

[[traffic]]
name = "everybody to the next leaf"
pattern = "permutation"
shift = 4
rate = "100M"

[[traffic]]
name = "more for h0"
from = ["h5", "h9", "h13"]
to = "h0"
rate = "100M"

[[fault]]
at = "337ms"
kind = "storm"
host = "h0"
priorities = 3
period = "10ms"
until = "1352ms"

[[policy]]
preset = "sonic"
detect_ms = 400
restore_ms = 400
)toml";

}  // namespace petrel::cli
