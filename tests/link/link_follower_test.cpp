// Links of a device that reports only whether they are up: every time down is one event with a number, also across a
// restart and between two samples.
#include "link/link_follower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "link/decode.hpp"
#include "link/reasons.hpp"

namespace petrel::link {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

WallTime at(int seconds) { return WallTime{std::chrono::seconds{seconds}}; }

RawCode sai_code(std::uint64_t code) { return {list_named("sai.port_error").value(), code}; }

class Follower : public testing::Test {
protected:
    // "down 1 36" or "up 1" for each change.
    std::vector<std::string> see(LinkSample seen, int seconds)
    {
        seen.port = "Ethernet0";
        std::vector<std::string> texts;
        for (const auto& change : follower_.follow(std::vector{seen}, at(seconds))) {
            texts.push_back((change.up ? "up " : "down ") + std::to_string(change.event.seq) +
                            (change.up ? "" : " " + std::to_string(change.event.ldr)));
        }
        return texts;
    }
    // `downs`: since the last sample
    static LinkSample up(std::uint32_t downs = 0) { return {{}, true, false, downs, {}}; }
    static LinkSample down(std::uint32_t downs, std::optional<RawCode> code = {})
    {
        return {{}, false, false, downs, code};
    }
    std::span<const DownEvent> events() { return follower_.links(at(0)).front().history->events(); }
    void restart()
    {
        const auto remembered = follower_.histories();
        follower_ = LinkFollower{remembered};
    }

