// Requests and answers of the control socket: written lines are read back unchanged, invalid ones are refused with a
// reason.
#include "codec/control_json.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "codec/control_fields.hpp"
#include "config/stop_policy.hpp"
#include "control/report.hpp"
#include "control/request.hpp"
#include "control/table_change.hpp"
#include "mutate.hpp"
#include "support/golden.hpp"

namespace petrel::codec {
namespace {

using control::ControlRequest;
using control::DeviceReport;
using control::ExplainReport;
using control::OrderReport;
using control::QueueReport;
using control::ReloadReport;
using control::StatusReport;
using control::TableChange;
using control::TableHash;
using control::TableReport;
using Command = ControlRequest::Command;
using Condition = DeviceReport::Condition;

template <class Enum>
Enum any_enum()
{
    return static_cast<Enum>(*rc::gen::inRange(0, static_cast<int>(Enum::count_)));
}

// Fills every field of any report.
struct AnyFields {
    template <class T>
    void operator()(std::string_view, T&& field) const
    {
        fill(field);
    }

    static void fill(std::string& text) { text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127)); }
    static void fill(bool& value) { value = *rc::gen::arbitrary<bool>(); }
    static void fill(Condition& value) { value = any_enum<Condition>(); }
    static void fill(config::StopPolicy& value)
    {
        value = static_cast<config::StopPolicy>(*rc::gen::inRange<std::size_t>(0, config::kStopPolicies.size()));
    }
    static void fill(TableChange::Kind& value) { value = any_enum<TableChange::Kind>(); }
    static void fill(watchdog::Phase& value) { value = any_enum<watchdog::Phase>(); }
    static void fill(watchdog::Treatment& value) { value = any_enum<watchdog::Treatment>(); }
    static void fill(TableHash& hash)
    {
        hash.clear();
        for (auto left = *rc::gen::inRange(0, 3); left != 0; --left) {
            std::string field;
            fill(field);
            fill(hash[field]);
        }
    }
    static void fill(JsonLine<std::string>& line)
    {
        line.text = *rc::gen::element<std::string>("", R"({"seq":1,"by":"a"})");
    }
    template <std::integral Number>
    static void fill(Number& number)
    {
        number = *rc::gen::arbitrary<Number>();
    }
    template <class T>
    static void fill(std::optional<T>& value)
    {
        value.reset();
        if (*rc::gen::arbitrary<bool>()) {
            fill(value.emplace());
        }
    }
    template <class T>
    static void fill(std::vector<T>& list)
    {
        list.resize(*rc::gen::inRange<std::size_t>(0, 3));
        for (auto& one : list) {
            fill(one);
        }
    }
    template <class Report>
        requires std::is_class_v<Report>
    static void fill(Report& report)
    {
        visit_fields(report, AnyFields{});
    }
};

template <class Report>
Report any()
{
    Report report;
    AnyFields::fill(report);
    return report;
}

RC_GTEST_PROP(ControlJson, AnswersAreReadAsTheyWereWritten, ())
{
    const auto status = any<StatusReport>();
    RC_ASSERT(read_status(answer_json(status)).value() == status);
    const auto queues = any<std::vector<QueueReport>>();
    RC_ASSERT(read_queues(answer_json(queues)).value() == queues);
    const auto explanation = any<ExplainReport>();
    RC_ASSERT(read_explanation(answer_json(explanation)).value() == explanation);
    const auto order = any<OrderReport>();
    RC_ASSERT(read_order(answer_json(order)).value() == order);
    const auto reload = any<ReloadReport>();
    RC_ASSERT(read_reload(answer_json(reload)).value() == reload);
    const auto tables = any<TableReport>();
    RC_ASSERT(read_tables(answer_json(tables)).value() == tables);
    const auto links = any<std::vector<control::LinkReport>>();
    RC_ASSERT(read_links(answer_json(links)).value() == links);
}

RC_GTEST_PROP(ControlJson, AnAnswerIsOneLineOfUtf8ForAnyDeviceText, ())
{
    OrderReport order;
    order.lines = {*rc::gen::arbitrary<std::string>()};
    const auto line = answer_json(order);
    RC_ASSERT(line.find('\n') == std::string::npos);
    RC_ASSERT(read_order(line).has_value());
}

RC_GTEST_PROP(ControlJson, RequestsAreReadAsTheyWereWritten, ())
{
    ControlRequest request;
    request.command = any_enum<Command>();
    const bool queue = request.command == Command::mitigate || request.command == Command::release ||
                       request.command == Command::repaired || request.command == Command::hold ||
                       request.command == Command::explain;
    if (queue || (request.command == Command::clear && *rc::gen::arbitrary<bool>())) {
        request.queue = "Ethernet4:3";
        request.device = *rc::gen::element<std::string>("", "sw1");
    }
    if (request.command == Command::policy_push) {
        request.policy = "[[policy]]\npreset = \"sonic\"\n";
    }
    if (request.command == Command::red_switch) {
        request.state = *rc::gen::element<std::string>("on", "off");
    }
    if (request.command == Command::events) {
        request.follow = *rc::gen::arbitrary<bool>();
        request.last = *rc::gen::arbitrary<std::uint32_t>();
    }
    if (request.command == Command::links || request.command == Command::link_clear) {
        request.port = "Ethernet4";
        request.device = *rc::gen::element<std::string>("", "sw1");
    }
    request.history = request.command == Command::links && *rc::gen::arbitrary<bool>();
    request.sequence = request.command == Command::link_clear ? *rc::gen::inRange<std::uint64_t>(1, 99) : 0;
    request.stormed = request.command == Command::queues && *rc::gen::arbitrary<bool>();
    if (request.command == Command::table_keys) {
        AnyFields::fill(request.prefix);
    } else if (request.command == Command::table_hashes) {
        AnyFields::fill(request.db);
        AnyFields::fill(request.keys);
    } else if (request.command == Command::table_change) {
        AnyFields::fill(request.db);
        AnyFields::fill(request.changes);
    }
    RC_ASSERT(read_request(request_json(request)).value() == request);
}

