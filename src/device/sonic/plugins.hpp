// SONiC's own detector: Lua scripts that syncd runs after each poll of the counter group PFC_WD. While the agent
// decides they are taken out of the group, and the counters stay in it. Their names are written to STATE_DB before, so
// that the next process can put back what a dead one has left out: an agent at its start, `petrel hand-back`, `petrel
// release-all`.
//
// What the scripts remember from poll to poll (*_last, *_TIME_LEFT) is as old as the moment they were taken out. It is
// deleted before they return, as orchagent deletes it at a warm restart: with it they would report a false storm.
#pragma once

#include <string>

#include "base/time.hpp"
#include "device/sonic/databases.hpp"
#include "device/sonic/detector_mark.hpp"

namespace petrel::device::sonic {

struct CounterGroup {
    Duration interval{};  // how often syncd polls it; zero: nobody says
    bool off{};           // it does not, by order
};

Result<CounterGroup> read_group(db::RedisStore&);

class Plugins {
public:
    // Both have to outlive it.
    Plugins(db::RedisStore& store, const db::Databases& databases) : store_(store), databases_(databases) {}

    // The switch is ours, and what another one of us has left is known. Denied while another one of us has it.
    Result<void> claim();
    bool ours() const { return mark_.held(); }

    // After claim(): puts back what a dead process has left out. True: something was.
    Result<bool> put_back_left();

    // With each look: the mark is renewed, and what STATE_DB has lost is written again.
    Result<void> stay(Instant now);

    // Instead of stay(), while the agent decides. `heard`: the group may be another than before. True once they are
    // out, or syncd was asked to.
    Result<bool> keep_out(bool heard, Instant now);

    // Puts back what this or a dead process has taken out. True: something was out. The switch is given up. If another
    // process has claimed it, nothing is done: then refused() is true.
    Result<bool> put_back();
    bool refused() const { return refused_; }

private:
    enum class Out { asked, already, behind };

    Result<Out> take_out();
    Result<void> write_kept(const std::string& plugins);
    Result<bool> put_back_kept();

    db::RedisStore& store_;
    const db::Databases& databases_;
    DetectorMark mark_;
    std::string kept_;  // as in STATE_DB, which may be flushed
    bool refused_{};
    bool to_take_out_{};
    Instant stay_again_{Instant::min()};
};

}  // namespace petrel::device::sonic
