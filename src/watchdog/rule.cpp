#include "watchdog/rule.hpp"

#include <algorithm>
#include <array>

// A switch CPU may lack AVX2: each loop is compiled twice and chosen at program start. Not with sanitizers, because
// their runtime is not initialised yet when the choice is made.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define PETREL_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define PETREL_CLONES
#endif
// Columns never overlap. Without this hint the compiler checks each pair at run time and, beyond ten pairs, does not
// vectorise.
#if defined(__GNUC__) && !defined(__clang__)
#define PETREL_NO_OVERLAP _Pragma("GCC ivdep")
#else
#define PETREL_NO_OVERLAP
#endif
#define PETREL_INLINE [[gnu::always_inline]] inline

namespace petrel::watchdog {

namespace {

constexpr std::uint32_t share(std::uint32_t whole, std::uint32_t per_64k)
{
    return static_cast<std::uint32_t>((std::uint64_t{whole} * per_64k) >> 16U);
}

// The same in 32-bit lanes, for shares of at most the whole.
constexpr std::uint32_t part(std::uint32_t whole, std::uint32_t per_64k)
{
    return (whole >> 16U) * per_64k + (((whole & 0xffffU) * per_64k) >> 16U);
}

// ---------------------------------------------------------------------------------------------------------------------------
// The definition: one row, in words.
// ---------------------------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kNearlyAlways = 16;  // all but a sixteenth of the interval

struct Proof {
    bool hit{};              // the whole interval belongs to the storm
    std::uint32_t charge{};  // the time to add if hit
    std::uint32_t carry{};   // the clock if not hit: the end of the interval that may begin a storm
    bool suspect{};          // a storm may have begun, though no time is proven yet
};

class Look {
public:
    Look(const Observations& o, const Rule& rule, Slot row) : o_(o), rule_(rule), row_(row) {}

    std::uint32_t dt() const { return o_.dt_us[row_]; }
    bool is(std::uint8_t bits) const { return (o_.pause[row_] & bits) == bits; }
    bool known(Field f) const { return has(o_.known[row_], f) && !o_.column(f).empty(); }
    std::uint32_t value(Field f) const { return o_.column(f)[row_]; }

    Proof paused() const
    {
        const bool counted = known(Field::pause_us);
        const std::uint32_t time = counted ? std::min(value(Field::pause_us), dt()) : 0;
        const std::uint32_t carry = is(kTrailing) ? time : 0;
        if (rule_.source == Source::state) {
            return {is(kThroughout), dt(), carry, is(kPausedNow)};
        }
        const bool enough = time >= dt() - share(dt(), rule_.slack_per_64k);
        const bool broken = (o_.known[row_] & kBroken) != 0;
        return {counted && !is(kNotPausedNow) && !broken && enough, time, carry, time > 0 && !is(kNotPausedNow)};
    }

    bool mostly_paused() const
    {
        if (rule_.source == Source::state) {
            return is(kThroughout) || is(kPausedBefore | kPausedNow);
        }
        return known(Field::pause_us) && value(Field::pause_us) >= dt() - dt() / 2;
    }

    bool backlogged() const { return !rule_.backlog || (known(Field::occupancy) && value(Field::occupancy) > 0); }

    // A queue that is empty at each look may have waited all the same, if it was paused nearly all the time.
    bool had_something_to_send() const
    {
        return backlogged() ||
               (rule_.sends && known(sent_field()) && value(sent_field()) > 0 && nearly_always_paused());
    }

    bool nearly_always_paused() const
    {
        return rule_.source == Source::state ||
               (known(Field::pause_us) && value(Field::pause_us) >= dt() - dt() / kNearlyAlways);
    }

    bool sends_nothing() const
    {
        return !rule_.sends || (known(sent_field()) && value(sent_field()) <= share(dt(), rule_.floor_per_64k_us));
    }

    // Whether the queue sent as much in this interval as the floor requires in `score`.
    bool makes_up_for(std::uint32_t score) const
    {
        return rule_.sends && rule_.floor_per_64k_us != 0 && known(sent_field()) &&
               value(sent_field()) >= share(score, rule_.floor_per_64k_us);
    }

