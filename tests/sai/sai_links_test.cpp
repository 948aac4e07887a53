// The links of a library's ports, by notification and by reading.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sai/bench.hpp"

namespace petrel::test {
namespace {

using sai::OperStatus;

constexpr std::uint32_t kSignalLost = 1U << 11U;
constexpr std::uint32_t kLocalFault = 1U << 0U;

class SaiLinks : public testing::Test {
protected:
    void open(const std::string& faults = "", const device::sai::Profile& more = {})
    {
        const auto opened = bench_.open(faults, more);
        ASSERT_TRUE(opened) << opened.error().what;
        bench_.device->listen(received_);
    }
    // The sample of port 1; none if the device does not know its link.
    std::optional<link::LinkSample> read()
    {
        const auto samples = bench_.device->read_links().value();
        const auto at = std::ranges::find(samples, "port1", &link::LinkSample::port);
        return at == samples.end() ? std::nullopt : std::optional{*at};
    }
    void set(OperStatus status, std::uint32_t error_bits = 0)
    {
        bench_.port(1).status = status;
        bench_.port(1).error_bits = error_bits;
    }
    static std::optional<link::RawCode> code(std::uint64_t bits)
    {
        return link::RawCode{link::list_named("sai.port_error").value(), bits};
    }

    SaiBench bench_;
    Received received_;
};

TEST_F(SaiLinks, AreFollowedByReading)
{
    open();
    EXPECT_EQ(read(), (link::LinkSample{"port1", true, false, 0, {}, {}}));
    set(OperStatus::down, kSignalLost);
    EXPECT_EQ(read(), (link::LinkSample{"port1", false, false, 1, code(kSignalLost), {}}));
    set(OperStatus::down, kLocalFault);
    EXPECT_EQ(read(), (link::LinkSample{"port1", false, false, 0, code(kSignalLost), {}}))
        << "the first reason is kept, and one time is counted once";
    set(OperStatus::up);
    EXPECT_EQ(read()->up, true);
    set(OperStatus::not_present);
    EXPECT_EQ(read(), (link::LinkSample{"port1", false, false, 1, code(0), {}}));
}

TEST_F(SaiLinks, ANotificationCountsALinkThatIsUpAgainBeforeItIsRead)
{
    open();
    read();
    bench_.model->notify(1, OperStatus::down, kSignalLost);
    bench_.model->notify(1, OperStatus::down, kSignalLost);
    bench_.model->notify(1, OperStatus::up);
    EXPECT_EQ(read(), (link::LinkSample{"port1", true, false, 1, code(kSignalLost), {}})) << "with its reason";
    EXPECT_EQ(read()->downs, 0U);
}

TEST_F(SaiLinks, AnOlderLibraryHasNoReasons)
{
    open("", {{"bad.version", "11400"}});
    read();
    bench_.model->notify(1, OperStatus::down, kSignalLost);
    set(OperStatus::down, kSignalLost);
    EXPECT_EQ(read(), (link::LinkSample{"port1", false, false, 1, {}, {}}))
        << "these bytes of the notification are padding, and the attribute does not exist";
}

TEST_F(SaiLinks, APortThatIsSwitchedOffIsDisabled)
{
    open();
    read();
    bench_.port(1).enabled = false;
    set(OperStatus::down);
    EXPECT_TRUE(read()->disabled);
}

TEST_F(SaiLinks, AStateThatIsNeitherUpNorDownChangesNothing)
{
    open();
    read();
    set(OperStatus::testing);
    EXPECT_EQ(read(), (link::LinkSample{"port1", true, false, 0, {}, {}}));
    bench_.model->notify(1, OperStatus::unknown);
    EXPECT_EQ(read(), (link::LinkSample{"port1", true, false, 0, {}, {}}));
}

TEST_F(SaiLinks, ALibraryThatCannotBeReadIsFollowedByNotifications)
{
    open("no_link_state");
    EXPECT_FALSE(read());
    bench_.model->notify(1, OperStatus::up);
    bench_.model->notify(1, OperStatus::down, kLocalFault);
    EXPECT_EQ(read(), (link::LinkSample{"port1", false, false, 1, code(kLocalFault), {}}));
}

}  // namespace
}  // namespace petrel::test
