// SONiC's own detector: Lua scripts that syncd runs after each poll of the counter group PFC_WD. While the agent
// decides, the scripts are out of the group and the counters stay in it. The agent writes the names of the scripts to
// STATE_DB first. So another process can put them back after the agent died: the next agent, `petrel hand-back`, or
// `petrel release-all`.
//
// The scripts keep values from poll to poll (*_last, *_TIME_LEFT). These are as old as the moment when the scripts were
// taken out, and would make them report a false storm. The agent deletes the values before the scripts return, as
// orchagent does at a warm restart.
#pragma once

#include <string>

#include "base/time.hpp"
#include "device/sonic/databases.hpp"
#include "device/sonic/detector_mark.hpp"

namespace petrel::device::sonic {

struct CounterGroup {
    Duration interval{};  // time between two polls of syncd; zero: the group does not have it
    bool off{};           // syncd does not poll: FLEX_COUNTER_STATUS is `disable`
};

Result<CounterGroup> read_group(db::RedisStore&);

class Plugins {
public:
    // Store and databases must outlive this object.
    Plugins(db::RedisStore& store, const db::Databases& databases) : store_(store), databases_(databases) {}

    // Sets the detector mark and reads the names of scripts that are out. Denied while another agent has the mark.
    Result<void> claim();
    bool ours() const { return mark_.held(); }

    // After claim(): puts back the scripts that a dead process has left out. True: scripts were out.
    Result<bool> put_back_left();

    // With each look: renews the mark once a second, and writes the names of the scripts again if STATE_DB lost them.
    Result<void> stay(Instant now);

    // Instead of stay(), while the agent decides: takes out scripts that are in the group. `changed`: the group may
    // have changed. True: this call found the scripts out, or has sent the request to syncd. False: there was nothing
    // to do, or syncd has not processed earlier requests; then the next call tries again.
    Result<bool> keep_out(bool changed, Instant now);
    // After keep_out(): the group had no scripts, and no names of scripts are kept, so none can be put back.
    bool found_none() const { return !to_take_out_ && kept_.empty(); }

    // Puts back the scripts that this or a dead process has taken out, and gives up the mark. True: scripts were out.
    // If another process has the mark, the call does nothing, and refused() is true.
    Result<bool> put_back();
    bool refused() const { return refused_; }

private:
    enum class Out { requested, already, behind };

    Result<Out> take_out();
    Result<void> write_kept(const std::string& plugins);
    Result<bool> put_back_kept();

    db::RedisStore& store_;
    const db::Databases& databases_;
    DetectorMark mark_;
    std::string kept_;  // names of the scripts that are out, as in STATE_DB, which may be flushed
    bool refused_{};
    bool to_take_out_{};
    Instant stay_again_{Instant::min()};
};

}  // namespace petrel::device::sonic
