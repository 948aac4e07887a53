// End to end: an agent on a device, on a loaded library (libsai-petrel.so), on a simulated fabric with real pause. The
// effect of a treatment is counted at the host behind the port. Simulated time advances with the agent's clock.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "device/sai/sai_device.hpp"
#include "libsai/petrel_sai.h"
#include "support/simulated_runner.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {
namespace {

using namespace std::chrono_literals;
using device::sai::SaiDevice;
using testing::IsEmpty;
using watchdog::Treatment;

constexpr auto kPath = PETREL_BIN_DIR "/../lib/libsai-petrel.so";
constexpr DeviceId kId{0};

// Advances the library's fabric to the clock's time before each call of the device.
class InStep final : public device::Device {
public:
    InStep(SaiDevice& real, const device::ManualClock& clock) : real_(real), clock_(clock)
    {
        void* library = ::dlopen(kPath, RTLD_NOW | RTLD_NOLOAD);
        step_ = reinterpret_cast<decltype(&petrel_sai_step)>(::dlsym(library, "petrel_sai_step"));
        now_ = reinterpret_cast<decltype(&petrel_sai_now)>(::dlsym(library, "petrel_sai_now"));
        received_ = reinterpret_cast<decltype(&petrel_sai_host_received)>(::dlsym(library, "petrel_sai_host_received"));
        ::dlclose(library);
    }

    std::uint64_t received(const char* host, std::uint8_t priority = 3)
    {
        catch_up();
        std::uint64_t frames = 0;
        EXPECT_EQ(received_(host, priority, &frames), sai::status::success);
        return frames;
    }

    const watchdog::Inventory& inventory() const override { return real_.inventory(); }
    const watchdog::Capabilities& capabilities() const override { return real_.capabilities(); }
    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override
    {
        catch_up();
        return real_.look(rows, into);
    }
    Result<device::Undo> prepare(const watchdog::Command& command) override
    {
        catch_up();
        return real_.prepare(command);
    }
    Result<void> apply(const watchdog::Command& command, const device::Undo& undo) override
    {
        catch_up();
        return real_.apply(command, undo);
    }
    Result<void> await_effect(const watchdog::Command& command) override { return real_.await_effect(command); }
    Result<Treatment> read_back(const Target& target) override
    {
        catch_up();
        return real_.read_back(target);
    }
    bool treated_by_others() const override { return real_.treated_by_others(); }
    void listen(device::NoticeSink& sink) override { real_.listen(sink); }
    int receive_notices() override { return real_.receive_notices(); }
    Result<std::vector<device::Delegated>> delegate_detection(std::span<const device::DelegatedRow> rows) override
    {
        catch_up();
        return real_.delegate_detection(rows);
    }
    void set_watched_rows(std::span<const Slot> rows) override { real_.set_watched_rows(rows); }
    device::Buffers buffers() override { return real_.buffers(); }
    Result<void> set_dynamic_threshold(const std::string& profile, int exponent) override
    {
        catch_up();
        return real_.set_dynamic_threshold(profile, exponent);
    }
    std::vector<device::UnseenQueue> unseen_queues() const override { return real_.unseen_queues(); }
    void set_waker(const device::Waker& waker) override { real_.set_waker(waker); }
    bool wants_reopening() const override { return real_.wants_reopening(); }
    Result<std::vector<link::LinkSample>> read_links() override
    {
        catch_up();
        return real_.read_links();
    }
    Result<void> close() override
    {
        catch_up();
        return real_.close();
    }

private:
    void catch_up()
    {
        const auto wanted = static_cast<std::uint64_t>(clock_.now().mono.time_since_epoch().count());
        std::uint64_t now = 0;
        ASSERT_EQ(now_(&now), sai::status::success);
        if (wanted > now) {
            ASSERT_EQ(step_(wanted - now), sai::status::success);
        }
    }

