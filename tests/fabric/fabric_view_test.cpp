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
    auto down = message(kLeaf, 1, MessageKind::link_down, link::kReboot);
    down.link = watchdog::LinkReason{7, 0, link::kReboot, link::kReboot, {}, {}};
    view.apply(down);
    view.apply(message(kHost, 1, MessageKind::link_down, link::kReboot));
    view.apply(message(kHost, 2, MessageKind::link_up));

    const auto links = view.links(now(0s));
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
    EXPECT_EQ(leaf.history[0].number, 7U);
    EXPECT_EQ(leaf.history[0].ldr, link::kNoReason);
    EXPECT_EQ(leaf.history[0].nldr, link::kReboot);
    EXPECT_TRUE(leaf.down());
}

TEST(FabricView, ALinkWithoutACableHasOneEnd)
{
    FabricView view;
    view.apply(message(kLeaf, 1, MessageKind::link_down));
    const auto links = view.links(now(0s));
    ASSERT_THAT(links, SizeIs(1));
    EXPECT_EQ(links[0].end.name, kLeaf);
    EXPECT_EQ(links[0].far_end, std::nullopt);
}

// The messages of an agent whose event `number` at its port went down for `ldr` at this second.
Message down(const PortName& port, std::uint64_t position, std::uint64_t number, std::uint8_t ldr, int second)
{
    auto made = message(port, position, MessageKind::link_down, ldr);
    made.link = watchdog::LinkReason{number, ldr, std::nullopt, ldr, {}, {}};
    made.at = wall(second);
    return made;
}

Message up(const PortName& port, std::uint64_t position, std::uint64_t number, int second)
{
    auto made = message(port, position, MessageKind::link_up);
    made.link = watchdog::LinkReason{number, 0, std::nullopt, 0, {}, {}};
    made.at = wall(second);
    return made;
}

TEST(FabricView, EachEndShowsTheCauseThatTheOtherReported)
{
    FabricView view{kOneCable};
    view.apply(down(kLeaf, 1, 1, link::kNeighborUnknown, 100));
    view.apply(down(kHost, 1, 1, link::kReboot, 101));
    view.apply(down(kLeaf, 2, 2, link::kSwitchManagement, 200));
    view.apply(down(kHost, 2, 2, link::kNeighborUnknown, 199));
    view.apply(down(kLeaf, 3, 3, link::kNeighborUnknown, 300));
    view.apply(down(kHost, 3, 3, link::kReboot, 306));
    const auto links = view.links(now(0s));
    const auto causes = [](const ShownEnd& end) {
        std::vector<link::Canonical> all;
        for (const auto& one : end.history) {
            all.push_back(one.far_cause);
        }
        return all;
    };
    EXPECT_EQ(causes(*links[0].far_end),
              (std::vector<link::Canonical>{link::kReboot, link::kNoReason, link::kNoReason}))
        << "the leaf: the second was its own, the third is too far away in time";
    EXPECT_EQ(causes(links[0].end),
              (std::vector<link::Canonical>{link::kNoReason, link::kSwitchManagement, link::kNoReason}));
}

TEST(FabricView, AnEventIsPairedWithTheClosestOneOnly)
{
    FabricView view{kOneCable};
    view.apply(down(kLeaf, 1, 1, link::kNeighborUnknown, 100));
    view.apply(down(kLeaf, 2, 2, link::kNeighborUnknown, 103));
    view.apply(down(kHost, 1, 1, link::kReboot, 104));
    const auto history = view.links(now(0s)).at(0).far_end->history;
    EXPECT_EQ(history[0].far_cause, link::kNoReason);
    EXPECT_EQ(history[1].far_cause, link::kReboot);
}

TEST(FabricView, AnEndEndsItsEventByNumber)
{
    FabricView view;
    view.apply(up(kLeaf, 2, 1, 20));
    view.apply(down(kLeaf, 1, 1, 39, 10));
    view.apply(down(kLeaf, 3, 2, 39, 30));
    view.apply(up(kLeaf, 4, 1, 99));
    const auto history = view.links(now(0s)).at(0).end.history;
    EXPECT_EQ(history[0].up_at, wall(20)) << "the first end counts";
    EXPECT_EQ(history[1].up_at, std::nullopt) << "another event came up again";
}

