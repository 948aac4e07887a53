#include "lab/manager_in_twin.hpp"

#include <fmt/format.h>

#include "base/assert.hpp"
#include "codec/manager/report_reader.hpp"

namespace petrel::lab {

namespace {

constexpr int kBad = 400;
constexpr int kConflict = 409;
constexpr int kUnavailable = 503;

runner::ManagerAnswer refusal(int status, const Error& why) { return {status, {}, why.what, {}}; }

}  // namespace

void ManagerInTwin::start(const Image& image)
{
    kill({});
    auto started = manager::Store::open_image(image).and_then([&](std::unique_ptr<manager::Store> store) {
        return manager::Manager::start(std::move(store), cables_, silent_after_);
    });
    PETREL_ASSERT(started, "a store that the lab made: {}", started.error().what);
    process_ = std::make_unique<Process>(std::move(*started), fmt::format("{}.{}", name_, ++starts_), silent_after_);
}

void ManagerInTwin::kill(const scenario::KillManager& how)
{
    if (how.when != scenario::KillManager::When::at_once) {
        dies_ = how.when;
        return;
    }
    stored_ = image();
    process_.reset();
    dies_ = {};
}

ManagerInTwin::Image ManagerInTwin::image() const
{
    return process_ ? process_->manager.store().image().value() : stored_;
}

void ManagerInTwin::take(const std::string& text, Now now)
{
    if (!process_) {
        waiting_.push_back({{}, {0, {}, "connection refused", {}}});
        return;
    }
    const auto report = codec::read_report(text);
    if (!report) {
        waiting_.push_back({{}, refusal(kBad, report.error())});
        return;
    }
    auto taken = process_->desk.take(*report, report->agent, now);
    waiting_.push_back(taken ? Waiting{std::move(*taken), {}} : Waiting{{}, refusal(kConflict, taken.error())});
    if (taken && dies_ == scenario::KillManager::When::taken) {
        kill({});
    }
}

std::vector<runner::ManagerAnswer> ManagerInTwin::answers(Now now)
{
    if (!process_) {
        return died();
    }
    const auto stored = process_->manager.commit();
    if (!waiting_.empty() && dies_ == scenario::KillManager::When::stored) {
        kill({});
        return died();
    }
    std::vector<runner::ManagerAnswer> all;
    for (auto& one : std::exchange(waiting_, {})) {
        all.push_back(!one.taken ? std::move(one.answer)
                      : !stored
                          ? refusal(kUnavailable, stored.error())
                          : runner::ManagerAnswer{
                                runner::ManagerAnswer::kGood, process_->desk.answer(*one.taken, now.wall), {}, {}});
    }
    return all;
}

// The connections end without an answer.
std::vector<runner::ManagerAnswer> ManagerInTwin::died()
{
    return std::vector<runner::ManagerAnswer>(std::exchange(waiting_, {}).size(), {0, {}, "connection lost", {}});
}

std::vector<manager::StoredEvent> ManagerInTwin::history(const std::string& device) const
{
    return process_->manager.store().events({.device = device, .after = 0, .limit = SIZE_MAX >> 1U}).value();
}

}  // namespace petrel::lab