    SaiDevice& real_;
    const device::ManualClock& clock_;
    decltype(&petrel_sai_step) step_{};
    decltype(&petrel_sai_now) now_{};
    decltype(&petrel_sai_host_received) received_{};
};

struct TimedEvent {
    std::string kind;
    std::string queue;
    std::int64_t at_ms{};
};

class SaiTwin : public testing::Test {
protected:
    void open(const std::string& scenario)
    {
        const device::sai::Profile profile{{"petrel.scenario", scenario}, {"petrel.time", "stepped"}};
        auto opened = SaiDevice::open({kPath, profile, std::nullopt, {}}, kId, clock_, {});
        ASSERT_TRUE(opened) << opened.error().what;
        real_ = std::move(*opened);
        device_.emplace(*real_, clock_);
    }

    std::string write(const std::string& scenario)
    {
        const auto file = (folder_.path() / "scenario.toml").string();
        std::ofstream{file} << scenario;
        return file;
    }

    void watch(const watchdog::PolicyBook& book) { runner_.emplace(clock_, *device_, disk_, book); }
    std::vector<TimedEvent> timed_events() const
    {
        std::vector<TimedEvent> all;
        for (const auto& event : runner_->events) {
            all.push_back({std::string{name(event.kind)}, to_string(device_->inventory(), event.target),
                           whole_us(event.at) / 1000});
        }
        return all;
    }

    void run_until(std::chrono::milliseconds end) { runner_->run_until(Instant{end}); }

    static watchdog::Policy policy() { return watchdog::find_preset("sai")->policy; }

    TemporaryFolder folder_;
    device::ManualClock clock_;
    lab::SimulatedDisk disk_;
    std::unique_ptr<SaiDevice> real_;
    std::optional<InStep> device_;
    std::optional<SimulatedRunner> runner_;
};

// The same storms, at the same times, as scenarios/sai/sai-polled.toml expects of the agent on the twin itself.
TEST_F(SaiTwin, TheAgentDecidesThroughTheLibraryAsOnTheTwin)
{
    open(PETREL_TEST_DATA "/../scenarios/sai/sai-polled.toml");
    watchdog::PolicyBook book;
    book.policies = {policy(), policy()};
    book.policies[1].name = "slower";
    book.policies[1].detect = 400ms;
    book.assigned = {{0, std::nullopt, std::nullopt}, {1, 2, std::nullopt}, {0, 2, Priority{4}}};
    watch(book);
    run_until(14s);
    // The 30 ms of pause at 9,650 ms lie between two reads of the state. Pause time shows them, and the restore time T1
    // starts again.
    const std::vector<TimedEvent> expected{
        {"storm_detected", "port1:3", 1210},   {"storm_restored", "port1:3", 1750},
        {"storm_detected", "port1:3", 7200},   {"storm_restored", "port1:3", 7500},
        {"storm_detected", "port1:3", 9200},   {"storm_restored", "port1:3", 9900},
        {"storm_detected", "port2:4", 11'200}, {"storm_detected", "port2:3", 11'400},
        {"storm_restored", "port2:3", 12'250}, {"storm_restored", "port2:4", 12'250}};
    const auto found = timed_events();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i != expected.size(); ++i) {
        EXPECT_EQ(found[i].kind, expected[i].kind) << i;
        EXPECT_EQ(found[i].queue, expected[i].queue) << i;
        EXPECT_NEAR(static_cast<double>(found[i].at_ms), static_cast<double>(expected[i].at_ms), 1) << i;
    }
    EXPECT_THAT(disk_.journaled(), IsEmpty());
}

constexpr auto kTwoStorms = R"(
name = "two-storms"
duration = "4s"
[topology]
kind = "single-switch"
hosts = 3
host_links = { speed = "1G", cable_m = 3 }
[[traffic]]
name = "to h1"
from = "h0"
to = "h1"
rate = "50M"
reliable = false
[[traffic]]
name = "to h2"
from = "h0"
to = "h2"
rate = "50M"
reliable = false
[[fault]]
at = "1s"
kind = "storm"
host = "h1"
quanta = 2000
period = "1ms"
until = "2.1s"
[[fault]]
at = "1s"
kind = "storm"
host = "h2"
quanta = 2000
period = "1ms"
until = "2.1s"
)";

