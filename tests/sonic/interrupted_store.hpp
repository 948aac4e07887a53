// A store that runs a function of the test between two calls of its user.
#pragma once

#include <functional>
#include <utility>

#include "sonic/store.hpp"

namespace petrel::test {

class InterruptedStore final : public sonic::Store {
public:
    // Calls `what` before the call with this number, counted from 0.
    InterruptedStore(sonic::Store& store, int call, std::function<void()> what)
        : store_(store), left_(call), what_(std::move(what))
    {}

    bool was_interrupted() const { return left_ < 0; }

    Result<std::vector<std::string>> keys(sonic::Db db, std::string_view prefix) override
    {
        return next().keys(db, prefix);
    }
    Result<std::vector<sonic::Hash>> hashes(sonic::Db db, std::span<const std::string> keys) override
    {
        return next().hashes(db, keys);
    }
    Result<bool> is_set(sonic::Db db, const std::string& key) override { return next().is_set(db, key); }
    Result<void> apply(sonic::Db db, std::span<const sonic::Change> changes) override
    {
        return next().apply(db, changes);
    }

private:
    sonic::Store& next()
    {
        if (left_-- == 0) {
            what_();
        }
        return store_;
    }

    sonic::Store& store_;
    int left_;
    std::function<void()> what_;
};

}  // namespace petrel::test
