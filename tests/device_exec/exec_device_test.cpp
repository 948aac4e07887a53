// A device behind a helper program: calls become requests, lines that the helper sends by itself become notices, notes
// and inventories, and a helper that breaks the protocol is killed and reported.
#include "device/exec/exec_device.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/manual_clock.hpp"
#include "device_exec/scripted_helper.hpp"

namespace petrel::device::exec {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using watchdog::Command;
using watchdog::Field;
using watchdog::Notice;
using watchdog::Treatment;

std::string ports_json(const std::vector<std::string>& names)
{
    std::string list;
    for (const auto& name : names) {
        list += fmt::format(R"({}{{"name":"{}","speed_bps":0,"host_facing":true,"priorities":[3,4]}})",
                            list.empty() ? "" : ",", name);
    }
    return fmt::format(R"({{"ports":[{}]}})", list);
}

std::string hello_answer(bool detects_itself = false)
{
    return fmt::format(
        R"({{"id":1,"protocol":1,"name":"switch","answer_within_ms":500,"capabilities":{{"fields":["pause_us"],)"
        R"("survive":[],"treatments":["drop"],"port_wide":[],"reads_back":true,"detects_itself":{},"refresh_us":0,)"
        R"("stamp_uncertainty_us":0}},"inventory":{}}})",
        detects_itself, ports_json({"Ethernet0", "Ethernet4"}));
}

class ExecDeviceTest : public testing::Test, public NoticeSink {
protected:
    void post(const Notice& notice) noexcept override { notices_.push_back(notice); }

    // The first line of `lines` answers hello, the following ones later requests, one each. "%" is the request's id.
    Result<std::unique_ptr<ExecDevice>> open_with(std::vector<std::vector<std::string>> lines)
    {
        state_ = {};
        auto next = std::make_shared<std::size_t>(0);
        return ExecDevice::open(
            [this, lines, next]() -> Result<std::unique_ptr<Helper>> {
                return std::make_unique<ScriptedHelper>(state_, [lines, next](const std::string&) {
                    return *next < lines.size() ? lines[(*next)++] : std::vector<std::string>{};
                });
            },
            DeviceId{7}, clock_, [this](const std::string& note) { notes_.push_back(note); });
    }
    // Opens it with the usual hello and listens.
    void open(std::vector<std::vector<std::string>> later = {}, bool detects_itself = false)
    {
        later.insert(later.begin(), {hello_answer(detects_itself)});
        auto opened = open_with(std::move(later));
        ASSERT_TRUE(opened) << opened.error().what;
        device_ = std::move(*opened);
        device_->listen(*this);
        intake_.emplace(device_->inventory(), device_->capabilities());
    }
    Result<void> look(std::span<const Slot> rows = {})
    {
        intake_->begin();
        return device_->look(rows, *intake_);
    }

    static constexpr Target kQueue{{DeviceId{7}, 1}, Priority{3}};

    ManualClock clock_;
    HelperState state_;
    std::vector<Notice> notices_;
    std::vector<std::string> notes_;
    std::unique_ptr<ExecDevice> device_;
    std::optional<watchdog::Intake> intake_;
};

TEST_F(ExecDeviceTest, SaysHelloFirst)
{
    open();
    EXPECT_THAT(state_.requests, ElementsAre(R"({"id":1,"call":"hello","protocol":1})"));
    EXPECT_THAT(state_.deadlines, ElementsAre(10s));
    EXPECT_THAT(device_->inventory().rows, SizeIs(4));
    EXPECT_TRUE(device_->capabilities().reads_back);
}

TEST_F(ExecDeviceTest, AWrongHelloIsAFailureToOpen)
{
    const auto opened = open_with({{R"({"id":1,"protocol":7})"}});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().what, "the helper program: protocol is 7: allowed 1");
    EXPECT_TRUE(state_.killed);
}

TEST_F(ExecDeviceTest, LooksAtAllRowsOrSome)
{
    open({{R"({"id":2,"samples":[{"row":"Ethernet4:3","epoch":1,"pause_us":5}]})"}, {R"({"id":3,"samples":[]})"}});
    ASSERT_TRUE(look());
    EXPECT_THAT(intake_->view().touched, ElementsAre(Slot{2}));
    ASSERT_TRUE(look(std::vector{Slot{3}}));
    EXPECT_THAT(state_.requests, ElementsAre(testing::_, R"({"id":2,"call":"look"})",
                                             R"({"id":3,"call":"look","rows":["Ethernet4:4"]})"));
    EXPECT_THAT(state_.deadlines, ElementsAre(10s, 500ms, 500ms));
    EXPECT_EQ(look(std::vector{Slot{4}}).error().what, "no row 4, there are 4");
}

