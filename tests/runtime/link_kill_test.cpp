// kill -9 around the moment at which a link event is stored and published. The history has every event once, and every
// event is published once, by this process or the next. The processes and their files are real; the switch is not.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codec/event_reader.hpp"
#include "runtime/file_memory.hpp"
#include "runtime/link_file.hpp"
#include "support/linked_port.hpp"
#include "support/simulated_runner.hpp"
#include "support/temporary_folder.hpp"
#include "support/world.hpp"

namespace petrel::runtime {
namespace {

using namespace std::chrono_literals;

constexpr Instant kDownFrom{500ms};
constexpr Instant kUpFrom{1500ms};
constexpr Instant kDownAgainFrom{2500ms};
constexpr Instant kEnd{5s};

// The link goes down, comes up, goes down again and stays down.
link::LinkSample link_at(Instant now)
{
    return {"", now < kDownFrom || (now >= kUpFrom && now < kDownAgainFrom), false, 0, {}, {}};
}

enum class KilledAt : std::uint8_t { before_history, after_history, after_publication };

// The file of histories. The process dies at the second event.
class DeadlyFile final : public runner::LinkMemory {
public:
    DeadlyFile(std::unique_ptr<LinkFile> file, std::optional<KilledAt> killed_at)
        : file_(std::move(file)), killed_at_(killed_at)
    {}

    const link::NamedHistories& remembered() const override { return file_->remembered(); }
    const std::string& damage() const override { return file_->damage(); }
    Result<void> append(std::string_view lines, const std::function<std::string()>& whole) override
    {
        const bool event = lines.find("\"seq\":2") != std::string_view::npos;
        die_if(event && killed_at_ == KilledAt::before_history);
        auto appended = file_->append(lines, whole);
        die_if(event && killed_at_ == KilledAt::after_history);
        return appended;
    }

private:
    static void die_if(bool now)
    {
        if (now) {
            ::kill(::getpid(), SIGKILL);
        }
    }

    std::unique_ptr<LinkFile> file_;
    std::optional<KilledAt> killed_at_;
};

class LinkKill : public testing::TestWithParam<KilledAt> {
protected:
    // One process. If it is not killed, it ends without a stop, too.
    void live(Instant from, std::optional<KilledAt> killed_at)
    {
        device::ManualClock clock{from, WallTime{} + std::chrono::floor<std::chrono::microseconds>(from - Instant{})};
        test::LinkedPort device{[&] { return link_at(clock.now().mono); }};
        test::SimulatedRunner runner{
            clock, test::SimulatedRunner::Setup{.open = [&] { return &device; },
                                                .policies = test::book_of(watchdog::find_preset("sonic")->policy),
                                                .memory = FileMemory::open(folder_.path(), "tor", 100).value(),
                                                .links = std::make_unique<DeadlyFile>(
                                                    LinkFile::open(folder_ / "tor.links").value(), killed_at)}};
        runner.run_until(from + (kEnd - Instant{}));
    }
    bool live_and_die(KilledAt killed_at)
    {
        const auto child = ::fork();
        if (child == 0) {
            live(Instant{}, killed_at);
            ::kill(::getpid(), SIGKILL);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }
    std::size_t history_size() const
    {
        return LinkFile::open(folder_ / "tor.links").value()->remembered().at("Ethernet0").events().size();
    }
    std::vector<std::string> published() const
    {
        std::vector<std::string> texts;
        const auto memory = FileMemory::open(folder_.path(), "tor", 100).value();
        for (const auto& event : memory->events()) {
            const auto line = codec::read_event(event.json).value();
            texts.push_back(line.event + ' ' + line.queue + ' ' + line.known->by.substr(0, 7));
        }
        return texts;
    }

    test::TemporaryFolder folder_;
};

TEST_P(LinkKill, TheHistoryHasTheEventOnceAndItIsPublishedOnce)
{
    const std::vector<std::string> before{"link_down Ethernet0 event 1", "link_up Ethernet0 event 1"};
    auto all = before;
    all.emplace_back("link_down Ethernet0 event 2");
    ASSERT_TRUE(live_and_die(GetParam()));
    EXPECT_EQ(history_size(), GetParam() == KilledAt::before_history ? 1U : 2U);
    EXPECT_EQ(published(), GetParam() == KilledAt::after_publication ? all : before) << "stored first, then published";
    live(kEnd, std::nullopt);
    EXPECT_EQ(history_size(), 2U) << "neither lost nor doubled";
    EXPECT_EQ(published(), all);
    live(kEnd + 10s, std::nullopt);
    EXPECT_EQ(history_size(), 2U);
    EXPECT_EQ(published(), all) << "never twice";
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, LinkKill,
                         testing::Values(KilledAt::before_history, KilledAt::after_history,
                                         KilledAt::after_publication));

}  // namespace
}  // namespace petrel::runtime
