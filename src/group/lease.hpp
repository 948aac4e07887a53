// Which manager of a group leads: the one whose name is in a cell that all of them can compare and replace. The leader
// renews it. A manager that has seen the same cell for kLife, or an empty one, replaces it with its own name; of
// several that try, the cell accepts one. Without I/O.
//
// A leader that was stopped or cut off may not know that another one leads. So the lease decides only which manager
// tries: the log accepts an entry only from a manager that has read all entries before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"

namespace petrel::group {

class Lease {
public:
    static constexpr Duration kLife = std::chrono::seconds{5};
    static constexpr Duration kLookEvery = std::chrono::seconds{1};

    explicit Lease(std::string me) : me_(std::move(me)) {}

    // The cell as it is at this time. `holder`: the name in it; empty: none.
    void seen(std::uint64_t revision, std::string holder, Instant at);
    // The cell cannot be read: its holder cannot renew it either.
    void not_seen() { unchanged_since_.reset(); }
    // This manager has replaced the cell.
    void replaced(std::uint64_t revision, Instant at) { seen(revision, me_, at); }

    // The revision of the cell that this manager may replace with its own name now.
    std::optional<std::uint64_t> bid(Instant now) const;

    bool mine() const { return holder_ == me_; }
    // The cell was not renewed for too long, as far as this manager can see.
    bool over(Instant now) const { return !renewed_ || now - *renewed_ >= kLife; }

private:
    std::string me_;
    std::string holder_;
    std::uint64_t revision_{};
    std::optional<Instant> unchanged_since_;  // while the cell could be read
    std::optional<Instant> renewed_;
};

}  // namespace petrel::group
