// All sites of a device, and a list of those that are not settled.
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

    const Site& operator[](SiteId s) const { return sites_[s]; }

    // All changes of a site go through here, so that a site that is not settled is always listed in busy_.
    template <class Change>
    void change(SiteId s, Change change)
    {
        change(sites_[s]);
        if (!sites_[s].settled() && !busy_flag_[s]) {
            busy_flag_[s] = true;
            busy_.push_back(s);
        }
    }

    // From now on sites issue no commands. Outcomes of commands in flight are still accepted.
    void freeze() { frozen_ = true; }
    bool frozen() const { return frozen_; }

    // Returns the site that was waiting for this outcome, if any.
    std::optional<SiteId> settle(const Outcome& outcome, Duration retry, Instant now)
    {
        const SiteId s{static_cast<std::uint32_t>(outcome.command & kSiteOfCommand)};
        if (s.value >= sites_.size() || !sites_[s].settle(outcome, retry, now)) {
            return std::nullopt;
        }
        if (sites_[s].failure() && !outcome.detail.empty()) {
            details_[s] = outcome.detail;
        }
        return s;
    }

    // report(site, failure) reports a failure once, and returns false if the outbox has no room for it yet.
    template <class Report>
    void serve(Instant now, Duration retry, Outbox& out, Report report)
    {
        for (std::size_t i = 0; i < busy_.size(); ++i) {
            const auto s = busy_[i];
            if (const auto lost = sites_[s].lost(now)) {
                settle(*lost, retry, now);
            }
            if (const auto failure = sites_[s].failure(); failure && report(s, *failure)) {
                sites_[s].failure_reported();
            }
        }
        if (!frozen_) {
            send(now, out, true);
            send(now, out, false);
        }
        std::erase_if(busy_, [&](SiteId s) {
            busy_flag_[s] = !sites_[s].settled();
            return !busy_flag_[s];
        });
    }

    // The device's error text for the failure that is being reported.
    std::string take_detail(SiteId s)
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
        const bool sends = !frozen_ && room() != 0;  // else the other sites wait for an outcome
        for (const auto s : busy_) {
            next = std::min(next, sends || sites_[s].in_flight() ? sites_[s].retry_at() : kNever);
        }
        return next;
    }

    // Continues the command numbers of the machine that this one replaces, so that late outcomes of its commands do not
    // match ours.
    void number_after(const Sites& old) { next_command_ = old.next_command_; }

    bool idle() const
    {
        return std::all_of(busy_.begin(), busy_.end(), [&](SiteId s) {
            return frozen_ ? !sites_[s].in_flight() && !sites_[s].failure() : sites_[s].settled();
        });
    }

private:
    static constexpr Duration kCommandTime = std::chrono::seconds{1};
    // A device carries out one command after the other. With more commands in flight the last ones would time out, and
    // looks would wait behind all of them.
    static constexpr std::size_t kMostInFlight = 16;
    static constexpr unsigned kSiteBits = 32;  // a command's id holds its site in the lower half
    static constexpr std::uint64_t kSiteOfCommand = 0xffff'ffffU;

    std::size_t room() const
    {
        const auto in_flight = std::ranges::count_if(busy_, [&](SiteId s) { return sites_[s].in_flight(); });
        return kMostInFlight - std::min(kMostInFlight, static_cast<std::size_t>(in_flight));
    }

    // Sends the commands that are due: those that change the treatment, or those that only confirm it.
    void send(Instant now, Outbox& out, bool changes)
    {
        auto room_left = room();
        for (std::size_t i = 0; i < busy_.size() && room_left != 0; ++i) {
            const auto s = busy_[i];
            auto& site = sites_[s];
            if (site.failure() || site.changes() != changes || !site.due(now) || !out.room_for(0, 1)) {
                continue;
            }
            const auto id = (next_command_++ << kSiteBits) | s.value;
            const auto deadline = now + kCommandTime;
            out.commands.push_back({id, site.cause(), map_.site_target(s), site.want(), deadline, site.late()});
            site.sent(id, deadline + kCommandTime);  // the runner's own timed_out may arrive a little late
            --room_left;
        }
    }

    const RowMap& map_;
    IndexedVector<SiteId, Site> sites_;
    IndexedVector<SiteId, bool> busy_flag_;
    std::vector<SiteId> busy_;
    std::map<SiteId, std::string> details_;
    std::uint64_t next_command_{1};
    bool frozen_{};
};

}  // namespace petrel::watchdog
