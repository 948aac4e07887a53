// Every call of a device that wraps another one reaches the device behind it, with its arguments, and its answer comes
// back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "device/synthetic/removable_ports.hpp"
#include "device/waker.hpp"
#include "lab/live/live_device.hpp"

namespace petrel::device {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::SizeIs;
using watchdog::Command;
using watchdog::Notice;
using watchdog::Treatment;

constexpr Slot kWrappedRow{1};
constexpr Target kWrapped{{DeviceId{0}, 1}, Priority{3}};

Undo wrapped_undo(std::uint8_t byte)
{
    Undo undo;
    undo.bytes[0] = std::byte{byte};
    undo.size = 1;
    return undo;
}

Error refused() { return {ErrorKind::denied, "the device behind refuses"}; }

// Records the arguments of each call. Its answers differ from every answer that a wrapper could make up.
link::LinkSample link_sample() { return {"Ethernet1", true, false, 3, std::nullopt}; }

class Behind final : public Device {
public:
    Behind()
    {
        for (std::uint16_t port = 0; port != 2; ++port) {
            inventory_.ports.push_back({"Ethernet" + std::to_string(port), {}, {}});
            inventory_.rows.push_back({{{DeviceId{0}, port}, Priority{3}}, {}, true});
        }
        capabilities_.stamp_uncertainty = 7us;
    }

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake&) override
    {
        looked.assign(rows.begin(), rows.end());
        return tl::unexpected(refused());
    }
    Result<Undo> prepare(const Command& command) override
    {
        prepared = command.target;
        return wrapped_undo(5);
    }
    Result<void> apply(const Command& command, const Undo& undo) override
    {
        applied = command.target;
        used = undo;
        return tl::unexpected(refused());
    }
    Result<void> await_effect(const Command& command) override
    {
        awaited = command.target;
        return tl::unexpected(refused());
    }
    Result<Treatment> read_back(const Target& target) override
    {
        read = target;
        return Treatment::squeeze;
    }
    bool treated_by_others() const override { return true; }
    void listen(NoticeSink& to) override { sink = &to; }
    int receive_notices() override { return 5; }
    Result<std::vector<Delegated>> delegate_detection(std::span<const DelegatedRow> rows) override
    {
        self_watch.assign(rows.begin(), rows.end());
        return std::vector{Delegated{.row = rows.front().row, .detect = {}, .restore = {}, .on = true}};
    }
    void set_watched_rows(std::span<const Slot> rows) override { watched.assign(rows.begin(), rows.end()); }
    Buffers buffers() override { return {{{.name = "pool0"}}, {}}; }
    Result<void> set_dynamic_threshold(const std::string& profile, int exponent) override
    {
        threshold = {profile, exponent};
        return tl::unexpected(refused());
    }
    std::vector<UnseenQueue> unseen_queues() const override { return {{"Ethernet1:3", "no counters"}}; }
    void set_waker(const Waker& passed) override { waker = &passed; }
    bool wants_reopening() const override { return true; }
    Result<std::vector<link::LinkSample>> read_links() override { return std::vector{link_sample()}; }
    Result<void> close() override { return tl::unexpected(refused()); }

    std::vector<Slot> looked, watched;
    Target prepared, applied, awaited, read;
    Undo used;
    std::vector<DelegatedRow> self_watch;
    std::pair<std::string, int> threshold;
    NoticeSink* sink{};
    const Waker* waker{};

private:
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
};

class Faulty {
public:
    Behind& behind() { return behind_; }
    Device& wrapper() { return wrapper_; }

private:
    Behind behind_;
    FaultyDevice wrapper_{behind_};
};

// The owner passes notices on, because the wrapper may be destroyed before the device behind it.
class Removable {
public:
    Removable() { behind_.listen(wrapper_); }
    Behind& behind() { return behind_; }
    Device& wrapper() { return wrapper_; }

private:
    Behind behind_;
    FaultyDevice faulty_{behind_};
    std::set<std::string> removed_;
    RemovablePorts* opened_{};
    RemovablePorts wrapper_{faulty_, removed_, opened_};
};

class Live {
public:
    Behind& behind() { return *behind_; }
    Device& wrapper() { return wrapper_; }

private:
    struct Access final : lab::LiveDevice::Access {
        void at_present(const std::function<void()>& what) override { what(); }
        void at_once(const std::function<void()>& what) override { what(); }
    };
    std::unique_ptr<Behind> made_ = std::make_unique<Behind>();
    Behind* behind_ = made_.get();
    lab::LiveDevice wrapper_{std::make_unique<Access>(), std::move(made_)};
};

template <class Wrapped>
class Wrapper : public testing::Test {
protected:
    Wrapped wrapped_;
    Behind& behind_ = wrapped_.behind();
    Device& wrapper_ = wrapped_.wrapper();
};

