#include "demo/act.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/assert.hpp"
#include "codec/scenario/reader.hpp"
#include "demo/status.hpp"
#include "demo/story.hpp"
#include "reports/lab_judgement.hpp"

namespace petrel::demo {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using twin::kMs;
using twin::Ps;

std::unique_ptr<lab::Experiment> experiment_of(const Plan& plan)
{
    auto made = lab::Experiment::make(scenario_of(plan));
    PETREL_ASSERT(made.has_value(), "the demo's switches do not fit its policy");
    return std::move(*made);
}

constexpr std::size_t kTextAt = 20;  // the column of the text, behind time and rate

bool is_news(const StoryLine& line) { return line.tone != StoryLine::Tone::plain; }

// Simulated time runs slowly while something changes, and faster while nothing does.
class Pace {
public:
    explicit Pace(bool on) : on_(on) {}

    void something_happens(Ps now) { slow_until_ = now + kSlowFor; }
    double slower_than_life() const { return std::chrono::duration<double>(takes_) / 1ms; }
    bool is_time_to_draw()
    {
        const auto now = steady_clock::now();
        const bool is_time = now - drawn_ >= kDrawEvery;
        drawn_ = is_time ? now : drawn_;
        return is_time;
    }

    // Waits until the next simulated millisecond is due.
    void wait(Ps now)
    {
        takes_ = now < slow_until_ ? kSlow : kFast;
        if (on_) {
            next_ += takes_;
            std::this_thread::sleep_until(next_);
        }
    }

private:
    static constexpr auto kSlow = 120ms;  // wall time for one simulated millisecond
    static constexpr auto kFast = 10ms;
    static constexpr auto kDrawEvery = 100ms;
    static constexpr Ps kSlowFor = 16 * kMs;

    bool on_{};
    steady_clock::duration takes_{kFast};
    Ps slow_until_{};
    steady_clock::time_point next_{steady_clock::now()};
    steady_clock::time_point drawn_;
};

class Act {
public:
    Act(const Plan& plan, const ActOptions& options, Screen& screen, const Paint& paint)
        : plan_(plan), options_(options), screen_(screen), paint_(paint), experiment_(experiment_of(plan))
    {}

    ActDone play()
    {
        const auto end = experiment_->scenario().duration;
        FabricNow now;
        while (now.at < end && screen_.has_reader()) {
            experiment_->run_until(now.at + kMs);
            const auto before = std::exchange(now, watch_.look());
            auto lines = story_.update(now, experiment_->new_events());
            if (now.at == end) {
                lines.push_back(story_.ending(now));
            }
            if (now.ports_paused != before.ports_paused || std::any_of(lines.begin(), lines.end(), is_news)) {
                pace_.something_happens(now.at);
            }
            show(now, lines);
            if (now.at == (options_.score_at != 0 ? options_.score_at : end)) {
                done_.score = now;
            }
            pace_.wait(now.at);
        }
        screen_.keep();
        done_.full_speed_at = story_.full_speed_at();
        done_.healthy_flows = watch_.healthy_flows();
        done_.report = report();
        return std::move(done_);
    }

private:
    void show(const FabricNow& now, const std::vector<StoryLine>& lines)
    {
        for (const auto& line : lines) {
            screen_.print(text_of(line, now), kTextAt);
        }
        if (screen_.live() && (pace_.is_time_to_draw() || !lines.empty())) {
            screen_.show(status_text(now, watch_, *experiment_, pace_.slower_than_life(), paint_));
        }
    }

    std::string text_of(const StoryLine& line, const FabricNow& now) const
    {
        const auto rate = line.at ? std::string{} : fmt::format("{:.2f} Gb/s", now.healthy_bps / 1e9);
        const auto seconds =
            std::chrono::duration<double>(line.at.value_or(twin::to_instant(now.at)).time_since_epoch());
        const auto text = line.tone == StoryLine::Tone::bad    ? paint_.red(line.text)
                          : line.tone == StoryLine::Tone::good ? paint_.green(line.text)
                                                               : line.text;
        return fmt::format("{:.3f} s  {:9}  {}\n", seconds.count(), rate, text);
    }

    reports::ReportedRun report() const
    {
        const std::string file{plan_.file};
        auto outcome = outcome_of(*experiment_, judge_);
        auto summary = reports::summary_line(file, {}, outcome, steady_clock::now() - started_);
        return {file,
                {},
                fmt::format("petrel lab run {}", file),
                std::make_shared<const scenario::Scenario>(experiment_->scenario()),
                std::move(outcome),
                recording_.take(),
                std::move(summary)};
    }

    const Plan& plan_;
    ActOptions options_;
    Screen& screen_;
    const Paint& paint_;
    std::unique_ptr<lab::Experiment> experiment_;
    lab::Judge judge_{*experiment_};
    lab::Recording recording_{*experiment_, experiment_->scenario().duration};
    FabricWatch watch_{*experiment_};
    Story story_{*experiment_, watch_};
    steady_clock::time_point started_{steady_clock::now()};
    Pace pace_{options_.paced};
    ActDone done_;
};

}  // namespace

scenario::Scenario scenario_of(const Plan& plan)
{
    auto scenario = codec::read_scenario(plan.text, plan.file);
    PETREL_ASSERT(scenario.has_value(), "the demo's own scenario is invalid");
    return std::move(*scenario);
}

ActDone play(const Plan& plan, const ActOptions& options, Screen& screen, const Paint& paint)
{
    return Act{plan, options, screen, paint}.play();
}

}  // namespace petrel::demo
