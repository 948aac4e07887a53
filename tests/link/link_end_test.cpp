// Checks the table at the top of link_end.hpp, state by state and input by input.
#include "link/link_end.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "link/reasons.hpp"

namespace petrel::link {
namespace {

using S = LinkState;
constexpr auto kIgnored = static_cast<S>(255);  // "-" in the table

constexpr std::array kStates{S::offline, S::disabled, S::polling, S::training, S::init, S::armed, S::active};

struct Row {
    const char* input;
    std::function<Reaction(LinkEnd&)> give;
    std::array<S, 7> next;  // after the window is closed, if the input opens one
};

const std::vector<Row> kTable{
    {"take_down(39)",
     [](LinkEnd& e) { return e.take_down(39, {}); },
     {kIgnored, kIgnored, kIgnored, kIgnored, S::polling, S::polling, S::polling}},
    {"take_down(61)",
     [](LinkEnd& e) { return e.take_down(61, {}); },
     {S::disabled, kIgnored, S::disabled, S::disabled, S::disabled, S::disabled, S::disabled}},
    {"take_down(50)",
     [](LinkEnd& e) { return e.take_down(50, {}); },
     {kIgnored, kIgnored, S::offline, S::offline, S::offline, S::offline, S::offline}},
    {"hear(39)",
     [](LinkEnd& e) { return e.receive(39, {}); },
     {kIgnored, kIgnored, kIgnored, kIgnored, S::polling, S::polling, S::polling}},
    {"lose_signal",
     [](LinkEnd& e) { return e.lose_signal({}); },
     {kIgnored, kIgnored, kIgnored, S::polling, S::polling, S::polling, S::polling}},
    {"poll",
     [](LinkEnd& e) { return e.poll(); },
     {S::polling, S::polling, kIgnored, kIgnored, kIgnored, kIgnored, kIgnored}},
    {"find_signal",
     [](LinkEnd& e) { return e.find_signal(); },
     {kIgnored, kIgnored, S::training, kIgnored, kIgnored, kIgnored, kIgnored}},
    {"finish_training",
     [](LinkEnd& e) { return e.finish_training(); },
     {kIgnored, kIgnored, kIgnored, S::init, kIgnored, kIgnored, kIgnored}},
    {"fail_training",
     [](LinkEnd& e) { return e.fail_training(); },
     {kIgnored, kIgnored, kIgnored, S::polling, kIgnored, kIgnored, kIgnored}},
    {"lose_power",
     [](LinkEnd& e) { return e.lose_power(); },
     {S::offline, S::offline, S::offline, S::offline, S::offline, S::offline, S::offline}},
    {"arm",
     [](LinkEnd& e) { return e.arm(0); },
     {kIgnored, kIgnored, kIgnored, kIgnored, S::armed, kIgnored, kIgnored}},
    {"arm with another number",
     [](LinkEnd& e) { return e.arm(7); },
     {kIgnored, kIgnored, kIgnored, kIgnored, kIgnored, kIgnored, kIgnored}},
    {"activate",
     [](LinkEnd& e) { return e.activate(); },
     {kIgnored, kIgnored, kIgnored, kIgnored, kIgnored, S::active, kIgnored}},
    {"close_window",
     [](LinkEnd& e) { return e.close_window(); },
     {kIgnored, kIgnored, kIgnored, kIgnored, kIgnored, kIgnored, kIgnored}},
    {"meet_error(16)",
     [](LinkEnd& e) { return e.meet_error(16, {}); },
     {kIgnored, kIgnored, kIgnored, kIgnored, S::polling, S::polling, S::polling}},
    {"meet_error(1)",
     [](LinkEnd& e) { return e.meet_error(1, {}); },
     {kIgnored, kIgnored, kIgnored, kIgnored, S::init, S::armed, S::active}},
    {"change_shape",
     [](LinkEnd& e) { return e.change_shape({1, 1, {25}}, {}); },
     {kIgnored, kIgnored, kIgnored, kIgnored, S::polling, S::polling, S::polling}},
};

TEST(LinkEndTable, Walked)
{
    for (const auto& row : kTable) {
        for (std::size_t i = 0; i < kStates.size(); ++i) {
            SCOPED_TRACE(std::string{row.input} + " in state " + std::to_string(i));
            LinkEnd end{kStates[i]};
            const auto reaction = row.give(end);
            const bool went_down = is_up(kStates[i]) && !end.read().settled;
            if (went_down) {
                EXPECT_EQ(end.read().state, S::offline) << "not quiet yet";
                EXPECT_TRUE(end.close_window().accepted);
            }
            EXPECT_EQ(reaction.accepted, row.next[i] != kIgnored);
            EXPECT_EQ(end.read().state, row.next[i] == kIgnored ? kStates[i] : row.next[i]);
            EXPECT_EQ(end.read().registers.clear(), !went_down)
                << "a reason is captured when the port leaves up, and only then";
            EXPECT_EQ(end.read().registers.seq, went_down ? 1U : 0U);
        }
    }
}

TEST(LinkEnd, NothingButTheWindowsEndEndsTheWindow)
{
    LinkEnd end{S::active};
    end.lose_signal({});
    EXPECT_FALSE(end.poll().accepted);
    EXPECT_FALSE(end.find_signal().accepted);
    EXPECT_FALSE(end.write(0, 0, 0).accepted);
    EXPECT_FALSE(end.read().settled);
    EXPECT_TRUE(end.read().registers.clear()) << "36 is for a port without a reason after the quiet time";
    end.receive(35, {});
    end.close_window();
    EXPECT_EQ(end.read().registers, (Registers{0, 35, 1}));
}

TEST(LinkEnd, ADisableWinsWithinTheWindow)
{
    LinkEnd end{S::active};
    EXPECT_EQ(end.take_down(39, {}).send_to_peer, 39);
    EXPECT_EQ(end.take_down(60, {}).send_to_peer, std::nullopt) << "LinkGoingDown is sent once";
    end.close_window();
    EXPECT_EQ(end.read().registers, (Registers{39, 0, 1}));
    EXPECT_EQ(end.read().state, S::disabled);
    EXPECT_EQ(end.read().suppressed, 1U);
}

TEST(LinkEnd, ALateReasonIsForTheManager)
{
    LinkEnd end{S::active};
    end.lose_signal({});
    end.close_window();
    EXPECT_EQ(end.receive(33, {}).late, 33);
    EXPECT_EQ(end.receive(0, {}).late, std::nullopt);
    EXPECT_EQ(end.read().registers, (Registers{36, 0, 1}));
}

TEST(LinkEnd, NamesOfItsStates)
{
    EXPECT_EQ(physical_name(S::offline), "Offline");
    EXPECT_EQ(physical_name(S::disabled), "Disabled");
    EXPECT_EQ(physical_name(S::polling), "Polling");
    EXPECT_EQ(physical_name(S::training), "Training");
    EXPECT_EQ(physical_name(S::armed), "LinkUp");
    EXPECT_EQ(logical_name(S::training), "down");
    EXPECT_EQ(logical_name(S::init), "init");
    EXPECT_EQ(logical_name(S::armed), "armed");
    EXPECT_EQ(logical_name(S::active), "active");
}

}  // namespace
}  // namespace petrel::link