TEST_F(SaiTwin, DroppedFramesDoNotArriveAndForwardedFramesDo)
{
    open(write(kTwoStorms));
    watchdog::PolicyBook book;
    book.policies = {policy(), policy()};
    book.policies[1].name = "forwarding";
    book.policies[1].action = Treatment::ignore_pause;
    book.assigned = {{0, std::nullopt, std::nullopt}, {1, 2, std::nullopt}};
    watch(book);
    run_until(1100ms);
    const auto held_1 = device_->received("h1");
    const auto held_2 = device_->received("h2");
    run_until(1190ms);
    EXPECT_EQ(device_->received("h1"), held_1);  // paused
    EXPECT_EQ(device_->received("h2"), held_2);
    run_until(1900ms);
    EXPECT_EQ(device_->read_back({{kId, 1}, Priority{3}}), Treatment::drop);
    EXPECT_EQ(device_->read_back({{kId, 2}, Priority{3}}), Treatment::ignore_pause);
    EXPECT_EQ(device_->received("h1"), held_1);         // dropped
    EXPECT_GT(device_->received("h2"), held_2 + 3000);  // forwarded, with the backlog
    run_until(3s);
    EXPECT_EQ(device_->read_back({{kId, 1}, Priority{3}}), Treatment::none);
    EXPECT_EQ(device_->read_back({{kId, 2}, Priority{3}}), Treatment::none);
    const auto restored = device_->received("h1");
    run_until(3500ms);
    EXPECT_GT(device_->received("h1"), restored + 2000);
    EXPECT_EQ(timed_events().size(), 4U);
    EXPECT_THAT(disk_.journaled(), IsEmpty());
}

// h1 pauses priority 3 of its port and still sends. Frames of both lossless priorities to and from h1 are discarded
// while its port is not lossless; other hosts and the lossy priority 0 are not affected.
constexpr auto kStormOfASender = R"(
name = "storm-of-a-sender"
duration = "4s"
[topology]
kind = "single-switch"
hosts = 3
host_links = { speed = "1G", cable_m = 3 }
[[traffic]]
name = "to h1"
from = "h0"
to = "h1"
rate = "50M"
reliable = false
[[traffic]]
name = "to h1, the other lossless class"
from = "h0"
to = "h1"
dscp = 4
rate = "50M"
reliable = false
[[traffic]]
name = "to h1, lossy"
from = "h0"
to = "h1"
dscp = 0
rate = "50M"
reliable = false
[[traffic]]
name = "from h1"
from = "h1"
to = "h2"
rate = "50M"
reliable = false
[[traffic]]
name = "of others"
from = "h0"
to = "h2"
dscp = 4
rate = "50M"
reliable = false
[[fault]]
at = "1s"
kind = "storm"
host = "h1"
quanta = 2000
period = "1ms"
until = "2.1s"
)";

TEST_F(SaiTwin, LosslessOffDiscardsLosslessFramesToAndFromThePort)
{
    open(write(kStormOfASender));
    auto rdma_switch = watchdog::find_preset("rdma-switch")->policy;
    rdma_switch.host_facing_only = false;
    watchdog::PolicyBook book;
    book.policies = {rdma_switch};
    book.assigned = {{0, std::nullopt, std::nullopt}};
    watch(book);
    const Target port{{kId, 1}, std::nullopt};
    run_until(1290ms);
    EXPECT_EQ(device_->read_back(port), Treatment::lossless_off);
    const auto received = [&] {
        return std::array{device_->received("h1", 3), device_->received("h1", 4), device_->received("h1", 0),
                          device_->received("h2", 3), device_->received("h2", 4)};
    };
    const auto before = received();
    run_until(1390ms);
    const auto after = received();
    EXPECT_EQ(after[0], before[0]);
    EXPECT_EQ(after[1], before[1]) << "the other lossless class of the port";
    EXPECT_GT(after[2], before[2] + 400) << "the lossy class of the port";
    EXPECT_EQ(after[3], before[3]) << "frames that h1 sends";
    EXPECT_GT(after[4], before[4] + 400) << "frames of other hosts";

    run_until(3s);
    EXPECT_EQ(device_->read_back(port), Treatment::none);
    const auto restored = received();
    run_until(3500ms);
    for (const auto arrived : {received()[0] - restored[0], received()[1] - restored[1], received()[3] - restored[3]}) {
        EXPECT_GT(arrived, 2000U);
    }
    // In between, timed probes find the storm again: a count of XON and XOFF frames together proves no pause.
    const auto events = timed_events();
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.front().kind, "storm_detected");
    EXPECT_GE(events.front().at_ms, 1200);
    EXPECT_LE(events.front().at_ms, 1250);
    EXPECT_EQ(events.back().kind, "storm_restored");
    EXPECT_GE(events.back().at_ms, 2299);
    EXPECT_LE(events.back().at_ms, 2400) << "T1 and two polls after the last pause frame";
    EXPECT_THAT(disk_.journaled(), IsEmpty());
}

