// What counts as a storm and what is done about it. The six presets are rows of one table, not classes; every parameter
// of a policy has a name, a range and one setter that the command line and the configuration file share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "watchdog/observation.hpp"

namespace petrel::watchdog {

enum class Criterion : std::uint8_t {
    continuous,     // paused without a break
    stalled,        // the same, with a backlog that does not drain
    progress,       // leaky integrator: mostly paused and next to nothing sent
    receive_stall,  // a NIC that pauses its switch and receives nothing
    pause_timeout,  // the port's own pause-too-long status
    device          // the device finds storms itself and sends notices
};

enum class Release : std::uint8_t {
    quiet,   // after `restore` without pause
    forced,  // `restore` after the mitigation, whatever the queue does
    manual   // only by an operator's order
};

std::string_view name(Criterion);
std::string_view name(Release);

// The name of an action in policy files: drop, forward, alert, lossless-off, squeeze, mute.
std::string_view action_name(Treatment);
std::optional<Treatment> action_from_name(std::string_view);

struct Policy {
    std::string name;  // its name in events
    Criterion criterion{};
    Treatment action{};  // none = alert only
    Release release{};
    Duration detect{};       // T0
    Duration restore{};      // T1
    Duration poll{};         // T2
    Duration probe{};        // after a release a shorter T0 applies first; zero = no half-open probe
    Duration backoff_max{};  // T1 doubles up to this while storms come back; zero = no back-off
    Duration latch_window{};
    std::uint32_t latch_count{};    // this many storms in the window latch the queue; zero = never, 1 = the first storm
    bool latch_across_reboot{};     // of a NIC: a reboot of its machine does not end the latch
    bool port_down_if_refused{};    // of a NIC that refuses to stop its pause: its port goes down
    std::uint32_t slack_ppm{};      // share of an interval that may lack pause time and still count as paused
    std::uint32_t floor_ppm{};      // sending less than this share of the line rate is no progress
    std::uint32_t leak{};           // progress: how many times faster the score falls than it rises
    bool needs_backlog{};           // an empty queue is no storm
    bool host_facing_only{};        // only ports whose peer is a server
    std::uint8_t priorities{0xff};  // bit p: queues of priority p are watched
    // Detection by the device, whose intervals may differ from T0 and T1 by what these allow; else petrel polls.
    std::uint32_t interval_tolerance{10};  // percent
    bool clip{};                           // intervals outside the device's range become its nearest ones
    bool operator==(const Policy&) const = default;
};

struct Bounds {
    std::int64_t least{};
    std::int64_t most{};
};

struct Preset {
    Policy policy;
    Bounds detect_ms;
    Bounds restore_ms;
    Bounds poll_ms;
    Treatments actions{};  // the actions that a policy may choose
    std::string_view about;
    bool in_hardware{};  // its detector also exists in hardware: a policy may leave detection to the device
};

std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);

// One parameter of a policy: its key in files (`detect_ms`; the flag is `--detect-ms`) and its description.
struct Parameter {
    std::string_view key;
    std::string_view about;
};
std::span<const Parameter> parameters();

// What is wrong with one parameter.
struct Problem {
    std::string key;
    std::string value;
    std::string allowed;
};

// Sets `key` from text ("400", "drop", "3,4", "true"). If there is a problem, the policy is unchanged.
std::optional<Problem> set_parameter(Policy&, const Preset&, std::string_view key, std::string_view value);

// The value of a parameter as text that set_parameter takes.
std::string parameter_text(const Policy&, std::string_view key);

// Checks parameters against each other: T0 and T1 not below T2, a latch window if storms are counted for the latch,
// probe not above T0, the back-off limit not below T1.
std::vector<Problem> check(const Policy&);

// Which policy watches which rows. Later assignments win. A row without an assignment is not watched.
struct Assignment {
    std::uint16_t policy{};             // index into policies
    std::optional<std::uint16_t> port;  // none = every port
    std::optional<Priority> priority;   // none = every priority of the policy
};

struct PolicyBook {
    std::vector<Policy> policies;
    std::vector<Assignment> assigned;
    std::uint32_t max_mitigated{};  // queues of this device mitigated at once; zero = no limit
    bool big_red_switch{};          // every watched queue is mitigated, whatever its counters show
};

}  // namespace petrel::watchdog