TEST_F(ExecDeviceTest, CommandsNameTheirTarget)
{
    open({{R"({"id":2,"undo":"mask=3"})"}, {R"({"id":3})"}, {R"({"id":4,"treatment":"drop"})"}});
    const Command command{.id = 1, .cause = 1, .target = kQueue, .want = Treatment::drop, .deadline = kNever};
    const auto undo = device_->prepare(command);
    ASSERT_TRUE(undo) << undo.error().what;
    EXPECT_TRUE(device_->apply(command, *undo));
    EXPECT_EQ(device_->read_back(kQueue), Treatment::drop);
    EXPECT_EQ(state_.requests[1], R"({"id":2,"call":"prepare","target":"Ethernet4:3","want":"drop"})");
    EXPECT_EQ(state_.requests[2], R"({"id":3,"call":"apply","target":"Ethernet4:3","want":"drop","undo":"mask=3"})");
    EXPECT_EQ(state_.requests[3], R"({"id":4,"call":"read_back","target":"Ethernet4:3"})");
    EXPECT_EQ(device_->read_back({{DeviceId{7}, 9}, Priority{3}}).error().what, "no queue or port port9:3");
}

TEST_F(ExecDeviceTest, AnErrorOfTheHelperIsAnAnswer)
{
    open({{R"({"id":2,"error":"the switch is busy"})"}, {R"({"id":3,"samples":[]})"}});
    EXPECT_EQ(look().error().what, "the switch is busy");
    EXPECT_FALSE(device_->wants_reopening());
    EXPECT_TRUE(look());
}

TEST_F(ExecDeviceTest, AWrongAnswerFailsTheCallAndTheHelperContinues)
{
    open({{R"({"id":2,"samples":[{"row":"Ethernet4:3","epoch":1,"pause_us":-5}]})"}, {R"({"id":3,"samples":[]})"}});
    EXPECT_EQ(look().error().what, "samples[0].pause_us is -5: allowed a whole number, 0..18446744073709551615");
    EXPECT_FALSE(device_->wants_reopening());
    EXPECT_FALSE(state_.killed);
    EXPECT_TRUE(look());
}

// Each of these ends the helper: every later call fails with the reason, and the device wants to be opened again.
TEST_F(ExecDeviceTest, ABrokenConversationIsOver)
{
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{}, "the helper program: no answer within 500 ms"},
        {{"nonsense"}, "the helper program: the line is 'nonsense': allowed one JSON object a line"},
        {{R"({"id":1,"samples":[]})"}, "the helper program: id is 1: allowed 2, that of the request"},
        {{R"({"notice":"storm","target":"Ethernet0:3"})"},
         R"(the helper program: notice is "storm": allowed one of detected, recovered, link_up, link_down)"},
        {{R"({"inventory":{"ports":7}})"}, "the helper program: inventory.ports is 7: allowed a list of at most 1024"}};
    for (const auto& [lines, why] : cases) {
        open({lines, {R"({"id":3,"samples":[]})"}});
        EXPECT_EQ(look().error().what, why);
        EXPECT_TRUE(device_->wants_reopening());
        EXPECT_TRUE(state_.killed);
        EXPECT_EQ(look().error().what, why);
        EXPECT_EQ(device_->read_back(kQueue).error().what, why);
        EXPECT_EQ(device_->receive_notices(), -1);
        EXPECT_THAT(state_.requests, SizeIs(2)) << "a helper that was killed gets no request";
    }
}

TEST_F(ExecDeviceTest, NoticesComeBetweenAnswers)
{
    clock_.advance(9s);
    open({{R"({"notice":"detected","target":"Ethernet4:3","action":"drop","interval_us":200000})",
           R"({"note":"old firmware"})", R"({"id":2,"samples":[]})"}});
    ASSERT_TRUE(look());
    ASSERT_THAT(notices_, SizeIs(1));
    EXPECT_EQ(notices_[0].kind, Notice::Kind::detected);
    EXPECT_EQ(notices_[0].target, kQueue);
    EXPECT_EQ(notices_[0].at, clock_.now().mono);
    EXPECT_EQ(notices_[0].action, Treatment::drop);
    EXPECT_EQ(notices_[0].interval, 200ms);
    EXPECT_THAT(notes_, ElementsAre("old firmware"));
}

