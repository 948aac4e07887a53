// Events of the watchdog as lines of a switch's log: byte for byte the format of such switches.
#include "runtime/pause_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/rfc5424.hpp"

namespace petrel::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using watchdog::Event;
using watchdog::EventKind;
using watchdog::Reason;

const PortNames kPort{"Ethernet18", "x0c0r4j3p1", 19};

Event about(EventKind kind, Reason reason)
{
    Event event;
    event.kind = kind;
    event.reason = reason;
    event.at = instant_from_us(9'943'791'452);
    event.target = {{DeviceId{0}, 18}, std::nullopt};
    event.evidence.rule.criterion = watchdog::Criterion::pause_timeout;
    return event;
}

std::vector<std::string> lines(const Event& event, const PortNames& port = kPort)
{
    std::vector<std::string> texts;
    for (const auto& message : pause_messages(event, port)) {
        texts.push_back(build(pause_line(message, {WallTime{}, "x0c0r4b0", 3960})));
    }
    return texts;
}

// The caller supplies the time of day: each of the five lines has its own.
TEST(PauseMessages, AreThoseOfTheSwitchByteForByte)
{
    std::vector<wire::PauseMessage> all;
    for (const auto& event :
         {about(EventKind::pause_too_long, Reason::proven), about(EventKind::pause_too_long_cleared, Reason::quiet)}) {
        for (auto& message : pause_messages(event, kPort)) {
            all.push_back(std::move(message));
        }
    }
    ASSERT_EQ(all.size(), 5U);
    const auto minute =
        std::chrono::sys_days{std::chrono::year{2019} / 2 / 14} + std::chrono::hours{12} + std::chrono::minutes{57};
    std::string log;
    for (std::size_t i = 0; i < all.size(); ++i) {
        constexpr std::array kAt{32'927'818, 32'929'731, 32'930'043, 33'120'815, 33'121'175};
        const WallTime at{minute + std::chrono::microseconds{kAt.at(i)}};
        log += build(pause_line(all[i], {at, "x0c0r4b0", 3960})) + '\n';
    }
    EXPECT_EQ(log,
              "<3>1 2019-02-14T12:57:32.927818+00:00 x0c0r4b0 kernel - - - [ 9943.791452] rossw rossw0: pm 19: pause "
              "too long detected, chan timeouts 0x0\n"
              "<11>1 2019-02-14T12:57:32.929731+00:00 x0c0r4b0 fabric_routing 3960 - -  Error: Node connected to port "
              "19 (port name: x0c0r4j3p1) has asserted Ethernet flow control pause for too long\n"
              "<11>1 2019-02-14T12:57:32.930043+00:00 x0c0r4b0 fabric_routing 3960 - -  Port 19 (port name: "
              "x0c0r4j3p1) has moved to an error state. Reason: ERROR_STATE_ETHERNET_FLOW_CONTROL_TOO_LONG\n"
              "<14>1 2019-02-14T12:57:33.120815+00:00 x0c0r4b0 fabric_routing 3960 - -  Port 19 (port name: "
              "x0c0r4j3p1) has stopped asserting pause for too long.\n"
              "<14>1 2019-02-14T12:57:33.121175+00:00 x0c0r4b0 fabric_routing 3960 - -  Port 19 (port name: "
              "x0c0r4j3p1) is no longer in an error state\n");
}

TEST(PauseMessages, TheKernelNamesTheChannelsOfTheLastLook)
{
    auto event = about(EventKind::pause_too_long, Reason::proven);
    event.evidence.looks = 2;
    event.evidence.last[0].value[static_cast<std::size_t>(watchdog::Field::pause_timeout)] = 0x1;
    event.evidence.last[1].value[static_cast<std::size_t>(watchdog::Field::pause_timeout)] = 0x18;
    EXPECT_THAT(lines(event).at(0), testing::EndsWith("chan timeouts 0x18"));
}

TEST(PauseMessages, AStormFoundAtTheStartHasNoKernelLine)
{
    const auto logged = lines(about(EventKind::pause_too_long, Reason::reconciled));
    EXPECT_THAT(logged, ElementsAre(testing::HasSubstr("has asserted"), testing::HasSubstr("has moved")));
}

TEST(PauseMessages, AnAlertIsLoggedAsAnError)
{
    EXPECT_EQ(lines(about(EventKind::storm_alert, Reason::proven)).size(), 3U);
}

TEST(PauseMessages, OnlyQuietIsTheNodesDoing)
{
    for (const auto& event : {about(EventKind::storm_released, Reason::operator_),
                              about(EventKind::pause_too_long_cleared, Reason::link_down)}) {
        EXPECT_THAT(lines(event), ElementsAre(testing::EndsWith("is no longer in an error state")));
    }
}

TEST(PauseMessages, OtherEventsAreNotLogged)
{
    auto storm = about(EventKind::storm_alert, Reason::proven);
    storm.evidence.rule.criterion = watchdog::Criterion::continuous;
    EXPECT_THAT(lines(storm), IsEmpty());
    EXPECT_THAT(lines(about(EventKind::mitigation_failed, Reason::failed)), IsEmpty());
    EXPECT_THAT(lines(about(EventKind::order_taken, Reason::operator_)), IsEmpty());
}

TEST(PauseMessages, APortWithoutThoseNamesHasItsOwn)
{
    EXPECT_THAT(lines(about(EventKind::storm_released, Reason::stop), {"Ethernet18", {}, {}}),
                ElementsAre(testing::HasSubstr("Port 18 (port name: Ethernet18) ")));
}

}  // namespace
}  // namespace petrel::runtime
