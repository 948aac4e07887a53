#include "swarm/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "swarm/crash_note.hpp"
#include "swarm/draw.hpp"

namespace petrel::swarm {

namespace {

using std::chrono::steady_clock;

Judged refused(const std::vector<Complaint>& complaints)
{
    Judged judged;
    judged.violations.push_back({std::string{kDrawOracle}, 0, "the scenario", to_text(complaints.front())});
    return judged;
}

}  // namespace

std::string command_of(std::uint64_t seed) { return fmt::format("petrel lab swarm --seed {} --runs 1", seed); }

Judged run(const Draft& draft, std::uint64_t most_hops)
{
    const auto scenario = codec::read_scenario(text_of(draft), "swarm.toml");
    if (!scenario) {
        return refused(scenario.error());
    }
    auto judged = run(*scenario, most_hops);
    return judged ? std::move(*judged) : refused(judged.error());
}

void run_campaign(const CampaignOptions& options, const std::function<bool(CampaignRun)>& told)
{
    const auto started = steady_clock::now();
    std::atomic<std::uint64_t> next{};
    std::atomic<bool> over{};
    std::mutex telling;
    std::uint64_t told_up_to = 0;
    std::map<std::uint64_t, CampaignRun> waiting;
    const auto work = [&] {
        for (auto i = next++; i < options.runs && !over; i = next++) {
            if (options.minutes && steady_clock::now() - started > *options.minutes) {
                return;
            }
            const CrashNote note{command_of(options.seed + i)};
            CampaignRun done{options.seed + i, draw(options.seed + i), {}};
            done.judged = run(done.draft);
            const std::lock_guard lock{telling};
            waiting.emplace(i, std::move(done));
            for (auto first = waiting.find(told_up_to); first != waiting.end() && !over;
                 first = waiting.find(++told_up_to)) {
                over = !told(std::move(first->second));
                waiting.erase(first);
            }
        }
    };
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    const auto jobs = std::min<std::uint64_t>(options.jobs != 0 ? options.jobs : cores, options.runs);
    std::vector<std::jthread> workers;
    for (std::uint64_t i = 0; i < jobs; ++i) {
        workers.emplace_back(work);
    }
}

}  // namespace petrel::swarm