    // What an interval adds to the score of progress. At the beginning and at the end of a pause it is the pause time:
    // a pause shorter than T0 is no storm.
    std::uint32_t time_without_progress() const
    {
        const bool whole = rule_.source == Source::state || is(kPausedBefore | kPausedNow);
        return whole || !known(Field::pause_us) ? dt() : std::min(value(Field::pause_us), dt());
    }

    bool pauses_its_peer() const
    {
        if (rule_.source == Source::state) {
            return (o_.known[row_] & kKeepsPausing) != 0;
        }
        return known(Field::pause_tx_us) &&
               std::min(value(Field::pause_tx_us), dt()) >= dt() - share(dt(), rule_.slack_per_64k);
    }

    bool receives_nothing() const { return known(Field::rx_packets) && value(Field::rx_packets) == 0; }
    bool timed_out() const { return known(Field::pause_timeout) && value(Field::pause_timeout) != 0; }
    bool timed_out_before() const { return is(kPausedBefore); }

    // A status is valid at the time of its read only. Time counts between two reads with the same status; the first
    // read starts the clock.
    std::uint32_t status_time() const { return timed_out() == timed_out_before() ? dt() : 1; }

    bool quiet(std::uint8_t by) const
    {
        if (rule_.criterion == Criterion::pause_timeout) {
            return known(Field::pause_timeout) && value(Field::pause_timeout) == 0;
        }
        if (rule_.criterion == Criterion::receive_stall) {
            const Field sent = rule_.source == Source::duration ? Field::pause_tx_us : Field::pause_tx;
            return (known(Field::rx_packets) && value(Field::rx_packets) > 0) || (known(sent) && value(sent) == 0);
        }
        return (o_.pause[row_] & by) != 0;
    }

    Proof storm() const
    {
        switch (rule_.criterion) {
        case Criterion::continuous: return paused();
        case Criterion::stalled: {
            const auto pause = paused();
            return {pause.hit && backlogged() && sends_nothing(), pause.charge, 0, pause.suspect};
        }
        case Criterion::progress:
            return {had_something_to_send() && mostly_paused() && sends_nothing(), time_without_progress(), 0, false};
        case Criterion::receive_stall: return {pauses_its_peer() && receives_nothing(), dt(), 0, false};
        case Criterion::pause_timeout: return {timed_out(), status_time(), 0, false};
        case Criterion::device: break;
        }
        return {};
    }

private:
    Field sent_field() const { return rule_.in_bytes ? Field::tx_bytes : Field::tx_packets; }

