// Slingshot's registers behind a helper program: calls become requests, and a helper that is lost or blind makes the
// look fail.
#include "device/slingshot/exec/helper_registers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/manual_clock.hpp"
#include "device/slingshot/slingshot_device.hpp"
#include "device_exec/scripted_helper.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using device::exec::HelperState;
using device::slingshot::HelperRegisters;
using device::slingshot::SlingshotDevice;
using testing::ElementsAre;
using testing::HasSubstr;
using watchdog::Treatment;

constexpr auto kRegistersHello =
    R"({"id":1,"protocol":1,"registers":"slingshot","name":"rossw0","answer_within_ms":500,"ports":[)"
    R"({"name":"Ethernet0","speed_bps":0,"edge":true,"max_frame_size":9216,"pcp_enable":1},)"
    R"({"name":"Ethernet1","speed_bps":0,"edge":false,"max_frame_size":9216,"pcp_enable":1},)"
    R"({"name":"Ethernet2","speed_bps":0,"edge":true,"max_frame_size":9216,"pcp_enable":1}]})";
constexpr Target kHelpersPort{{DeviceId{7}, 2}, std::nullopt};

class SlingshotHelperTest : public testing::Test {
protected:
    // The lines that the helper sends after its hello and each later request.
    Result<std::unique_ptr<HelperRegisters>> open_with(std::vector<std::vector<std::string>> lines)
    {
        state_ = {};
        auto next = std::make_shared<std::size_t>(0);
        return HelperRegisters::open(
            [this, lines, next]() -> Result<std::unique_ptr<device::exec::Helper>> {
                return std::make_unique<device::exec::ScriptedHelper>(state_, [lines, next](const std::string&) {
                    return *next < lines.size() ? lines[(*next)++] : std::vector<std::string>{};
                });
            },
            clock_, [this](const std::string& note) { notes_.push_back(note); });
    }
    void open(std::vector<std::vector<std::string>> later)
    {
        later.insert(later.begin(), {kRegistersHello});
        auto opened = open_with(std::move(later));
        ASSERT_TRUE(opened) << opened.error().what;
        device_ = std::make_unique<SlingshotDevice>(DeviceId{7}, std::move(*opened), clock_);
        intake_.emplace(device_->inventory(), device_->capabilities());
    }
    Result<void> look()
    {
        intake_->begin();
        return device_->look({}, *intake_);
    }

    device::ManualClock clock_;
    HelperState state_;
    std::vector<std::string> notes_;
    std::unique_ptr<SlingshotDevice> device_;
    std::optional<watchdog::Intake> intake_;
};

TEST_F(SlingshotHelperTest, ALookIsOneRequestForTheEdgePorts)
{
    open({{R"({"id":2,"ports":[{"port":"Ethernet0","epoch":1,"pause_timeout":8,"max_frame_size":9216,"pcp_enable":1},)"
           R"({"port":"Ethernet2","epoch":1,"pause_timeout":0,"max_frame_size":9216,"pcp_enable":1}]})"}});
    ASSERT_TRUE(look());
    EXPECT_THAT(state_.requests, ElementsAre(R"({"id":1,"call":"hello","protocol":1,"registers":"slingshot"})",
                                             R"({"id":2,"call":"read","ports":["Ethernet0","Ethernet2"]})"));
    EXPECT_THAT(state_.deadlines, ElementsAre(10s, 500ms));
    EXPECT_THAT(intake_->view().touched, ElementsAre(Slot{0}, Slot{1}));
}

TEST_F(SlingshotHelperTest, ATreatmentIsTwoWritesAndARead)
{
    open({{R"({"id":2})"},
          {R"({"id":3})"},
          {R"({"id":4,"ports":[{"port":"Ethernet2","epoch":1,"pause_timeout":8,"max_frame_size":63,"pcp_enable":0}]})"},
          {R"({"id":5,"error":"locked","kind":"denied"})"}});
    watchdog::Command command;
    command.target = kHelpersPort;
    command.want = Treatment::squeeze;
    ASSERT_TRUE(device_->apply(command, {}));
    EXPECT_EQ(device_->read_back(kHelpersPort), Treatment::squeeze);
    EXPECT_EQ(state_.requests.at(1),
              R"({"id":2,"call":"write","port":"Ethernet2","register":"max_frame_size","value":63})");
    EXPECT_EQ(state_.requests.at(2), R"({"id":3,"call":"write","port":"Ethernet2","register":"pcp_enable","value":0})");
    const auto refused = device_->apply(command, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::denied);
    EXPECT_EQ(refused.error().what, "locked");
}