TEST_F(ExecDeviceTest, NoticesComeAtAnyTime)
{
    open();
    EXPECT_EQ(device_->receive_notices(), 42);
    EXPECT_THAT(notices_, IsEmpty());
    state_.unread = {R"({"notice":"link_down","target":"Ethernet0"})", R"({"notice":"link_up","target":"Ethernet0"})"};
    EXPECT_EQ(device_->receive_notices(), 42);
    ASSERT_THAT(notices_, SizeIs(2));
    EXPECT_EQ(notices_[0].kind, Notice::Kind::link_down);
    EXPECT_EQ(notices_[0].target, (Target{{DeviceId{7}, 0}, std::nullopt}));
}

TEST_F(ExecDeviceTest, AWrongLineBetweenTwoCallsIsFoundByTheNextLook)
{
    open();
    state_.unread = {R"({"notice":"detected","target":"Ethernet9:3"})"};
    EXPECT_EQ(device_->receive_notices(), -1);
    EXPECT_EQ(look().error().what,
              "the helper program: target is 'Ethernet9:3': allowed is a queue or port of the inventory");
    open();
    state_.unread = {R"({"id":9})"};
    EXPECT_EQ(device_->receive_notices(), -1);
    EXPECT_EQ(look().error().what, "the helper program: id is 9: no request is open");
}

TEST_F(ExecDeviceTest, TooManyLinesByItselfEndTheConversation)
{
    open();
    state_.unread.assign(kMostUnasked, R"({"notice":"link_up","target":"Ethernet0"})");
    EXPECT_EQ(device_->receive_notices(), 42);
    EXPECT_THAT(notices_, SizeIs(kMostUnasked));
    state_.unread.assign(1, R"({"notice":"link_up","target":"Ethernet0"})");
    EXPECT_EQ(device_->receive_notices(), -1);
    EXPECT_EQ(look().error().what, "the helper program: more than 4096 lines by itself since its last answer");
}

TEST_F(ExecDeviceTest, NoticesBeforeTheRunnerListensWait)
{
    auto opened =
        open_with({{R"({"notice":"link_up","target":"Ethernet0"})", hello_answer()}, {R"({"id":2,"samples":[]})"}});
    ASSERT_TRUE(opened) << opened.error().what;
    (*opened)->listen(*this);
    EXPECT_EQ((*opened)->receive_notices(), 42);
    EXPECT_THAT(notices_, SizeIs(1));
}

// The rows of the answer may belong to either inventory, so the answer is not used. A notice that follows a new
// inventory waits until the look has returned: before, the runner would use the old port numbers for it.
TEST_F(ExecDeviceTest, ANewInventoryComesIntoForceWithALook)
{
    open({{R"({"notice":"link_down","target":"Ethernet0"})",
           fmt::format(R"({{"inventory":{}}})", ports_json({"Ethernet4", "Ethernet8"})),
           R"({"notice":"link_up","target":"Ethernet8"})",
           R"({"id":2,"samples":[{"row":"Ethernet8:3","epoch":1,"pause_us":5}]})"},
          {R"({"id":3,"samples":[{"row":"Ethernet8:3","epoch":1,"pause_us":5}]})"}});
    const auto before = device_->inventory().generation;
    ASSERT_TRUE(look());
    EXPECT_THAT(intake_->view().touched, IsEmpty());
    EXPECT_NE(device_->inventory().generation, before);
    EXPECT_EQ(device_->inventory().ports[0].name, "Ethernet4");
    EXPECT_THAT(notices_, SizeIs(1));
    intake_.emplace(device_->inventory(), device_->capabilities());
    ASSERT_TRUE(look());
    EXPECT_THAT(intake_->view().touched, ElementsAre(Slot{2}));
    ASSERT_THAT(notices_, SizeIs(2));
    EXPECT_EQ(notices_[0].target.port.index, 0);
    EXPECT_EQ(notices_[1].target.port.index, 1);
}

