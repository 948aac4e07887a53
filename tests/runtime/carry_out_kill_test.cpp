// If a process dies at any point of carry_out(), the next process can undo everything that it left.
//
// A child process carries out the command with a journal on a disk and registers in shared memory, and kills itself at
// one point. Every treatment in force must then be in the journal with the undo that restores the registers. The next
// process undoes everything in the journal and may die as well; the one after it succeeds.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>

#include "device/carry_out.hpp"
#include "device/manual_clock.hpp"
#include "device/plain_device.hpp"
#include "journal_fixture.hpp"

namespace petrel::runtime {
namespace {

using device::Active;
using device::FaultPoint;
using device::Undo;
using watchdog::Command;
using watchdog::Treatment;
using watchdog::Verdict;

// The registers of a port that a treatment overwrites.
struct Registers {
    std::uint32_t mask{};
    std::uint32_t profile{};
    bool operator==(const Registers&) const = default;
};

constexpr std::size_t kPorts = 3;
using PortRegisters = std::array<Registers, kPorts>;
constexpr PortRegisters kOriginal{{{0x11, 0xa1}, {0x22, 0xa2}, {0x33, 0xa3}}};

constexpr std::uint32_t register_value(Treatment treatment) { return 0xf00 + static_cast<std::uint32_t>(treatment); }

// Memory that outlives the child.
class SharedRegisters {
public:
    SharedRegisters()
        : memory_(::mmap(nullptr, sizeof(PortRegisters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
    {
        *operator->() = kOriginal;
    }
    ~SharedRegisters() { ::munmap(memory_, sizeof(PortRegisters)); }
    SharedRegisters(const SharedRegisters&) = delete;
    SharedRegisters& operator=(const SharedRegisters&) = delete;

    PortRegisters* operator->() const { return static_cast<PortRegisters*>(memory_); }
    PortRegisters& operator*() const { return *operator->(); }

private:
    void* memory_;
};

// A device with two registers per port. A process can die between the writes to the two.
class RegisterDevice final : public device::PlainDevice {
public:
    explicit RegisterDevice(PortRegisters& registers, std::function<void()> between = {})
        : registers_(registers), between_(std::move(between))
    {
        capabilities_.reads_back = true;
    }

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    Result<void> look(std::span<const Slot>, watchdog::Intake&) override { return {}; }
    void listen(device::NoticeSink&) override {}

    Result<Undo> prepare(const Command& command) override
    {
        Undo undo;
        std::memcpy(undo.bytes.data(), &of(command.target), sizeof(Registers));
        undo.size = sizeof(Registers);
        return undo;
    }
    Result<void> apply(const Command& command, const Undo& undo) override
    {
        Registers wanted{register_value(command.want), register_value(command.want)};
        if (command.want == Treatment::none) {
            std::memcpy(&wanted, undo.bytes.data(), sizeof(Registers));
        }
        of(command.target).mask = wanted.mask;
        if (between_) {
            between_();
        }
        of(command.target).profile = wanted.profile;
        return {};
    }
    Result<Treatment> read_back(const Target& target) override
    {
        for (const auto treatment : {Treatment::drop, Treatment::drop_egress}) {
            if (of(target).mask == register_value(treatment) || of(target).profile == register_value(treatment)) {
                return treatment;
            }
        }
        return Treatment::none;
    }

private:
    Registers& of(const Target& target) { return registers_[target.port.index]; }

    PortRegisters& registers_;
    std::function<void()> between_;
    watchdog::Inventory inventory_{three_ports()};
    watchdog::Capabilities capabilities_;
};

// Where a child dies: at a fault point, or (none) between the two register writes.
using DeathPoint = std::optional<FaultPoint>;

std::vector<DeathPoint> all_death_points()
{
    std::vector<DeathPoint> all{std::nullopt};
    for (std::size_t point = 0; point < static_cast<std::size_t>(FaultPoint::count_); ++point) {
        all.emplace_back(static_cast<FaultPoint>(point));
    }
    return all;
}

const Target kTarget = target_of(1, Priority{3});

class CarryOutKill : public testing::Test {
protected:
    // Runs `work` in a child process. False if it died at the given point.
    bool run_process(const DeathPoint* death,
                     const std::function<void(FileJournal&, device::Device&, const device::FaultHook&)>& work)
    {
        const auto child = ::fork();
        if (child == 0) {
            const auto die = [] { ::kill(::getpid(), SIGKILL); };
            const auto hook = [&](FaultPoint point) {
                if (death != nullptr && *death == point) {
                    die();
                }
            };
            RegisterDevice device{*registers, [&] {
                                      if (death != nullptr && !*death) {
                                          die();
                                      }
                                  }};
            const auto journal = FileJournal::open_file(path, kDevice, three_ports());
            if (!journal) {
                ::_exit(2);
            }
            work(**journal, device, hook);
            ::_exit(0);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        if (WIFSIGNALED(status)) {
            EXPECT_EQ(WTERMSIG(status), SIGKILL);
            return false;
        }
        EXPECT_EQ(WEXITSTATUS(status), 0);
        return true;
    }

    bool command(Treatment want, const DeathPoint* death = nullptr)
    {
        return run_process(death, [&](FileJournal& journal, device::Device& device, const device::FaultHook& hook) {
            static_cast<void>(carry_out({1, 1, kTarget, want, kNever}, device, journal, clock, hook));
        });
    }

    // Undoes everything in the journal, as a start after a death does, and release-all without a running agent.
    bool undo_everything(const DeathPoint* death = nullptr)
    {
        return run_process(death, [&](FileJournal& journal, device::Device& device, const device::FaultHook& hook) {
            const auto all = journal.active();
            for (const auto& active : *all) {
                const auto outcome =
                    carry_out({2, 1, active.target, Treatment::none, kNever}, device, journal, clock, hook);
                if (outcome.verdict != Verdict::confirmed) {
                    ::_exit(3);
                }
            }
        });
    }

    void expect_everything_in_force_is_journaled()
    {
        const auto journal = must_open(path);
        const auto all = *journal->active();
        for (std::uint16_t port = 0; port < kPorts; ++port) {
            if ((*registers)[port] == kOriginal[port]) {
                continue;
            }
            const auto entry =
                std::ranges::find_if(all, [&](const Active& active) { return active.target.port.index == port; });
            ASSERT_NE(entry, all.end()) << "port " << port << " is treated without a journal entry";
            Registers undo;
            std::memcpy(&undo, entry->undo.bytes.data(), sizeof undo);
            EXPECT_EQ(undo, kOriginal[port]);
        }
    }

    void expect_as_if_nothing_had_been()
    {
        EXPECT_EQ(*registers, kOriginal);
        EXPECT_TRUE(must_open(path)->active()->empty());
    }

    // For every pair of points: a process dies at the first in the command, the next at the second in the clean-up.
    // Checks that enough of them really died.
    void die_everywhere(const std::function<void()>& begin, Treatment want)
    {
        std::size_t deaths_in_work = 0;
        std::size_t deaths_in_cleaning = 0;
        for (const auto& first : all_death_points()) {
            for (const auto& second : all_death_points()) {
                SCOPED_TRACE(testing::Message() << "dies at " << (first ? static_cast<int>(*first) : -1)
                                                << " and cleaning up at " << (second ? static_cast<int>(*second) : -1));
                begin();
                deaths_in_work += command(want, &first) ? 0U : 1U;
                expect_everything_in_force_is_journaled();
                deaths_in_cleaning += undo_everything(&second) ? 0U : 1U;
                expect_everything_in_force_is_journaled();
                ASSERT_TRUE(undo_everything());
                expect_as_if_nothing_had_been();
            }
        }
        EXPECT_GE(deaths_in_work, 5 * all_death_points().size()) << "no process was killed: the test shows nothing";
        EXPECT_GT(deaths_in_cleaning, 0U);
    }

    TemporaryFolder folder;
    std::filesystem::path path{folder / "journal"};
    SharedRegisters registers;
    device::ManualClock clock;
};

TEST_F(CarryOutKill, WhileMitigating)
{
    die_everywhere([] {}, Treatment::drop);
}

TEST_F(CarryOutKill, WhileRestoring)
{
    die_everywhere([&] { ASSERT_TRUE(command(Treatment::drop)); }, Treatment::none);
}

// The process dies when the first, the second or the third command has reached the point.
TEST_F(CarryOutKill, WhileSeveralCommandsAreUnderWay)
{
    std::size_t deaths = 0;
    for (const auto point : {FaultPoint::before_prepare, FaultPoint::prepared, FaultPoint::journaled,
                             FaultPoint::applied, FaultPoint::read_back}) {
        for (int nth = 1; nth <= static_cast<int>(kPorts); ++nth) {
            SCOPED_TRACE(testing::Message() << "dies at " << static_cast<int>(point) << " for the " << nth);
            const bool survived =
                run_process(nullptr, [&](FileJournal& journal, device::Device& device, const device::FaultHook&) {
                    const device::FaultHook hook = [&, left = nth](FaultPoint reached) mutable {
                        left -= reached == point ? 1 : 0;
                        if (left == 0) {
                            ::kill(::getpid(), SIGKILL);
                        }
                    };
                    std::vector<device::Begun> begun;
                    for (std::uint16_t port = 0; port != kPorts; ++port) {
                        const Command wanted{port, 1, target_of(port, Priority{3}), Treatment::drop, kNever};
                        begun.push_back(begin_command(wanted, device, journal, clock, hook));
                    }
                    for (auto& each : begun) {
                        static_cast<void>(finish_command(std::move(each), device, journal, clock, hook));
                    }
                });
            deaths += survived ? 0U : 1U;
            expect_everything_in_force_is_journaled();
            ASSERT_TRUE(undo_everything());
            expect_as_if_nothing_had_been();
        }
    }
    EXPECT_EQ(deaths, 15U);
}

TEST_F(CarryOutKill, WhileTreatingOtherwise)
{
    die_everywhere([&] { ASSERT_TRUE(command(Treatment::drop_egress)); }, Treatment::drop);
}

}  // namespace
}  // namespace petrel::runtime
