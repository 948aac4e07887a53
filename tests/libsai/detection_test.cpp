// The switch detects deadlocks itself: with its intervals or the port's own, with the queue's or the switch's action,
// and sends notifications. Link changes are notified, too.
#include <condition_variable>
#include <mutex>

#include "loaded_library.hpp"

namespace petrel::test {
namespace {

using sai::DeadlockEvent;
using sai::PacketAction;
namespace queue_attr = sai::queue_attr;
namespace port_attr = sai::port_attr;
namespace switch_attr = sai::switch_attr;

struct SaiNotice {
    ObjectId object{};
    std::int32_t what{};
    bool operator==(const SaiNotice&) const = default;
};

// The notices in their order. They come from another thread only if the twin runs by the wall clock.
struct Inbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<SaiNotice> received;

    void add(SaiNotice what)
    {
        const std::lock_guard lock{mutex};
        received.push_back(what);
        changed.notify_all();
    }
    std::vector<SaiNotice> take()
    {
        const std::lock_guard lock{mutex};
        return std::exchange(received, {});
    }
};

Inbox& inbox()
{
    static Inbox it;
    return it;
}

void on_deadlocks(std::uint32_t count, const sai::DeadlockNotice* notices)
{
    for (std::uint32_t i = 0; i != count; ++i) {
        inbox().add({notices[i].queue, notices[i].event});
    }
}

void on_ports(std::uint32_t count, const sai::PortStateNotice* notices)
{
    for (std::uint32_t i = 0; i != count; ++i) {
        inbox().add({notices[i].port, notices[i].state});
    }
}

constexpr auto kDetected = static_cast<std::int32_t>(DeadlockEvent::detected);
constexpr auto kRecovered = static_cast<std::int32_t>(DeadlockEvent::recovered);

// Both hosts of s0 pause it from 100 ms to 1,000 ms; h2 sends to both.
constexpr std::string_view kTwoStorms = R"(
name = "two storms"
duration = "10s"
[topology]
kind = "dumbbell"
left = 2
right = 1
host_links = { speed = "1G", cable_m = 3 }
middle_link = { speed = "1G", cable_m = 3 }
[[traffic]]
from = "h2"
to = "h0"
rate = "20M"
reliable = false
[[traffic]]
from = "h2"
to = "h1"
rate = "20M"
reliable = false
[[fault]]
at = "100ms"
kind = "storm"
host = "h0..h1"
quanta = 2000
period = "1ms"
until = "1000ms"
)";

class Detection : public LoadedLibrary {
protected:
    Detection() { inbox().take(); }

    void watch(std::size_t port_index) { set(queues, queue(port_index), queue_attr::enable_pfc_dldr, boolean(true)); }
    template <class Table>
    void set_interval(const Table* table, ObjectId id, sai::AttrId attribute, std::int32_t ms)
    {
        std::vector<sai::MapEntry> entries{{3, ms}};
        set(table, id, attribute, map_list(entries));
    }
    void set_switch_intervals(std::int32_t detect_ms, std::int32_t recover_ms)
    {
        set_interval(switches, s0, switch_attr::pfc_tc_dld_interval, detect_ms);
        set_interval(switches, s0, switch_attr::pfc_tc_dlr_interval, recover_ms);
    }
    // The time of each notice, to the millisecond: "detected 1 at 200".
    std::vector<std::string> notices_until(std::uint64_t end_ms)
    {
        std::vector<std::string> text;
        while (now_ms() < end_ms) {
            step_ms(1);
            for (const auto& notice : inbox().take()) {
                const auto port_index = notice.object == queue(0) ? 0 : notice.object == queue(1) ? 1 : -1;
                text.push_back((notice.what == kDetected ? "detected " : "recovered ") + std::to_string(port_index) +
                               " at " + std::to_string(now_ms()));
            }
        }
        return text;
    }
};

