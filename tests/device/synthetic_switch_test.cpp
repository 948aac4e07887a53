// The synthetic switch compared with numbers computed by hand, and with a model that steps through every microsecond.
#include "support/synthetic_switch.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "device/manual_clock.hpp"
#include "device/synthetic/faulty_device.hpp"

namespace petrel::device {
namespace {

using namespace std::chrono_literals;
using watchdog::Command;
using watchdog::Field;
using watchdog::PauseState;
using watchdog::Treatment;

constexpr Priority kThree{3};
constexpr BitRate kLine{100'000'000'000};  // 12500 bytes a microsecond; an XOFF holds for 335 us
constexpr std::int64_t kHoldUs = 335;

Instant us(std::int64_t n) { return instant_from_us(n); }

// A switch with one port; reads its queue 3 as raw values.
class Bench {
public:
    explicit Bench(SyntheticSwitch::Options options = {}) : device(std::move(options), clock) {}

    std::uint64_t read(Field field) { return sample()[static_cast<std::size_t>(field)]; }
    std::array<std::uint64_t, watchdog::kFields> sample()
    {
        // A new intake shows levels unchanged, and counters as differences to zero.
        watchdog::Intake intake{device.inventory(), device.capabilities()};
        const Slot row = device.slot(queue());
        std::array<std::uint64_t, watchdog::kFields> values{};
        EXPECT_TRUE(device.look(std::span{&row, 1}, intake));
        for (std::size_t f = 0; f < watchdog::kFields; ++f) {
            const auto column = intake.view().value[f];
            values[f] = column.empty() ? 0 : column[row.value];
        }
        return values;
    }
    PauseState state() { return static_cast<PauseState>(read(Field::pause_state)); }
    void at(std::int64_t n) { clock.set(us(n)); }
    Target queue() const { return device.queue(0, kThree); }
    void treat(Treatment want, bool whole_port = false)
    {
        const Command command{1, 1, whole_port ? device.port(0) : queue(), want, kNever};
        ASSERT_TRUE(device.apply(command, {}));
    }

    ManualClock clock;
    SyntheticSwitch device;
};

TEST(SyntheticSwitch, CountsAPause)
{
    Bench bench;
    bench.device.pause(bench.queue(), storm(us(1'000), us(2'000)));
    bench.at(999);
    EXPECT_EQ(bench.read(Field::paused_now), 0U);
    EXPECT_EQ(bench.read(Field::rx_xoff), 0U);
    bench.at(1'000);
    EXPECT_EQ(bench.read(Field::paused_now), 1U);
    EXPECT_EQ(bench.read(Field::rx_xoff), 1U);
    EXPECT_EQ(bench.read(Field::pause_us), 0U);
    bench.at(1'000 + kHoldUs - 1);
    EXPECT_EQ(bench.read(Field::rx_xoff), 1U);
    bench.at(1'000 + kHoldUs);
    EXPECT_EQ(bench.read(Field::rx_xoff), 2U);
    EXPECT_EQ(bench.read(Field::pause_us), 335U);
    bench.at(1'999);
    EXPECT_EQ(bench.read(Field::paused_now), 1U);
    EXPECT_EQ(bench.read(Field::on2off), 0U);
    bench.at(2'000);
    EXPECT_EQ(bench.read(Field::paused_now), 0U);
    EXPECT_EQ(bench.read(Field::pause_us), 1'000U);
    EXPECT_EQ(bench.read(Field::rx_xoff), 3U);
    EXPECT_EQ(bench.read(Field::rx_xon), 1U);
    EXPECT_EQ(bench.read(Field::rx_pfc), 4U);
    EXPECT_EQ(bench.read(Field::on2off), 1U);
}

TEST(SyntheticSwitch, SendsNoXoffAtTheMomentThePauseEnds)
{
    Bench bench;
    bench.device.pause(bench.queue(), storm(us(0), us(kHoldUs)));
    bench.at(5'000);
    EXPECT_EQ(bench.read(Field::rx_xoff), 1U);
}

TEST(SyntheticSwitch, BurstsAreCountedEach)
{
    Bench bench;
    bench.device.pause(bench.queue(), bursts(us(100), 50us, 20us, 10));
    bench.at(1'000);
    EXPECT_EQ(bench.read(Field::on2off), 10U);
    EXPECT_EQ(bench.read(Field::rx_xoff), 10U);
    EXPECT_EQ(bench.read(Field::rx_xon), 10U);
    EXPECT_EQ(bench.read(Field::pause_us), 200U);
}

TEST(SyntheticSwitch, ReadingTheStateResetsIt)
{
    Bench bench;
    bench.device.pause(bench.queue(), {{us(150), us(350)}, {us(360), us(600)}});
    bench.at(100);
    EXPECT_EQ(bench.state(), PauseState::not_paused);
    bench.at(200);
    EXPECT_EQ(bench.state(), PauseState::not_continuous);
    bench.at(300);
    EXPECT_EQ(bench.state(), PauseState::paused);
    bench.at(400);
    EXPECT_EQ(bench.state(), PauseState::not_continuous) << "the break at 350 lies between the reads";
    bench.at(500);
    EXPECT_EQ(bench.state(), PauseState::paused);
    bench.at(600);
    EXPECT_EQ(bench.state(), PauseState::not_paused) << "shows the present state only";
}

TEST(SyntheticSwitch, AQueueThatIsNotReadDoesNotLoseItsState)
{
    Bench bench;
    bench.device.pause(bench.queue(), storm(us(0), us(1'000)));
    bench.at(100);
    watchdog::Intake intake{bench.device.inventory(), bench.device.capabilities()};
    const Slot other = bench.device.slot(bench.device.queue(0, Priority{4}));
    ASSERT_TRUE(bench.device.look(std::span{&other, 1}, intake));
    bench.at(200);
    EXPECT_EQ(bench.state(), PauseState::paused);
}

TEST(SyntheticSwitch, APausedQueueFillsAndThenDrains)
{
    Bench bench;
    bench.device.demand(bench.queue(), BitRate{40'000'000'000});  // 5000 bytes a microsecond
    bench.device.pause(bench.queue(), {{us(100), us(200)}, {us(1'000), us(9'000)}});
    bench.at(100);
    EXPECT_EQ(bench.read(Field::tx_bytes), 500'000U);
    EXPECT_EQ(bench.read(Field::tx_packets), 500'000U / 1024);
    bench.at(200);
    EXPECT_EQ(bench.read(Field::tx_bytes), 500'000U);
    EXPECT_EQ(bench.read(Field::occupancy), 500'000U);
    bench.at(210);
    EXPECT_EQ(bench.read(Field::occupancy), 500'000U - 10 * 7'500U);
    EXPECT_EQ(bench.read(Field::tx_bytes), 500'000U + 10 * 12'500U);
    bench.at(1'000);
    EXPECT_EQ(bench.read(Field::occupancy), 0U);
    EXPECT_EQ(bench.read(Field::tx_bytes), 5'000'000U);
    bench.at(8'000);
    EXPECT_EQ(bench.read(Field::occupancy), 2'000'000U) << "a full buffer holds its senders back";
    EXPECT_EQ(bench.read(Field::tx_drops), 0U);
}

TEST(SyntheticSwitch, DroppingEmptiesTheQueueAndCounts)
{
    Bench bench;
    bench.device.demand(bench.queue(), BitRate{8'192'000'000});   // one packet a microsecond
    bench.device.receive(bench.queue(), BitRate{8'192'000'000});  //
    bench.device.pause(bench.queue(), storm(us(0), us(10'000)));
    bench.at(100);
    EXPECT_EQ(bench.read(Field::occupancy), 100U * 1024);
    bench.treat(Treatment::drop);
    EXPECT_EQ(bench.read(Field::occupancy), 0U);
    EXPECT_EQ(bench.read(Field::tx_drops), 100U);
    bench.at(150);
    EXPECT_EQ(bench.read(Field::tx_drops), 150U);
    EXPECT_EQ(bench.read(Field::rx_drops), 50U);
    EXPECT_EQ(bench.read(Field::rx_packets), 100U);
    EXPECT_EQ(bench.read(Field::tx_packets), 0U);
    bench.treat(Treatment::drop_egress);
    bench.at(200);
    EXPECT_EQ(bench.read(Field::rx_packets), 150U) << "drop_egress leaves the way in alone";
    bench.treat(Treatment::none);
    bench.at(300);
    EXPECT_EQ(bench.read(Field::occupancy), 100U * 1024);
    EXPECT_EQ(bench.read(Field::tx_drops), 200U);
}

TEST(SyntheticSwitch, IgnoringPauseSendsOn)
{
    Bench bench;
    bench.device.demand(bench.queue(), BitRate{8'192'000'000});
    bench.device.pause(bench.queue(), storm(us(0), us(10'000)));
    bench.at(100);
    bench.treat(Treatment::ignore_pause);
    bench.at(1'100);
    EXPECT_EQ(bench.read(Field::tx_packets), 1'100U);
    EXPECT_EQ(bench.read(Field::occupancy), 0U);
    EXPECT_EQ(bench.read(Field::pause_us), 1'100U) << "the peer still pauses";
}

TEST(SyntheticSwitch, FrozenCountersStandStillWhileTreated)
{
    SyntheticSwitch::Options options;
    options.freezes = bit(Field::pause_us) | bit(Field::rx_xoff) | bit(Field::pause_state) | bit(Field::paused_now);
    Bench bench{options};
    bench.device.pause(bench.queue(), storm(us(0), us(5'000)));
    bench.at(1'000);
    const auto xoffs = bench.read(Field::rx_xoff);
    bench.treat(Treatment::drop);
    bench.at(8'000);
    EXPECT_EQ(bench.read(Field::pause_us), 1'000U);
    EXPECT_EQ(bench.read(Field::rx_xoff), xoffs);
    EXPECT_EQ(bench.read(Field::paused_now), 1U);
    EXPECT_EQ(bench.state(), PauseState::paused);
    EXPECT_EQ(bench.read(Field::on2off), 1U) << "not frozen";
    bench.treat(Treatment::drop_egress);
    EXPECT_EQ(bench.read(Field::paused_now), 1U) << "still treated, still frozen";
    bench.treat(Treatment::none);
    EXPECT_EQ(bench.read(Field::paused_now), 0U);
    EXPECT_EQ(bench.read(Field::pause_us), 1'000U);
}

TEST(SyntheticSwitch, ALinkThatGoesDownEndsThePauseAndTheEpoch)
{
    Bench bench;
    bench.device.pause(bench.queue(), storm(us(0), us(1'000)));
    bench.device.demand(bench.queue(), BitRate{8'192'000'000});
    bench.device.change_link(0, {us(100), BitRate{0}});
    bench.device.change_link(0, {us(300), kLine});
    QueueModel model{{kLine, 1024, 2'000'000, 0}, us(0)};
    model.add_link({us(100), BitRate{0}});
    model.add_link({us(300), BitRate{50'000'000'000}});
    model.advance(us(99));
    EXPECT_EQ(model.epoch(), 1U);
    model.advance(us(100));
    EXPECT_EQ(model.epoch(), 0U);
    model.advance(us(300));
    EXPECT_EQ(model.epoch(), 3U);

    bench.at(200);
    EXPECT_EQ(bench.read(Field::paused_now), 0U);
    EXPECT_EQ(bench.read(Field::pause_us), 100U);
    EXPECT_EQ(bench.read(Field::on2off), 1U);
    EXPECT_EQ(bench.read(Field::rx_xon), 0U) << "the link was down: the peer sent no XON";
    EXPECT_EQ(bench.read(Field::tx_drops), 200U);
    bench.at(1'000);
    EXPECT_EQ(bench.read(Field::pause_us), 800U);
    EXPECT_EQ(bench.read(Field::rx_xon), 1U);
}

TEST(SyntheticSwitch, AStalledReceiverPausesItsPeerUntilMuted)
{
    Bench bench;
    bench.device.receive(bench.queue(), BitRate{8'192'000'000});
    bench.device.stall_receive(bench.queue(), storm(us(100), us(100'000)));
    bench.at(100 + 2 * kHoldUs);
    EXPECT_EQ(bench.read(Field::rx_packets), 100U);
    EXPECT_EQ(bench.read(Field::pause_tx), 3U);
    EXPECT_EQ(bench.read(Field::pause_tx_us), 670U);
    bench.treat(Treatment::mute_pause);
    bench.at(50'000);
    EXPECT_EQ(bench.read(Field::pause_tx), 3U);
    EXPECT_EQ(bench.read(Field::pause_tx_us), 670U);
    EXPECT_EQ(bench.read(Field::pause_us), 0U) << "a pause that is sent is none that is received";
}

TEST(SyntheticSwitch, APortShowsWhichChannelsTimedOut)
{
    SyntheticSwitch::Options options;
    options.port_rows = true;
    options.pause_timeout = 100us;
    Bench bench{options};
    const auto status = [&] {
        watchdog::Intake intake{bench.device.inventory(), bench.device.capabilities()};
        EXPECT_TRUE(bench.device.look({}, intake));
        return intake.view().column(Field::pause_timeout)[bench.device.slot(bench.device.port(0)).value];
    };
    bench.device.pause(bench.queue(), storm(us(0), us(500)));
    bench.at(99);
    EXPECT_EQ(status(), 0U);
    bench.at(100);
    EXPECT_EQ(status(), 1U << 3);
    bench.at(500);
    EXPECT_EQ(status(), 0U);
}

TEST(SyntheticSwitch, FollowsItsCapabilities)
{
    SyntheticSwitch::Options options;
    options.capabilities.fields = bit(Field::pause_us);
    options.capabilities.treatments = bit(Treatment::drop) | bit(Treatment::lossless_off);
    Bench bench{options};
    watchdog::Intake intake{bench.device.inventory(), SyntheticSwitch::everything()};
    ASSERT_TRUE(bench.device.look({}, intake));
    bench.at(10);
    intake.begin();
    ASSERT_TRUE(bench.device.look({}, intake));
    EXPECT_EQ(intake.view().known[0], bit(Field::pause_us));

    const auto kind = [&](const Target& target, Treatment want) {
        const auto prepared = bench.device.prepare({1, 1, target, want, kNever});
        const auto applied = bench.device.apply({1, 1, target, want, kNever}, {});
        EXPECT_EQ(prepared.has_value(), applied.has_value());
        return applied ? std::optional<ErrorKind>{} : applied.error().kind;
    };
    EXPECT_EQ(kind(bench.queue(), Treatment::ignore_pause), ErrorKind::unsupported);
    EXPECT_EQ(kind(bench.queue(), Treatment::lossless_off), ErrorKind::unsupported) << "lossless_off applies to a port";
    EXPECT_EQ(kind(bench.device.port(0), Treatment::drop), ErrorKind::unsupported) << "drop applies to a queue";
    EXPECT_EQ(kind(bench.device.port(7), Treatment::lossless_off), ErrorKind::invalid);
    EXPECT_EQ(kind(bench.device.queue(0, Priority{200}), Treatment::drop), ErrorKind::invalid);
    EXPECT_EQ(kind(bench.queue(), Treatment::drop), std::nullopt);
    EXPECT_EQ(kind(bench.device.port(0), Treatment::lossless_off), std::nullopt);
}

TEST(SyntheticSwitch, APortWideTreatmentHitsEveryQueueAndLeavesWithThePort)
{
    Bench bench;
    bench.device.demand(bench.queue(), BitRate{8'192'000'000});
    bench.treat(Treatment::squeeze, true);
    bench.at(100);
    EXPECT_EQ(bench.read(Field::tx_drops), 100U);
    EXPECT_EQ(*bench.device.read_back(bench.device.port(0)), Treatment::squeeze);
    EXPECT_EQ(*bench.device.read_back(bench.queue()), Treatment::none);
    bench.treat(Treatment::none, true);
    bench.at(200);
    EXPECT_EQ(bench.read(Field::tx_drops), 100U);
}

// The formula equals the model that steps through every microsecond, for any script and any read times.
struct Naive {
    std::uint64_t pause_us{}, xoff{}, xon{}, on2off{}, sent{}, occupied{}, dropped{};
    bool paused{};
    std::int64_t run{};

    void step(bool pause, bool ignore, bool discard, std::uint64_t demand, std::uint64_t line, std::uint64_t buffer)
    {
        // First the effect of the microsecond that ends here, then the changes at its end.
        pause_us += paused ? 1 : 0;
        if (discard) {
            dropped += occupied + demand;
            occupied = 0;
        } else {
            const auto out = paused && !ignore ? 0 : std::min(line, occupied + demand);
            occupied += std::min(demand, buffer - occupied + out);
            occupied -= out;
            sent += out;
        }
        edge(pause, paused ? run + 1 : 0);
    }
    void edge(bool pause, std::int64_t age)
    {
        on2off += paused && !pause ? 1 : 0;
        xon += paused && !pause ? 1 : 0;
        run = age;
        xoff += pause && (!paused || run % kHoldUs == 0) ? 1U : 0U;
        run = paused ? run : 0;
        paused = pause;
    }
};

RC_GTEST_PROP(SyntheticSwitchLaw, EqualsTheModelThatStepsEveryMicrosecond, ())
{
    constexpr std::uint64_t kLineBits = 100'000;
    constexpr std::uint64_t kBufferBytes = 300'000;
    const auto demand_mbps = *rc::gen::inRange<std::uint64_t>(0, 150'000);
    QueueModel model{{kLine, 1, kBufferBytes, 0}, us(0)};
    model.set_demand(BitRate{demand_mbps * 1'000'000});

    std::vector<bool> pause(4'000);
    Stretches script;
    for (std::int64_t from = *rc::gen::inRange(0, 800); from < 3'000;) {
        const auto to = from + *rc::gen::inRange(1, 900);
        script.push_back({us(from), us(to)});
        std::fill(pause.begin() + from, pause.begin() + std::min<std::int64_t>(to, 4'000), true);
        from = to + *rc::gen::inRange(1, 400);
    }
    model.add_pause(script);
    const auto treatments = *rc::gen::container<std::map<int, Treatment>>(
        rc::gen::inRange(1, 3'999), rc::gen::element(Treatment::none, Treatment::ignore_pause, Treatment::drop));

    Naive naive;
    auto treatment = Treatment::none;
    naive.edge(pause[0], 0);
    std::int64_t next_read = 0;
    for (std::int64_t now = 0; now < 4'000; ++now) {
        if (now > 0) {
            naive.step(pause[static_cast<std::size_t>(now)], treatment == Treatment::ignore_pause,
                       treatment == Treatment::drop, demand_mbps, kLineBits, kBufferBytes * 8);
        }
        if (const auto change = treatments.find(static_cast<int>(now)); change != treatments.end()) {
            treatment = change->second;
            model.advance(us(now));
            model.treat(treatment);
            if (treatment == Treatment::drop) {
                naive.dropped += std::exchange(naive.occupied, 0);
            }
        }
        if (now < next_read) {
            continue;
        }
        next_read = now + *rc::gen::inRange(1, 500);
        model.advance(us(now));
        RC_ASSERT(model.paused() == naive.paused);
        RC_ASSERT(model.read(Field::pause_us) == naive.pause_us);
        RC_ASSERT(model.read(Field::rx_xoff) == naive.xoff);
        RC_ASSERT(model.read(Field::rx_xon) == naive.xon);
        RC_ASSERT(model.read(Field::on2off) == naive.on2off);
        RC_ASSERT(model.read(Field::tx_bytes) == naive.sent / 8);
        RC_ASSERT(model.read(Field::tx_drops) == naive.dropped / 8);
        RC_ASSERT(model.read(Field::occupancy) == naive.occupied / 8);
    }
}

// The counters do not depend on how often they are read.
RC_GTEST_PROP(SyntheticSwitchLaw, CountersDoNotDependOnWhenTheyAreRead, ())
{
    const auto build = [](QueueModel& model) {
        model.set_demand(BitRate{30'000'000'000});
        model.set_receive(BitRate{20'000'000'000});
        model.add_pause(bursts(us(50), 1000us, 700us, 20));
        model.add_receive_stall(bursts(us(20), 900us, 300us, 20));
        model.add_link({us(4'321), BitRate{0}});
        model.add_link({us(5'000), BitRate{25'000'000'000}});
        model.add_link({us(9'100), kLine});
    };
    const QueueModel::Shape shape{kLine, 1024, 1'000'000, 0};
    QueueModel often{shape, us(0)};
    QueueModel once{shape, us(0)};
    build(often);
    build(once);
    const auto end = *rc::gen::inRange<std::int64_t>(0, 25'000);
    for (std::int64_t now = 0; now < end; now += *rc::gen::inRange(1, 700)) {
        often.advance(us(now));
    }
    often.advance(us(end));
    once.advance(us(end));
    for (std::size_t f = 0; f < watchdog::kFields; ++f) {
        RC_ASSERT(often.read(static_cast<Field>(f)) == once.read(static_cast<Field>(f)));
    }
}

class Receiver final : public NoticeSink {
public:
    void post(const watchdog::Notice& notice) noexcept override { received = notice.target; }
    std::optional<Target> received;
};

TEST(FaultyDevice, FailsTheGivenNumberOfTimes)
{
    using Call = FaultyDevice::Call;
    using Fault = FaultyDevice::Fault;
    Bench bench;
    FaultyDevice faulty{bench.device};
    const Command drop{1, 1, bench.queue(), Treatment::drop, kNever};

    faulty.next(Call::apply, Fault::refuse, 2);
    EXPECT_EQ(faulty.apply(drop, {}).error().kind, ErrorKind::denied);
    EXPECT_EQ(faulty.apply(drop, {}).error().kind, ErrorKind::denied);
    EXPECT_TRUE(faulty.done());
    EXPECT_EQ(bench.device.in_force(bench.queue()), Treatment::none);

    faulty.next(Call::apply, Fault::have_no_effect);
    EXPECT_TRUE(faulty.apply(drop, {}));
    EXPECT_EQ(bench.device.in_force(bench.queue()), Treatment::none);

    faulty.next(Call::apply, Fault::time_out);
    EXPECT_EQ(faulty.apply(drop, {}).error().kind, ErrorKind::timed_out);
    EXPECT_EQ(bench.device.in_force(bench.queue()), Treatment::none);

    faulty.next(Call::apply, Fault::answer_late);
    EXPECT_EQ(faulty.apply(drop, {}).error().kind, ErrorKind::timed_out);
    EXPECT_EQ(bench.device.in_force(bench.queue()), Treatment::drop);

    faulty.lie_next(Treatment::none);
    EXPECT_EQ(*faulty.read_back(bench.queue()), Treatment::none);
    EXPECT_EQ(*faulty.read_back(bench.queue()), Treatment::drop);

    faulty.next(Call::prepare, Fault::fail);
    EXPECT_EQ(faulty.prepare(drop).error().kind, ErrorKind::unreachable);
    EXPECT_TRUE(faulty.prepare(drop));

    watchdog::Intake intake{faulty.inventory(), faulty.capabilities()};
    faulty.next(Call::look, Fault::fail);
    EXPECT_FALSE(faulty.look({}, intake));
    EXPECT_TRUE(faulty.look({}, intake));

    Receiver receiver;
    faulty.listen(receiver);
    bench.device.notify({watchdog::Notice::Kind::detected, bench.queue(), us(0)});
    EXPECT_EQ(receiver.received, bench.queue());
}

// --- what a treatment overwrites

TEST(SyntheticConfiguration, ComesBackFromTheUndo)
{
    Bench bench;
    const auto target = bench.queue();
    bench.device.configure(target, 77);
    const auto undo = bench.device.prepare({1, 1, target, Treatment::drop, kNever});
    ASSERT_TRUE(undo);
    ASSERT_TRUE(bench.device.apply({1, 1, target, Treatment::drop, kNever}, *undo));
    EXPECT_NE(bench.device.configuration(target), 77U) << "overwritten, as in hardware";
    ASSERT_TRUE(bench.device.apply({2, 1, target, Treatment::none, kNever}, *undo));
    EXPECT_EQ(bench.device.configuration(target), 77U);
    EXPECT_EQ(bench.device.in_force(target), Treatment::none);
}

TEST(SyntheticConfiguration, WithoutAJournaledUndoIsTheDefault)
{
    Bench bench;
    const auto target = bench.queue();
    bench.device.configure(target, 77);
    ASSERT_TRUE(bench.device.apply({1, 1, target, Treatment::drop, kNever}, {}));
    const auto too_late = bench.device.prepare({2, 1, target, Treatment::none, kNever});
    ASSERT_TRUE(too_late);
    for (const auto& undo : {*too_late, Undo{}}) {
        ASSERT_TRUE(bench.device.apply({2, 1, target, Treatment::none, kNever}, undo));
        EXPECT_EQ(bench.device.in_force(target), Treatment::none) << "the treatment ends in any case";
        EXPECT_EQ(bench.device.configuration(target), SyntheticSwitch::kDefaultConfiguration);
    }
}

}  // namespace
}  // namespace petrel::device