TEST_F(ExecDeviceTest, AnInventoryBetweenTwoCallsComesIntoForceWithTheNextLook)
{
    open({{R"({"id":2,"samples":[]})"}});
    state_.unread = {fmt::format(R"({{"inventory":{}}})", ports_json({"Ethernet8"}))};
    EXPECT_EQ(device_->receive_notices(), 42);
    EXPECT_THAT(device_->inventory().ports, SizeIs(2));
    ASSERT_TRUE(look());
    EXPECT_THAT(device_->inventory().ports, SizeIs(1));
    EXPECT_THAT(state_.requests, SizeIs(1)) << "this look reads nothing";
}

TEST_F(ExecDeviceTest, WatchedQueuesThatAreNotReadAreUnseen)
{
    open({{R"({"id":2,"samples":[{"row":"Ethernet0:3","epoch":1,"pause_us":5},)"
           R"({"row":"Ethernet0:4","unreadable":"counters time out"},{"row":"Ethernet4:3","epoch":1}]})"},
          {R"({"id":3,"samples":[{"row":"Ethernet0:4","epoch":1,"pause_us":5}]})"}});
    device_->set_watched_rows(std::vector{Slot{0}, Slot{1}, Slot{2}});
    ASSERT_TRUE(look());
    EXPECT_THAT(device_->unseen_queues(), ElementsAre(UnseenQueue{"Ethernet0:4", "counters time out"},
                                                      UnseenQueue{"Ethernet4:3", "the helper's answers leave it out"}));
    ASSERT_TRUE(look(std::vector{Slot{1}}));
    EXPECT_THAT(device_->unseen_queues(), ElementsAre(UnseenQueue{"Ethernet4:3", "the helper's answers leave it out"}));
}

TEST_F(ExecDeviceTest, DelegatesDetectionOnlyWhereTheHelperDetects)
{
    const std::vector<DelegatedRow> rows{{Slot{2}, 200ms, 400ms, Treatment::drop, 10, false}};
    open();
    EXPECT_EQ(device_->delegate_detection(rows).error().kind, ErrorKind::unsupported);
    open({{R"({"id":2,"rows":[{"row":"Ethernet4:3","on":true,"detect_us":200000,"restore_us":400000}]})"}}, true);
    const auto watched = device_->delegate_detection(rows);
    ASSERT_TRUE(watched) << watched.error().what;
    EXPECT_TRUE(watched->front().on);
}

TEST_F(ExecDeviceTest, LinksAreReadOnlyWhereTheHelperReportsThem)
{
    open();
    EXPECT_FALSE(device_->capabilities().reads_links);
    EXPECT_EQ(device_->read_links().error().kind, ErrorKind::unsupported);
    EXPECT_THAT(state_.requests, SizeIs(1)) << "the helper gets no request that it does not know";

    auto hello = hello_answer();
    hello.replace(hello.find(R"("refresh_us")"), 0, R"("reads_links":true,)");
    auto opened = open_with({{hello},
                             {R"({"id":2,"links":[{"port":"Ethernet4","up":false,"downs":1}]})"},
                             {R"({"id":3,"links":[{"port":"Ethernet8","up":true}]})"},
                             {fmt::format(R"({{"inventory":{}}})", ports_json({"Ethernet8"})),
                              R"({"id":4,"links":[{"port":"Ethernet8","up":true}]})"}});
    ASSERT_TRUE(opened) << opened.error().what;
    device_ = std::move(*opened);
    EXPECT_TRUE(device_->capabilities().reads_links);
    EXPECT_EQ(device_->read_links(), (std::vector{link::LinkSample{"Ethernet4", false, false, 1, {}, {}}}));
    EXPECT_EQ(state_.requests.back(), R"({"id":2,"call":"links"})");
    EXPECT_EQ(device_->read_links().error().what, R"(links[0].port is "Ethernet8": allowed a port of the inventory)");
    EXPECT_TRUE(device_->read_links()) << "a new inventory waits for the next look";
}

TEST_F(ExecDeviceTest, CloseWaitsForTheEnd)
{
    open({{R"({"id":2})"}});
    EXPECT_TRUE(device_->close());
    EXPECT_TRUE(state_.finished);
    open({{R"({"id":2,"error":"cannot put the profile back"})"}});
    EXPECT_EQ(device_->close().error().what, "cannot put the profile back");
}

}  // namespace
}  // namespace petrel::device::exec