TEST_F(Detection, APortsIntervalsOverrideThoseOfTheSwitch)
{
    start(kTwoStorms, {{switch_attr::queue_pfc_deadlock_notify, callback(on_deadlocks)}});
    set_switch_intervals(100, 50);
    set_interval(ports, port(1), port_attr::pfc_tc_dld_interval, 300);
    set_interval(ports, port(1), port_attr::pfc_tc_dlr_interval, 200);
    watch(0);
    watch(1);
    const std::vector<std::string> expected{"detected 0 at 201",  "recovered 0 at 251", "detected 0 at 351",
                                            "detected 1 at 401",  "recovered 0 at 401", "detected 0 at 501",
                                            "recovered 0 at 551", "recovered 1 at 601"};
    EXPECT_EQ(notices_until(602), expected);
    EXPECT_GT(stat(queues->get_stats, queue(0), sai::queue_stat::dropped_packets), 0U);
    EXPECT_GT(stat(queues->get_stats, queue(1), sai::queue_stat::dropped_packets), 0U);
}

TEST_F(Detection, EachQueueRecoversByItsOwnAction)
{
    start(kTwoStorms, {{switch_attr::queue_pfc_deadlock_notify, callback(on_deadlocks)}});
    set_switch_intervals(100, 100);
    set(queues, queue(1), queue_attr::pfc_dlr_packet_action, word(PacketAction::forward));
    watch(0);
    watch(1);
    step_ms(205);
    EXPECT_EQ(inbox().take(), (std::vector<SaiNotice>{{queue(0), kDetected}, {queue(1), kDetected}}));
    EXPECT_EQ(state(queue(0)), sai::DeadlockState::paused_not_continuous) << "the first read";
    const auto at_h0 = host_received("h0");
    const auto at_h1 = host_received("h1");
    step_ms(90);
    EXPECT_EQ(host_received("h0"), at_h0) << "dropped";
    EXPECT_GT(host_received("h1"), at_h1 + 200) << "forwarded";
    EXPECT_EQ(stat(queues->get_stats, queue(1), sai::queue_stat::dropped_packets), 0U);
    EXPECT_EQ(state(queue(0)), sai::DeadlockState::paused) << "the neighbour still pauses";
    step_ms(10);  // the recoveries are over
    EXPECT_EQ(state(queue(0)), sai::DeadlockState::paused_not_continuous) << "the queue had resumed in between";
    const auto later = host_received("h1");
    step_ms(90);
    EXPECT_LE(host_received("h1"), later + 1) << "paused again";
}

TEST_F(Detection, AClientCanEndARecoveryThatTheSwitchBegan)
{
    start(kTwoStorms, {{switch_attr::queue_pfc_deadlock_notify, callback(on_deadlocks)}});
    set_switch_intervals(100, 400);
    watch(0);
    watch(1);
    step_ms(250);
    EXPECT_EQ(inbox().take(), (std::vector<SaiNotice>{{queue(0), kDetected}, {queue(1), kDetected}}));
    const auto dropped = [&] { return stat(queues->get_stats, queue(0), sai::queue_stat::dropped_packets); };
    EXPECT_GT(dropped(), 0U);
    set(queues, queue(0), queue_attr::pfc_dlr_init, boolean(false));
    const auto until_then = dropped();
    // Detection starts again from then on; the end of the first recovery, at 601 ms, does not end the second.
    EXPECT_EQ(notices_until(350), std::vector<std::string>{"recovered 0 at 251"});
    EXPECT_EQ(dropped(), until_then) << "the port honours pause meanwhile";
    const std::vector<std::string> later{"detected 0 at 351", "recovered 1 at 601", "detected 1 at 701",
                                         "recovered 0 at 751", "detected 0 at 851"};
    EXPECT_EQ(notices_until(860), later);
}

TEST_F(Detection, AnEarlierPauseCountsFromTheStartOfDetection)
{
    start(kTwoStorms, {{switch_attr::queue_pfc_deadlock_notify, callback(on_deadlocks)}});
    set_switch_intervals(100, 100);
    step_ms(300);
    watch(0);
    EXPECT_EQ(notices_until(450), std::vector<std::string>{"detected 0 at 401"});
}

