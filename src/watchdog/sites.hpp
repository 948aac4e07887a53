// All sites of a device, and which of them have something to do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "watchdog/row_map.hpp"
#include "watchdog/site.hpp"
#include "watchdog/watchdog.hpp"

namespace petrel::watchdog {

class Sites {
public:
    explicit Sites(const RowMap& map) : map_(map), sites_(map.sites()), busy_flag_(map.sites())
    {
        busy_.reserve(map.sites());
    }

    const Site& operator[](std::uint32_t s) const { return sites_[s]; }

    // Any change goes through here, so that a site with something to do is never forgotten.
    template <class Change>
    void change(std::uint32_t s, Change change)
    {
        change(sites_[s]);
        if (!sites_[s].settled() && !busy_flag_[s]) {
            busy_flag_[s] = true;
            busy_.push_back(s);
        }
    }

    // From here on nothing is wanted or commanded any more; what is under way still comes back.
    void freeze() { frozen_ = true; }
    bool frozen() const { return frozen_; }

    // The site that was waiting for this outcome, if any still is.
    std::optional<std::uint32_t> settle(const Outcome& outcome, Duration retry, Instant now)
    {
        const auto s = static_cast<std::uint32_t>(outcome.command & kSiteOfCommand);
        if (s >= sites_.size() || !sites_[s].settle(outcome, retry, now)) {
            return std::nullopt;
        }
        if (sites_[s].failure() && !outcome.detail.empty()) {
            details_[s] = outcome.detail;
        }
        return s;
    }

    // tell(site, failure) says a failure once and returns false if there was no room for it yet.
    template <class Tell>
    void serve(Instant now, Duration retry, Outbox& out, Tell tell)
    {
        for (std::size_t i = 0; i < busy_.size(); ++i) {
            const auto s = busy_[i];
            if (const auto lost = sites_[s].lost(now)) {
                settle(*lost, retry, now);
            }
            if (const auto failure = sites_[s].failure()) {
                if (!tell(s, *failure)) {
                    continue;
                }
                sites_[s].failure_told();
            }
            if (!frozen_ && sites_[s].due(now) && out.room_for(0, 1)) {
                const auto id = (next_command_++ << kSiteBits) | s;
                const auto deadline = now + kCommandTime;
                out.commands.push_back({id, sites_[s].cause(), map_.site_target(s), sites_[s].want(), deadline});
                sites_[s].sent(id, deadline + kCommandTime);  // the runner's own word may come a little late
            }
        }
        std::erase_if(busy_, [&](std::uint32_t s) {
            busy_flag_[s] = !sites_[s].settled();
            return !busy_flag_[s];
        });
    }

    // What the device said of the failure that is being told.
    std::string take_detail(std::uint32_t s)
    {
        const auto at = details_.find(s);
        if (at == details_.end()) {
            return {};
        }
        auto detail = std::move(at->second);
        details_.erase(at);
        return detail;
    }

    Instant next_retry() const
    {
        Instant next = kNever;
        for (const auto s : busy_) {
            next = std::min(next, frozen_ && !sites_[s].in_flight() ? kNever : sites_[s].retry_at());
        }
        return next;
    }

    // After a change of machine: answers to commands of the old one must not be taken for answers to ours.
    void number_after(const Sites& old) { next_command_ = old.next_command_; }

    bool idle() const
    {
        return std::all_of(busy_.begin(), busy_.end(), [&](std::uint32_t s) {
            return frozen_ ? !sites_[s].in_flight() && !sites_[s].failure() : sites_[s].settled();
        });
    }

private:
    static constexpr Duration kCommandTime = std::chrono::seconds{1};
    static constexpr unsigned kSiteBits = 32;  // a command's id holds its site in the lower half
    static constexpr std::uint64_t kSiteOfCommand = 0xffff'ffffU;

    const RowMap& map_;
    std::vector<Site> sites_;
    std::vector<bool> busy_flag_;
    std::vector<std::uint32_t> busy_;
    std::map<std::uint32_t, std::string> details_;
    std::uint64_t next_command_{1};
    bool frozen_{};
};

}  // namespace petrel::watchdog