using Wrappers = testing::Types<Faulty, Removable, Live>;
TYPED_TEST_SUITE(Wrapper, Wrappers);

TYPED_TEST(Wrapper, ShowsInventoryAndCapabilities)
{
    EXPECT_THAT(this->wrapper_.inventory().ports, SizeIs(2));
    EXPECT_EQ(this->wrapper_.inventory().rows[kWrappedRow.value].target, kWrapped);
    EXPECT_EQ(this->wrapper_.capabilities().stamp_uncertainty, 7us);
}

TYPED_TEST(Wrapper, PassesOnLooks)
{
    watchdog::Intake intake{this->behind_.inventory(), this->behind_.capabilities()};
    const auto looked = this->wrapper_.look(std::vector{kWrappedRow}, intake);
    EXPECT_THAT(this->behind_.looked, ElementsAre(kWrappedRow));
    ASSERT_FALSE(looked);
    EXPECT_EQ(looked.error().what, refused().what);
}

TYPED_TEST(Wrapper, PassesOnCommands)
{
    Command command;
    command.target = kWrapped;
    EXPECT_EQ(this->wrapper_.prepare(command), wrapped_undo(5));
    EXPECT_EQ(this->behind_.prepared, kWrapped);
    EXPECT_FALSE(this->wrapper_.apply(command, wrapped_undo(6)));
    EXPECT_EQ(this->behind_.applied, kWrapped);
    EXPECT_EQ(this->behind_.used, wrapped_undo(6));
    EXPECT_FALSE(this->wrapper_.await_effect(command));
    EXPECT_EQ(this->behind_.awaited, kWrapped);
    EXPECT_EQ(this->wrapper_.read_back(kWrapped), Treatment::squeeze);
    EXPECT_EQ(this->behind_.read, kWrapped);
}

TYPED_TEST(Wrapper, ReportsQueuesTreatedByOthers) { EXPECT_TRUE(this->wrapper_.treated_by_others()); }

TYPED_TEST(Wrapper, PassesOnNotices)
{
    struct Sink final : NoticeSink {
        void post(const Notice& notice) noexcept override { received.push_back(notice.target); }
        std::vector<Target> received;
    } sink;
    this->wrapper_.listen(sink);
    ASSERT_NE(this->behind_.sink, nullptr);
    this->behind_.sink->post({Notice::Kind::detected, kWrapped, {}});
    EXPECT_THAT(sink.received, ElementsAre(kWrapped));
}

TYPED_TEST(Wrapper, PassesOnDelegatedDetection)
{
    const auto watched =
        this->wrapper_.delegate_detection(std::vector{DelegatedRow{kWrappedRow, 200ms, 400ms, Treatment::drop}});
    ASSERT_THAT(this->behind_.self_watch, SizeIs(1));
    EXPECT_EQ(this->behind_.self_watch[0].row, kWrappedRow);
    EXPECT_EQ(this->behind_.self_watch[0].detect, 200ms);
    ASSERT_TRUE(watched);
    ASSERT_THAT(*watched, SizeIs(1));
    EXPECT_EQ((*watched)[0].row, kWrappedRow);
    EXPECT_TRUE((*watched)[0].on);
}

TYPED_TEST(Wrapper, ReceivesNotices) { EXPECT_EQ(this->wrapper_.receive_notices(), 5); }

TYPED_TEST(Wrapper, PassesOnItsWaker)
{
    const Waker waker;
    this->wrapper_.set_waker(waker);
    EXPECT_EQ(this->behind_.waker, &waker);
}

TYPED_TEST(Wrapper, PassesOnWatchedRows)
{
    this->wrapper_.set_watched_rows(std::vector{kWrappedRow});
    EXPECT_THAT(this->behind_.watched, ElementsAre(kWrappedRow));
}

TYPED_TEST(Wrapper, PassesOnBuffers)
{
    EXPECT_EQ(this->wrapper_.buffers(), this->behind_.buffers());
    const auto set = this->wrapper_.set_dynamic_threshold("profile1", -3);
    EXPECT_EQ(this->behind_.threshold, std::pair(std::string{"profile1"}, -3));
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().what, refused().what);
}

TYPED_TEST(Wrapper, ShowsUnseenQueues)
{
    EXPECT_THAT(this->wrapper_.unseen_queues(), ElementsAre(UnseenQueue{"Ethernet1:3", "no counters"}));
}

TYPED_TEST(Wrapper, RequestsToBeOpenedAgain) { EXPECT_TRUE(this->wrapper_.wants_reopening()); }

TYPED_TEST(Wrapper, ShowsTheLinks) { EXPECT_THAT(this->wrapper_.read_links().value(), ElementsAre(link_sample())); }

TYPED_TEST(Wrapper, PassesOnClose)
{
    const auto closed = this->wrapper_.close();
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().what, refused().what);
}

}  // namespace
}  // namespace petrel::device