TEST_F(Detection, DetectionNeedsBothIntervalsAndStopsWhenSwitchedOff)
{
    start(kTwoStorms, {{switch_attr::queue_pfc_deadlock_notify, callback(on_deadlocks)}});
    set_interval(switches, s0, switch_attr::pfc_tc_dld_interval, 100);
    watch(0);
    EXPECT_EQ(notices_until(300), std::vector<std::string>{});
    set_interval(switches, s0, switch_attr::pfc_tc_dlr_interval, 100);
    step_ms(50);
    set(queues, queue(0), queue_attr::enable_pfc_dldr, boolean(false));
    EXPECT_EQ(notices_until(900), std::vector<std::string>{});
}

TEST_F(Detection, AnIntervalIsRoundedUpToTheHardwaresSteps)
{
    start(kTwoStorms);
    const auto range = get(ports, port(0), port_attr::pfc_tc_dld_interval_range).u32range;
    EXPECT_EQ(range.min, 1U);
    EXPECT_EQ(range.max, 1500U);
    const std::vector<std::pair<std::int32_t, std::int32_t>> wanted_and_programmed{
        {1, 1}, {15, 15}, {16, 20}, {142, 150}, {151, 200}, {1500, 1500}};
    for (const auto& [wanted, programmed] : wanted_and_programmed) {
        set_interval(ports, port(0), port_attr::pfc_tc_dld_interval, wanted);
        std::vector<sai::MapEntry> shown(8);
        sai::Attribute attribute_read{port_attr::pfc_tc_dld_interval, map_list(shown)};
        ASSERT_EQ(ports->get(port(0), 1, &attribute_read), status::success);
        ASSERT_EQ(attribute_read.value.maplist.count, 1U);
        EXPECT_EQ(shown[0].key, 3U);
        EXPECT_EQ(shown[0].value, programmed) << wanted;
    }
    for (const std::int32_t wrong : {-1, 0, 1501}) {
        std::vector<sai::MapEntry> entries{{3, wrong}};
        const sai::Attribute given{port_attr::pfc_tc_dld_interval, map_list(entries)};
        EXPECT_EQ(ports->set(port(0), &given), status::invalid_attr_value_0) << wrong;
    }
    std::vector<sai::MapEntry> twice{{3, 100}, {3, 200}};
    const sai::Attribute given{port_attr::pfc_tc_dld_interval, map_list(twice)};
    EXPECT_EQ(ports->set(port(0), &given), status::invalid_parameter);
}

TEST_F(Detection, LinkChangesAreReported)
{
    auto scenario = std::string{kTwoStorms};
    scenario += "[[fault]]\nat = \"20ms\"\nkind = \"cut-link\"\nlink = \"h0\"\n";
    scenario += "[[fault]]\nat = \"40ms\"\nkind = \"mend-link\"\nlink = \"h0\"\n";
    start(scenario, {{switch_attr::port_state_change_notify, callback(on_ports)}});
    step_ms(30);
    const auto down = static_cast<std::int32_t>(sai::OperStatus::down);
    const auto up = static_cast<std::int32_t>(sai::OperStatus::up);
    EXPECT_EQ(inbox().take(), (std::vector<SaiNotice>{{port(0), down}}));
    EXPECT_EQ(get(ports, port(0), port_attr::oper_status).s32, down);
    step_ms(20);
    EXPECT_EQ(inbox().take(), (std::vector<SaiNotice>{{port(0), up}}));
    EXPECT_EQ(get(ports, port(0), port_attr::oper_status).s32, up);
}

// By the wall clock, notices come without a call into the library.
TEST_F(Detection, NoticesArriveWithoutACallInWallClockMode)
{
    time_ = "wall";
    start(kTwoStorms, {{switch_attr::queue_pfc_deadlock_notify, callback(on_deadlocks)}});
    EXPECT_EQ(call<Status(std::uint64_t)>("petrel_sai_step")(1), status::not_supported);
    set_switch_intervals(1, 1);
    watch(0);
    std::unique_lock lock{inbox().mutex};
    inbox().changed.wait(lock, [] { return inbox().received.size() >= 2; });
    EXPECT_EQ(inbox().received[0].what, kDetected);
    EXPECT_EQ(inbox().received[1].what, kRecovered);
}

}  // namespace
}  // namespace petrel::test
