// Selects the detector that decides about storms: SONiC's own scripts (plugins.hpp) or this agent. The scripts are out
// only while the agent watches every queue that they would watch (coverage.hpp):
//
// clang-format off
//   scripts are | polls show                                    | so
//   in          | complete coverage, twice                      | take them out: the agent decides
//   in          | the same, but the scripts have found or ended | request to be opened again: the agent then takes over
//               | a storm                                       | the storms that orchagent shows
//   in          | a gap                                         | put no sample, report the gap
//   out         | complete coverage                             | keep them out
//   out         | no poll with complete coverage for `patience` | put them back
//   out         | the agent watches no row                      | put them back at once
// clang-format on
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/sonic/coverage.hpp"
#include "device/sonic/plugins.hpp"
#include "device/sonic/reader.hpp"

namespace petrel::device::sonic {

class Decider {
public:
    // Store, databases and clock must outlive this object.
    Decider(db::RedisStore& store, const db::Databases& databases, const TimeSource& clock, Note note)
        : plugins_(store, databases), clock_(clock), note_(std::move(note))
    {}

    // Claims the switch, and puts back the scripts that a dead process left out. Denied while another detector has it.
    Result<void> start();
    bool owns_switch() const { return plugins_.ours(); }
    Result<void> close();  // puts the scripts back

    // Takes the rows of a new inventory. The caller passes on the intents of rows that existed before.
    void adopt(std::vector<Intent>, LayoutFacts);
    const std::vector<Intent>& intents() const { return intents_; }
    void take_facts(LayoutFacts);
    void set_watched_rows(std::span<const Slot>);

    // Order of calls in a look: stay(), judge() after each read of all queues, count_poll() if the read was one whole
    // poll, settle() at the end. `group_changed`: the counter group may have changed. `doubt`: why the agent may not
    // see a storm although all queues are covered; empty: there is no doubt.
    Result<void> stay(bool group_changed);
    void judge(const Reader&, Duration patience, const std::string& doubt);
    void count_poll();
    Result<void> settle(const std::function<bool()>& scripts_decided);

    // After a successful read. If the scripts could not be put back because a database did not answer, the wait for a
    // poll with complete coverage starts again. True: that was the case.
    bool restart_wait();

    bool agent_decides() const { return agent_decides_; }
    // Whether the agent may put samples and mitigate. False while the scripts decide: two detectors must not act at
    // once. True until the first polls are seen: if both detectors request the same, orchagent does it once.
    bool agent_may_decide() const;
    bool is_stale() const { return stale_; }
    const std::vector<UnseenQueue>& unseen() const { return unseen_.queues(); }

    // The result of a look. While the scripts decide, a gap in the coverage is an error, and every error names the
    // scripts.
    Result<void> with_gap(Result<void> seen) const;

private:
    bool covered() const;
    Result<void> take_scripts_out();
    Result<void> put_scripts_back();

    Plugins plugins_;
    const TimeSource& clock_;
    Note note_;
    std::vector<Intent> intents_;  // by row
    LayoutFacts facts_;
    Coverage coverage_;
    Unseen unseen_;
    Duration patience_{};
    bool agent_decides_{};  // the scripts are out, or each look tries again to take them out
    bool stale_{};          // the agent could decide, but the scripts have found or ended a storm meanwhile
    bool not_put_back_{};   // the last attempt to put the scripts back failed: a database does not answer
    Instant put_back_again_{Instant::min()};
    std::optional<Instant> covered_at_;  // the last poll with complete coverage
    int covered_polls_{};                // such polls since the scripts came in; two prove that stamps advance
};

}  // namespace petrel::device::sonic
