// SONiC's scripts are out only while the agent watches every queue that they would watch, whatever happens to syncd,
// orchagent, the configuration and the agent's policies, and in whatever order.
#include <map>
#include <random>

#include "device_sonic/sonic_coverage.hpp"

namespace petrel::test {
namespace {

// Keeps its own record of which queues the agent's policies cover and when each was last watched.
class SonicRule : public SonicCoverage {
protected:
    static constexpr Duration kPatience = 1s;

    void run(unsigned seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        begin({.stamps = seed % 2 == 0});
        std::mt19937 random{seed};
        open();
        for (int i = 0; i != 60 && !HasFailure(); ++i) {
            disturb(random());
            for (auto polls = random() % 8; polls-- != 0 && !HasFailure();) {
                live();
            }
        }
        heal();
        for (int i = 0; i != 30 && !HasFailure(); ++i) {
            live();
        }
        EXPECT_FALSE(scripts_are_in()) << "all is well again";
        EXPECT_EQ(touched().size(), 4U);
    }

    void disturb(std::mt19937::result_type what)
    {
        const std::string port = (what & 1U) != 0 ? "Ethernet0" : "Ethernet4";
        const bool on = (what & 2U) != 0;
        const auto now = on_->clock_.now().mono;
        switch (what / 4 % 9) {
        case 0: sonic().freeze_stamps(on); break;
        case 1: on ? sonic().watch(port) : sonic().unwatch(port); break;
        case 2: sonic().reject(port); break;
        case 3: cover(port, on); break;
        case 4: sonic().counter_poll(on ? "enable" : "disable"); break;
        case 5: sonic().big_red_switch(on); break;
        case 6: on ? name_all() : sonic().lose_names(); break;
        case 7:
            on ? sonic().set(Db::config, "PORT|" + port, "speed", "100000")
               : sonic().remove(Db::config, "PORT|" + port);
            break;
        default:
            sonic().orchagent_leaves();
            sonic().orchagent_comes(on);
            break;
        }
        if (on_->device_) {
            watch_rows(covered_);
        }
        for (const auto& queue : kQueues) {
            watched_at_[queue] = now;  // a change gives the agent and the scripts a new period to react
        }
    }

    // Adds the port to the agent's policies, or removes it.
    void cover(const std::string& port, bool on)
    {
        for (const auto* queue : {":3", ":4"}) {
            if (on) {
                covered_.insert(port + queue);
            } else {
                covered_.erase(port + queue);
            }
        }
    }

    void heal()
    {
        sonic().freeze_stamps(false);
        sonic().counter_poll("enable");
        sonic().big_red_switch(false);
        name_all();
        for (const std::string port : {"Ethernet0", "Ethernet4"}) {
            sonic().set(Db::config, "PORT|" + port, "speed", "100000");
            sonic().watch(port);
        }
        covered_ = {kQueues.begin(), kQueues.end()};
    }

    void name_all()
    {
        sonic().name_queues("Ethernet0");
        sonic().name_queues("Ethernet4");
    }

    void live()
    {
        on_->clock_.advance(200ms);
        sonic().poll(on_->clock_.now().mono);
        if (!on_->device_ || device().wants_reopening()) {
            intake_.reset();
            if (!on_->open()) {
                return check();  // the next call tries again, as the service does
            }
        }
        if (!intake_ || intake_->view().dt_us.size() != device().inventory().rows.size()) {
            intake_.emplace(device().inventory(), device().capabilities());
        }
        watch_rows(covered_);
        intake_->begin();
        [[maybe_unused]] const auto looked = device().look({}, *intake_);
        for (const auto& queue : touched()) {
            if (covered_.contains(queue)) {
                watched_at_[queue] = on_->clock_.now().mono;
            }
        }
        check();
    }

    void check()
    {
        const bool polls =
            sonic().get(Db::flex_counter, "FLEX_COUNTER_GROUP_TABLE:PFC_WD", "FLEX_COUNTER_STATUS") != "disable";
        if (!polls || scripts_are_in()) {
            return;
        }
        for (const auto& queue : kQueues) {
            const bool by_scripts =
                sonic().is_registered(queue) && sonic().of_queue(queue, "BIG_RED_SWITCH_MODE").empty();
            const auto unwatched = on_->clock_.now().mono - watched_at_[queue];
            EXPECT_FALSE(by_scripts && unwatched > kPatience + 200ms)
                << queue << " is watched by neither for " << unwatched / 1ms << " ms";
        }
    }

    const std::vector<std::string> kQueues{"Ethernet0:3", "Ethernet0:4", "Ethernet4:3", "Ethernet4:4"};
    std::set<std::string> covered_{kQueues.begin(), kQueues.end()};  // by policies of the agent
    std::map<std::string, Instant> watched_at_;
};

TEST_F(SonicRule, EveryQueueIsAlwaysWatchedByOneOfThem)
{
    for (unsigned seed = 1; seed != 13 && !HasFailure(); ++seed) {
        covered_ = {kQueues.begin(), kQueues.end()};
        watched_at_.clear();
        run(seed);
    }
}

}  // namespace
}  // namespace petrel::test
