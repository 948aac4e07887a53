// Writes changes in chunks, so that the server handles other clients in between. After a failed write all later changes
// are dropped, and end() returns the error.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "sonic/store.hpp"

namespace petrel::sonic {

class Batch {
public:
    explicit Batch(Store& store) : store_(store) {}

    void add(Db db, Change change)
    {
        auto& changes = changes_[db];
        changes.push_back(std::move(change));
        if (changes.size() >= kAtOnce) {
            flush(db);
        }
    }

    Result<void> end()
    {
        for (const auto& [db, changes] : changes_) {
            flush(db);
        }
        return done_;
    }

private:
    static constexpr std::size_t kAtOnce = 1000;

    void flush(Db db)
    {
        const auto changes = std::exchange(changes_[db], {});
        if (done_ && !changes.empty()) {
            done_ = store_.apply(db, changes);
        }
    }

    Store& store_;
    std::map<Db, std::vector<Change>> changes_;
    Result<void> done_;
};

}  // namespace petrel::sonic
