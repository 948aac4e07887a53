#include "cli/demo_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "cli/demo_scenario.hpp"
#include "cli/terminal.hpp"
#include "cli/words.hpp"
#include "codec/event_json.hpp"
#include "codec/scenario_reader.hpp"
#include "lab/experiment.hpp"

namespace petrel::cli {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using twin::kMs;
using twin::Ps;

constexpr Ps kLook = 100 * kMs;  // how the fabric fares is told over so long

scenario::Scenario demo_scenario(bool watched)
{
    auto scenario = codec::read_scenario(kDemoScenario, "demo");
    PETREL_ASSERT(scenario.has_value(), "the demo's own scenario is none");
    if (!watched) {
        scenario->watches.clear();
    }
    return std::move(*scenario);
}

// The same fabric twice: nobody watches, then petrel does.
class Demo {
public:
    explicit Demo(const DemoOptions& options) : options_(options), paint_(stdout_wants_colour()) {}

    ExitCode run()
    {
        if (!options_.json) {
            write("Four leaves, two spines, sixteen hosts. Every host sends 100 Mb/s to a host behind the next leaf, "
                  "lossless,\nand three more send to h0. Then the NIC of h0 goes mad: it pauses its leaf and does not "
                  "stop.\n");
            tell_run("Nobody watches", false);
        }
        tell_run("Petrel watches every switch", true);
        return error_ ? fail(*error_) : ExitCode::ok;
    }

private:
    void tell_run(std::string_view title, bool watched)
    {
        auto made = lab::Experiment::make(demo_scenario(watched));
        PETREL_ASSERT(made.has_value(), "the demo's switches do not fit its policy");
        experiment_ = std::move(*made);
        started_ = steady_clock::now();
        delivered_.assign(experiment_->scenario().setup.flows.size(), 0);
        if (!options_.json) {
            write(fmt::format("\n{}\n", paint_.bold(title)));
        }
        const auto& storm = experiment_->scenario().faults.front();
        const auto begins = storm.at;
        const auto ends = std::get<scenario::StartStorm>(storm.what).storm.stop;
        look_at(300 * kMs);
        play_until(begins);
        tell("fabric", "the NIC of h0 goes mad: it pauses priority 3 and does not stop");
        look_at(600 * kMs);
        look_at(1'300 * kMs);
        play_until(ends);
        tell("fabric", "the NIC is reset: no more pause");
        look_at(experiment_->scenario().duration);
        if (!options_.json) {
            const auto summary = experiment_->summary();
            tell("fabric", fmt::format("lost {} of {} frames; the digest of this run is {:016x}",
                                       summary.totals.drops.total(), summary.totals.injected, summary.totals.digest));
        }
    }

    // Plays on until then, and says how everybody fared just before.
    void look_at(Ps when)
    {
        play_until(when - kLook);
        count();
        play_until(when);
        const auto moving = count();
        const auto line = fmt::format("{} of {} flows between other hosts move; h0 gets {:.0f} Mb/s", moving.others,
                                      moving.all_others, moving.to_h0_mbps);
        tell("fabric", moving.others == 0 ? paint_.red(line) : line);
    }

    struct Moving {
        std::size_t others{};  // flows neither from nor to h0 that delivered something
        std::size_t all_others{};
        double to_h0_mbps{};
    };

    Moving count()
    {
        Moving moving;
        const auto& flows = experiment_->scenario().setup.flows;
        for (std::uint32_t i = 0; i < flows.size(); ++i) {
            const auto now = experiment_->twin().flow(i).delivered;
            const auto frames = now - std::exchange(delivered_[i], now);
            if (flows[i].src.value == 0) {
                continue;  // what the mad NIC itself sends is nobody's business
            }
            if (flows[i].dst.value == 0) {
                moving.to_h0_mbps += static_cast<double>(8 * frames * flows[i].frame_bytes) / 1e6 /
                                     (static_cast<double>(kLook) / twin::kSecond);
            } else {
                ++moving.all_others;
                moving.others += frames != 0 ? 1 : 0;
            }
        }
        return moving;
    }

    void play_until(Ps end)
    {
        constexpr Ps kPiece = 10 * kMs;
        auto now = experiment_->twin().now();
        while (now < end && !error_ && !nobody_listens_) {
            now = std::min(now + kPiece, end);
            if (options_.realtime) {
                std::this_thread::sleep_until(started_ + twin::to_instant(now).time_since_epoch());
            }
            experiment_->run_until(now);
            tell_events();
        }
    }

    void tell_events()
    {
        for (const auto& [node, device, watchlist, event] : experiment_->news()) {
            if (options_.json) {
                write(codec::event_json(*event, *watchlist, device) + '\n');
                continue;
            }
            const auto line =
                fmt::format("{} {} {}: {}", name(event->kind), device, to_string(watchlist->inventory, event->target),
                            evidence_text(*event, *watchlist));
            tell(seconds_text(event->at), "petrel", begins_storm(event->kind) ? paint_.red(line) : paint_.green(line));
        }
    }

    void tell(std::string_view who, const std::string& what)
    {
        tell(seconds_text(twin::to_instant(experiment_->twin().now())), who, what);
    }
    void tell(const std::string& when, std::string_view who, const std::string& what)
    {
        if (!options_.json) {
            write(fmt::format("{:>8}  {:<8} {}\n", when, who, what));
        }
    }

    void write(const std::string& text)
    {
        if (const auto written = write_stdout(text); !written && !error_) {
            error_ = written.error();
        } else if (written && !*written) {
            nobody_listens_ = true;
        }
    }

    DemoOptions options_;
    Paint paint_;
    std::unique_ptr<lab::Experiment> experiment_;
    steady_clock::time_point started_;
    std::vector<std::uint64_t> delivered_;  // by flow, when last counted
    std::optional<Error> error_;
    bool nobody_listens_{};
};

}  // namespace

ExitCode run_demo(const DemoOptions& options) { return Demo(options).run(); }

}  // namespace petrel::cli
