// All sequences of up to six events: no reason is invented, none is lost before it is logged, the first reason is kept,
// and a neighbour reason in a register was really sent by the neighbour.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>

#include "link/link_play.hpp"

namespace petrel::link {
namespace {

constexpr int kEvents = 6;

// The number of all paths of one to six events, with 12 events to choose from.
constexpr std::size_t kPaths = 12 + 144 + 1'728 + 20'736 + 248'832 + 2'985'984;

constexpr std::size_t kA = 0;
constexpr std::size_t kB = 1;

// -- two ends and the wire, in single steps: messages in flight and open windows may overlap in any way

struct Wire {
    std::array<LinkEnd, 2> end{LinkEnd{LinkState::active}, LinkEnd{LinkState::active}};
    std::array<std::optional<std::uint8_t>, 2> under_way;  // the code in flight that this end sent
    LinkKeeper keeper{FlapPolicy{std::chrono::seconds::zero(), 0}};

    // The expected state.
    std::array<std::set<int>, 2> sent;      // the reasons that each end gave
    std::array<std::set<int>, 2> received;  // the codes that arrived in time
    std::array<bool, 2> known{};            // a code was given in the current window
    std::array<bool, 2> older{};            // the registers held an older event when the window opened
};

using Step = void (*)(Wire&, std::size_t side);

void note_opening(Wire& wire, std::size_t side, const LinkReading& before)
{
    if (before.settled && !wire.end[side].read().settled) {
        wire.known[side] = false;
        wire.older[side] = !before.registers.clear();
    }
}

void take_down(Wire& wire, std::size_t side)
{
    constexpr std::array<std::array<std::uint8_t, 2>, 2> kCodes{{{39, 41}, {35, 32}}};
    const auto before = wire.end[side].read();
    const auto code = kCodes[side][wire.sent[side].empty() ? 0 : 1];  // the first code differs from later ones
    const auto reaction = wire.end[side].take_down(code, {});
    note_opening(wire, side, before);
    if (reaction.accepted) {
        wire.sent[side].insert(code);
        wire.known[side] = true;
    }
    if (reaction.send_to_peer) {
        wire.under_way[side] = reaction.send_to_peer;
    }
}

void deliver(Wire& wire, std::size_t from)
{
    if (!wire.under_way[from]) {
        return;
    }
    const auto to = 1 - from;
    const auto before = wire.end[to].read();
    const auto reaction = wire.end[to].receive(*wire.under_way[from], {});
    note_opening(wire, to, before);
    if (reaction.accepted) {
        wire.received[to].insert(*wire.under_way[from]);
        wire.known[to] = true;
    } else {
        EXPECT_EQ(reaction.late, wire.older[to] ? std::nullopt : wire.under_way[from])
            << "a late message is not lost, but must not explain an older event";
    }
    wire.under_way[from].reset();
}

void lose_signal(Wire& wire, std::size_t side)
{
    const auto before = wire.end[side].read();
    wire.end[side].lose_signal({});
    note_opening(wire, side, before);
}

void close_window(Wire& wire, std::size_t side)
{
    if (!wire.end[side].close_window().accepted || wire.older[side]) {
        return;
    }
    const auto registers = wire.end[side].read().registers;
    EXPECT_FALSE(registers.clear()) << "a link that went down has a reason";
    EXPECT_EQ(registers.ldr == 36, !wire.known[side]) << "36 if and only if neither end sent a reason";
}

void bring_up(Wire& wire, std::size_t)
{
    for (const auto& end : wire.end) {
        if (is_up(end.read().state) || !end.read().settled) {
            return;
        }
    }
    wire.under_way = {};
    for (auto& end : wire.end) {
        end.poll();
        end.find_signal();
        end.finish_training();
    }
}

void arm(Wire& wire, std::size_t side)
{
    const auto before = wire.end[side].read();
    const PortReport report{PortId{DeviceId{static_cast<std::uint32_t>(side)}, 0}, before, true};
    const auto ack = wire.keeper.arm(report, {});
    if (!ack || !wire.end[side].arm(*ack).accepted || before.registers.clear()) {
        return;
    }
    EXPECT_TRUE(wire.end[side].read().registers.clear());
    const auto events = wire.keeper.history(report.port).events();
    ASSERT_FALSE(events.empty()) << "cleared before it was logged";
    EXPECT_EQ(events.back().seq, before.registers.seq);
    EXPECT_EQ(events.back().ldr, before.registers.ldr);
    EXPECT_EQ(events.back().nldr, before.registers.nldr);
}

// A request with another event number, or with none, changes nothing.
void clear_another_event(Wire& wire, std::size_t)
{
    for (auto& end : wire.end) {
        const auto before = end.read();
        for (const auto wrong : {before.registers.seq + 1, before.registers.seq - 1}) {
            EXPECT_FALSE(end.write(0, 0, wrong).accepted);
            EXPECT_FALSE(end.arm(wrong).accepted);
        }
        EXPECT_FALSE(end.write(0, 0, std::nullopt).accepted);
        EXPECT_EQ(end.read().registers, before.registers);
        EXPECT_EQ(end.read().state, before.state);
    }
}

struct NamedStep {
    const char* name;
    Step step;
    std::size_t side;
};

constexpr std::array kSteps{
    NamedStep{"A goes down", take_down, kA},
    NamedStep{"B goes down", take_down, kB},
    NamedStep{"A's word arrives", deliver, kA},
    NamedStep{"B's word arrives", deliver, kB},
    NamedStep{"A loses signal", lose_signal, kA},
    NamedStep{"B loses signal", lose_signal, kB},
    NamedStep{"A is quiet", close_window, kA},
    NamedStep{"B is quiet", close_window, kB},
    NamedStep{"both come up", bring_up, kA},
    NamedStep{"A is armed", arm, kA},
    NamedStep{"B is armed", arm, kB},
    NamedStep{"both are cleared for another event", clear_another_event, kA},
};

void expect_truth(const Wire& wire, const Wire& before, bool armed)
{
    for (const std::size_t side : {kA, kB}) {
        const auto now = wire.end[side].read();
        const auto then = before.end[side].read();
        const auto& registers = now.registers;
        EXPECT_TRUE(registers.ldr == 0 || registers.ldr == 36 || wire.sent[side].contains(registers.ldr));
        EXPECT_TRUE(registers.nldr == 0 || wire.received[side].contains(registers.nldr));
        EXPECT_TRUE(registers.nldr == 0 || wire.sent[1 - side].contains(registers.nldr));
        EXPECT_GE(registers.seq, then.registers.seq);
        if (then.registers.ldr != 0 && !armed) {
            EXPECT_EQ(registers.ldr, then.registers.ldr);
        }
        if (then.registers.nldr != 0 && !armed) {
            EXPECT_EQ(registers.nldr, then.registers.nldr);
        }
        if (then.settled && !then.registers.clear() && !armed) {
            EXPECT_EQ(registers, then.registers) << "frozen until it is cleared";
            EXPECT_GE(now.suppressed, then.suppressed);
        }
    }
}

// `path` has the names of the steps so far, for the failure message.
std::size_t walk(const Wire& wire, int left, std::string& path)
{
    std::size_t paths = 0;
    if (left == 0) {
        return paths;
    }
    for (const auto& one : kSteps) {
        const auto length = path.size();
        path.append(one.name).append("; ");
        auto next = wire;
        one.step(next, one.side);
        expect_truth(next, wire, one.step == arm);
        if (testing::Test::HasFailure()) {
            ADD_FAILURE() << path;
            return paths;
        }
        paths += 1 + walk(next, left - 1, path);
        path.resize(length);
    }
    return paths;
}

TEST(Interleaving, OfSingleStepsFromActive)
{
    std::string path;
    EXPECT_EQ(walk(Wire{}, kEvents, path), kPaths);
}

TEST(Interleaving, OfSingleStepsFromALinkThatIsBackUncleared)
{
    Wire wire;
    std::string path = "A goes down, all messages arrive, both come up; ";
    for (const auto& [step, side] : std::initializer_list<std::pair<Step, std::size_t>>{
             {take_down, kA}, {deliver, kA}, {close_window, kA}, {close_window, kB}, {bring_up, kA}}) {
        step(wire, side);
    }
    ASSERT_EQ(wire.end[kB].read().registers, (Registers{0, 39, 1}));
    EXPECT_EQ(walk(wire, kEvents, path), kPaths);
}

// -- a script's events: with a manager, power, and restarts

const std::vector<ScriptEvent> kScript{
    Down{Side::a, 39, true},
    Down{Side::b, 35, false},
    DownBoth{41, 32, true, false},
    Loss{},
    PowerLoss{Side::a},
    Receive{Side::a, 62},
    LateReason{Side::b, 33},
    Write{Side::b, 0, 0, 2},  // accepted only if the end went down twice
    Up{},
    Arm{},
    Sweep{7},
    ManagerRestart{},
};

using Pairs = std::array<std::pair<std::uint8_t, std::uint8_t>, kEvents + 1>;  // registers of event n, once read

struct Shown {
    LinkPlay play;
    std::array<Pairs, 2> events{};

