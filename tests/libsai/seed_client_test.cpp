// A NOS that polls exactly as in the proposal of the continuous deadlock state, on the same storms as Petrel's agent in
// scenarios/sai/sai-polled.toml. It makes the same detections, none earlier and none more than a poll later. Its
// restores differ by at most one poll, since it counts the whole poll before the first read that is not paused. One
// fault is left out: a pause of 30 ms that begins and ends between two polls does not show in this state. The agent
// sees it by other signals and waits until 9,900 ms; the client would restore at 9,700 ms.
#include "loaded_library.hpp"

namespace petrel::test {
namespace {

constexpr std::int64_t kPoll_ms = 50;

struct PolledQueue {
    ObjectId id{};
    std::string name;
    std::int64_t detect_ms{};
    std::int64_t recover_ms{};
    bool recovering{};
    std::int64_t left_ms{};
};

struct Decision {
    std::string queue;
    bool detected{};
    std::int64_t at_ms{};
};

// The expected decisions. The test removes the pause at 9,650 ms, so the third storm ends at 9,750 ms.
const std::vector<Decision> kAgent{
    {"Ethernet1/3", true, 1210},    {"Ethernet1/3", false, 1750},  {"Ethernet1/3", true, 7200},
    {"Ethernet1/3", false, 7500},   {"Ethernet1/3", true, 9200},   {"Ethernet1/3", false, 9750},
    {"Ethernet2/4", true, 11'200},  {"Ethernet2/3", true, 11'400}, {"Ethernet2/3", false, 12'250},
    {"Ethernet2/4", false, 12'250},
};

class SeedClient : public LoadedLibrary {
protected:
    void poll(PolledQueue& queue, std::vector<Decision>& decisions)
    {
        const auto now = state(queue.id);
        const auto wanted = queue.recovering ? sai::DeadlockState::not_paused : sai::DeadlockState::paused;
        if (now != wanted) {
            queue.left_ms = queue.recovering ? queue.recover_ms : queue.detect_ms;
        } else if (queue.left_ms > kPoll_ms) {
            queue.left_ms -= kPoll_ms;
        } else {
            queue.recovering = !queue.recovering;
            set(queues, queue.id, sai::queue_attr::pfc_dlr_init, boolean(queue.recovering));
            queue.left_ms = queue.recovering ? queue.recover_ms : queue.detect_ms;
            decisions.push_back({queue.name, queue.recovering, static_cast<std::int64_t>(now_ms())});
        }
    }
};

TEST_F(SeedClient, DetectsAndRestoresStormsWithinOnePollOfTheAgent)
{
    std::ifstream file{PETREL_TEST_DATA "/../scenarios/sai/sai-polled.toml"};
    std::string scenario{std::istreambuf_iterator<char>{file}, {}};
    const auto unseen = scenario.find("[[fault]]\nat = \"9650ms\"");
    ASSERT_NE(unseen, std::string::npos);
    scenario.erase(unseen, scenario.find("[[fault]]", unseen + 1) - unseen);
    const auto defaults = scenario.find("defaults = ");  // a path relative to the original file
    ASSERT_NE(defaults, std::string::npos);
    scenario.erase(defaults, scenario.find('\n', defaults) - defaults);
    start(scenario);
    std::vector<PolledQueue> polled;
    for (const std::size_t port_index : {0U, 1U, 2U}) {
        for (const std::size_t priority : {3U, 4U}) {
            const std::int64_t detect_ms = port_index == 2 && priority == 3 ? 400 : 200;
            const auto name = "Ethernet" + std::to_string(port_index) + "/" + std::to_string(priority);
            polled.push_back({queue(port_index, priority), name, detect_ms, 200, false, detect_ms});
        }
    }
    std::vector<Decision> decisions;
    while (now_ms() < 14'000) {
        step_ms(kPoll_ms);
        for (auto& each : polled) {
            poll(each, decisions);
        }
    }
    ASSERT_EQ(decisions.size(), kAgent.size());
    for (std::size_t i = 0; i != kAgent.size(); ++i) {
        const auto& mine = decisions[i];
        EXPECT_EQ(mine.queue, kAgent[i].queue) << i;
        EXPECT_EQ(mine.detected, kAgent[i].detected) << i;
        const auto later_ms = mine.at_ms - kAgent[i].at_ms;
        EXPECT_GE(later_ms, mine.detected ? 0 : -kPoll_ms) << i;
        EXPECT_LE(later_ms, kPoll_ms) << i;
    }
}

}  // namespace
}  // namespace petrel::test
