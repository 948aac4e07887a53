// An agent loses the last records of its memory at its starts, and its clock jumps. Its reports and their answers are
// lost, doubled, late and reordered, and its manager starts again, also with an older copy of its store. Afterwards the
// network is good for a while. The law: the manager has each event of the agent's memory once, and none twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "codec/uplink_json.hpp"
#include "manager/report_desk.hpp"
#include "uplink/uplink.hpp"

namespace petrel::manager {
namespace {

using namespace std::chrono_literals;

constexpr auto kDevice = "leaf3";

// The agent's memory.
class Records final : public uplink::Spool {
public:
    std::vector<std::string> devices() const override { return {kDevice}; }
    std::uint64_t last_seq(const std::string&) const override { return events_.size(); }
    std::optional<Event> at_or_after(const std::string&, std::uint64_t seq) const override
    {
        return seq > events_.size() ? std::nullopt : std::optional{Event{seq, events_[seq - 1]}};
    }

    void add(std::int64_t time_us)
    {
        events_.push_back(
            fmt::format(R"({{"seq":{},"time_us":{},"event":"order_taken","device":"{}","port":null,"by":"{}"}})",
                        events_.size() + 1, time_us, kDevice, ++made_));
    }
    void lose(std::size_t count) { events_.resize(events_.size() - std::min(events_.size(), count)); }
    const std::vector<std::string>& events() const { return events_; }

private:
    std::vector<std::string> events_;
    unsigned made_{};
};

class World {
public:
    explicit World(std::uint32_t seed) : random_(seed)
    {
        start_manager(Store::open_image({}).value()->image().value());
        start_agent(0);
    }

    void bad_hour()
    {
        for (int i = 0; i != 300; ++i) {
            now_ += std::chrono::milliseconds{one_of(2000)};
            switch (one_of(16)) {
            case 0: start_agent(one_of(3) == 0 ? records_.events().size() : one_of(4)); break;
            case 1: start_manager(image()); break;
            case 2: start_manager(copy_); break;
            case 3: copy_ = image(); break;
            case 4:
            case 5:
            case 6: deliver_late(); break;
            case 7: clock_us_ = static_cast<std::int64_t>(one_of(1'000'000'000)); break;
            case 8:
            case 9: records_.add(++clock_us_); break;
            default: exchange(one_of(4) == 0, one_of(4) == 0, one_of(3) == 0);
            }
        }
    }

    void good_hour()
    {
        while (!late_.empty()) {
            deliver_late();
        }
        for (int i = 0; i != 200; ++i) {
            now_ += 1s;
            exchange(false, false, false);
        }
    }

    void each_event_is_there_once() const
    {
        const auto history =
            process_->manager.store().events({.device = kDevice, .after = 0, .limit = 100'000}).value();
        const auto times = [&](const std::string& text) {
            return std::ranges::count(history, text, &StoredEvent::event);
        };
        for (const auto& text : records_.events()) {
            EXPECT_EQ(times(text), 1) << text;
        }
        for (const auto& stored : history) {
            EXPECT_TRUE(times(stored.event) == 1 || stored.event.find("records_lost") != std::string::npos)
                << stored.event;
        }
        for (const auto& device : process_->manager.view().devices(now_)) {
            EXPECT_EQ(device.missing, 0U);
        }
    }

private:
    struct Process {
        Manager manager;
        std::string boot;
        ReportDesk desk{manager, boot};
    };

    std::uint64_t one_of(std::uint64_t most)
    {
        return std::uniform_int_distribution<std::uint64_t>{0, most - 1}(random_);
    }
    std::vector<std::byte> image() const { return process_->manager.store().image().value(); }

    void start_manager(const std::vector<std::byte>& image)
    {
        copy_ = copy_.empty() ? image : copy_;
        process_.reset();
        process_.emplace(Manager::start(Store::open_image(image).value()).value(),
                         fmt::format("process {}", ++starts_));
    }

    // A memory that loses records does so once between two reports that the manager stores.
    void start_agent(std::size_t lost)
    {
        if (uplink_ && !reported_) {
            return;
        }
        if (uplink_ && one_of(2) == 0) {
            saved_ = uplink_->acknowledged();
        }
        records_.lose(lost);
        uplink_.emplace(saved_, records_, random_());
        boot_ = fmt::format("{:032x}", ++starts_);
        reported_ = false;
    }

    void exchange(bool request_lost, bool answer_lost, bool again_later)
    {
        const auto batch = uplink_->next(records_, false, now_);
        if (!batch) {
            return;
        }
        auto text = codec::report_head("agent", boot_, "x",
                                       batch->names_devices ? records_.devices() : std::vector<std::string>{},
                                       batch->manager, batch->recounts) +
                    '\n' + batch->lines;
        if (again_later) {
            late_.push_back(text);
        }
        const auto answer = request_lost ? std::string{} : deliver(text);
        if (request_lost || answer_lost) {
            return uplink_->failed(false, std::nullopt, now_);
        }
        reported_ = reported_ || !batch->names_devices;
        uplink_->stored(codec::read_stored(answer).value(), now_);
    }

    std::string deliver(const std::string& text)
    {
        const auto report = codec::read_report(text).value();
        const auto taken = process_->desk.take(report, "127.0.0.1", {now_, WallTime{1s}});
        EXPECT_TRUE(process_->manager.commit());
        return process_->desk.answer(taken.value(), WallTime{1s});
    }

    void deliver_late()
    {
        if (!late_.empty()) {
            std::swap(late_[one_of(late_.size())], late_.back());
            const auto text = late_.back();
            late_.pop_back();
            deliver(text);
        }
    }

    std::mt19937 random_;
    Instant now_{1h};
    std::int64_t clock_us_{1'000'000};
    Records records_;
    uplink::Acknowledged saved_;
    std::optional<uplink::Uplink> uplink_;
    std::string boot_;
    bool reported_{};  // the manager has stored a report of the agent's process
    std::optional<Process> process_;
    std::vector<std::byte> copy_;
    std::vector<std::string> late_;
    unsigned starts_{};
};

class RecountLaw : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RecountLaw, TheManagerHasEachEventOfTheMemoryOnce)
{
    World world{GetParam()};
    for (int i = 0; i != 3 && !HasFailure(); ++i) {
        world.bad_hour();
        world.good_hour();
        world.each_event_is_there_once();
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RecountLaw, testing::Range(1U, 41U));

}  // namespace
}  // namespace petrel::manager
