// SONiC's own detector: Lua scripts that syncd runs after each poll of the counter group PFC_WD. While we decide they
// are taken out of the group, and the counters stay in it. What was taken out is kept in STATE_DB before, so that a
// process that dies does not leave a switch without any detector: whoever comes next, or removes us, puts it back.
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

    // With each look; `heard`: the group may be another than before. True once they are out, or syncd was asked to.
    Result<bool> keep_out(bool heard, Instant now);

    // What was taken out, by whomever of us: whether anything was. The switch is given up; if it is another's by now,
    // nothing is done.
    Result<bool> put_back();

private:
    enum class Out { asked, already, behind };

    Result<void> stay(Instant now);
    Result<Out> take_out();
    Result<void> write_kept(const std::string& plugins);
    Result<bool> put_back_kept();

    db::RedisStore& store_;
    const db::Databases& databases_;
    DetectorMark mark_;
    std::string kept_;  // as in STATE_DB, which may be flushed
    bool to_take_out_{};
    Instant stay_again_{Instant::min()};
};

}  // namespace petrel::device::sonic
