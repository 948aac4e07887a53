// The clients of /api/v1/events/stream. Each gets all events behind its cursor once, in the order of cursors: new ones
// directly, those that it missed or was too slow for from the store. So a slow client costs no memory. While reports
// arrive, clients get a bounded share of the loop's time and of the server's bytes: many of them fall behind rather
// than delay reports. All calls are made in the loop's thread. The object outlives the server.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "http/exchange.hpp"
#include "manager/manager.hpp"
#include "runner/loop.hpp"

namespace petrel::api {

class EventViewers {
public:
    static constexpr std::size_t kMost = 512;

    EventViewers(runner::Loop& loop, const manager::Manager& manager) : loop_(loop), manager_(manager) {}

    // The stream of the events behind `cursor`; a problem if there are too many clients.
    http::Answer add(std::int64_t cursor);
    void publish(const std::vector<manager::StoredEvent>&);
    void keep_alive();  // finds out which clients are gone
    std::size_t count() const { return viewers_.size(); }

private:
    struct Viewer {
        std::int64_t cursor{};
        std::atomic<bool> behind{true};  // gets its next events from the store
        std::shared_ptr<http::Outflow> flow;
    };
    // Events of the store as they are sent. Clients that follow each other share them.
    struct Page {
        std::int64_t after{};
        std::int64_t last{};
        std::shared_ptr<const std::string> text;
    };

    const Page* page_after(std::int64_t cursor);
    void feed(Viewer&);
    void feed_later();
    void feed_all();
    bool may_feed();
    void spend(std::size_t bytes, Duration time);
    void put(Viewer&, std::shared_ptr<const std::string>);

    runner::Loop& loop_;
    const manager::Manager& manager_;
    std::list<std::shared_ptr<Viewer>> viewers_;
    const Page nothing_{};
    std::deque<Page> pages_;     // the latest
    std::int64_t bytes_left_{};  // that may be sent now
    Instant refilled_{};
    Instant next_page_{};   // while reports arrive
    Instant busy_until_{};  // reports have arrived lately
    bool feed_planned_{};
};

}  // namespace petrel::api
