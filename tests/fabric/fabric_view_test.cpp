// The manager's view depends on the set of messages and on time, not on the order or the repetition of messages.
#include "fabric/fabric_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

namespace petrel::fabric {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;
using MessageKind = Message::Kind;

constexpr Instant kStart{1h};
const PortName kLeaf{"leaf3", "Ethernet20"};
const PortName kHost{"gpu-1207", "eth2"};
const Cables kOneCable{{kLeaf, kHost}};

WallTime wall(int second) { return WallTime{std::chrono::seconds{second}}; }
Now now(Duration since_start)
{
    return {kStart + since_start, wall(0) + std::chrono::floor<std::chrono::microseconds>(since_start)};
}

Message message(const PortName& port, std::uint64_t number, MessageKind kind,
                link::Canonical cause = link::kStormMitigated)
{
    Message made;
    made.source = {port.device, Channel::agent};
    made.position = {0, number};
    made.kind = kind;
    made.port = port.port;
    made.cause = kind == MessageKind::error_opened || kind == MessageKind::link_down ? cause : link::Canonical{};
    made.at = wall(static_cast<int>(number));
    return made;
}

TEST(FabricView, AStormIsOpenUntilItsEnd)
{
    FabricView view{kOneCable};
    view.apply(message(kLeaf, 1, MessageKind::error_opened));
    const auto storms = view.storms(kStart);
    ASSERT_THAT(storms, SizeIs(1));
    EXPECT_EQ(storms[0].port, kLeaf);
    EXPECT_EQ(storms[0].neighbour, kHost);
    EXPECT_EQ(storms[0].error.opened_at, wall(1));
    EXPECT_TRUE(view.ports(kStart).at(1).in_error());

    view.apply(message(kLeaf, 2, MessageKind::error_closed));
    EXPECT_THAT(view.storms(kStart), IsEmpty());
    const auto port = view.ports(kStart).at(1);
    EXPECT_FALSE(port.in_error());
    ASSERT_THAT(port.errors, SizeIs(1)) << "the port remembers it";
    EXPECT_EQ(port.errors[0].closed_at, wall(2));
}

TEST(FabricView, StormsAreShownByAge)
{
    FabricView view;
    view.apply(message({"a", "p"}, 9, MessageKind::error_opened));
    view.apply(message({"b", "p"}, 4, MessageKind::error_opened));
    const auto storms = view.storms(kStart);
    ASSERT_THAT(storms, SizeIs(2));
    EXPECT_EQ(storms[0].port.device, "b");
}

TEST(FabricView, ALinkShowsTheReasonsOfBothEnds)
{
    FabricView view{kOneCable};
    auto down = message(kLeaf, 1, MessageKind::link_down, link::kNeighborUnknown);
    down.neighbour_reason = link::kReboot;
    view.apply(down);
    view.apply(message(kHost, 1, MessageKind::link_down, link::kReboot));
    view.apply(message(kHost, 2, MessageKind::link_up));

    const auto links = view.links(kStart);
    ASSERT_THAT(links, SizeIs(1)) << "one link, not one for each end";
    const auto& host = links[0].end;
    ASSERT_TRUE(links[0].far_end);
    const auto& leaf = *links[0].far_end;
    EXPECT_EQ(host.name, kHost);
    ASSERT_THAT(host.history, SizeIs(1));
    EXPECT_EQ(host.history[0].cause, link::kReboot);
    EXPECT_EQ(host.history[0].up_at, wall(2));
    EXPECT_FALSE(host.down());
    EXPECT_EQ(leaf.name, kLeaf);
    ASSERT_THAT(leaf.history, SizeIs(1));
    EXPECT_EQ(leaf.history[0].cause, link::kNeighborUnknown);
    EXPECT_EQ(leaf.history[0].neighbour_reason, link::kReboot);
    EXPECT_TRUE(leaf.down());
}

TEST(FabricView, ALinkWithoutACableHasOneEnd)
{
    FabricView view;
    view.apply(message(kLeaf, 1, MessageKind::link_down));
    const auto links = view.links(kStart);
    ASSERT_THAT(links, SizeIs(1));
    EXPECT_EQ(links[0].end.name, kLeaf);
    EXPECT_EQ(links[0].far_end, std::nullopt);
}

TEST(FabricView, ALinkThatGoesDownEndsTheStorm)
{
    FabricView view;
    view.apply(message(kLeaf, 1, MessageKind::error_opened));
    view.apply(message(kLeaf, 2, MessageKind::link_down));
    EXPECT_THAT(view.storms(kStart), IsEmpty());
}

TEST(FabricView, TheHistoryOfALinkKeepsTheLastMessages)
{
    FabricView view;
    const auto count = FabricView::kLinkMessagesKept + 2;
    for (std::uint64_t number = count; number >= 1; --number) {
        view.apply(message(kLeaf, number, MessageKind::link_down));
    }
    const auto history = view.links(kStart).at(0).end.history;
    ASSERT_THAT(history, SizeIs(FabricView::kLinkMessagesKept));
    EXPECT_EQ(history.front().at, wall(3));
    EXPECT_EQ(history.back().at, wall(static_cast<int>(count)));
}

TEST(FabricView, ADeviceThatStopsReportingIsUnknown)
{
    FabricView view{kOneCable, 60s};
    view.heard(kLeaf.device, now(10s));
    const auto leaf = [&](Duration at) { return view.devices(kStart + at).at(1).sight; };
    EXPECT_EQ(leaf(70s), (Sight{true, wall(10)}));
    EXPECT_EQ(leaf(71s), (Sight{false, wall(10)}));
    EXPECT_EQ(view.ports(kStart + 71s).at(1).sight, (Sight{false, wall(10)})) << "its ports are unknown, too";
    view.heard(kLeaf.device, now(80s));
    EXPECT_EQ(leaf(80s), (Sight{true, wall(80)}));
    EXPECT_EQ(view.devices(kStart).at(0), (ShownDevice{kHost.device, {false, {}}, 0})) << "a cable is no report";
}

TEST(FabricView, ADeviceIsUnknownWhenItsConnectionEnds)
{
    FabricView view;
    view.heard("a", now(10s));
    view.lost("a");
    EXPECT_EQ(view.devices(kStart + 10s).at(0).sight, (Sight{false, wall(10)}));
    view.lost("b");
    EXPECT_THAT(view.devices(kStart), SizeIs(1)) << "a device that never reported is not made up";
}

TEST(FabricView, ReportsToAnEarlierProcessAreNoSign)
{
    FabricView view;
    view.heard_before("a", wall(20));
    view.heard_before("a", wall(10));
    EXPECT_EQ(view.devices(kStart).at(0).sight, (Sight{false, wall(20)}));
    view.heard("a", now(30s));
    EXPECT_TRUE(view.devices(kStart + 30s).at(0).sight.reports);
}

// An agent whose memory was lost counts from 1 again. The new messages are the later ones.
TEST(FabricView, AnEpochOrdersMessagesBeforeTheirNumbers)
{
    FabricView view;
    auto again = message(kLeaf, 1, MessageKind::error_opened);
    again.position.epoch = 1;
    view.apply(again);
    view.apply(message(kLeaf, 7, MessageKind::error_opened));
    view.apply(message(kLeaf, 8, MessageKind::error_closed));
    EXPECT_THAT(view.storms(kStart), SizeIs(1));
    EXPECT_EQ(view.devices(kStart).at(0).missing, 0U);
}

TEST(FabricView, TheAgentsMissingMessagesAreCounted)
{
    FabricView view;
    view.apply(message(kLeaf, 5, MessageKind::other));
    view.apply(message(kLeaf, 9, MessageKind::error_opened));
    EXPECT_EQ(view.devices(kStart).at(0).missing, 3U);
    view.apply(message(kLeaf, 7, MessageKind::other));
    view.apply(message(kLeaf, 7, MessageKind::other));
    EXPECT_EQ(view.devices(kStart).at(0).missing, 2U);
    auto line = message(kLeaf, 1000, MessageKind::error_opened);
    line.source.channel = Channel::log;
    view.apply(line);
    EXPECT_EQ(view.devices(kStart).at(0).missing, 2U) << "lines of a log are not counted";
}

TEST(FabricView, AnAgentAndALogCloseTheirOwnErrors)
{
    FabricView view;
    view.apply(message(kLeaf, 1, MessageKind::error_opened));
    auto closed = message(kLeaf, 2, MessageKind::error_closed);
    closed.source.channel = Channel::log;
    view.apply(closed);
    EXPECT_THAT(view.storms(kStart), SizeIs(1));
}

Message any_message()
{
    auto made = message({*rc::gen::element<std::string>("a", "b"), *rc::gen::element<std::string>("p", "q")},
                        *rc::gen::inRange<std::uint64_t>(1, 40), static_cast<MessageKind>(*rc::gen::inRange(0, 5)));
    made.source.channel = *rc::gen::element(Channel::agent, Channel::agent, Channel::log);
    made.position.epoch = *rc::gen::inRange<std::uint64_t>(0, 2);
    made.priority = *rc::gen::element(std::optional<Priority>{}, std::optional{Priority{3}});
    made.text = *rc::gen::element<std::string>("", "x");  // two messages of one position: no agent sends them
    return made;
}

struct Everything {
    std::vector<ShownDevice> devices;
    std::vector<ShownPort> ports;
    std::vector<ShownLink> links;
    std::vector<ShownStorm> storms;
    bool operator==(const Everything&) const = default;
};

Everything everything(const std::vector<Message>& messages)
{
    FabricView view{Cables{{{"a", "p"}, {"b", "q"}}}};
    for (const auto& one : messages) {
        view.apply(one);
        view.heard(one.source.device, now(1s));
    }
    const auto at = kStart + 2s;
    return {view.devices(at), view.ports(at), view.links(at), view.storms(at)};
}

RC_GTEST_PROP(FabricViewLaw, OrderAndRepetitionDoNotMatter, ())
{
    const auto messages = *rc::gen::container<std::vector<Message>>(rc::gen::exec(any_message));
    auto otherwise = messages;
    for (const auto& one : messages) {
        if (*rc::gen::arbitrary<bool>()) {
            otherwise.push_back(one);
        }
    }
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    std::shuffle(otherwise.begin(), otherwise.end(), random);
    RC_CLASSIFY(!everything(messages).storms.empty());
    RC_ASSERT(everything(messages) == everything(otherwise));
}

// Also when the view has dropped old messages.
TEST(FabricView, ForgettingDoesNotDependOnOrder)
{
    std::vector<Message> messages;
    for (std::uint64_t number = 1; number <= 3 * PortErrors::kEventsKept; ++number) {
        messages.push_back(message(kLeaf, number, static_cast<MessageKind>(number % 5)));
    }
    const auto in_order = everything(messages);
    EXPECT_THAT(in_order.links.at(1).end.history, SizeIs(FabricView::kLinkMessagesKept / 2));
    std::mt19937_64 random{7};
    for (int i = 0; i < 20; ++i) {
        std::shuffle(messages.begin(), messages.end(), random);
        EXPECT_EQ(everything(messages), in_order);
    }
}

RC_GTEST_PROP(NumberRangesLaw, EqualsASet, ())
{
    const auto numbers = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 50));
    NumberRanges ranges;
    std::set<std::uint64_t> set;
    for (const auto number : numbers) {
        ranges.add(number);
        set.insert(number);
        RC_ASSERT(ranges.missing() == *set.rbegin() - *set.begin() + 1 - set.size());
    }
    for (std::uint64_t number = 0; number < 50; ++number) {
        RC_ASSERT(ranges.contains(number) == set.contains(number));
    }
}

}  // namespace
}  // namespace petrel::fabric