std::map<std::string, std::uint64_t> to_clear(const FabricView& view, int second)
{
    return view.to_clear(kLeaf.device, wall(second));
}

TEST(FabricView, RegistersAreClearedOfEventsThatAreStoredAndOver)
{
    FabricView view;
    const auto uncleared = [&](std::optional<std::uint64_t> number) {
        view.set_state({kLeaf.device, "watching", {{kLeaf.port, {}, LinkState::up, {}, number}}});
    };
    view.apply(down(kLeaf, 1, 4, 39, 10));
    uncleared(4);
    EXPECT_THAT(to_clear(view, 11), IsEmpty()) << "the link is still down";
    auto end = view.links(now(0s)).at(0).end;
    ASSERT_TRUE(end.registers);
    EXPECT_EQ(end.registers->number, 4U);
    view.apply(up(kLeaf, 2, 4, 20));
    EXPECT_EQ(to_clear(view, 21), (std::map<std::string, std::uint64_t>{{kLeaf.port, 4}}));
    view.apply(down(kLeaf, 3, 5, 39, 30));
    view.apply(up(kLeaf, 4, 5, 31));
    view.apply(down(kLeaf, 7, 7, 39, 50));
    view.apply(up(kLeaf, 8, 7, 51));
    EXPECT_EQ(to_clear(view, 60).at(kLeaf.port), 5U) << "event 6 is missing: its reason would be lost";
    end = view.links(now(0s)).at(0).end;
    EXPECT_EQ(end.registers->number, 4U) << "the oldest";
    EXPECT_EQ(end.later, 2U);
    uncleared(3);
    EXPECT_THAT(to_clear(view, 60), IsEmpty()) << "an event that the manager does not have";
    uncleared(std::nullopt);
    EXPECT_THAT(to_clear(view, 60), IsEmpty());
    EXPECT_EQ(view.links(now(0s)).at(0).end.registers, std::nullopt);
}

TEST(FabricView, AFlappingLinkIsQuarantinedUntilItIsQuiet)
{
    FabricView view;
    const auto count = link::FlapPolicy{}.high;
    for (std::uint64_t i = 1; i <= count; ++i) {
        const auto second = static_cast<int>(i) * 10;
        EXPECT_FALSE(view.links({kStart, wall(second)}).size() == 1 &&
                     view.links({kStart, wall(second)}).at(0).end.quarantined)
            << i;
        view.apply(down(kLeaf, 2 * i, i, 39, second));
        view.apply(up(kLeaf, 2 * i + 1, i, second + 1));
    }
    view.set_state({kLeaf.device, "watching", {{kLeaf.port, {}, LinkState::up, {}, 1}}});
    const auto last = static_cast<int>(count) * 10;
    const auto quarantined = [&](int second) { return view.links({kStart, wall(second)}).at(0).end.quarantined; };
    EXPECT_TRUE(quarantined(last + 1));
    EXPECT_THAT(to_clear(view, last + 1), IsEmpty()) << "it is not armed";
    EXPECT_TRUE(quarantined(last + 899));
    EXPECT_FALSE(quarantined(last + 900));
    EXPECT_EQ(to_clear(view, last + 900).at(kLeaf.port), count);
}

TEST(FabricView, AClockThatIsWrongDoesNotDisturb)
{
    FabricView view{kOneCable};
    std::uint64_t number = 0;
    for (const auto at : {WallTime::min(), WallTime::max(), wall(5)}) {
        for (const auto& port : {kLeaf, kHost}) {
            auto made = down(port, number + 1, number + 1, link::kReboot, 0);
            made.at = at;
            view.apply(made);
        }
        ++number;
    }
    const auto ends = view.links(now(10s)).at(0);
    EXPECT_FALSE(ends.end.quarantined);
    EXPECT_EQ(ends.end.history.back().far_cause, link::kReboot);
    EXPECT_EQ(ends.far_end->history.front().far_cause, link::kReboot);
}

