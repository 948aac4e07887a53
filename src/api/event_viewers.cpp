#include "api/event_viewers.hpp"

#include <fmt/format.h>

#include <string>

#include "api/answers.hpp"
#include "api/routes.hpp"

namespace petrel::api {

namespace {

constexpr std::size_t kPage = 256;

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
    const auto page = manager_.store().events({{}, viewer.cursor, kPage});
    if (!page) {
        return;  // the next keep_alive() tries again
    }
    if (page->empty()) {
        viewer.behind = false;
        return;
    }
    std::string text;
    for (const auto& event : *page) {
        append_event(text, manager_, event);
    }
    viewer.cursor = page->back().cursor;
    put(viewer, std::make_shared<const std::string>(std::move(text)));
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
    const auto all = viewers_;  // put() and feed() remove
    for (const auto& viewer : all) {
        if (viewer->behind || !viewer->flow) {
            continue;
        }
        if (viewer->flow->empty()) {
            viewer->cursor = events.back().cursor;
            put(*viewer, shared);
        } else {
            viewer->behind = true;
            feed(*viewer);  // if the client took everything meanwhile
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
