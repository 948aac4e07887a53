// The whole path: agent, adapter for a vendor's library, C interface, library, twin, packets at a host, and back.
#include <gmock/gmock.h>

#include "agent/agent.hpp"
#include "device/sai/sai_device.hpp"
#include "device/synthetic/memory_journal.hpp"
#include "loaded_library.hpp"
#include "runner/start.hpp"
#include "support/inline_runner.hpp"
#include "watchdog/policy.hpp"
#include "watchdog/watchlist.hpp"

namespace petrel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;
using watchdog::Treatment;

constexpr DeviceId kId{7};

// An agent with the preset sai (T0 = T1 = 200 ms, T2 = 50 ms) on all queues of s0, in steps of 1 ms.
class AgentOnLibrary : public LoadedLibrary {
protected:
    void open(std::string_view scenario, watchdog::Policy policy)
    {
        const auto file = folder_ / "scenario.toml";
        std::ofstream{file} << scenario;
        const device::sai::Profile profile{{"petrel.scenario", file}, {"petrel.time", "stepped"}};
        auto opened = device::sai::SaiDevice::open({PETREL_BIN_DIR "/../lib/libsai-petrel.so", profile, {}, {}}, kId,
                                                   clock_, [this](const std::string& note) { notes.push_back(note); });
        ASSERT_TRUE(opened) << opened.error().what;
        device_ = std::move(*opened);
        watchdog::PolicyBook book;
        book.policies = {std::move(policy)};
        book.assigned = {{}};
        agent_.emplace(watchdog::compile(book, device_->inventory(), device_->capabilities()).value(),
                       runner::gather_start(*device_, journal_, std::nullopt).value(), clock_.now(), output_);
        runner_.emplace(*agent_, output_, *device_, journal_, clock_);
        runner_->on_event([this](const watchdog::Event& event) {
            said.push_back(std::string{name(event.kind)} + ' ' + std::string{name(event.action)} + " port" +
                           std::to_string(event.target.port.index) + " at " +
                           std::to_string(whole_us(event.at) / 1000));
        });
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

    std::vector<std::string> said;
    std::vector<std::string> notes;
    device::MemoryJournal journal_;
    device::ManualClock clock_;
    std::unique_ptr<device::sai::SaiDevice> device_;

private:
    TemporaryFolder folder_;
    agent::Output output_;
    std::optional<agent::Agent> agent_;
    std::optional<runtime::InlineRunner> runner_;
};

TEST_F(AgentOnLibrary, a_storm_is_found_dropped_and_let_go)
{
    open(kStorm, preset());
    EXPECT_THAT(notes, IsEmpty()) << "nothing is amiss with a library of our own";
    run_until_ms(299);
    EXPECT_THAT(said, IsEmpty());
    const auto before = host_received("h1");
    run_until_ms(500);  // detected after T0, at most T2 later
    EXPECT_THAT(said, ElementsAre(MatchesRegex("storm_detected drop port1 at 30[0-9]")));
    EXPECT_EQ(shown(1), Treatment::drop);
    EXPECT_EQ(shown(0), Treatment::none);
    EXPECT_EQ(host_received("h1"), before) << "what waited died";
    run_until_ms(1000);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said[1].substr(0, 14), "storm_restored");
    EXPECT_EQ(shown(1), Treatment::none);
    EXPECT_THAT(journal_.active().value(), IsEmpty());
    const auto after = host_received("h1");
    run_until_ms(1100);
    EXPECT_NEAR(static_cast<double>(host_received("h1") - after), kPackets, 2) << "as if nothing had been";
}

TEST_F(AgentOnLibrary, where_it_is_to_forward_packets_arrive_in_the_storm)
{
    auto policy = preset();
    policy.action = Treatment::ignore_pause;
    open(kStorm, policy);
    run_until_ms(400);
    EXPECT_THAT(said, ElementsAre(MatchesRegex("storm_detected ignore_pause port1 at 30[0-9]")));
    const auto before = host_received("h1");
    run_until_ms(500);
    EXPECT_NEAR(static_cast<double>(host_received("h1") - before), kPackets, 2);
    run_until_ms(1000);
    EXPECT_EQ(said.size(), 2U);
    EXPECT_EQ(shown(1), Treatment::none);
}

// The library detects, each port with its own intervals; the agent receives the notices and reports the storms.
TEST_F(AgentOnLibrary, storms_that_the_switch_finds_itself_are_told_at_each_ports_intervals)
{
    auto scenario = std::string{kStorm};
    scenario += "[[fault]]\nat = \"100ms\"\nkind = \"storm\"\nhost = \"h0\"\nquanta = 2000\nperiod = \"1ms\"\nuntil = "
                "\"600ms\"\n";
    auto policy = preset();
    policy.criterion = watchdog::Criterion::device;
    open(scenario, policy);
    using std::chrono::milliseconds;
    ASSERT_TRUE(device_->delegate_detection(
        std::array{device::DelegatedRow{Slot{3}, milliseconds{100}, milliseconds{400}, Treatment::drop},
                   device::DelegatedRow{Slot{8 + 3}, milliseconds{200}, milliseconds{200}, Treatment::drop}}));
    run_until_ms(1000);
    EXPECT_THAT(said, ElementsAre(MatchesRegex("storm_detected .* port0 at 20[01]"),
                                  MatchesRegex("storm_detected .* port1 at 30[01]"),
                                  MatchesRegex("storm_restored .* port1 at 50[01]"),
                                  MatchesRegex("storm_restored .* port0 at 60[01]")));
    EXPECT_NEAR(static_cast<double>(host_received("h1")), 6.0 * kPackets, 20)
        << "what came from 100 to 500 ms died; the rest waited for the end of the storm";
}

}  // namespace
}  // namespace petrel::test
