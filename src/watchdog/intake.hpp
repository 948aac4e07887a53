// The only code that sees raw counters. It handles wraps, resets, counters that go backwards, stale stamps, link and
// speed changes and rows that could not be read: each of these leaves bits of `known` (and of `pause`) unset. Later
// stages see 32-bit differences and levels. Raw counters leave the intake only for display (pfc_counts).
//
// Contract: begin() starts a look, put() hands in each row that was read, view() shows the result until the next
// begin(). One thread. No allocation after construction.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/aligned.hpp"
#include "watchdog/blind_rows.hpp"
#include "watchdog/observation.hpp"

namespace petrel::watchdog {

// Changes samples before the intake evaluates them, to inject faults.
class SampleFilter {
public:
    virtual ~SampleFilter() = default;
    virtual void pass(Sample&) = 0;
};

// How long one XOFF frame of full quanta holds its queue, in microseconds; zero if the speed is not known.
std::uint32_t hold_us(BitRate);

// PFC and packet counters of a row as last read, for display. An empty value means that the device does not have the
// counter, or that the last sample did not include it.
struct PfcCounts {
    Instant read_at;
    std::optional<bool> paused;
    std::optional<std::uint64_t> rx_frames;  // XOFF and XON together
    std::optional<std::uint64_t> tx_frames;
    std::optional<std::uint64_t> pauses_ended;
    std::optional<std::uint64_t> pause_us;
    std::optional<std::uint64_t> tx_packets;
};

// The drift between pause counters and time stamps, learned from queues that were paused throughout.
class StampDrift {
public:
    static constexpr std::int32_t kMostPpm = 50'000;

    // With a drift that an earlier process learned; zero = none. It counts as much as one second of pause, so that new
    // pauses soon outweigh it.
    static StampDrift remembered(std::int32_t ppm);

    void learn(std::uint32_t stamped_us, std::uint32_t paused_us);
    // The microseconds by which pause time falls behind in a million microseconds of stamps. None if less than one
    // second of pause was learned, or if the difference is too large for a drift.
    std::optional<std::int32_t> ppm() const;

private:
    std::uint64_t stamped_us_{};
    std::uint64_t paused_us_{};
};

class Intake {
public:
    Intake(const Inventory&, const Capabilities&, const StampDrift& learned = {});
    Intake(const Intake&) = delete;  // view() points into it
    Intake& operator=(const Intake&) = delete;

    void learn_speeds(const Inventory&);  // the inventory must have the same rows
    void begin();
    void put(const Sample&);
    void through(SampleFilter* filter) { filter_ = filter; }  // null: no filter
    const Observations& view() const { return view_; }
    PfcCounts pfc_counts(Slot) const;
    const StampDrift& stamp_drift() const { return drift_; }
    const BlindRows& blind_rows() const { return blind_; }

private:
    struct Baseline {
        Instant read_at;
        Fields known{};  // zero = never read
        std::uint32_t epoch{};
        bool sent_pause{};  // enough pause frames to hold the peer throughout the interval before that read
        bool paused{};      // at that read; valid if pause_seen
        bool pause_seen{};
        bool backlog{};  // the queue held bytes at that read
        // A run is a pause without a break that still went on at that read. run_us and run_lag_us leave out its first
        // interval, because the pause may have begun within it.
        bool in_run{};
        std::uint32_t run_us{};     // length of the run, by time stamps
        std::int64_t run_lag_us{};  // time by stamps minus pause time in the run
    };

    void take(const Sample&);
    bool put_counters(std::uint32_t row, const Sample&, Fields comparable);  // true: a counter went backwards
    bool stands_still(std::uint32_t row, const Sample&, const Baseline& before) const;
    Fields judge_counters(std::uint32_t row, const Baseline& before);
    void match_pause_time(std::uint32_t row, const Baseline& before);
    bool cannot_have_sent(std::uint32_t row, const Baseline& before) const;
    bool sent_several(std::uint32_t row) const;
    bool shows_pause(std::uint32_t row, std::uint8_t bits) const;
    std::uint8_t judge_pause(std::uint32_t row, const Sample&, const Baseline& before) const;
    bool began_and_goes_on(std::uint32_t row, std::uint8_t bits, const Baseline& before) const;
    bool contradicts_pause(std::uint32_t row) const;
    bool quiet(std::uint32_t row, Fields by, bool was_known, std::uint8_t bits) const;
    std::optional<std::uint64_t> counter(std::uint32_t row, Field f) const;
    std::uint32_t value(std::uint32_t row, Field f) const { return view_.column(f)[row]; }
    std::uint32_t value_or_zero(std::uint32_t row, Field f) const
    {
        return has(view_.known[row], f) ? value(row, f) : 0;
    }

    Capabilities capabilities_;
    std::uint32_t rows_;
    std::vector<Baseline> baselines_;
    std::vector<std::uint64_t> raw_;                // rows_ x counter columns the device has
    std::array<std::uint8_t, kFields> raw_column_;  // Field -> position in a row of raw_
    std::uint8_t raw_width_{};
    std::vector<std::uint32_t> hold_us_;  // how long one full-quanta XOFF holds at the row's speed; 0 = speed not known
    BlindRows blind_;
    std::vector<Slot> touched_;
    AlignedColumns storage_;
    Observations view_;
    SampleFilter* filter_{};
    std::uint32_t uncertainty_us_;
    StampDrift drift_;
};

}  // namespace petrel::watchdog
