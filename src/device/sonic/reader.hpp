// What a look reads from COUNTERS_DB: the counters that syncd writes, and how orchagent treats each queue. A field that
// is absent, or is no number, is not known.
//
// The server pays for each field that is looked up, so a poll reads only the fields that matter:
// - of every port the pause time, if the switch counts it;
// - of every queue its status and its pause state, if the switch reports the state; otherwise a queue without pause
//   time is not read at all;
// - of queues that are paused, were paused since the last poll, or are stormed: their counters, with the frames and
//   ends of pauses of their port. If that was already so at the last poll, they are read in the same pipeline,
//   otherwise in a second one. If only pause time proves a pause, frames matter only for a pause of nearly the whole
//   interval;
// - of settled storms (set_storm()) only pause time and state, as long as they show that the pause goes on;
// - of every queue everything once a second, with orchagent's settings; of settled storms also the frames, if the
//   state may be frozen.
// For the other queues the reader keeps the last frames (without pause time no pause began or ended) and the last
// status; for settled storms also the last ends of pauses, packets and drops, which then count once a second.
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
    stormed       // and mitigated, unless the action is alert
};

Status status_of(std::string_view pfc_wd_status);

struct Reading {
    watchdog::Sample sample;      // without slot, stamp and epoch
    watchdog::Fields counters{};  // the counters that the queue has; a poll reads only those that matter
    Status status{};
    // These five are read once a second.
    bool registered{};   // by orchagent (PFC_WD_DETECTION_TIME), so syncd polls it; the status alone may be left over
    bool alert{};        // the action is alert: a storm is only reported
    bool red_switch{};   // orchagent's big red switch treats the queue, whatever its status is
    bool debug_storm{};  // DEBUG_STORM: an operator asks for a simulated storm
    bool history{};      // PFC_STAT_HISTORY: a history of pauses is configured
};

// orchagent watches the queue and follows the agent's messages about it.
inline bool is_watched(const Reading& reading)
{
    return reading.registered && reading.status != Status::unwatched && !reading.red_switch;
}

class Reader {
public:
    Reader(Layout, Note);

    const Layout& layout() const { return layout_; }

    // The fields that the switch has, by its first polls. Later reads request no others.
    void read_only(watchdog::Fields);
    watchdog::Fields fields() const { return fields_; }
    // Makes the next look at all rows read every field: of all queues, or of one.
    void distrust() { whole_due_ = Instant::min(); }
    void distrust(Slot row) { wanted_[row.value] = QueueRead::everything; }
    // The storm of a queue, whatever status orchagent shows. It is settled if its signals of pause alone show whether
    // it goes on.
    enum class Storm : std::uint8_t { none, open, settled };
    void set_storm(Slot row, Storm storm) { storms_[row.value] = storm; }

    Result<void> read(db::RedisStore&, Instant now);
    const Reading& operator[](Slot row) const { return readings_[row.value]; }

private:
    // The kinds of reads. Each port and each queue has one command for each kind, in this order.
    enum class PortRead : std::uint8_t { time, time_and_frames, frames, count_ };
    enum class QueueRead : std::uint8_t { settled, state, paused, stormed, everything, count_ };

    struct PortField {
        watchdog::Field field{};
        std::string_view name;
    };
    struct QueueField;
    static const std::vector<QueueField>& queue_fields();

    // The values of a queue at the previous read.
    struct Before {
        Status status{};
        std::uint64_t pause_us{};
    };
    struct Step {
        bool of_port{};
        std::uint8_t read{};    // a PortRead or a QueueRead
        std::uint32_t index{};  // of the port or queue
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
    QueueRead wanted_of(std::uint32_t queue, const Before&, Duration interval) const;
    bool has_settled_state(std::uint32_t port) const;
    void take_port(std::uint32_t port, PortRead, redis::View);
    void take_queue(std::uint32_t queue, QueueRead, redis::View);
    void take(watchdog::Sample&, watchdog::Field, redis::View);
    void note_invalid(watchdog::Field, std::string_view value);

    Layout layout_;
    Note note_;
    watchdog::Fields fields_{~watchdog::Fields{}};
    std::array<std::vector<PortField>, all_of<PortRead>> port_reads_;            // requested fields, by kind of read
    std::array<std::vector<const QueueField*>, all_of<QueueRead>> queue_reads_;  // requested fields, by kind of read
    redis::Pipeline port_commands_;
    redis::Pipeline queue_commands_;
    // What the next poll reads follows from the last poll.
    std::vector<bool> with_frames_;  // by port: its frames matter
    std::vector<bool> frames_read_;  // by port, as poll_ has it
    std::vector<QueueRead> wanted_;  // by queue
    std::vector<QueueRead> choice_;  // by queue, as poll_ has it
    std::vector<Storm> storms_;      // by queue
    Plan poll_;
    Instant whole_due_{Instant::min()};
    Instant read_at_{};  // the last read
    std::vector<Reading> readings_;
    watchdog::Fields nonsense_{};  // fields for which a value that is no number was reported
};

}  // namespace petrel::device::sonic
