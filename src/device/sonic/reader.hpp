// What a look reads of COUNTERS_DB: the counters that syncd keeps there, and how orchagent treats each queue. A field
// that is absent, or is no number, is not known.
//
// The server pays for each field that is looked up, so a poll asks only for what matters:
// - of every port the pause time, if the switch counts it;
// - of every queue its status and whether it is paused, if the switch tells that: else a queue without pause time is
//   not read at all;
// - of queues that are paused, were since the last poll, or are stormed: their counters, with frames and transitions of
//   their port; in the same breath if that was so at the last poll, else after it. Where pause time is all that proves
//   a pause, frames matter only for a pause that takes nearly the whole interval;
// - of every queue everything once a second, with orchagent's settings.
// Elsewhere frames count as they were (where no time was spent in pause, no pause began or ended), and the status is
// the one that was read last.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "device/sonic/layout.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device::sonic {

using Note = std::function<void(const std::string&)>;

enum class Status : std::uint8_t {
    unwatched,    //
    operational,  //
    stormed       // and mitigated, but for alerts
};

Status status_of(std::string_view pfc_wd_status);

struct Reading {
    watchdog::Sample sample;   // without slot, stamp and epoch
    watchdog::Fields tells{};  // what its counters tell: a poll reads only those that matter
    Status status{};
    bool registered{};   // orchagent has, so syncd polls it (PFC_WD_DETECTION_TIME); the status alone may be left over;
    bool alert{};        // a storm is only told;
    bool red_switch{};   // orchagent treats it, whatever it shows;
    bool debug_storm{};  // somebody asks for a storm to be imagined,
    bool history{};      // or for its pauses to be kept: these five as of a second ago
};

class Reader {
public:
    Reader(Layout, Note);

    const Layout& layout() const { return layout_; }

    // What the switch tells, by its first polls: nothing else is asked for from now on.
    void ask_only_for(watchdog::Fields);
    // The next look at all rows reads everything of every queue.
    void distrust() { whole_due_ = Instant::min(); }

    Result<void> read(db::RedisStore&, Instant now);
    const Reading& operator[](Slot row) const { return readings_[row.value]; }

private:
    // Commands, as many for each port and each queue, in this order.
    enum class PortRead : std::uint8_t { time, time_and_frames, frames, count_ };
    enum class QueueRead : std::uint8_t { state, paused, stormed, everything, count_ };

    struct PortField {
        watchdog::Field field{};
        std::string_view word;
    };
    struct QueueField;
    static const std::vector<QueueField>& queue_fields();

    // What a queue showed when it was last read.
    struct Before {
        Status status{};
        std::uint64_t pause_us{};
    };
    struct Step {
        bool of_port{};
        std::uint8_t read{};    // a PortRead or a QueueRead
        std::uint32_t index{};  // of the port or the queue
    };
    struct Plan {
        redis::Pipeline pipeline;
        std::vector<Step> steps;
    };

    template <class Read>
    static constexpr auto all_of = static_cast<std::size_t>(Read::count_);

    void prepare();
    void add(Plan&, PortRead, std::uint32_t port) const;
    void add(Plan&, QueueRead, std::uint32_t queue) const;
    Result<void> carry_out(db::RedisStore&, const Plan&);
    void choose(bool whole);
    Result<void> read_changes(db::RedisStore&, std::span<const Before>, Duration interval);
    QueueRead wanted_of(std::uint32_t queue, const Before&) const;
    void take_port(std::uint32_t port, PortRead, redis::View);
    void take_queue(std::uint32_t queue, QueueRead, redis::View);
    void take(watchdog::Sample&, watchdog::Field, redis::View);
    void note_nonsense(watchdog::Field, std::string_view value);

    Layout layout_;
    Note note_;
    watchdog::Fields asked_{~watchdog::Fields{}};
    std::array<std::vector<PortField>, all_of<PortRead>> port_reads_;            // fields, by kind of read,
    std::array<std::vector<const QueueField*>, all_of<QueueRead>> queue_reads_;  // of those that are asked for
    redis::Pipeline port_commands_;
    redis::Pipeline queue_commands_;
    // By the last poll: which ports have frames that matter, and what matters of queues. What the next poll reads
    // follows from it.
    std::vector<bool> with_frames_;
    std::vector<QueueRead> wanted_;  // of each queue
    std::vector<QueueRead> choice_;  // for poll_
    Plan poll_;
    Instant whole_due_{Instant::min()};
    Instant read_at_{};  // the last time
    std::vector<Reading> readings_;
    watchdog::Fields nonsense_{};  // was told
};

}  // namespace petrel::device::sonic