    LinkFollower follower_;
};

TEST_F(Follower, EachTimeDownIsOneEvent)
{
    EXPECT_THAT(see(up(), 1), ElementsAre("up 0")) << "seen for the first time";
    EXPECT_THAT(see(up(), 2), IsEmpty());
    EXPECT_THAT(see(down(1), 3), ElementsAre("down 1 36"));
    EXPECT_THAT(see(down(0), 4), IsEmpty());
    EXPECT_THAT(see(up(), 5), ElementsAre("up 1"));
    EXPECT_THAT(see(down(0), 6), ElementsAre("down 2 36")) << "also if the device has not counted it";
    ASSERT_THAT(events(), SizeIs(2));
    EXPECT_EQ(events()[0].event_at, at(3));
    EXPECT_EQ(events()[0].up_at, at(5));
    EXPECT_FALSE(events()[1].up_at);
}

TEST_F(Follower, ALinkThatIsDownWhenFirstSeenRecordsNothing)
{
    EXPECT_THAT(see(down(0), 1), IsEmpty());
    EXPECT_THAT(follower_.histories(), IsEmpty());
    restart();
    EXPECT_THAT(see(down(0), 2), IsEmpty()) << "it has never been up";
    EXPECT_THAT(see(up(), 3), ElementsAre("up 0"));
    EXPECT_THAT(see(down(1), 4), ElementsAre("down 1 36"));
}

TEST_F(Follower, DownsBetweenTwoSamplesAreCounted)
{
    see(up(), 1);
    EXPECT_THAT(see(up(2), 2), ElementsAre("down 1 36", "up 1", "down 2 36", "up 2"));
    EXPECT_THAT(see(down(2), 3), ElementsAre("down 3 36", "up 3", "down 4 36"));
    EXPECT_THAT(see(down(1), 4), ElementsAre("up 4", "down 5 36")) << "up and down again";
}

TEST_F(Follower, ManyDownsAreAsManyAsTheHistoryKeeps)
{
    see(up(), 1);
    EXPECT_THAT(see(up(1'000), 2), SizeIs(2 * PortHistory::kKept));
}

TEST_F(Follower, APortThatWentDownBeforeItIsFirstSeenWasUp)
{
    EXPECT_THAT(see(down(1), 1), ElementsAre("up 0", "down 1 36"));
    EXPECT_THAT(see(down(0), 2), IsEmpty());
    EXPECT_THAT(see(up(), 3), ElementsAre("up 1"));
}

TEST_F(Follower, TheCodeIsThatOfTheLastTimeOnly)
{
    see(up(), 1);
    auto twice = down(2, sai_code(1));
    twice.disabled = true;
    EXPECT_THAT(see(twice, 2), ElementsAre("down 1 36", "up 1", "down 2 60"));
    EXPECT_FALSE(events()[0].raw);
    EXPECT_EQ(events()[1].raw, sai_code(1));
}

TEST_F(Follower, TheCodeOfTheDeviceIsKeptAndTranslated)
{
    see(up(), 1);
    EXPECT_THAT(see(down(1, sai_code(1 << 1)), 2), ElementsAre("down 1 36")) << "the neighbour reports a fault";
    see(up(), 3);
    EXPECT_THAT(see(down(1, sai_code(1 << 5 | 1 << 0)), 4), ElementsAre("down 2 36")) << "this end did not decide it";
    EXPECT_EQ(events()[1].raw, sai_code(0x21));
    EXPECT_EQ(decode(*events()[1].raw).canonical, 0x0101);
    see(up(), 5);
    EXPECT_THAT(see(down(1, sai_code(0)), 6), ElementsAre("down 3 36")) << "no bit is set";
    see(up(), 7);
    auto disabled = down(1, sai_code(1));
    disabled.disabled = true;
    EXPECT_THAT(see(disabled, 8), ElementsAre("down 4 60"));
    see(up(), 9);
    const auto nvidia = list_named("nvidia.pddr_down").value();
    EXPECT_THAT(see(down(1, RawCode{nvidia, 40}), 10), ElementsAre("down 5 33")) << "forced by this end";
}

TEST_F(Follower, TheReasonOfTheNeighbourIsKept)
{
    see(up(), 1);
    auto explained = down(1);
    explained.nldr = 35;
    EXPECT_THAT(see(explained, 2), ElementsAre("down 1 0")) << "this end has no reason of its own";
    EXPECT_EQ(events()[0].nldr, 35);
    EXPECT_TRUE(follower_.links(at(0)).front().receives_reasons);
    see(up(), 3);
    auto unexplained = down(1);
    unexplained.nldr = 0;
    EXPECT_THAT(see(unexplained, 4), ElementsAre("down 2 36")) << "no reason arrived";
}

TEST_F(Follower, ARestartKeepsHistoryAndNumbers)
{
    see(up(), 1);
    see(down(1), 2);
    restart();
    EXPECT_THAT(see(down(0), 3), IsEmpty()) << "still down: the same event";
    EXPECT_THAT(see(up(), 4), ElementsAre("up 1"));
    restart();
    EXPECT_THAT(see(down(0), 5), ElementsAre("down 2 36")) << "it went down while no agent watched";
    restart();
    EXPECT_THAT(see(up(), 6), ElementsAre("up 2"));
    ASSERT_THAT(events(), SizeIs(2));
    EXPECT_EQ(events()[0].up_at, at(4));
}

TEST_F(Follower, APortThatIsGoneKeepsItsHistory)
{
    see(up(), 1);
    see(up(1), 2);
    EXPECT_THAT(follower_.follow({}, at(3)), IsEmpty());
    EXPECT_FALSE(follower_.links(at(3)).front().up) << "not known";
    EXPECT_THAT(events(), SizeIs(1));
    EXPECT_THAT(see(up(), 4), IsEmpty()) << "back, and up as before";
    follower_.follow({}, at(5));
    EXPECT_THAT(see(down(0), 6), ElementsAre("down 2 36")) << "back, but down";
}

TEST_F(Follower, AnEventIsAcknowledgedByItsNumberWithAllBeforeIt)
{
    see(up(), 1);
    see(up(3), 2);
    EXPECT_THAT(follower_.acknowledge("Ethernet0", 4), IsEmpty()) << "not read yet";
    EXPECT_THAT(follower_.acknowledge("Ethernet4", 1), IsEmpty()) << "no such port";
    EXPECT_THAT(follower_.acknowledge("Ethernet0", 2), SizeIs(2));
    EXPECT_THAT(follower_.acknowledge("Ethernet0", 2), IsEmpty()) << "acknowledged already";
    EXPECT_EQ(follower_.links(at(0)).front().history->first_unacknowledged()->seq, 3U);
    restart();
    EXPECT_EQ(follower_.links(at(0)).front().history->first_unacknowledged()->seq, 3U);
    EXPECT_THAT(follower_.acknowledge("Ethernet0", 3), SizeIs(1));
    EXPECT_EQ(follower_.links(at(0)).front().history->first_unacknowledged(), nullptr);
}

TEST_F(Follower, AFlappingLinkIsQuarantined)
{
    see(up(), 1);
    see(up(24), 2);
    EXPECT_FALSE(follower_.links(at(3)).front().quarantined);
    see(up(1), 3);
    EXPECT_TRUE(follower_.links(at(4)).front().quarantined);
}

}  // namespace
}  // namespace petrel::link