TEST(FabricView, AnEndThatDoesNotReportIsUnavailable)
{
    FabricView view{kOneCable};
    view.apply(down(kLeaf, 1, 1, link::kNeighborUnknown, 1));
    view.heard(kLeaf.device, now(1s));
    const auto link = view.links(now(2s)).at(0);
    EXPECT_FALSE(link.end.available()) << "the host";
    EXPECT_TRUE(link.far_end->available());
}

DeviceState reports(const PortName& port, std::optional<PortName> neighbour)
{
    return {port.device, "watching", {{port.port, std::move(neighbour), LinkState::up, {}}}};
}

TEST(FabricView, AnAgentNamesTheNeighbourForBothEnds)
{
    FabricView view;
    view.set_state(reports(kLeaf, kHost));
    EXPECT_EQ(view.neighbour(kLeaf), kHost);
    EXPECT_EQ(view.neighbour(kHost), kLeaf) << "the host has no LLDP";
    ASSERT_THAT(view.links(now(0s)), SizeIs(1));
    EXPECT_EQ(view.links(now(0s)).at(0).end.name, kHost);
    view.set_state(reports(kLeaf, std::nullopt));
    EXPECT_EQ(view.neighbour(kHost), std::nullopt);
    EXPECT_THAT(view.links(now(0s)), IsEmpty());
}

TEST(FabricView, DifferentNeighboursAreFindings)
{
    using By = NeighbourClaim::By;
    const PortName other{"gpu-1208", "eth2"};
    FabricView view{kOneCable};
    const auto finding = [&](const PortName& port) {
        for (const auto& shown : view.ports(kStart)) {
            if (shown.name == port) {
                return shown.disagreement;
            }
        }
        return std::vector<NeighbourClaim>{};
    };
    view.set_state(reports(kLeaf, kHost));
    EXPECT_THAT(finding(kLeaf), IsEmpty());
    view.set_state(reports(kLeaf, other));
    EXPECT_EQ(finding(kLeaf), (std::vector<NeighbourClaim>{{By::cables, kHost}, {By::agent, other}}));
    EXPECT_EQ(view.neighbour(kLeaf), kHost) << "the file wins";
    view.set_state(reports(kLeaf, std::nullopt));
    view.set_state(reports(other, kLeaf));
    EXPECT_EQ(finding(kLeaf), (std::vector<NeighbourClaim>{{By::cables, kHost}, {By::far_end, other}}));
    const auto links = view.links(now(0s));
    ASSERT_THAT(links, SizeIs(2));
    EXPECT_EQ(links[0].end.name, kHost);
    EXPECT_EQ(links[0].far_end->name, kLeaf);
    EXPECT_EQ(links[1].end.name, other);
    EXPECT_EQ(links[1].far_end, std::nullopt) << "the leaf is shown once";
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
    const auto count = LinkLog::kMessagesKept + 2;
    for (std::uint64_t number = count; number >= 1; --number) {
        view.apply(message(kLeaf, number, MessageKind::link_down));
    }
    const auto history = view.links(now(0s)).at(0).end.history;
    ASSERT_THAT(history, SizeIs(LinkLog::kMessagesKept));
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
    const auto number = *rc::gen::inRange<std::uint64_t>(0, 4);
    if (number != 0 && (made.kind == MessageKind::link_down || made.kind == MessageKind::link_up)) {
        made.link = watchdog::LinkReason{number, 36, {}, 36, {}, {}};
    }
    made.observed_at = wall(*rc::gen::inRange(0, 3));
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
    return {view.devices(at), view.ports(at), view.links({at, wall(0)}), view.storms(at)};
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
    EXPECT_THAT(in_order.links.at(1).end.history, SizeIs(LinkLog::kMessagesKept / 2));
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
