// One lossless queue as a formula: its counters at any time follow from the script and from what was done to it,
// without stepping through the time between. It is exact to the microsecond, so that tests can use it as the truth.
//
// Data is modelled as a fluid: it arrives at `demand`, leaves at line speed unless paused, and waits in a buffer. A
// full buffer blocks its senders instead of dropping. A received pause is an XOFF frame at its start, another one
// whenever the last one would expire, and an XON at its end. A link that goes down or changes its speed ends a pause
// without an XON. While the link is down, all data for the queue is discarded.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/script.hpp"
#include "watchdog/observation.hpp"

namespace petrel::device {

class QueueModel {
public:
    struct Shape {
        BitRate speed;
        std::uint32_t packet_bytes{};
        std::uint64_t buffer_bytes{};
        watchdog::Fields freezes{};  // the fields that stand still while the queue is treated
    };
    QueueModel(const Shape&, Instant start);

    // Script: only for times after the one advanced to.
    void add_pause(const Stretches&);
    void add_receive_stall(const Stretches&);
    void add_link(const LinkChange&);

    // All functions below refer to the time advanced to.
    void advance(Instant to);
    void set_demand(BitRate rate) { demand_ = bits_per_us(rate); }
    void set_receive(BitRate rate) { receive_ = bits_per_us(rate); }
    void treat(watchdog::Treatment);

    std::uint32_t epoch() const { return line_ == 0 ? 0 : epoch_; }
    bool paused() const;
    Duration paused_for() const;                // zero = not paused
    watchdog::PauseState read_pause_state();    // since the last read: a read consumes it
    std::uint64_t read(watchdog::Field) const;  // counters and occupancy

private:
    // A script while it is played: inside a stretch, or before the next one.
    struct Track {
        std::vector<std::pair<std::int64_t, std::int64_t>> stretches_us;
        std::size_t next{};
        bool inside{};

        void add(const Stretches&, std::int64_t now_us);
        std::int64_t edge_us() const;  // the time of its next change
        std::int64_t end_us() const { return stretches_us[next].second; }
    };
    // A pause in progress: pause frames are sent as long as it lasts.
    struct Run {
        std::int64_t from_us{};
        std::int64_t frames{};
    };
    // What a reader sees while levels stand still.
    struct Levels {
        bool paused{};
        std::int64_t paused_us{};
        std::uint64_t occupied_bits{};
    };

    static std::uint64_t bits_per_us(BitRate rate) { return rate.bps / 1'000'000; }
    std::int64_t next_edge_us() const;
    void count_up_to(std::int64_t us);
    void cross(std::int64_t us);
    void change_link(std::int64_t us);
    void turn_pause(std::int64_t us);
    void turn_stall(std::int64_t us);
    void move_data(std::uint64_t us);
    std::int64_t new_frames(Run&, const Track&, std::int64_t us) const;
    bool discards() const;
    bool discards_received() const;
    bool frozen(watchdog::Field) const;
    void add(watchdog::Field, std::uint64_t);
    Levels levels() const;

    Shape shape_;
    std::int64_t at_us_;
    Track pause_;
    Track stall_;
    std::vector<std::pair<std::int64_t, std::uint64_t>> links_;  // at, bits per microsecond
    std::size_t next_link_{};
    std::uint64_t line_;  // bits per microsecond; zero = down
    std::uint32_t epoch_{1};
    std::optional<Run> paused_;
    std::optional<Run> pausing_;  // pause sent to the peer while the receiver stalls
    std::uint64_t demand_{};
    std::uint64_t receive_{};
    std::uint64_t occupied_bits_{};
    watchdog::Treatment treatment_{};
    Levels held_;
    std::int64_t state_read_us_;
    std::array<std::uint64_t, watchdog::kFields> counted_{};  // data in bits, all others in their own unit
};

}  // namespace petrel::device