    const Observations& o_;
    const Rule& rule_;
    Slot row_;
};

std::uint32_t add(std::uint32_t clock, std::uint32_t time)
{
    return std::min(clock + std::min(time, kClockMost), kClockMost);
}

bool measures_pause(Criterion c) { return c == Criterion::continuous || c == Criterion::stalled; }

constexpr std::uint32_t kLongestFall = kClockMost / 4;  // multiplied by the largest leak, this still fits 32 bits

// The score of the leaky integrator. It is capped at twice the limit. It falls gradually. If the queue
// sends in one interval as much as it should have sent in all the time of the score, the score falls to zero.
std::uint32_t leak(std::uint32_t score, std::uint32_t limit, const Look& look, std::uint32_t times)
{
    if (const auto proof = look.storm(); proof.hit) {
        return std::min(add(score, proof.charge), limit > kClockMost / 2 ? kClockMost : 2 * limit);
    }
    return look.makes_up_for(score) ? 0 : score - std::min(std::min(look.dt(), kLongestFall) * times, score);
}

// The time left on a clock that runs or may have started; kNoLimit if it does not run.
std::uint32_t time_left(const Observations& o, const Rule& rule, const Clocks& clocks, Slot row)
{
    const Look look{o, rule, row};
    const auto proven = clocks.proven_us[row];
    const bool may_have_begun = look.dt() != 0 && (clocks.wants_quiet[row] != 0 || look.storm().suspect);
    return proven == 0 && !may_have_begun ? kNoLimit : clocks.limit_us[row] - std::min(proven, clocks.limit_us[row]);
}

}  // namespace

bool paused_throughout(const Observations& o, const Rule& rule, Slot row) noexcept
{
    return Look{o, rule, row}.paused().hit;
}

std::uint32_t advance_row(const Observations& o, const Rule& rule, const Clocks& clocks, Slot row) noexcept
{
    auto& proven = clocks.proven_us[row];
    const Look look{o, rule, row};
    if (look.dt() != 0) {
        if (clocks.wants_quiet[row] != 0) {
            const bool status = rule.criterion == Criterion::pause_timeout;
            proven = look.quiet(clocks.wants_quiet[row]) ? add(proven, status ? look.status_time() : look.dt()) : 0;
        } else if (rule.criterion == Criterion::progress) {
            proven = leak(proven, clocks.limit_us[row], look, rule.leak);
        } else {
            const auto storm = look.storm();
            proven = storm.hit ? add(proven, storm.charge) : storm.carry;
            if (measures_pause(rule.criterion)) {
                clocks.longest_us[row] = std::max(clocks.longest_us[row], proven);
            }
        }
    }
    return time_left(o, rule, clocks, row);
}

// ---------------------------------------------------------------------------------------------------------------------------
// The same for a range of rows. Flags are masks (0 or ~0): with ?: on bytes the compiler does not vectorise.
// ---------------------------------------------------------------------------------------------------------------------------

namespace {

constexpr std::uint32_t mask(bool on) { return 0U - static_cast<std::uint32_t>(on); }
constexpr std::uint32_t pick(std::uint32_t m, std::uint32_t a, std::uint32_t b) { return (a & m) | (b & ~m); }

struct Columns {
    const std::uint32_t* dt;
    const Fields* known;
    const std::uint8_t* pause;
    const std::uint32_t* pause_us;
    const std::uint32_t* occupancy;
    const std::uint32_t* sent;
    const std::uint32_t* pause_tx;
    const std::uint32_t* pause_tx_us;
    const std::uint32_t* rx_packets;
    const std::uint32_t* pause_timeout;
    Fields sent_bit;
};

struct Lane {
    std::uint32_t hit;
    std::uint32_t charge;
    std::uint32_t carry;
    std::uint32_t suspect;
};

PETREL_INLINE std::uint32_t all_known(Fields known, Fields wanted) { return mask((known & wanted) == wanted); }

// Template parameters select the columns that a proof reads, because a column that the device lacks has no memory.
template <bool counted>
struct ByState {
    PETREL_INLINE static Lane at(const Columns& c, const Rule&, std::size_t i, std::uint32_t bits)
    {
        std::uint32_t carry = 0;
        if constexpr (counted) {
            carry = std::min(c.pause_us[i], c.dt[i]) & mask((bits & kTrailing) != 0) &
                    all_known(c.known[i], bit(Field::pause_us));
        }
        return {mask((bits & kThroughout) != 0), c.dt[i], carry, mask((bits & kPausedNow) != 0)};
    }
};

struct ByDuration {
    PETREL_INLINE static Lane at(const Columns& c, const Rule& rule, std::size_t i, std::uint32_t bits)
    {
        const std::uint32_t dt = c.dt[i];
        const std::uint32_t counted = all_known(c.known[i], bit(Field::pause_us));
        const std::uint32_t time = std::min(c.pause_us[i], dt) & counted;
        const std::uint32_t enough = mask(time >= dt - part(dt, rule.slack_per_64k));
        const std::uint32_t going_on = mask((bits & kNotPausedNow) == 0);
        const std::uint32_t unbroken = mask((c.known[i] & kBroken) == 0);
        return {counted & enough & going_on & unbroken, time, time & mask((bits & kTrailing) != 0),
                mask(time != 0) & going_on};
    }
};

template <bool backlog>
PETREL_INLINE std::uint32_t backlogged(const Columns& c, std::size_t i)
{
    if constexpr (backlog) {
        return mask(c.occupancy[i] > 0) & all_known(c.known[i], bit(Field::occupancy));
    }
    return ~0U;
}

template <bool sends>
PETREL_INLINE std::uint32_t sends_nothing(const Columns& c, const Rule& rule, std::size_t i)
{
    if constexpr (sends) {
        return mask(c.sent[i] <= share(c.dt[i], rule.floor_per_64k_us)) & all_known(c.known[i], c.sent_bit);
    }
    return ~0U;
}

template <bool by_duration, bool backlog, bool sends>
PETREL_INLINE std::uint32_t had_something_to_send(const Columns& c, std::size_t i)
{
    std::uint32_t yes = backlogged<backlog>(c, i);
    if constexpr (sends) {
        std::uint32_t sent = mask(c.sent[i] > 0) & all_known(c.known[i], c.sent_bit);
        if constexpr (by_duration) {
            sent &=
                mask(c.pause_us[i] >= c.dt[i] - c.dt[i] / kNearlyAlways) & all_known(c.known[i], bit(Field::pause_us));
        }
        yes |= sent;
    }
    return yes;
}

template <class Pause, bool backlog, bool sends>
struct Stalled {
    PETREL_INLINE static Lane at(const Columns& c, const Rule& rule, std::size_t i, std::uint32_t bits)
    {
        const Lane pause = Pause::at(c, rule, i, bits);
        return {pause.hit & backlogged<backlog>(c, i) & sends_nothing<sends>(c, rule, i), pause.charge, 0,
                pause.suspect};
    }
};

template <bool by_duration, bool backlog, bool sends>
struct Progress {
    PETREL_INLINE static Lane at(const Columns& c, const Rule& rule, std::size_t i, [[maybe_unused]] std::uint32_t bits)
    {
        std::uint32_t mostly = 0;
        std::uint32_t time = c.dt[i];
        if constexpr (by_duration) {
            mostly = mask(c.pause_us[i] >= c.dt[i] - c.dt[i] / 2) & all_known(c.known[i], bit(Field::pause_us));
            const std::uint32_t whole = mask((bits & (kPausedBefore | kPausedNow)) == (kPausedBefore | kPausedNow));
            time = pick(whole, c.dt[i], std::min(c.pause_us[i], c.dt[i]));
        } else {
            mostly = mask((bits & kThroughout) != 0) |
                     mask((bits & (kPausedBefore | kPausedNow)) == (kPausedBefore | kPausedNow));
        }
        return {mostly & had_something_to_send<by_duration, backlog, sends>(c, i) & sends_nothing<sends>(c, rule, i),
                time, 0, 0};
    }

