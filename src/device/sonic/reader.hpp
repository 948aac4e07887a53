// What a look reads of COUNTERS_DB: the counters that syncd keeps there, and how orchagent treats each queue. All of it
// in pipelines that are made once; a field that is absent, or is no number, is just not known.
//
// Looking fields up is what costs the server most. So those that hardly ever change are read once a second; and frames
// and transitions are read where there is pause, or was since the last poll, or a storm: in the same breath if that was
// so at the last poll, else after it. Elsewhere they count as they were: where no time was spent in pause, none began
// or ended.
#pragma once

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
    watchdog::Sample sample;  // without slot, stamp and epoch
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

    // None = all.
    Result<void> read(db::RedisStore&, std::span<const Slot> rows, Instant now);
    // Of a row that was read.
    const Reading& operator[](Slot row) const { return readings_[row.value]; }

private:
    enum class Kind : std::uint8_t {
        pause_time,
        pause_and_frames,
        frames,
        queue,
        treatment
    };  // the first three: of ports
    struct Step {
        Kind of{};
        std::uint32_t index{};  // of a port or a queue
    };
    // What a queue showed when it was last read.
    struct Before {
        Status status{};
        std::uint64_t pause_us{};
    };
    struct Plan {
        void add(const Plan& other, std::size_t step);

        redis::Pipeline pipeline;
        std::vector<Step> steps;
    };

    static std::size_t command_of(std::uint16_t port, Kind);
    void add_port(Plan&, Kind, std::uint16_t port) const;
    void add_queue(Plan&, Kind, std::uint32_t queue) const;
    Result<void> carry_out(db::RedisStore&, const Plan&);
    Result<void> read_some(db::RedisStore&, std::span<const Slot> rows);
    void choose(std::vector<bool> with_frames);
    Result<void> read_frames(db::RedisStore&, std::span<const Before>);
    void take_port(std::uint32_t port, Kind, redis::View);
    void take_queue(std::uint32_t queue, redis::View);
    void take_treatment(std::uint32_t queue, redis::View);
    void take(watchdog::Sample&, watchdog::Field, redis::View);
    void note_nonsense(watchdog::Field, std::string_view value);

    Layout layout_;
    Note note_;
    Plan port_commands_;  // those that there are, for each port
    Plan queues_;
    Plan treatments_;
    Plan ports_;                     // with a poll, as was chosen:
    std::vector<bool> with_frames_;  // by port
    Instant treatments_due_{Instant::min()};
    std::vector<Reading> readings_;
    watchdog::Fields nonsense_{};  // was told
};

}  // namespace petrel::device::sonic
