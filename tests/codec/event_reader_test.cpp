// Lines of events as bytes: any version of an agent wrote them, or anything else did.
#include "codec/event_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace petrel::codec {
namespace {

using namespace std::chrono_literals;

EventLine read(std::string_view line)
{
    const auto event = read_event(line);
    EXPECT_TRUE(event) << line;
    return event.value_or(EventLine{});
}

TEST(EventReader, ReadsWhatDescribesAnEvent)
{
    const auto line = read(
        R"({"seq":7,"time_us":-5,"event":"storm_detected","device":"sw1","port":"Ethernet4","queue":3,"policy":"tor",)"
        R"("reason":"proven","action":"drop","cause":null,"by":"ann","evidence":{"criterion":"continuous","source":"state",)"
        R"("proven_us":402,"limit_us":400,"looks":[{"dt_us":1,"pause":["is","was"]},{"dt_us":2,"pause":[[]]},3]}})");
    EXPECT_EQ(line.seq, 7U);
    EXPECT_EQ(line.time_us, -5);
    EXPECT_EQ(line.event, "storm_detected");
    EXPECT_EQ(line.device, "sw1");
    EXPECT_EQ(line.port, "Ethernet4");
    EXPECT_EQ(line.queue, "Ethernet4:3");
    EXPECT_EQ(line.priority, Priority{3});
    EXPECT_EQ(line.policy, "tor");
    EXPECT_EQ(line.action, "drop");
    ASSERT_TRUE(line.known);
    EXPECT_EQ(line.known->kind, watchdog::EventKind::storm_detected);
    EXPECT_EQ(line.known->reason, watchdog::Reason::proven);
    EXPECT_EQ(line.known->by, "ann");
    EXPECT_EQ(line.known->evidence.rule.criterion, watchdog::Criterion::continuous);
    EXPECT_EQ(line.known->evidence.proven, 402us);
    EXPECT_EQ(line.known->evidence.limit, 400us);
    EXPECT_EQ(line.known->evidence.looks, 3U);
}

TEST(EventReader, RefusesWhatIsNoObjectWithAnEvent)
{
    for (const auto* line : {"", "x", "[]", R"("event")", R"([{"event":"e"}])", R"({"event":"e"} {})",
                             R"({"event":"e")", R"({"event":5})", R"({"event":""})", R"({"x":{"event":"e"}})",
                             "{\"event\":\"\xc3\x28\"}", R"({"event":"e","event":5})", R"({"event":"e","x":1e999})"}) {
        EXPECT_FALSE(read_event(line)) << line;
    }
}

TEST(EventReader, AValueOfAnotherTypeIsNotThere)
{
    const auto line = read(R"({"event":"storm_detected","reason":"proven","seq":"7","time_us":1.5,"device":{"a":1},)"
                           R"("port":["p"],"queue":-1,"policy":null,"link":[1],"evidence":true,"by":7})");
    EXPECT_EQ(line.seq, 0U);
    EXPECT_EQ(line.time_us, 0);
    EXPECT_EQ(line.device + line.port + line.queue + line.policy, "");
    ASSERT_TRUE(line.known);
    EXPECT_EQ(line.known->by, "");
    EXPECT_EQ(line.known->link, std::nullopt);
    EXPECT_EQ(line.known->evidence.limit, 0us);
    EXPECT_EQ(read(R"({"event":"e","seq":18446744073709551615})").seq, 0U) << "not positive as a signed number";
    EXPECT_EQ(read(R"({"event":"e","port":"p","queue":9})").priority, std::nullopt);
    EXPECT_EQ(read(R"({"event":"e","port":"p","queue":9})").queue, "p:9");
}

TEST(EventReader, TheLastOfEqualKeysCounts)
{
    const auto line = read(
        R"({"event":"e","event":"link_down","reason":"quiet","reason":"device","seq":1,"seq":2,"device":"a",)"
        R"("device":null,"link":{"number":1,"ldr":36,"cause":1},"link":{"number":2,"number":3,"ldr":4,"cause":5}})");
    EXPECT_EQ(line.seq, 2U);
    EXPECT_EQ(line.device, "");
    ASSERT_TRUE(line.known);
    EXPECT_EQ(line.known->link, (watchdog::LinkReason{3, 4, std::nullopt, 5, {}, {}}));
    const auto* whole_then_not = R"({"event":"link_down","reason":"device","link":{"number":1,"ldr":36,"cause":1},)"
                                 R"("link":{"number":1}})";
    EXPECT_EQ(read(whole_then_not).known->link, std::nullopt);
    const auto* object_then_not = R"({"event":"link_down","reason":"device","link":{"number":1,"ldr":36,"cause":1},)"
                                  R"("link":1})";
    EXPECT_EQ(read(object_then_not).known->link, std::nullopt);
}

TEST(EventReader, KeysCountInTheirOwnObject)
{
    const auto line = read(
        R"({"later":{"seq":9,"number":9,"looks":[1]},"event":"link_up","reason":"device","seq":1,"number":8,)"
        R"("link":{"number":2,"ldr":3,"cause":4,"seq":7,"later":{"number":9},"looks":[1,2]},"x":[{"seq":5}],"y":{"ldr":6}})");
    EXPECT_EQ(line.seq, 1U);
    ASSERT_TRUE(line.known);
    EXPECT_EQ(line.known->link, (watchdog::LinkReason{2, 3, std::nullopt, 4, {}, {}}));
    EXPECT_EQ(line.known->evidence.looks, 0U);
}

}  // namespace
}  // namespace petrel::codec
