#include "reports/agent/control_problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/complaint_text.hpp"
#include "words/words.hpp"

namespace petrel::reports {
namespace {

using control::DeviceReport;
using control::StatusReport;
using DeviceCondition = DeviceReport::Condition;

void add_condition(const DeviceReport& device, std::vector<Problem>& problems)
{
    const auto add = [&](std::string_view what, std::string next) {
        const auto why = device.why.empty() ? "" : ": " + escaped(device.why);
        problems.push_back(
            {fmt::format("{} {}, for {}{}", escaped(device.name), what, age_text(device.condition_ms), why),
             {},
             std::move(next)});
    };
    switch (device.condition) {
    case DeviceCondition::not_answering:
        return add("does not answer", "nothing on it is watched until it does, and mitigated queues stay mitigated; "
                                      "look at the switch's own software");
    case DeviceCondition::failing:
        return add("fails", "the agent tries again; if that does not help, look at its driver and at the log");
    case DeviceCondition::stopped:
        return add("is not watched any more", "restart the agent: systemctl restart petrel-agent (on a server: "
                                              "petrel-host)");
    case DeviceCondition::opening:
    case DeviceCondition::starting: return add("is not watched yet", "wait; if it takes long, look at the log");
    case DeviceCondition::watching:
    case DeviceCondition::count_: break;
    }
}

void add_storms(const DeviceReport& device, std::vector<Problem>& problems)
{
    const auto name = escaped(device.name);
    const auto add = [&](std::uint32_t count, std::string_view what, std::string next,
                         std::string_view noun = "queue") {
        if (count != 0) {
            problems.push_back(
                {fmt::format("{} of {} {} {}", count_text(count, noun), name, count == 1 ? "is" : "are", what),
                 {},
                 std::move(next)});
        }
    };
    const auto which =
        fmt::format("which: petrel queues --stormed --device {0}; why: petrel explain QUEUE --device {0}", name);
    add(device.alerted, "in a storm that is not acted on", which + "; to act: petrel mitigate QUEUE");
    const auto held = std::min(device.held, device.latched);
    const auto nics = std::min(device.latched_nics, device.latched - held);
    add(device.latched - held - nics, "latched: mitigated until an operator releases it",
        which + "; once the cause is gone: petrel release QUEUE");
    add(nics, "latched: it sends no pause until it is repaired", which + "; once repaired: petrel host repaired QUEUE",
        "NIC");
    add(held, "held by an operator's order", which + "; to end it: petrel release QUEUE");
    const auto treated = device.mitigated - std::min(device.latched, device.mitigated);
    add(treated, "mitigated: the storm, or an order, is not over", which);
}

void add_unseen(const DeviceReport& device, bool of_a_nos, std::vector<Problem>& problems)
{
    constexpr std::size_t kNamed = 16;
    if (device.unseen.empty()) {
        return;
    }
    std::vector<std::string> details;
    for (const auto& [queue, why] : device.unseen) {
        if (details.size() == kNamed) {
            details.push_back(fmt::format("and {} more", device.unseen.size() - kNamed));
            break;
        }
        details.push_back(fmt::format("{}: {}", escaped(queue), escaped(why)));
    }
    problems.push_back(
        {fmt::format("{} of {} {} configured and cannot be watched", count_text(device.unseen.size(), "queue"),
                     escaped(device.name), device.unseen.size() == 1 ? "is" : "are"),
         std::move(details),
         of_a_nos ? "a storm there is not seen; correct the entry (pfcwd start), or look at the switch's log"
                  : "a storm there is not seen; the reason names what is missing"});
}

// A single late poll is normal; more than one in a hundred is a problem.
void add_lateness(const DeviceReport& device, std::string_view interval, std::vector<Problem>& problems)
{
    constexpr std::uint64_t kOneIn = 100;
    if (device.polls_missed > device.looks / kOneIn) {
        problems.push_back({fmt::format("{} of {} polls of {} were missed", device.polls_missed,
                                        device.polls_missed + device.looks, escaped(device.name)),
                            {},
                            fmt::format("storms are detected later than configured; looks take up to {}: set a longer "
                                        "{} or watch fewer queues",
                                        ms_text(std::chrono::microseconds{device.longest_look_us}), interval)});
    }
}

// If nothing is watched, the status must not look healthy. A device or a NOS that does not respond, and queues that
// cannot be watched, are problems of their own.
void add_idleness(const StatusReport& status, std::vector<Problem>& problems)
{
    const bool idle =
        std::any_of(status.devices.begin(), status.devices.end(),
                    [](const DeviceReport& device) { return device.condition == DeviceCondition::watching; }) &&
        std::all_of(status.devices.begin(), status.devices.end(),
                    [](const DeviceReport& device) { return device.watched == 0 && device.unseen.empty(); });
    if (idle && status.nos_trouble.empty()) {
        problems.push_back({"nothing is configured to be watched",
                            {},
                            status.nos.empty()
                                ? "add a [[policy]] for queues that are there (petrel config check FILE), then petrel "
                                  "reload"
                                : "to watch: pfcwd start; which ports have PFC: pfc show priority"});
    }
}

void add_configuration(const StatusReport& status, std::vector<Problem>& problems)
{
    if (!status.unknown_ports.empty()) {
        std::vector<std::string> details;
        std::ranges::transform(status.unknown_ports, std::back_inserter(details),
                               [](const auto& problem) { return escaped(problem); });
        problems.push_back({"the configuration names ports that no device has", std::move(details),
                            "nothing is watched there; correct the names, then petrel reload"});
    }
    for (const auto& why : status.idle_policies) {
        problems.push_back({escaped(why), {}, "it finds no storm; correct it, then petrel reload"});
    }
    if (status.red_switch) {
        problems.push_back({"the big red switch is on: every watched queue is mitigated",
                            {},
                            status.nos.empty()
                                ? "to end it: petrel red-switch off, or big_red_switch = false, petrel reload"
                                : "to end it: petrel red-switch off, or pfcwd big_red_switch disable"});
    }
    if (!status.reload.problems.empty()) {
        std::vector<std::string> details;
        std::transform(status.reload.problems.begin(), status.reload.problems.end(), std::back_inserter(details),
                       [](const auto& problem) { return escaped(problem); });
        problems.push_back({"the configuration was refused when it was last read; the one before is in force",
                            std::move(details), "correct the file (petrel config check FILE), then petrel reload"});
    }
}

void add_keeping(const StatusReport& status, std::vector<Problem>& problems)
{
    if (!status.nos_trouble.empty()) {
        problems.push_back({fmt::format("{}: {}", escaped(status.nos), escaped(status.nos_trouble)),
                            {},
                            "the last good configuration stays in force; without one nothing is watched"});
    }
    if (!status.state_error.empty()) {
        problems.push_back({"the agent's memory cannot be written: " + escaped(status.state_error),
                            {},
                            "until it can, a restart loses what happened since; look at the disk of state_dir"});
    }
    if (status.files_lost != 0) {
        problems.push_back({fmt::format("another process removed or replaced files of the agent {}, last: {}",
                                        status.files_lost == 1 ? "once" : fmt::format("{} times", status.files_lost),
                                        escaped(status.file_lost)),
                            {},
                            "find the program that does it (a cleanup job, a second installation); a restart of the "
                            "agent ends this message"});
    }
    if (status.log_lines_dropped != 0) {
        problems.push_back({fmt::format("the log has lost {}", count_text(status.log_lines_dropped, "line")),
                            {},
                            "the receiver of the log is too slow; petrel events has every event"});
    }
}

void add_manager(const StatusReport& status, std::vector<Problem>& problems)
{
    if (!status.manager) {
        return;
    }
    const auto& manager = *status.manager;
    if (!manager.connected) {
        problems.push_back(
            {fmt::format("the manager {} has not answered for {}: {}", escaped(manager.url), age_text(manager.since_ms),
                         escaped(manager.why)),
             {},
             fmt::format("the agent watches and acts without it; {} for it",
                         manager.waiting == 1 ? "1 event waits" : fmt::format("{} events wait", manager.waiting))});
    }
    if (manager.forgotten != 0) {
        problems.push_back({fmt::format("{} never reached the manager, last: {}",
                                        count_text(manager.forgotten, "event"), escaped(manager.forgotten_last)),
                            {},
                            "the agent's history was too short for the time without a manager: raise "
                            "agent.history_events; a restart of the agent ends this message"});
    }
}

}  // namespace

std::vector<Problem> problems_of(const StatusReport& status)
{
    std::vector<Problem> problems;
    if (status.devices.empty()) {
        problems.push_back({"no device is configured: nothing is watched",
                            {},
                            "add a [[device]] to the configuration (petrel config check FILE), then restart the agent: "
                            "systemctl restart petrel-agent"});
    }
    for (const auto& device : status.devices) {
        add_condition(device, problems);
        add_unseen(device, !status.nos.empty(), problems);
    }
    add_idleness(status, problems);
    add_configuration(status, problems);
    for (const auto& device : status.devices) {
        add_storms(device, problems);
    }
    add_keeping(status, problems);
    add_manager(status, problems);
    for (const auto& device : status.devices) {
        add_lateness(device, status.nos.empty() ? "poll_ms" : "pfcwd interval", problems);
    }
    return problems;
}

std::string condition_text(DeviceCondition condition)
{
    std::string text{control::name(condition)};
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

std::string age_text(std::int64_t ms)
{
    const auto seconds = ms / 1000;
    const auto minutes = seconds / 60;
    const auto hours = minutes / 60;
    if (hours >= 24) {
        return fmt::format("{} d {} h", hours / 24, hours % 24);
    }
    if (hours > 0) {
        return fmt::format("{} h {} min", hours, minutes % 60);
    }
    return minutes > 0 ? fmt::format("{} min {} s", minutes, seconds % 60) : fmt::format("{} s", seconds);
}

}  // namespace petrel::reports