TEST(ControlJson, ARequestHasExactlyTheKeysOfItsCommand)
{
    ControlRequest request;
    request.command = Command::explain;
    request.queue = "Ethernet4:3";
    request.note = "not for this one";
    EXPECT_EQ(request_json(request), R"({"command":"explain","queue":"Ethernet4:3"})");
}

TEST(ControlJson, AChangeOfTablesIsReadStrictly)
{
    const auto read = [](const std::string& change) {
        return read_request(R"({"command":"table-change","db":4,"changes":[)" + change + "]}");
    };
    const auto good = read(R"({"kind":"replace","key":"PFC_WD|Ethernet0","fields":{"action":"drop"}})").value();
    EXPECT_EQ(good.changes,
              (std::vector{TableChange{TableChange::Kind::replace, "PFC_WD|Ethernet0", {{"action", "drop"}}}}));
    EXPECT_EQ(
        read(R"({"kind":"erase"})").error().what,
        "the request cannot be read: changes[0].kind = \"erase\": allowed a known word, one of set, remove, replace");
    EXPECT_EQ(read(R"({"fields":{"action":1}})").error().what,
              "the request cannot be read: changes[0].fields.action = 1: allowed text");
    EXPECT_EQ(read("7").error().what, "the request cannot be read: changes[0] = 7: allowed an object");
}

TEST(ControlJson, ErrorsSurviveTheRoundTrip)
{
    const auto line = answer_json(Error{ErrorKind::denied, "no \"queue\" of this name"});
    EXPECT_EQ(line, R"({"ok":false,"error":{"kind":"denied","what":"no \"queue\" of this name"}})");
    const auto read = read_status(line);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::denied);
    EXPECT_EQ(read.error().what, "no \"queue\" of this name");
    EXPECT_FALSE(read_events_end(line));
}

TEST(ControlJson, TheEndOfEventsIsNoEvent)
{
    EXPECT_EQ(read_events_end(events_end_json(7)).value(), 7U);
    EXPECT_EQ(read_events_end(R"({"seq":7,"event":"storm_detected"})").value(), std::nullopt);
}

TEST(ControlJson, ReadsTheKnownKeysOfAnotherVersion)
{
    const auto status = read_status(R"({"ok":true,"status":{"name":"tor-17","moon":"full"},"more":[]})");
    ASSERT_TRUE(status);
    StatusReport only_named;
    only_named.name = "tor-17";
    EXPECT_EQ(*status, only_named);
}

std::string line_of(const Error& error) { return error.what + '\n'; }

TEST(ControlJson, ErrorsDescribeTheProblem)
{
    std::string text;
    for (const auto* line :
         {"", "hello", "[]", "{}", R"({"command":"statu"})", R"({"command":7})", R"({"command":"status","queue":"a"})",
          R"({"command":"queues","stormd":true})", R"({"command":"queues","stormed":1})",
          R"({"command":"events","last":-1})", R"({"command":"events","last":4294967296})", R"({"command":"release"})",
          R"({"command":"release","queue":"a","queue":"b"})", R"({"command":"release","queue":["a",["b"]]})",
          R"({"command":"status"} x)"}) {
        const auto read = read_request(line);
        ASSERT_FALSE(read) << line;
        EXPECT_EQ(read.error().kind, ErrorKind::invalid);
        text += fmt::format("{}\n  {}", line, line_of(read.error()));
    }
    for (const auto* line :
         {"hello", "7", "{}", R"({"ok":false})", R"({"ok":true,"queues":[]})",
          R"({"ok":true,"status":{"stop_policy":"freeze"}})", R"({"ok":true,"status":{"stop_policy":7}})",
          R"({"ok":true,"status":{"devices":[{"condition":"asleep"}]}})",
          R"({"ok":true,"status":{"devices":[{"ports":4294967296}]}})"}) {
        const auto read = read_status(line);
        ASSERT_FALSE(read) << line;
        text += fmt::format("{}\n  {}", line, line_of(read.error()));
    }
    test::expect_golden(test::golden("control/problems.txt"), text);
}

// A line of brackets must not overflow the stack.
TEST(ControlJson, RefusesDeepNesting)
{
    const std::string deep(32'000, '[');
    for (const auto& line : {deep, deep + std::string(32'000, ']'),
                             R"({"command":"release","queue":)" + deep + std::string(32'000, ']') + '}'}) {
        EXPECT_FALSE(read_request(line));
        EXPECT_FALSE(read_explanation(line));
    }
}

TEST(ControlJson, DamageNeverCrashesAndNeverChangesTheCommand)
{
    std::mt19937_64 random{7};
    ControlRequest request;
    request.command = Command::mitigate;
    request.queue = "Ethernet4:3";
    request.device = "sw1";
    request.note = "link \"flaps\"";
    for (int i = 0; i < 20'000; ++i) {
        const auto line = mutated(request_json(request), random);
        const auto read = read_request(line);
        if (read) {
            EXPECT_NE(line.find(name(read->command)), std::string::npos) << line;
            EXPECT_EQ(read_request(request_json(*read)).value(), *read) << line;
        } else {
            EXPECT_FALSE(read.error().what.empty());
        }
    }
}

}  // namespace
}  // namespace petrel::codec
