// The agent as a service: the cost of watching alone, as a share of a core and in memory, with a device that costs
// nothing. It is a real service in its own process, in real time. Polls without storms are compared with the same polls
// without a service, one after the other. Many simultaneous storms are compared with few.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "agent/agent.hpp"
#include "alone.hpp"
#include "benches.hpp"
#include "daemon/process_surroundings.hpp"
#include "daemon/service.hpp"
#include "device/manual_clock.hpp"
#include "prepared_device.hpp"
#include "service_config.hpp"

namespace petrel::bench {

namespace {

constexpr std::uint64_t kWarmUp = 10;  // polls
constexpr std::uint64_t kPolls = 40;
constexpr std::uint64_t kStormPolls = 120;  // two seconds of storm, two until it is restored, and some time to finish
constexpr int kRounds = 3;
constexpr std::uint32_t kSwitch = 512 * kPriorities;
constexpr std::uint32_t kLarge = 1U << 16U;
constexpr double kMemory_mb = 64;
constexpr double kStormRatio = 2;

struct Figures {
    double cpu_s{};  // of all measured polls, without the time of the device
    double device_cpu_s{};
    double wall_s{};
    double peak_rss_mb{};
    double writes{};
};

double wall_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Figures figures_now(const PreparedDevice& device)
{
    return {process_cpu_s() - device.own_cpu_s(), device.own_cpu_s(), wall_s(), 0,
            static_cast<double>(device.writes())};
}

Figures as_service(const PreparedDevice::Work& work, std::uint64_t polls)
{
    const auto folder = new_folder();
    Figures figures;
    PreparedDriver driver{work, [&](const PreparedDevice& device) {
                              const auto now = figures_now(device);
                              if (device.looks() == kWarmUp) {
                                  figures = now;
                              } else if (device.looks() == kWarmUp + polls) {
                                  figures = {now.cpu_s - figures.cpu_s, now.device_cpu_s - figures.device_cpu_s,
                                             now.wall_s - figures.wall_s, 0, now.writes - figures.writes};
                                  ::kill(::getpid(), SIGTERM);
                              }
                          }};
    const auto around = daemon::ProcessSurroundings::make();
    PETREL_ASSERT(around, "{}", around.error().what);
    auto service = daemon::Service::make(service_config(folder), {{}, {&driver}, "bench", {}}, **around);
    PETREL_ASSERT(service, "{}", service.error().what);
    static_cast<void>((*around)->run(**service));  // storms may still go on: not all queues are restored in time
    service->reset();
    std::filesystem::remove_all(folder);
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    figures.peak_rss_mb = static_cast<double>(usage.ru_maxrss) / 1024;
    return figures;
}

// The same looks and decisions without waiting: caches stay warm, and no thread wakes another.
Figures as_loop(const PreparedDevice::Work& work)
{
    device::ManualClock clock;
    PreparedDevice device{work, clock, [](const PreparedDevice&) {}};
    watchdog::Intake intake{device.inventory(), device.capabilities()};
    agent::Output output;
    agent::Agent agent{watchlist(work.rows, work.signal), {}, clock.now(), output};
    Figures before;
    for (std::uint64_t poll = 0; poll != kWarmUp + kPolls; ++poll) {
        if (poll == kWarmUp) {
            before = figures_now(device);
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
    auto figures = figures_now(device);
    figures.cpu_s -= before.cpu_s;
    return figures;
}

Figures least(const std::vector<Figures>& rounds)
{
    return *std::min_element(rounds.begin(), rounds.end(),
                             [](const Figures& a, const Figures& b) { return a.cpu_s < b.cpu_s; });
}

void measure_calm(Report& report, const PreparedDevice::Work& work, double most_percent, std::optional<Goal> memory)
{
    std::vector<Figures> services;
    std::vector<Figures> loops;
    for (int round = 0; round != kRounds; ++round) {
        services.push_back(run_alone([&] { return as_service(work, kPolls); }));
        loops.push_back(run_alone([&] { return as_loop(work); }));
    }
    const auto best = least(services);
    const auto loop = least(loops);
    constexpr double kToUs = 1e6 / static_cast<double>(kPolls);
    report.metric("core_percent", 100 * best.cpu_s / best.wall_s, at_most(most_percent));
    report.metric("peak_rss_mb", best.peak_rss_mb, memory);
    report.metric("us_per_poll", best.cpu_s * kToUs);
    report.metric("loop_us_per_poll", loop.cpu_s * kToUs);
    report.metric("ratio_to_loop", best.cpu_s / loop.cpu_s);
    report.metric("device_us_per_poll", best.device_cpu_s * kToUs);
    report.metric("polls_per_s", static_cast<double>(kPolls) / best.wall_s);
}

// The cost of one storm must not grow with the number of storms.
void measure_storms(Report& report, std::uint32_t few, std::uint32_t many)
{
    const auto with = [](std::uint32_t storms) {
        return run_alone([&] {
            return as_service({kSwitch, PauseSignal::counter, storms, kWarmUp + 2, kWarmUp + 22}, kStormPolls);
        });
    };
    const auto calm = with(0);
    const auto some = with(few);
    const auto best = with(many);
    const auto per_storm = [&](const Figures& f, std::uint32_t storms) { return (f.cpu_s - calm.cpu_s) / storms; };
    report.metric("us_per_storm", 1e6 * per_storm(best, many));
    report.metric("ratio_to_few", per_storm(best, many) / per_storm(some, few), at_most(kStormRatio));
    report.metric("writes_per_storm", best.writes / many, at_most(2));
    report.metric("peak_rss_mb", best.peak_rss_mb, at_most(kMemory_mb));
    report.metric("polls_per_s", static_cast<double>(kStormPolls) / best.wall_s);
}

}  // namespace

std::vector<Bench> agent_benches()
{
    std::vector<Bench> all;
    for (const auto signal : {PauseSignal::state, PauseSignal::counter}) {
        all.push_back({fmt::format("agent/{}/{}", kSwitch, name(signal)),
                       [=](Report& report) { measure_calm(report, {kSwitch, signal}, 2, at_most(kMemory_mb)); }});
        all.push_back({fmt::format("agent/{}/{}", kLarge, name(signal)),
                       [=](Report& report) { measure_calm(report, {kLarge, signal}, 10, std::nullopt); }});
    }
    constexpr std::uint32_t kFew = 16;
    constexpr std::uint32_t kMany = 512;
    all.push_back({fmt::format("agent/{}/storms/{}", kSwitch, kMany),
                   [=](Report& report) { measure_storms(report, kFew, kMany); }});
    return all;
}

}  // namespace petrel::bench