    // Late reasons by event number. A late reason belongs to the last time the link went down, if that has a number.
    std::array<std::uint64_t, 2> last{};
    std::array<std::array<std::optional<std::uint8_t>, kEvents + 1>, 2> late{};
};

void note_late(Shown& now, const Shown& then, const ScriptEvent& event)
{
    const auto keep = [&](Side side, std::uint8_t reason) {
        const auto index = static_cast<std::size_t>(side);
        if (const auto seq = then.last[index]; seq != 0) {
            now.late[index].at(seq) = now.late[index].at(seq).value_or(reason);
        }
    };
    for (const auto side : {Side::a, Side::b}) {
        const auto was = then.play.read(side);
        const auto is = now.play.read(side);
        if (is_up(was.state) && !is_up(is.state)) {
            const bool numbered = is.registers.seq != was.registers.seq;
            now.last[static_cast<std::size_t>(side)] = numbered ? is.registers.seq : 0;
        }
    }
    if (const auto* late = std::get_if<LateReason>(&event)) {
        keep(late->at, late->reason);
    }
    if (const auto* received = std::get_if<Receive>(&event); received && !is_up(then.play.read(received->at).state)) {
        keep(received->at, received->reason);
    }
}

bool possible(Side side, const Registers& registers)
{
    const auto in = [](std::uint8_t code, std::initializer_list<int> codes) {
        return std::find(codes.begin(), codes.end(), code) != codes.end();
    };
    return side == Side::a ? in(registers.ldr, {0, 36, 39, 41}) && in(registers.nldr, {0, 62})
                           : in(registers.ldr, {0, 32, 35, 36}) && in(registers.nldr, {0, 39, 41});
}

void expect_log(Shown& now, Side side)
{
    std::uint64_t before = 0;
    for (const auto& event : now.play.history(side).events()) {
        EXPECT_GT(event.seq, before) << "once each, in order";
        before = event.seq;
        EXPECT_EQ(std::pair(event.ldr, event.nldr), now.events[static_cast<std::size_t>(side)].at(event.seq));
        EXPECT_EQ(event.correlated_cause, now.late[static_cast<std::size_t>(side)].at(event.seq));
    }
}

// A power loss clears the registers, and so does a write with the right event number.
bool may_lose(const ScriptEvent& event, Side side, std::uint64_t seq)
{
    const auto* power = std::get_if<PowerLoss>(&event);
    const auto* write = std::get_if<Write>(&event);
    return (power != nullptr && power->at == side) || (write != nullptr && write->at == side && write->ack == seq);
}

void expect_truth(Shown& now, const Shown& then, const ScriptEvent& event)
{
    for (const auto side : {Side::a, Side::b}) {
        const auto index = static_cast<std::size_t>(side);
        const auto was = then.play.read(side).registers;
        const auto is = now.play.read(side).registers;
        EXPECT_TRUE(possible(side, is)) << "invented: " << int{is.ldr} << ", " << int{is.nldr};
        if (!is.clear()) {
            auto& seen = now.events[index].at(is.seq);
            seen = is.seq == was.seq && !was.clear() ? seen : std::pair(is.ldr, is.nldr);
            EXPECT_EQ(seen, std::pair(is.ldr, is.nldr)) << "the first is kept";
        } else if (!was.clear() && !may_lose(event, side, was.seq)) {
            const auto log = now.play.history(side).events();
            EXPECT_TRUE(!log.empty() && log.back().seq == was.seq) << "lost before it was logged";
        }
        const bool reachable = side == Side::a || is_up(now.play.read(side).state);
        if (std::holds_alternative<Sweep>(event) && reachable && !is.clear()) {
            const auto log = now.play.history(side).events();
            EXPECT_TRUE(!log.empty() && log.back().seq == is.seq) << "seen, but not logged";
        }
        expect_log(now, side);
    }
}

std::size_t play_on(const Shown& shown, int left, std::vector<std::size_t>& path)
{
    std::size_t paths = 0;
    if (left == 0) {
        return paths;
    }
    for (std::size_t i = 0; i < kScript.size(); ++i) {
        path.push_back(i);
        auto next = shown;
        next.play.act(kScript[i]);
        note_late(next, shown, kScript[i]);
        expect_truth(next, shown, kScript[i]);
        if (testing::Test::HasFailure()) {
            ADD_FAILURE() << "events of kScript: " << testing::PrintToString(path);
            return paths;
        }
        paths += 1 + play_on(next, left - 1, path);
        path.pop_back();
    }
    return paths;
}

TEST(Interleaving, OfAScriptsEvents)
{
    std::vector<std::size_t> path;
    EXPECT_EQ(play_on(Shown{}, kEvents, path), kPaths);
}

}  // namespace
}  // namespace petrel::link
