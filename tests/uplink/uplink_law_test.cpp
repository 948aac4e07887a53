// A manager behind a bad network: requests and answers are lost, requests arrive twice and late, the manager loses its
// newest files, the agent is killed and starts with an old record of what was acknowledged. Afterwards the network is
// good for a while. The laws:
//   - whatever counts as acknowledged is with the manager, or was reported as a gap (if the manager has not lost
//   files);
//   - in the end the manager has every event that was not reported as a gap.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <sstream>

#include "uplink/simulated_spool.hpp"
#include "uplink/uplink.hpp"

namespace petrel::uplink {
namespace {

using namespace std::chrono_literals;

using Number = std::pair<std::string, std::uint64_t>;

class World {
public:
    explicit World(std::uint32_t seed) : random_(seed) { start_agent(); }

    void bad_hour()
    {
        for (int i = 0; i != 400; ++i) {
            now_ += std::chrono::milliseconds{one_of(2000)};
            one_thing();
            acknowledged_is_stored();
        }
    }

    void good_hour()
    {
        deliver_late_requests();
        for (int i = 0; i != 400; ++i) {
            now_ += 1s;
            exchange(false, false);
        }
    }

    void everything_arrived()
    {
        for (const auto& device : spool_.devices()) {
            for (std::uint64_t seq = 1; seq <= spool_.last_seq(device); ++seq) {
                EXPECT_TRUE(stored_.contains({device, seq}) || gaps_.contains({device, seq})) << device << ' ' << seq;
            }
        }
        EXPECT_EQ(uplink_->waiting(spool_), 0U);
    }

private:
    std::uint64_t one_of(std::uint64_t most)
    {
        return std::uniform_int_distribution<std::uint64_t>{0, most - 1}(random_);
    }

    void one_thing()
    {
        switch (one_of(12)) {
        case 0: deliver_late_requests(); break;
        case 1: start_agent(); break;
        case 2: lose_files(); break;
        case 3: old_files_ = stored_; break;
        case 4:
        case 5:
        case 6:
        case 7: spool_.emit(one_of(2) == 0 ? "leaf3" : "leaf4", one_of(8)); break;
        default: exchange(one_of(3) == 0, one_of(3) == 0);
        }
    }

    // The agent was killed: what it stored about acknowledgements may be old.
    void start_agent()
    {
        if (uplink_) {
            note_gaps();
            if (one_of(2) == 0) {
                saved_ = uplink_->acknowledged();
            }
        }
        uplink_ = std::make_unique<Uplink>(saved_, spool_, random_());
        if (saved_.empty()) {
            saved_ = uplink_->acknowledged();
        }
        in_doubt_ = true;
    }

    // The manager restarts with older files, between two requests. Requests to its former process do not arrive any
    // more.
    void lose_files()
    {
        stored_ = old_files_;
        ++manager_;
        late_.clear();
        in_doubt_ = true;
    }

    void exchange(bool request_lost, bool answer_lost)
    {
        const auto batch = uplink_->next(spool_, false, now_);
        note_gaps();
        if (!batch) {
            return;
        }
        const bool other = !batch->manager.empty() && batch->manager != std::to_string(manager_);
        if (one_of(4) == 0 && !other) {
            late_.push_back(batch->lines);
        }
        if (request_lost) {
            return uplink_->failed(false, std::nullopt, now_);
        }
        if (!other) {
            take(batch->lines);
            for (const auto& gap : batch->gaps) {
                stored_.insert({gap.device, gap.last});
            }
        }
        if (answer_lost) {
            return uplink_->failed(false, std::nullopt, now_);
        }
        Acknowledged answer;
        for (const auto& device : spool_.devices()) {
            if (batch->names_devices || batch->upto.contains(device)) {
                answer[device] = highest(device);
            }
        }
        uplink_->stored({std::to_string(manager_), answer}, now_);
        in_doubt_ = in_doubt_ && !batch->names_devices;
    }

    void take(const std::string& lines)
    {
        std::istringstream all{lines};
        std::string device;
        for (std::uint64_t seq{}; all >> device >> seq;) {
            stored_.insert({device, seq});
        }
    }

    void deliver_late_requests()
    {
        for (const auto& lines : late_) {
            take(lines);
        }
        late_.clear();
    }

    std::uint64_t highest(const std::string& device) const
    {
        const auto after = stored_.upper_bound({device, UINT64_MAX});
        return after != stored_.begin() && std::prev(after)->first == device ? std::prev(after)->second : 0;
    }

    void note_gaps()
    {
        for (const auto& gap : uplink_->take_gaps()) {
            for (auto seq = gap.first; seq <= gap.last; ++seq) {
                gaps_.insert({gap.device, seq});
            }
        }
    }

    void acknowledged_is_stored()
    {
        for (const auto& [device, upto] : uplink_->acknowledged()) {
            for (auto seq = upto > 100 ? upto - 100 : 1; seq <= upto && !in_doubt_; ++seq) {
                ASSERT_TRUE(stored_.contains({device, seq}) || gaps_.contains({device, seq})) << device << ' ' << seq;
            }
        }
    }

    std::mt19937 random_;
    test::SimulatedSpool spool_{{"leaf3", "leaf4"}, 40};
    std::unique_ptr<Uplink> uplink_;
    Acknowledged saved_;
    std::set<Number> stored_;     // by the manager
    std::set<Number> old_files_;  // a copy that an operator may put back
    std::set<Number> gaps_;
    std::vector<std::string> late_;
    int manager_{};  // its process
    Instant now_{1h};
    bool in_doubt_{};
};

TEST(UplinkLaw, every_event_arrives_or_is_reported_missing)
{
    for (std::uint32_t seed = 0; seed != 50; ++seed) {
        SCOPED_TRACE(seed);
        World world{seed};
        for (int round = 0; round != 3; ++round) {
            world.bad_hour();
            world.good_hour();
            world.everything_arrived();
        }
        if (testing::Test::HasFailure()) {
            return;
        }
    }
}

}  // namespace
}  // namespace petrel::uplink
