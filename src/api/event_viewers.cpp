#include "api/event_viewers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "api/answers.hpp"
#include "api/routes.hpp"

namespace petrel::api {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPage = 256;  // events
constexpr std::size_t kPagesKept = 64;
constexpr std::int64_t kBytesPerS = std::int64_t{32} << 20U;  // while reports arrive
constexpr std::int64_t kMostBytesLeft = std::int64_t{8} << 20U;
constexpr Duration kMostSaved = 1s;  // for which unused bytes are kept
constexpr int kShareOfTime = 19;     // pages take a twentieth of the loop's time
constexpr Duration kFeedEvery = 5ms;
constexpr Duration kBusyFor = 1s;

void append_event(std::string& text, const manager::Manager& manager, const manager::StoredEvent& event)
{
    text += fmt::format("id: {}\ndata: {}\n\n", event.cursor, shown_event(manager, event));
}

}  // namespace

http::Answer EventViewers::add(std::int64_t cursor)
{
    std::erase_if(viewers_, [](const auto& one) { return !one->flow && one.use_count() == 1; });  // left early
    if (viewers_.size() >= kMost) {
        return problem(kUnavailable, fmt::format("{} clients follow the events: allowed {}", viewers_.size(), kMost));
    }
    auto viewer = std::make_shared<Viewer>();
    viewer->cursor = cursor;
    viewers_.push_back(viewer);
    http::Answer answer{kOk, "text/event-stream", ": events\n\n", {{"Cache-Control", "no-store"}}};
    answer.streams = [this, viewer](std::shared_ptr<http::Outflow> flow) {
        loop_.post([this, viewer, flow = std::move(flow)] {
            viewer->flow = flow;
            feed(*viewer);
        });
    };
    answer.drained = [this, weak = std::weak_ptr{viewer}] {
        const auto drained = weak.lock();
        if (drained && drained->behind) {
            loop_.post([this, drained] {
                if (drained->flow) {
                    feed(*drained);
                }
            });
        }
    };
    return answer;
}

// Gives the next page of the store, or lets publish() give the next events.
void EventViewers::feed(Viewer& viewer)
{
    if (!viewer.behind || !viewer.flow->empty()) {
        return;
    }
    if (!may_feed()) {
        return feed_later();
    }
    const auto begin = loop_.now().mono;
    const auto* page = page_after(viewer.cursor);
    if (page == nullptr) {
        return;  // the next keep_alive() tries again
    }
    if (page == &nothing_) {
        viewer.behind = false;
        return;
    }
    viewer.cursor = page->last;
    const auto text = page->text;
    put(viewer, text);
    spend(text->size(), loop_.now().mono - begin);
}

// Null: the store cannot be read.
const EventViewers::Page* EventViewers::page_after(std::int64_t cursor)
{
    const auto known = std::ranges::find(pages_, cursor, &Page::after);
    if (known != pages_.end()) {
        return &*known;
    }
    const auto events = manager_.store().events({{}, cursor, kPage});
    if (!events) {
        return nullptr;
    }
    std::string text;
    for (const auto& event : *events) {
        append_event(text, manager_, event);
    }
    if (events->empty()) {
        return &nothing_;
    }
    pages_.push_back({cursor, events->back().cursor, std::make_shared<const std::string>(std::move(text))});
    if (pages_.size() > kPagesKept) {
        pages_.pop_front();
    }
    return &pages_.back();
}

bool EventViewers::may_feed()
{
    const auto now = loop_.now().mono;
    const auto more = std::min<Duration>(now - refilled_, kMostSaved);
    bytes_left_ = std::min(bytes_left_ + more.count() * kBytesPerS / Duration{1s}.count(), kMostBytesLeft);
    refilled_ = now;
    return now >= busy_until_ || (bytes_left_ > 0 && now >= next_page_);
}

void EventViewers::spend(std::size_t bytes, Duration time)
{
    bytes_left_ = std::max(bytes_left_ - static_cast<std::int64_t>(bytes), -kMostBytesLeft);
    next_page_ = loop_.now().mono + kShareOfTime * time;
}

void EventViewers::feed_later()
{
    if (!std::exchange(feed_planned_, true)) {
        loop_.at(loop_.now().mono + kFeedEvery, [this] {
            feed_planned_ = false;
            feed_all();
        });
    }
}

// The client that was fed last is the last one the next time.
void EventViewers::feed_all()
{
    const auto all = viewers_;
    for (const auto& viewer : all) {
        if (!viewer->behind || !viewer->flow || !viewer->flow->empty()) {
            continue;
        }
        if (!may_feed()) {
            return feed_later();
        }
        feed(*viewer);
        const auto at = std::ranges::find(viewers_, viewer);
        if (at != viewers_.end()) {
            viewers_.splice(viewers_.end(), viewers_, at);
        }
    }
}

void EventViewers::put(Viewer& viewer, std::shared_ptr<const std::string> text)
{
    if (!viewer.flow->put(std::move(text))) {
        viewers_.remove_if([&](const auto& one) { return one.get() == &viewer; });
    }
}

void EventViewers::publish(const std::vector<manager::StoredEvent>& events)
{
    if (events.empty() || viewers_.empty()) {
        return;
    }
    std::string text;
    for (const auto& event : events) {
        append_event(text, manager_, event);
    }
    const auto shared = std::make_shared<const std::string>(std::move(text));
    static_cast<void>(may_feed());
    busy_until_ = loop_.now().mono + kBusyFor;
    const auto all = viewers_;  // put() removes
    for (const auto& viewer : all) {
        if (viewer->behind || !viewer->flow) {
            continue;
        }
        if (viewer->flow->empty() && bytes_left_ > 0) {
            viewer->cursor = events.back().cursor;
            put(*viewer, shared);
            bytes_left_ -= static_cast<std::int64_t>(shared->size());
        } else {
            viewer->behind = true;
            feed_later();
        }
    }
}

void EventViewers::keep_alive()
{
    const auto comment = std::make_shared<const std::string>(": still here\n\n");
    const auto all = viewers_;
    for (const auto& viewer : all) {
        if (viewer->flow && viewer->flow->empty()) {
            put(*viewer, comment);
            feed(*viewer);
        }
    }
}

}  // namespace petrel::api
