// The poll pass: Watchdog::look() over every queue of a device, next to one plain read of the same bytes.
#include <fmt/format.h>

#include <array>

#include "base/aligned.hpp"
#include "base/assert.hpp"
#include "benches.hpp"
#include "fabric.hpp"
#include "measure.hpp"
#include "read_pass.hpp"
#include "watchdog/watchdog.hpp"

namespace petrel::bench {

namespace {

constexpr std::uint32_t kMillion = 1U << 20U;
constexpr double kInCacheNs = 1;         // per queue
constexpr double kMemoryRatio = 2;       // compared with the read pass
constexpr std::size_t kClockBytes = 13;  // the watchdog's own columns: proven, limit, longest, wants_quiet

// Two looks in turns: each resets the clocks that the other started, so that nothing drifts.
class Poller {
public:
    Poller(std::uint32_t rows, PauseSignal signal, const Mix& mix)
        : policy_poll_(watchdog::find_preset("sonic")->policy.poll),
          looks_{watchdog::Intake{inventory(rows), capabilities(signal)},
                 watchdog::Intake{inventory(rows), capabilities(signal)}},
          dog_(watchlist(rows, signal), now_)
    {
        for (unsigned phase = 0; phase < looks_.size(); ++phase) {
            look_at_all(looks_[phase], rows, signal, mix, phase);
            PETREL_ASSERT(view(phase).all, "a row was left out");
        }
    }

    void pass()
    {
        now_ += policy_poll_;
        out_.clear();
        dog_.look(view(++passes_ % 2), now_, out_);
        PETREL_ASSERT(out_.events.empty(), "a storm came up: the passes are not alike");
    }

    const watchdog::Observations& view(std::size_t phase) const { return looks_.at(phase).view(); }
    std::size_t looks_wanted() const { return out_.looks.size(); }

private:
    Duration policy_poll_;
    std::array<watchdog::Intake, 2> looks_;
    Instant now_{std::chrono::seconds{10}};
    watchdog::Watchdog dog_;
    watchdog::Outbox out_;
    std::size_t passes_{};
};

// Every column that the pass reads or writes. The watchdog's own columns are private, so others of the same size
// replace them.
std::vector<std::span<const std::byte>> bytes_of(const watchdog::Observations& seen, PauseSignal signal,
                                                 std::span<const std::byte> clocks)
{
    std::vector<std::span<const std::byte>> pieces{as_bytes(seen.dt_us), as_bytes(seen.pause), clocks};
    if (signal == PauseSignal::counter) {
        pieces.push_back(as_bytes(seen.known));
        pieces.push_back(as_bytes(seen.column(watchdog::Field::pause_us)));
    }
    return pieces;
}

void measure_poll(Report& report, std::uint32_t rows, PauseSignal signal, const Mix& mix, bool has_goal)
{
    Poller poller{rows, signal, mix};
    AlignedColumns memory{rows * kClockBytes};
    const auto clocks = as_bytes(memory.take<std::uint8_t>(rows * kClockBytes));
    const std::array pieces{bytes_of(poller.view(0), signal, clocks), bytes_of(poller.view(1), signal, clocks)};
    std::size_t reads = 0;
    const auto timings = in_turns({[&] { poller.pass(); }, [&] { keep(read_pass(pieces.at(++reads % 2))); }});

    const double queue = timings[0].least_ns / rows;
    const double read = timings[1].least_ns / rows;
    const bool in_cache = rows < kMillion;
    report.metric("ns_per_queue", queue, has_goal && in_cache ? std::optional{at_most(kInCacheNs)} : std::nullopt);
    report.metric("ns_per_queue_median", timings[0].median_ns / rows);
    report.metric("read_pass_ns_per_queue", read);
    report.metric("ratio_to_read_pass", queue / read,
                  has_goal && !in_cache ? std::optional{at_most(kMemoryRatio)} : std::nullopt);
    report.metric("looks_wanted", static_cast<double>(poller.looks_wanted()));
}

}  // namespace

std::vector<Bench> poll_benches()
{
    std::vector<Bench> all;
    for (const std::uint32_t rows : {1U << 10U, 1U << 16U, kMillion}) {
        for (const auto signal : {PauseSignal::state, PauseSignal::counter}) {
            all.push_back({fmt::format("watchdog/poll/{}/{}", rows, name(signal)),
                           [=](Report& report) { measure_poll(report, rows, signal, {}, true); }});
        }
    }
    constexpr Mix kBusy{.paused_now_of_1000 = 200, .running_of_1000 = 1, .near_limit = 256};
    for (const auto signal : {PauseSignal::state, PauseSignal::counter}) {
        all.push_back({fmt::format("watchdog/poll_busy/65536/{}", name(signal)),
                       [=](Report& report) { measure_poll(report, 1U << 16U, signal, kBusy, false); }});
    }
    return all;
}

}  // namespace petrel::bench
