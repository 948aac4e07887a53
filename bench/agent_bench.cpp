// The agent as a service: what watching costs by itself, as a share of a core and in memory, with a device that costs
// nothing. A real service in a process of its own, in real time; next to it the same polls without a service around
// them, one after the other.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "agent/agent.hpp"
#include "alone.hpp"
#include "base/complaint_text.hpp"
#include "benches.hpp"
#include "daemon/service.hpp"
#include "device/manual_clock.hpp"
#include "prepared_device.hpp"

namespace petrel::bench {

namespace {

constexpr std::uint64_t kWarmUp = 10;  // polls
constexpr std::uint64_t kPolls = 40;
constexpr int kRounds = 3;

struct Figures {
    double cpu_s{};  // of all polls that are measured, without the device's own,
    double device_cpu_s{};
    double wall_s{};
    double peak_rss_mb{};
};

double wall_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

codec::AgentConfig config(const std::filesystem::path& folder)
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
name = "sw"
driver = "bench:prepared"
[[policy]]
preset = "sonic"
priorities = [0, 1, 2, 3, 4, 5, 6, 7]
)",
                                  folder.string());
    constexpr std::array<std::string_view, 1> kKinds{"bench"};
    auto read = codec::read_agent_config(text, "bench.toml", {}, kKinds);
    PETREL_ASSERT(read, "{}", to_text(read.error().front()));
    return std::move(*read);
}

Figures as_service(std::uint32_t rows, Tells tells)
{
    auto pattern = (std::filesystem::temp_directory_path() / "petrel-bench-XXXXXX").string();
    const std::filesystem::path folder{::mkdtemp(pattern.data())};
    Figures figures;
    PreparedDriver driver{rows, tells, [&](std::uint64_t looks, double device_cpu_s) {
                              const Figures now{process_cpu_s(), device_cpu_s, wall_s(), 0};
                              if (looks == kWarmUp) {
                                  figures = now;
                              } else if (looks == kWarmUp + kPolls) {
                                  figures.device_cpu_s = now.device_cpu_s - figures.device_cpu_s;
                                  figures.cpu_s = now.cpu_s - figures.cpu_s - figures.device_cpu_s;
                                  figures.wall_s = now.wall_s - figures.wall_s;
                                  ::kill(::getpid(), SIGTERM);
                              }
                          }};
    auto service = daemon::Service::make(config(folder), {{}, {&driver}, "bench", {}});
    PETREL_ASSERT(service, "{}", to_text(service.error().front()));
    const auto ran = (*service)->run();
    PETREL_ASSERT(ran, "{}", ran.error().what);
    service->reset();
    std::filesystem::remove_all(folder);
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    figures.peak_rss_mb = static_cast<double>(usage.ru_maxrss) / 1024;
    return figures;
}

// The same looks and the same decisions, with nobody to wait for: caches stay warm, and no thread wakes another.
Figures as_loop(std::uint32_t rows, Tells tells)
{
    device::ManualClock clock;
    double device_cpu_s = 0;
    PreparedDevice device{rows, tells, clock, [&](std::uint64_t, double own) { device_cpu_s = own; }};
    watchdog::Intake intake{device.inventory(), device.capabilities()};
    agent::Output output;
    agent::Agent agent{watchlist(rows, tells), {}, clock.now(), output};
    Figures figures;
    for (std::uint64_t poll = 0; poll != kWarmUp + kPolls; ++poll) {
        if (poll == kWarmUp) {
            figures.cpu_s = -process_cpu_s();
            figures.device_cpu_s = -device_cpu_s;
        }
        PETREL_ASSERT(output.look, "no look at poll {}", poll);
        const auto look = output.look->look;
        intake.begin();
        PETREL_ASSERT(device.look({}, intake), "a look failed");
        output.clear();
        agent.step(agent::LookDone{look, &intake.view()}, clock.now(), output);
        clock.set(output.wake);
        output.clear();
        agent.step(agent::Tick{}, clock.now(), output);
    }
    figures.device_cpu_s += device_cpu_s;
    figures.cpu_s += process_cpu_s() - figures.device_cpu_s;
    return figures;
}

void measure_agent(Report& report, std::uint32_t rows, Tells tells, double most_percent, std::optional<Goal> memory)
{
    std::vector<Figures> services;
    std::vector<Figures> loops;
    for (int round = 0; round != kRounds; ++round) {
        services.push_back(run_alone([&] { return as_service(rows, tells); }));
        loops.push_back(run_alone([&] { return as_loop(rows, tells); }));
    }
    const auto less = [](const Figures& a, const Figures& b) { return a.cpu_s < b.cpu_s; };
    const auto& best = *std::min_element(services.begin(), services.end(), less);
    const auto& loop = *std::min_element(loops.begin(), loops.end(), less);
    constexpr double kToUs = 1e6 / static_cast<double>(kPolls);
    report.metric("core_percent", 100 * best.cpu_s / best.wall_s, at_most(most_percent));
    report.metric("peak_rss_mb", best.peak_rss_mb, memory);
    report.metric("us_per_poll", best.cpu_s * kToUs);
    report.metric("loop_us_per_poll", loop.cpu_s * kToUs);
    report.metric("ratio_to_loop", best.cpu_s / loop.cpu_s);
    report.metric("device_us_per_poll", best.device_cpu_s * kToUs);
    report.metric("polls_per_s", static_cast<double>(kPolls) / best.wall_s);
}

}  // namespace

std::vector<Bench> agent_benches()
{
    std::vector<Bench> all;
    for (const auto tells : {Tells::state, Tells::counter}) {
        all.push_back({fmt::format("agent/4096/{}", name(tells)),
                       [=](Report& report) { measure_agent(report, 1U << 12U, tells, 2, at_most(64)); }});
        all.push_back({fmt::format("agent/65536/{}", name(tells)),
                       [=](Report& report) { measure_agent(report, 1U << 16U, tells, 10, std::nullopt); }});
    }
    return all;
}

}  // namespace petrel::bench
