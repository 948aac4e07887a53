#include "runner/device_health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <utility>

#include "words/words.hpp"

namespace petrel::runner {

namespace {

// Limits the notes about one device, so that a device with many defects does not fill the disk.
constexpr std::size_t kMostNotes = 200;

// Another drift than the one reported is reported after this time.
constexpr Duration kDriftLasts = std::chrono::seconds{5};

// "Ethernet0:3, Ethernet0:4, and 62 more".
std::string names_text(const std::vector<std::string>& names)
{
    constexpr std::size_t kNamed = 16;
    const auto unnamed = names.size() - std::min(names.size(), kNamed);
    return fmt::format("{}{}", fmt::join(names | std::views::take(kNamed), ", "),
                       unnamed == 0 ? "" : fmt::format(", and {} more", unnamed));
}

}  // namespace

DeviceHealth::DeviceHealth(const Loop& loop, RunnerHost& host, std::string name)
    : loop_(loop), host_(host), name_(std::move(name)), condition_since_(loop.now().mono)
{}

bool DeviceHealth::list_unseen(std::map<std::string, std::string> now)
{
    if (now == unseen_) {
        return false;
    }
    const auto before = std::exchange(unseen_, std::move(now));
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const auto& [queue, why] : unseen_) {
        by_reason[why].push_back(queue);
    }
    for (const auto& [why, queues] : by_reason) {
        log(LogLevel::error, "queues_unseen",
            fmt::format("{} configured and cannot be watched: {}: {}",
                        queues.size() == 1 ? "1 queue is" : fmt::format("{} queues are", queues.size()),
                        names_text(queues), why));
    }
    if (unseen_.empty() && !before.empty()) {
        log(LogLevel::notice, "queues_seen", "every configured queue is watched again");
    }
    return true;
}

void DeviceHealth::become(Condition condition, std::string why)
{
    const bool same = condition == condition_;
    const bool news = !same || why != why_;
    const auto before = std::exchange(condition_, condition);
    const auto for_so_long = loop_.now().mono - condition_since_;
    why_ = std::move(why);
    if (!same) {
        condition_since_ = loop_.now().mono;
    }
    if (!news) {
        return;
    }
    switch (condition) {
    case Condition::failing: return log(LogLevel::error, "device_failing", why_);
    case Condition::not_answering: return log(LogLevel::error, "device_not_answering", why_);
    case Condition::watching:
        if (before == Condition::failing || before == Condition::not_answering) {
            return log(LogLevel::notice, "device_answers",
                       fmt::format("answers again after {}", seconds_text(for_so_long)));
        }
        return log(LogLevel::notice, "device_watched", "is watched: the first look was good");
    case Condition::stopped: return log(LogLevel::notice, "device_stopped", "is not watched any more");
    case Condition::opening: return log(LogLevel::warning, "device_waits", why_);
    case Condition::starting:
    case Condition::count_: return;
    }
}

void DeviceHealth::log(LogLevel level, std::string event, std::string message) const
{
    host_.log({level, std::move(event), name_, {}, std::move(message), {}});
}

// In whole percent, so that jitter is not reported as drift. While little pause was measured the estimate moves a lot,
// so it counts as changed only after it has differed for a while.
void DeviceHealth::follow_drift(const watchdog::StampDrift& drift)
{
    constexpr int kPpmPerPercent = 10'000;
    const auto ppm = drift.ppm().value_or(0);
    const int percent = (ppm + (ppm < 0 ? -1 : 1) * kPpmPerPercent / 2) / kPpmPerPercent;
    if (percent == drift_percent_) {
        drift_differs_since_.reset();
        return;
    }
    const auto now = loop_.now().mono;
    drift_differs_since_ = drift_differs_since_.value_or(now);
    if (now - *drift_differs_since_ < kDriftLasts) {
        return;
    }
    drift_differs_since_.reset();
    drift_percent_ = percent;
    drift_note_ = percent == 0 ? ""
                               : fmt::format("time stamps run {} % {} against the pause counters, measured on queues "
                                             "that are paused throughout; the pause times are corrected for it",
                                             std::abs(percent), percent > 0 ? "fast" : "slow");
    log(LogLevel::warning, "stamp_drift", percent == 0 ? "time stamps and pause counters agree again" : drift_note_);
}

// Logs each note once: a device that is opened again repeats its notes.
void DeviceHealth::note(const std::string& text)
{
    if (notes_.size() < kMostNotes && std::ranges::find(notes_, text) == notes_.end()) {
        notes_.push_back(text);
        log(LogLevel::warning, "device_note", text);
    }
}

void DeviceHealth::fill(control::DeviceReport& report) const
{
    report.condition = condition_;
    report.why = why_;
    report.condition_ms = whole_ms(loop_.now().mono - condition_since_);
    report.device_notes = notes_;
    if (!drift_note_.empty()) {
        report.device_notes.push_back(drift_note_);
    }
    for (const auto& [queue, why] : unseen_) {
        report.unseen.push_back({queue, why});
    }
}

}  // namespace petrel::runner
