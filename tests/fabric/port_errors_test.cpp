// The port-error view depends only on the set of events.
#include "fabric/port_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "link/decode.hpp"
#include "support/golden.hpp"
#include "wire/pause_log.hpp"

namespace petrel::fabric {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = PortEvent::Kind;
using Closed = PortErrorRecord::Closed;

constexpr auto kPause = link::kPauseTooLongFromPeer;

WallTime at(int second) { return WallTime{std::chrono::seconds{second}}; }

PortEvent event(std::uint64_t seq, Kind kind, link::Canonical cause = kPause)
{
    return {1,    seq,
            kind, kind == Kind::opened || kind == Kind::closed ? cause : link::Canonical{},
            {},   at(static_cast<int>(seq)),
            {}};
}

std::vector<PortErrorRecord> errors_after(std::initializer_list<PortEvent> events)
{
    PortErrors view;
    for (const auto& one : events) {
        view.put("p", one);
    }
    return view.errors("p");
}

TEST(PortErrors, OpensAndCloses)
{
    const auto errors = errors_after({event(1, Kind::opened), event(2, Kind::closed)});
    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_EQ(errors[0], (PortErrorRecord{kPause, {}, {}, 1, at(1), at(2), Closed::by_event, 1, 1, 1, 1}));
}

// It has the number of the event that reported the error last, so a later storm is another one.
TEST(PortErrors, AForgottenErrorIsClosedBeforeTheNextEvent)
{
    auto forgotten = event(2, Kind::forgotten);
    forgotten.cause = kPause;
    const auto errors =
        errors_after({event(3, Kind::opened), forgotten, event(2, Kind::opened), event(1, Kind::opened)});
    ASSERT_THAT(errors, SizeIs(2));
    EXPECT_EQ(errors[0], (PortErrorRecord{kPause, {}, {}, 2, at(1), at(2), Closed::forgotten, 1, 1, 1, 2}));
    EXPECT_EQ(errors[1].closed, Closed::not_yet);
}

TEST(PortErrors, ReportedAgainIsCounted)
{
    const auto errors = errors_after({event(1, Kind::opened), event(2, Kind::opened), event(2, Kind::opened)});
    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_EQ(errors[0].times, 2U);
    EXPECT_EQ(errors[0].opened_at, at(1));
    EXPECT_EQ(errors[0].closed, Closed::not_yet);
}

TEST(PortErrors, ALinkThatGoesDownClosesThem)
{
    const auto errors = errors_after({event(1, Kind::opened), event(2, Kind::opened, link::kStormMitigated),
                                      event(3, Kind::link_down), event(4, Kind::opened), event(5, Kind::closed)});
    ASSERT_THAT(errors, SizeIs(2)) << "no error opens while the link is down";
    for (const auto& error : errors) {
        EXPECT_EQ(error.closed, Closed::by_link_down);
        EXPECT_EQ(error.closed_at, at(3));
    }
    EXPECT_THAT(errors_after({event(1, Kind::link_down), event(2, Kind::link_up), event(3, Kind::opened)}), SizeIs(1));
}

TEST(PortErrors, PrioritiesAndCausesAreSeparate)
{
    auto third = event(1, Kind::opened);
    third.priority = Priority{3};
    auto fourth = event(2, Kind::opened);
    fourth.priority = Priority{4};
    auto over = event(3, Kind::closed);
    over.priority = Priority{4};
    const auto errors = errors_after({third, fourth, over, event(4, Kind::closed)});
    ASSERT_THAT(errors, SizeIs(2));
    EXPECT_EQ(errors[0].closed, Closed::not_yet);
    EXPECT_EQ(errors[1].closed, Closed::by_event);
    EXPECT_EQ(errors_after({event(1, Kind::opened), event(2, Kind::closed, link::kStormMitigated)})[0].closed,
              Closed::not_yet);
    EXPECT_EQ(errors_after({event(1, Kind::opened), event(2, Kind::closed, link::kNoReason)})[0].closed,
              Closed::by_event);
}

TEST(PortErrors, ARestartedSourceStartsItsCountAgain)
{
    auto later = event(1, Kind::closed);
    later.boot = 2;
    later.at = at(9);
    const auto errors = errors_after({later, event(7, Kind::opened)});
    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_EQ(errors[0].closed_at, at(9));
}

TEST(PortErrors, OnlyTheLastEventsAreKept)
{
    PortErrors view;
    for (std::uint64_t seq = 1; seq <= PortErrors::kEventsKept + 10; ++seq) {
        view.put("p", event(seq, Kind::opened));
    }
    view.put("p", event(3, Kind::opened));  // dropped, and too old to be added again
    const auto errors = view.errors("p");
    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_EQ(errors[0].times, PortErrors::kEventsKept);
    EXPECT_EQ(errors[0].opened_at, at(1));
}

TEST(PortErrors, AnOpenErrorIsKeptHoweverManyEventsFollow)
{
    PortErrors view;
    auto standing = event(1, Kind::opened);
    standing.priority = Priority{6};
    view.put("p", standing);
    for (std::uint64_t seq = 2; seq <= 3 * PortErrors::kEventsKept; ++seq) {
        view.put("p", event(seq, seq % 2 == 0 ? Kind::opened : Kind::closed));
    }
    EXPECT_EQ(view.errors("p").at(0).opened_at, at(1));
    EXPECT_EQ(view.errors("p").at(0).closed, PortErrorRecord::Closed::not_yet);
}

TEST(PortErrors, ForgettingDoesNotDependOnOrder)
{
    std::vector<PortEvent> events;
    for (std::uint64_t seq = 1; seq <= PortErrors::kEventsKept + 50; ++seq) {
        events.push_back(event(seq, seq % 7 == 0 ? Kind::closed : Kind::opened));
    }
    const auto shown = [](const std::vector<PortEvent>& all) {
        PortErrors view;
        for (const auto& one : all) {
            view.put("p", one);
        }
        return view.errors("p");
    };
    const auto in_order = shown(events);
    EXPECT_THAT(in_order, SizeIs(testing::Gt(30U)));
    events.insert(events.end(), events.begin(), events.begin() + 100);
    std::mt19937_64 random{5};
    for (int i = 0; i < 20; ++i) {
        std::shuffle(events.begin(), events.end(), random);
        EXPECT_EQ(shown(events), in_order);
    }
}

PortEvent random_event()
{
    auto one = event(*rc::gen::inRange<std::uint64_t>(1, 30), static_cast<Kind>(*rc::gen::inRange(0, 5)),
                     *rc::gen::element(kPause, link::kStormMitigated, link::Canonical{0}));
    one.boot = *rc::gen::inRange<std::uint64_t>(1, 3);
    one.priority = *rc::gen::element(std::optional<Priority>{}, std::optional{Priority{3}});
    return one;
}

RC_GTEST_PROP(PortErrors, OrderAndRepetitionDoNotMatter, ())
{
    std::vector<std::pair<std::string, PortEvent>> events;
    const auto count = *rc::gen::inRange(0, 40);
    for (int i = 0; i < count; ++i) {
        events.emplace_back(*rc::gen::element<std::string>("p", "q"), random_event());
    }
    auto otherwise = events;
    for (int i = 0; i < count; ++i) {
        if (*rc::gen::arbitrary<bool>()) {
            otherwise.push_back(events[static_cast<std::size_t>(i)]);
        }
    }
    std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
    std::shuffle(otherwise.begin(), otherwise.end(), random);

    PortErrors one;
    PortErrors other;
    for (const auto& [port, put] : events) {
        one.put(port, put);
    }
    for (const auto& [port, put] : otherwise) {
        other.put(port, put);
    }
    RC_ASSERT(one.ports() == other.ports());
    for (const auto& port : one.ports()) {
        RC_ASSERT(one.errors(port) == other.errors(port));
        for (const auto& error : one.errors(port)) {
            RC_ASSERT(error.times >= 1U);
        }
    }
}

TEST(PortErrors, AWatchdogsStormIsOne)
{
    watchdog::Event storm;
    storm.seq = 5;
    storm.kind = watchdog::EventKind::storm_detected;
    storm.target.priority = Priority{3};
    auto over = storm;
    over.seq = 6;
    over.kind = watchdog::EventKind::storm_released;
    PortErrors view;
    view.put("Ethernet4", *port_event(storm, 1, at(1)));
    EXPECT_TRUE(view.in_error("Ethernet4"));
    EXPECT_FALSE(view.in_error("Ethernet0"));
    view.put("Ethernet4", *port_event(over, 1, at(2)));
    EXPECT_FALSE(view.in_error("Ethernet4"));
    const auto errors = view.errors("Ethernet4");
    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_EQ(errors[0].cause, link::kStormMitigated);
    EXPECT_EQ(errors[0].raw, "storm_detected");
    storm.kind = watchdog::EventKind::order_taken;
    EXPECT_EQ(port_event(storm, 1, at(3)), std::nullopt);
}

// Puts a switch's log as events. The lines have no numbers, so their times give the order.
void put_log(PortErrors& view, std::string_view log, std::size_t first, std::size_t count)
{
    for (std::size_t i = 0; !log.empty(); ++i) {
        const auto line = wire::parse_log_line(log.substr(0, log.find('\n')));
        log.remove_prefix(log.find('\n') + 1);
        ASSERT_TRUE(line);
        const auto message = wire::pause_message(*line);
        ASSERT_TRUE(message);
        const auto* report = std::get_if<wire::PauseReport>(&*message);
        if (i < first || i >= first + count || report == nullptr) {
            continue;
        }
        const bool over = report->step == wire::PauseStep::stopped || report->step == wire::PauseStep::left_error;
        const auto cause = report->reason.empty() ? kPause : link::decode("hpe", report->reason)->canonical;
        const auto us = static_cast<std::uint64_t>(line->at->time_since_epoch().count());
        view.put(line->host + " " + report->port_name,
                 {0, us, over ? Kind::closed : Kind::opened, cause, {}, *line->at, report->reason});
    }
}

TEST(PortErrors, S01TheAssertionsAreOneError)
{
    PortErrors view;
    put_log(view, test::content(test::golden("wire/pause_too_long.log")), 0, 3);
    EXPECT_THAT(view.ports(), testing::ElementsAre("x0c0r4b0 x0c0r4j3p1"));
    const auto errors = view.errors("x0c0r4b0 x0c0r4j3p1");
    ASSERT_THAT(errors, SizeIs(1));
    EXPECT_EQ(errors[0].cause, link::kPauseTooLongFromPeer);
    EXPECT_EQ(errors[0].times, 2U);
    EXPECT_EQ(errors[0].closed, Closed::not_yet);
    EXPECT_TRUE(link::cause(errors[0].cause).link_stays_up) << "no link-down reason is involved";
}

TEST(PortErrors, S06TheClearLinesCloseIt)
{
    PortErrors view;
    const auto log = test::content(test::golden("wire/pause_too_long.log"));
    put_log(view, log, 3, 2);
    EXPECT_THAT(view.errors("x0c0r4b0 x0c0r4j3p1"), IsEmpty()) << "no error was open";
    put_log(view, log, 0, 3);
    const auto errors = view.errors("x0c0r4b0 x0c0r4j3p1");
    ASSERT_THAT(errors, SizeIs(1)) << "although the end arrived first";
    EXPECT_EQ(errors[0].closed, Closed::by_event);
    EXPECT_EQ(errors[0].closed_at - errors[0].opened_at, 191084us);
    EXPECT_FALSE(view.in_error("x0c0r4b0 x0c0r4j3p1"));
}

}  // namespace
}  // namespace petrel::fabric
