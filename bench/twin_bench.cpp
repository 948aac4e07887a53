// The twin: frames delivered over links per second. Runs that are compared take turns, each in its own process, and
// only the event loop is timed. All runs of the same work must give the same result for any number of threads.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>

#include "alone.hpp"
#include "benches.hpp"
#include "twin/twin.hpp"
#include "twin_work.hpp"

namespace petrel::bench {

namespace {

constexpr int kTwinRounds = 7;
constexpr twin::NodeId kStorming{0};

struct TwinFigures {
    double cpu_s{};
    double wall_s{};
    double peak_rss_mb{};
    std::uint64_t data_packet_hops{};
    twin::Totals totals;

    double per_cpu_s() const { return static_cast<double>(totals.packet_hops) / cpu_s; }
};

struct Run {
    TwinWork work;
    unsigned threads{};
};

struct Goals {
    std::optional<Goal> per_cpu_s{};
    std::optional<Goal> peak_rss_mb{};
    std::optional<Goal> wall_s{};
};

// The number of data frames sent by switches. Frames have two sizes here, so it follows from the counts of frames and
// bytes.
std::uint64_t data_packet_hops(const twin::Twin& twin)
{
    const auto& setup = twin.setup();
    const std::uint64_t data_bytes = setup.flows.front().frame_bytes;
    const std::uint64_t ack_bytes = setup.nic_profiles.front().ack_bytes;
    std::uint64_t hops = 0;
    for (std::uint32_t i = 0; i != setup.flows.size(); ++i)
        hops += twin.flow(i).sent;  // the first link; there are no retransmissions in a lossless class
    for (std::uint32_t id = 0; id != setup.topology.nodes.size(); ++id) {
        if (!twin.is_switch(twin::NodeId{id}))
            continue;
        const auto view = twin.switch_view(twin::NodeId{id});
        for (std::uint8_t port = 0; port != view.ports(); ++port) {
            const auto sent = view.queue(port, 3, twin.now());
            hops += (sent.tx_bytes - sent.tx_packets * ack_bytes) / (data_bytes - ack_bytes);
        }
    }
    return hops;
}

TwinFigures measure(const Run& run)
{
    const auto built = twin::Twin::build(setup_of(run.work, run.threads));
    PETREL_ASSERT(built, "{}", built.error().what);
    twin::Twin& twin = **built;
    if (run.work.frozen) {
        const twin::Storm storm{.priorities = 1U << 3U,
                                .period = 150 * twin::kUs};  // less than half of the pause time of a frame
        twin.at(kStorming, 0, [&twin, storm](twin::Ps now) { twin.nic_view(kStorming).start_storm(storm, now); });
    }

    TwinFigures figures;
    const auto wall = std::chrono::steady_clock::now();
    const auto cpu = std::clock();
    if (run.work.frozen)
        twin.run_until(twin::kSecond);
    else
        twin.run_until_flows_finish(twin::kSecond);
    figures.cpu_s = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    figures.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();

    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    figures.peak_rss_mb = static_cast<double>(usage.ru_maxrss) / 1024;
    figures.data_packet_hops = data_packet_hops(twin);
    figures.totals = twin.totals();
    return figures;
}

// Indexed by run, then by round.
std::vector<std::vector<TwinFigures>> in_rounds(const std::vector<Run>& runs)
{
    std::vector<std::vector<TwinFigures>> all(runs.size());
    for (int round = 0; round != kTwinRounds; ++round) {
        for (std::size_t i = 0; i != runs.size(); ++i) {
            all[i].push_back(run_alone([&] { return measure(runs[i]); }));
            PETREL_ASSERT(all[i].back().totals.digest == all[i].front().totals.digest, "two runs of {} differ",
                          runs[i].work.name);
        }
    }
    return all;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Figures of the fastest round; the median shows the effect of other load on the machine.
void report_run(Report& report, const std::vector<TwinFigures>& rounds, const Goals& goals)
{
    const TwinFigures& best =
        *std::min_element(rounds.begin(), rounds.end(), [](const auto& a, const auto& b) { return a.cpu_s < b.cpu_s; });
    std::vector<double> speeds;
    speeds.reserve(rounds.size());
    for (const TwinFigures& each : rounds)
        speeds.push_back(each.per_cpu_s());
    const auto& totals = best.totals;
    report.metric("packet_hops_per_cpu_s", best.per_cpu_s(), goals.per_cpu_s);
    report.metric("packet_hops_per_cpu_s_median", median(speeds));
    report.metric("packet_hops", static_cast<double>(totals.packet_hops));
    if (totals.last_ack != 0) {  // in a frozen fabric no flow finishes
        report.metric("data_packet_hops", static_cast<double>(best.data_packet_hops));
        report.metric("last_ack_us", static_cast<double>(totals.last_ack) / static_cast<double>(twin::kUs));
    }
    report.metric("events", static_cast<double>(totals.events));
    report.metric("drops", static_cast<double>(totals.drops.total()));
    report.metric("peak_rss_mb", best.peak_rss_mb, goals.peak_rss_mb);
    report.metric("cpu_s", best.cpu_s);
    report.metric("wall_s", best.wall_s, goals.wall_s);
    report.metric("cpu_per_wall", best.cpu_s / best.wall_s);
    report.text("digest", fmt::format("{:016x}", totals.digest));
}

// The median over all rounds of the speed ratio to the other run of the same round.
double median_ratio(const std::vector<TwinFigures>& rounds, const std::vector<TwinFigures>& others,
                    double (*speed)(const TwinFigures&))
{
    std::vector<double> ratios;
    ratios.reserve(rounds.size());
    for (std::size_t i = 0; i != rounds.size(); ++i)
        ratios.push_back(speed(rounds[i]) / speed(others[i]));
    return median(ratios);
}

void one_thread(Report& report, const TwinWork& work, const Goals& goals)
{
    report_run(report, in_rounds({{work, 1}})[0], goals);
}

void two_threads(Report& report, const TwinWork& work, std::optional<Goal> speedup)
{
    const auto rounds = in_rounds({{work, 2}, {work, 1}});
    PETREL_ASSERT(rounds[0][0].totals.digest == rounds[1][0].totals.digest, "{} depends on its threads", work.name);
    report_run(report, rounds[0], {});
    report.metric("speedup_to_1", median_ratio(rounds[0], rounds[1], [](const TwinFigures& f) { return 1 / f.wall_s; }),
                  speedup);
}

void large(Report& report)
{
    const auto rounds = in_rounds({{perm1024(), 1}, {perm128(), 1}});
    report_run(report, rounds[0], {});
    report.metric("hop_speed_to_perm128",
                  median_ratio(rounds[0], rounds[1], [](const TwinFigures& f) { return f.per_cpu_s(); }),
                  at_least(0.5));
}

}  // namespace

std::vector<Bench> twin_benches()
{
    const Goals fast{.per_cpu_s = at_least(15e6), .peak_rss_mb = at_most(40)};
    return {
        {"twin/perm128/1", [=](Report& report) { one_thread(report, perm128(), fast); }},
        {"twin/perm128/2", [](Report& report) { two_threads(report, perm128(), at_least(1.6)); }},
        {"twin/incast64/1", [=](Report& report) { one_thread(report, incast64(), fast); }},
        {"twin/incast64/2", [](Report& report) { two_threads(report, incast64(), {}); }},
        {"twin/perm1024/1", large},
        {"twin/perm1024/2", [](Report& report) { two_threads(report, perm1024(), {}); }},
        {"twin/frozen/1", [](Report& report) { one_thread(report, frozen(), {.wall_s = at_most(0.5)}); }},
        {"twin/frozen/2", [](Report& report) { two_threads(report, frozen(), {}); }},
    };
}

}  // namespace petrel::bench