// With pause time and transitions the part of an interval after the start of a pause counts: storms are detected T0
// after they began, wherever between two polls that was.
TEST_F(SaiTwin, APauseCountsFromItsBeginningAndNotFromTheNextPoll)
{
    auto scenario = std::string{kTwoStorms};
    for (auto at = scenario.find("\"1s\""); at != std::string::npos; at = scenario.find("\"1s\"")) {
        scenario.replace(at, 4, "\"1.02s\"");
    }
    open(write(scenario));
    watchdog::PolicyBook book;
    book.policies = {policy()};
    book.assigned = {{}};
    watch(book);
    run_until(1500ms);
    ASSERT_EQ(timed_events().size(), 2U);
    for (const auto& storm : timed_events()) {
        EXPECT_EQ(storm.kind, "storm_detected");
        EXPECT_NEAR(static_cast<double>(storm.at_ms), 1220, 1) << storm.queue;
    }
}

// Each port has its own intervals; the agent receives the notice with its next poll at the latest.
TEST_F(SaiTwin, StormsThatTheLibraryDetectsAreReportedAndItsDropsAreReal)
{
    open(write(kTwoStorms));
    using device::TimerShown;
    watchdog::PolicyBook book;
    book.policies = {policy(), policy()};
    book.policies[0].criterion = book.policies[1].criterion = watchdog::Criterion::device;
    book.policies[0].detect = 100ms;
    book.policies[0].restore = 50ms;
    book.policies[1].name = "slower";
    book.policies[1].detect = 290ms;
    book.policies[1].restore = 400ms;
    book.assigned = {{0, std::nullopt, std::nullopt}, {1, 2, std::nullopt}};
    watch(book);
    run_until(1090ms);
    const auto& shown = runner_->device_runner().delegations();
    EXPECT_EQ(shown.at(Slot{8 + 3}).detect, (TimerShown{100ms, 100ms}));
    EXPECT_EQ(shown.at(Slot{16 + 3}).detect, (TimerShown{290ms, 300ms}));  // above 150 ms the steps are 100 ms
    EXPECT_EQ(shown.at(Slot{16 + 3}).restore, (TimerShown{400ms, 400ms}));
    const auto held = device_->received("h1");
    run_until(1900ms);
    EXPECT_EQ(device_->received("h1"), held);
    run_until(3s);
    EXPECT_GT(device_->received("h1"), held + 2000);

    std::vector<std::int64_t> found_1;
    std::vector<std::int64_t> found_2;
    for (const auto& each : timed_events()) {
        if (each.kind == "storm_detected") {
            (each.queue == "port1:3" ? found_1 : found_2).push_back(each.at_ms);
        }
    }
    const auto expect_found = [](const std::vector<std::int64_t>& found, std::int64_t first, std::int64_t every) {
        for (std::size_t i = 0; i != found.size(); ++i) {
            EXPECT_GE(found[i], first + static_cast<std::int64_t>(i) * every);
            EXPECT_LE(found[i], first + static_cast<std::int64_t>(i) * every + 51);
        }
    };
    EXPECT_EQ(found_1.size(), 7U);
    expect_found(found_1, 1100, 150);
    EXPECT_EQ(found_2.size(), 2U);
    expect_found(found_2, 1300, 700);
}

}  // namespace
}  // namespace petrel::test