    PETREL_INLINE static std::uint32_t makes_up_for(const Columns& c, const Rule& rule, std::size_t i,
                                                    std::uint32_t score)
    {
        if constexpr (sends) {
            return mask(c.sent[i] >= share(score, rule.floor_per_64k_us)) & mask(rule.floor_per_64k_us != 0) &
                   all_known(c.known[i], c.sent_bit);
        }
        return 0;
    }
};

template <bool by_duration>
struct ReceiveStall {
    PETREL_INLINE static Lane at(const Columns& c, const Rule& rule, std::size_t i, std::uint32_t)
    {
        std::uint32_t known = all_known(c.known[i], bit(Field::rx_packets));
        std::uint32_t pauses = 0;
        if constexpr (by_duration) {
            known &= all_known(c.known[i], bit(Field::pause_tx_us));
            pauses = mask(std::min(c.pause_tx_us[i], c.dt[i]) >= c.dt[i] - share(c.dt[i], rule.slack_per_64k));
        } else {
            pauses = all_known(c.known[i], kKeepsPausing);
        }
        return {known & pauses & mask(c.rx_packets[i] == 0), c.dt[i], 0, 0};
    }
};

struct TimedOut {
    PETREL_INLINE static Lane at(const Columns& c, const Rule&, std::size_t i, std::uint32_t bits)
    {
        const std::uint32_t known = all_known(c.known[i], bit(Field::pause_timeout));
        const std::uint32_t now = mask(c.pause_timeout[i] != 0) & known;
        const std::uint32_t before = mask((bits & kPausedBefore) != 0);
        return {now, pick(now ^ before, 1, c.dt[i]), 0, 0};
    }
};

struct NoProof {
    PETREL_INLINE static Lane at(const Columns&, const Rule&, std::size_t, std::uint32_t) { return {0, 0, 0, 0}; }
};

struct QuietByBits {
    static constexpr bool whole_interval = true;
    PETREL_INLINE static std::uint32_t at(const Columns&, std::size_t, std::uint32_t bits, std::uint32_t by)
    {
        return mask((bits & by) != 0);
    }
};

template <bool by_duration>
struct QuietByReceive {
    static constexpr bool whole_interval = true;
    PETREL_INLINE static std::uint32_t at(const Columns& c, std::size_t i, std::uint32_t, std::uint32_t)
    {
        const Fields sent = bit(by_duration ? Field::pause_tx_us : Field::pause_tx);
        const std::uint32_t* const column = by_duration ? c.pause_tx_us : c.pause_tx;
        return (all_known(c.known[i], bit(Field::rx_packets)) & mask(c.rx_packets[i] > 0)) |
               (all_known(c.known[i], sent) & mask(column[i] == 0));
    }
};

struct QuietByTimeout {
    static constexpr bool whole_interval = false;  // as for the storm: time counts while the status stays the same
    PETREL_INLINE static std::uint32_t at(const Columns& c, std::size_t i, std::uint32_t, std::uint32_t)
    {
        return mask(c.pause_timeout[i] == 0) & all_known(c.known[i], bit(Field::pause_timeout));
    }
};

struct Hot {
    std::uint32_t* proven;
    const std::uint32_t* limit;
    const std::uint8_t* wants_quiet;
    std::uint32_t* longest;
    std::uint32_t* left;
};

// Flags are bytes, clocks are 32-bit words. In one loop they would make the compiler work on 32 rows at once, for which
// there are not enough registers. So flags are widened first, kPiece rows at a time.
constexpr std::size_t kPiece = 512;

template <class Storm, class Quiet, bool leaks, bool longest>
PETREL_INLINE std::uint32_t sweep(const Columns& columns, const Rule& rule, const Hot& hot, std::size_t count)
{
    const Columns c = columns;
    const Rule r = rule;
    alignas(64) std::array<std::uint32_t, kPiece> flags;
    alignas(64) std::array<std::uint32_t, kPiece> waits;
    std::uint32_t least = kNoLimit;
    for (std::size_t from = 0; from < count; from += kPiece) {
        const std::size_t rows = std::min(kPiece, count - from);
        for (std::size_t j = 0; j < rows; ++j) {
            flags[j] = c.pause[from + j];
            waits[j] = hot.wants_quiet[from + j];
        }
        PETREL_NO_OVERLAP
        for (std::size_t j = 0; j < rows; ++j) {
            const std::size_t i = from + j;
            const std::uint32_t dt = c.dt[i];
            const std::uint32_t limit = hot.limit[i];
            const std::uint32_t wants = mask(waits[j] != 0);
            const std::uint32_t old = hot.proven[i];
            const Lane storm = Storm::at(c, r, i, flags[j]);
            const std::uint32_t quiet = Quiet::at(c, i, flags[j], waits[j]);
            const std::uint32_t hit = pick(wants, quiet, storm.hit);
            const std::uint32_t charge = Quiet::whole_interval ? pick(wants, dt, storm.charge) : storm.charge;
            const std::uint32_t more = std::min(old + std::min(charge, kClockMost), kClockMost);
            std::uint32_t next = 0;
            if constexpr (leaks) {
                const std::uint32_t most = pick(wants | mask(limit > kClockMost / 2), kClockMost, 2 * limit);
                const std::uint32_t fall = std::min(std::min(dt, kLongestFall) * r.leak, old);
                const std::uint32_t lower = (old - fall) & ~Storm::makes_up_for(c, r, i, old);
                next = pick(hit, std::min(more, most), lower & ~wants);
            } else {
                next = pick(hit, more, storm.carry & ~wants);
            }
            next = pick(mask(dt != 0), next, old);
            hot.proven[i] = next;
            if constexpr (longest) {
                hot.longest[i] = std::max(hot.longest[i], next & ~wants & mask(dt != 0));
            }
            const std::uint32_t runs = mask(next != 0) | ((wants | storm.suspect) & mask(dt != 0));
            const std::uint32_t left = (limit - std::min(next, limit)) | ~runs;
            hot.left[i] = left;
            least = std::min(least, left);
        }
    }
    return least;
}

#define PETREL_SWEEP(name, ...)                                                                                        \
    PETREL_CLONES std::uint32_t name(const Columns& c, const Rule& r, const Hot& h, std::size_t count)                 \
    {                                                                                                                  \
        return sweep<__VA_ARGS__>(c, r, h, count);                                                                     \
    }

PETREL_SWEEP(continuous_state, ByState<false>, QuietByBits, false, true)
PETREL_SWEEP(continuous_state_counted, ByState<true>, QuietByBits, false, true)
PETREL_SWEEP(continuous_duration, ByDuration, QuietByBits, false, true)
PETREL_SWEEP(receive_stall_frames, ReceiveStall<false>, QuietByReceive<false>, false, false)
PETREL_SWEEP(receive_stall_duration, ReceiveStall<true>, QuietByReceive<true>, false, false)
PETREL_SWEEP(timed_out, TimedOut, QuietByTimeout, false, false)
PETREL_SWEEP(no_proof, NoProof, QuietByBits, false, false)

using Sweep = std::uint32_t (*)(const Columns&, const Rule&, const Hot&, std::size_t);

// Stalled and progress come in eight kinds each: by state or duration, with or without backlog, with or without
// sending.
template <bool by_duration, bool backlog, bool sends>
struct Kinds {
    using Pause = std::conditional_t<by_duration, ByDuration, ByState<false>>;
    PETREL_SWEEP(static stalled, Stalled<Pause, backlog, sends>, QuietByBits, false, true)
    PETREL_SWEEP(static progress, Progress<by_duration, backlog, sends>, QuietByBits, true, false)
};

template <bool by_duration>
Sweep choose(Criterion criterion, bool backlog, bool sends)
{
    const auto of = [&](auto kinds) -> Sweep {
        using Kind = decltype(kinds);
        return criterion == Criterion::stalled ? &Kind::stalled : &Kind::progress;
    };
    if (backlog) {
        return sends ? of(Kinds<by_duration, true, true>{}) : of(Kinds<by_duration, true, false>{});
    }
    return sends ? of(Kinds<by_duration, false, true>{}) : of(Kinds<by_duration, false, false>{});
}

Sweep choose(const Rule& rule, bool counted)
{
    const bool by_duration = rule.source == Source::duration;
    switch (rule.criterion) {
    case Criterion::continuous:
        return by_duration ? continuous_duration : (counted ? continuous_state_counted : continuous_state);
    case Criterion::stalled:
    case Criterion::progress:
        return by_duration ? choose<true>(rule.criterion, rule.backlog, rule.sends)
                           : choose<false>(rule.criterion, rule.backlog, rule.sends);
    case Criterion::receive_stall: return by_duration ? receive_stall_duration : receive_stall_frames;
    case Criterion::pause_timeout: return timed_out;
    case Criterion::device: break;
    }
    return no_proof;
}

}  // namespace

std::uint32_t advance(const Observations& o, const Rule& rule, const Clocks& clocks, Slot first,
                      std::span<std::uint32_t> left) noexcept
{
    const auto from = [&](Field f) -> const std::uint32_t* {
        const auto column = o.column(f);
        return column.empty() ? nullptr : column.data() + first.value;
    };
    const Field sent = rule.in_bytes ? Field::tx_bytes : Field::tx_packets;
    const Columns columns{o.dt_us.data() + first.value,
                          o.known.data() + first.value,
                          o.pause.data() + first.value,
                          from(Field::pause_us),
                          from(Field::occupancy),
                          from(sent),
                          from(Field::pause_tx),
                          from(Field::pause_tx_us),
                          from(Field::rx_packets),
                          from(Field::pause_timeout),
                          bit(sent)};
    const Hot hot{clocks.proven_us.data() + first.value, clocks.limit_us.data() + first.value,
                  clocks.wants_quiet.data() + first.value, clocks.longest_us.data() + first.value, left.data()};
    return choose(rule, columns.pause_us != nullptr)(columns, rule, hot, left.size());
}

}  // namespace petrel::watchdog
