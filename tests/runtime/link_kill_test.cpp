// kill -9 around the moment at which a link event is stored and published. The history has every event that was
// published, and has it once. The processes and their files are real; the switch is not.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/plain_device.hpp"
#include "runtime/file_memory.hpp"
#include "runtime/link_file.hpp"
#include "support/simulated_runner.hpp"
#include "support/synthetic_switch.hpp"
#include "support/temporary_folder.hpp"
#include "support/world.hpp"

namespace petrel::runtime {
namespace {

using namespace std::chrono_literals;

constexpr Instant kDownFrom{1500ms};
constexpr Instant kEnd{5s};

// One port, whose link goes down once and stays down.
class OnePort final : public device::PlainDevice {
public:
    explicit OnePort(const device::TimeSource& clock) : clock_(clock)
    {
        inventory_.ports.push_back({"Ethernet0", "", {}});
        watchdog::RowInfo row;
        row.target = {{{}, 0}, Priority{3}};
        inventory_.rows.push_back(row);
        capabilities_ = device::SyntheticSwitch::everything();
        capabilities_.reads_links = true;
    }
    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot>, watchdog::Intake&) override { return {}; }
    Result<device::Undo> prepare(const watchdog::Command&) override { return device::Undo{}; }
    Result<void> apply(const watchdog::Command&, const device::Undo&) override { return {}; }
    Result<watchdog::Treatment> read_back(const Target&) override { return watchdog::Treatment::none; }
    void listen(device::NoticeSink&) override {}
    Result<std::vector<link::LinkSample>> read_links() override
    {
        return std::vector{link::LinkSample{"Ethernet0", clock_.now().mono < kDownFrom, false, 0, {}, {}}};
    }

private:
    const device::TimeSource& clock_;
    watchdog::Inventory inventory_;
    watchdog::Capabilities capabilities_;
};

enum class KilledAt : std::uint8_t { before_history, after_history, after_publication };

// The file of histories. The process dies at the event.
class DeadlyFile final : public runner::LinkMemory {
public:
    DeadlyFile(std::unique_ptr<LinkFile> file, std::optional<KilledAt> killed_at)
        : file_(std::move(file)), killed_at_(killed_at)
    {}

    const link::NamedHistories& remembered() const override { return file_->remembered(); }
    const std::string& damage() const override { return file_->damage(); }
    Result<void> append(std::string_view lines, const std::function<std::string()>& whole) override
    {
        const bool event = lines.find("\"seq\"") != std::string_view::npos;
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
        device::ManualClock clock{from};
        OnePort device{clock};
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
    std::ptrdiff_t published() const
    {
        const auto memory = FileMemory::open(folder_.path(), "tor", 100).value();
        return std::ranges::count_if(memory->events(), [](const runner::StoredEvent& event) {
            return event.json.find("\"link_down\"") != std::string::npos;
        });
    }

    test::TemporaryFolder folder_;
};

TEST_P(LinkKill, TheHistoryHasTheEventOnce)
{
    ASSERT_TRUE(live_and_die(GetParam()));
    EXPECT_EQ(history_size(), GetParam() == KilledAt::before_history ? 0U : 1U);
    EXPECT_EQ(published(), GetParam() == KilledAt::after_publication ? 1 : 0) << "stored first, then published";
    live(kEnd, std::nullopt);
    EXPECT_EQ(history_size(), 1U) << "neither lost nor doubled";
    EXPECT_EQ(published(), GetParam() == KilledAt::after_history ? 0 : 1) << "never twice";
    live(kEnd + 10s, std::nullopt);
    EXPECT_EQ(history_size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, LinkKill,
                         testing::Values(KilledAt::before_history, KilledAt::after_history,
                                         KilledAt::after_publication));

}  // namespace
}  // namespace petrel::runtime