TEST_F(SlingshotHelperTest, AnErrorOfTheHelperMakesTheLookFail)
{
    open({{R"({"id":2,"error":"the bus is busy"})"}, {R"({"id":3,"ports":[]})"}});
    EXPECT_EQ(look().error().what, "the bus is busy");
    EXPECT_FALSE(device_->wants_reopening());
    device_->set_watched_rows(std::vector{Slot{0}});
    ASSERT_TRUE(look());
    EXPECT_THAT(device_->unseen_queues(),
                ElementsAre(device::UnseenQueue{"Ethernet0", "the helper's answers leave it out"}));
}

TEST_F(SlingshotHelperTest, ALostHelperMakesEveryLaterLookFail)
{
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{}, "the helper program: no answer within 500 ms"},
        {{"nonsense"}, "the helper program: the line is 'nonsense': allowed one JSON object a line"},
        {{R"({"notice":"link_up","target":"Ethernet0"})", R"({"id":2,"ports":[]})"},
         "the helper program: it sent a notice or an inventory: allowed are answers and notes"},
        {{R"({"inventory":{"ports":[]}})", R"({"id":2,"ports":[]})"},
         "the helper program: it sent a notice or an inventory: allowed are answers and notes"}};
    for (const auto& [lines, why] : cases) {
        open({lines, {R"({"id":3,"ports":[]})"}});
        EXPECT_EQ(look().error().what, why);
        EXPECT_TRUE(device_->wants_reopening());
        EXPECT_TRUE(state_.killed);
        EXPECT_EQ(look().error().what, why);
        EXPECT_EQ(device_->read_back(kHelpersPort).error().what, why);
    }
}

// Also those of ports that lead into the fabric.
TEST_F(SlingshotHelperTest, LinksAreThoseOfAllPorts)
{
    open({});
    EXPECT_FALSE(device_->capabilities().reads_links);
    std::string hello = kRegistersHello;
    hello.replace(hello.find(R"("ports")"), 0, R"("reads_links":true,)");
    auto opened =
        open_with({{hello},
                   {R"({"id":2,"links":[{"port":"Ethernet1","up":false,"list":"hpe.sl_cause","code":8388608}]})"},
                   {R"({"id":3,"links":[{"port":"Ethernet3","up":true}]})"}});
    ASSERT_TRUE(opened) << opened.error().what;
    device_ = std::make_unique<SlingshotDevice>(DeviceId{7}, std::move(*opened), clock_);
    EXPECT_TRUE(device_->capabilities().reads_links);
    const link::RawCode code{link::list_named("hpe.sl_cause").value(), 8'388'608};
    EXPECT_EQ(device_->read_links(), (std::vector{link::LinkSample{"Ethernet1", false, false, 0, code, {}}}));
    EXPECT_EQ(state_.requests.back(), R"({"id":2,"call":"links"})");
    EXPECT_EQ(device_->read_links().error().what, R"(links[0].port is "Ethernet3": allowed a port of the inventory)");
    EXPECT_FALSE(device_->wants_reopening());
}

TEST_F(SlingshotHelperTest, AHelperOfAnotherProtocolIsRefused)
{
    const auto opened = open_with({{R"({"id":1,"error":"no such register set","kind":"unsupported"})"}});
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().what, HasSubstr("no such register set"));
    EXPECT_TRUE(state_.killed);
}

TEST_F(SlingshotHelperTest, NotesAreReportedAndCloseWaitsForTheEnd)
{
    open({{R"({"note":"old firmware"})", R"({"id":2,"ports":[]})"}, {R"({"id":3})"}});
    ASSERT_TRUE(look());
    EXPECT_THAT(notes_, ElementsAre("old firmware"));
    EXPECT_TRUE(device_->close());
    EXPECT_TRUE(state_.finished);
}

}  // namespace
}  // namespace petrel::test
