// The whole path: agent, adapter for a vendor's library, C interface, library, twin, packets at a host, and back.
#include <gmock/gmock.h>

#include "device/sai/sai_device.hpp"
#include "loaded_library.hpp"
#include "support/simulated_runner.hpp"
#include "support/world.hpp"

namespace petrel::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using watchdog::Treatment;

constexpr DeviceId kId{7};

// An agent with the preset sai (T0 = T1 = 200 ms, T2 = 50 ms) on all queues of s0, in steps of 1 ms.
class AgentOnLibrary : public LoadedLibrary {
protected:
    void open(std::string_view scenario, const watchdog::PolicyBook& policies)
    {
        const auto file = folder_ / "scenario.toml";
        std::ofstream{file} << scenario;
        const device::sai::Profile profile{{"petrel.scenario", file}, {"petrel.time", "stepped"}};
        auto opened = device::sai::SaiDevice::open({PETREL_BIN_DIR "/../lib/libsai-petrel.so", profile, {}, {}}, kId,
                                                   clock_, [this](const std::string& note) { notes.push_back(note); });
        ASSERT_TRUE(opened) << opened.error().what;
        device_ = std::move(*opened);
        runner_.emplace(clock_, *device_, disk_, policies);
    }
    std::vector<std::string> event_texts() const
    {
        std::vector<std::string> words;
        for (const auto& event : runner_->events) {
            words.push_back(std::string{name(event.kind)} + ' ' + std::string{name(event.action)} + " port" +
                            std::to_string(event.target.port.index) + " at " +
                            std::to_string(whole_us(event.at) / 1000));
        }
        return words;
    }
    void run_until_ms(std::int64_t end_ms)
    {
        while (clock_.now().mono < Instant{std::chrono::milliseconds{end_ms}}) {
            step_ms(1);
            runner_->run_until(clock_.now().mono + std::chrono::milliseconds{1});
        }
    }
    static watchdog::Policy preset() { return watchdog::find_preset("sai")->policy; }
    Treatment shown(std::uint16_t port_index) { return device_->read_back({{kId, port_index}, Priority{3}}).value(); }

    std::vector<std::string> notes;
    lab::SimulatedDisk disk_;
    device::ManualClock clock_;
    std::unique_ptr<device::sai::SaiDevice> device_;

private:
    TemporaryFolder folder_;
    std::optional<SimulatedRunner> runner_;
};

TEST_F(AgentOnLibrary, AStormIsDetectedDroppedAndReleased)
{
    open(kStorm, book_of(preset()));
    EXPECT_THAT(notes, IsEmpty()) << "our own library needs no note";
    run_until_ms(299);
    EXPECT_THAT(event_texts(), IsEmpty());
    const auto before = host_received("h1");
    run_until_ms(500);  // detected after T0, at most T2 later
    EXPECT_THAT(event_texts(), ElementsAre(MatchesRegex("storm_detected drop port1 at 30[0-9]")));
    EXPECT_EQ(shown(1), Treatment::drop);
    EXPECT_EQ(shown(0), Treatment::none);
    EXPECT_EQ(host_received("h1"), before) << "the waiting frames were dropped";
    run_until_ms(1000);
    ASSERT_EQ(event_texts().size(), 2U);
    EXPECT_EQ(event_texts()[1].substr(0, 14), "storm_restored");
    EXPECT_EQ(shown(1), Treatment::none);
    EXPECT_THAT(disk_.journaled(), IsEmpty());
    const auto after = host_received("h1");
    run_until_ms(1100);
    EXPECT_NEAR(static_cast<double>(host_received("h1") - after), kPackets, 2) << "the full rate after the storm";
}

TEST_F(AgentOnLibrary, ALinkThatGoesDownIsAnEventOfItsPort)
{
    constexpr std::string_view kLinkFaults = R"(
[[fault]]
at = "700ms"
kind = "link-down"
port = "s0:Ethernet0"
[[fault]]
at = "800ms"
kind = "link-up"
port = "s0:Ethernet0"
)";
    open(std::string{kStorm} + std::string{kLinkFaults}, book_of(preset()));
    run_until_ms(900);
    EXPECT_THAT(event_texts(), AllOf(Contains(MatchesRegex("link_down none port0 at 70[0-9]")).Times(1),
                                     Contains(MatchesRegex("link_up none port0 at 80[0-9]")).Times(1)));
}

TEST_F(AgentOnLibrary, ForwardDeliversPacketsDuringTheStorm)
{
    auto policy = preset();
    policy.action = Treatment::ignore_pause;
    open(kStorm, book_of(policy));
    run_until_ms(400);
    EXPECT_THAT(event_texts(), ElementsAre(MatchesRegex("storm_detected ignore_pause port1 at 30[0-9]")));
    const auto before = host_received("h1");
    run_until_ms(500);
    EXPECT_NEAR(static_cast<double>(host_received("h1") - before), kPackets, 2);
    run_until_ms(1000);
    EXPECT_EQ(event_texts().size(), 2U);
    EXPECT_EQ(shown(1), Treatment::none);
}

// Alpha is a power of two times the free bytes of the pool: with a small one the neighbour is paused early.
TEST_F(AgentOnLibrary, TheAlphaThatTheDeviceSetsIsThatOfTheSwitch)
{
    open(kStorm, {});
    const auto shown = device_->buffers();
    ASSERT_THAT(shown.profiles, Not(IsEmpty()));
    for (const auto& profile : shown.profiles) {
        ASSERT_TRUE(!profile.dynamic_th || device_->set_dynamic_threshold(profile.name, -8));
    }
    EXPECT_EQ(initialize(), status::item_already_exists) << "the device has done that";
    const sai::Attribute attach{sai::switch_attr::init_switch, boolean(false)};
    ASSERT_EQ(switches->create(&s0, 1, &attach), status::success);
    step_ms(400);
    const auto used = stat(buffers->get_group_stats, group(kUplink), sai::group_stat::shared_curr_occupancy_bytes);
    EXPECT_GT(used, 0U);
    EXPECT_LT(used, shown.pools.at(0).size / 256 + 1500) << "up to a packet more";
}

// The library detects, each port with its own intervals; the agent receives the notices and reports the storms.
TEST_F(AgentOnLibrary, StormsThatTheSwitchDetectsAreReportedAtEachPortsIntervals)
{
    auto scenario = std::string{kStorm};
    scenario += "[[fault]]\nat = \"100ms\"\nkind = \"storm\"\nhost = \"h0\"\nquanta = 2000\nperiod = \"1ms\"\nuntil = "
                "\"600ms\"\n";
    auto book = book_of(preset());
    book.policies[0].criterion = watchdog::Criterion::device;
    book.policies.push_back(book.policies[0]);
    book.policies[1].name = "quicker";
    book.policies[1].detect = std::chrono::milliseconds{100};
    book.policies[1].restore = std::chrono::milliseconds{400};
    book.assigned.push_back({1, 0, std::nullopt});
    open(scenario, book);
    run_until_ms(1000);
    EXPECT_THAT(event_texts(), ElementsAre(MatchesRegex("storm_detected .* port0 at 20[01]"),
                                           MatchesRegex("storm_detected .* port1 at 30[01]"),
                                           MatchesRegex("storm_restored .* port1 at 50[01]"),
                                           MatchesRegex("storm_restored .* port0 at 60[01]")));
    EXPECT_NEAR(static_cast<double>(host_received("h1")), 6.0 * kPackets, 20)
        << "frames from 100 to 500 ms were dropped; the others waited for the end of the storm";
}

}  // namespace
}  // namespace petrel::test
