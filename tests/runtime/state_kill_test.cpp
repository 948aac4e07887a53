// kill -9 at any moment of a process that only appends. The next process finds each event once, without a gap, and the
// checkpoint that belongs to the last event.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "state_fixture.hpp"

namespace petrel::runtime {
namespace {

// The last sequence number that the writer has stored, in memory that survives the writer.
class Acknowledged {
public:
    Acknowledged()
        : memory_(::mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
          count_(new(memory_) Count{0})
    {}
    ~Acknowledged() { ::munmap(memory_, sizeof(Count)); }
    Acknowledged(const Acknowledged&) = delete;
    Acknowledged& operator=(const Acknowledged&) = delete;

    std::uint64_t get() const { return *count_; }
    void set(std::uint64_t seq) { *count_ = seq; }

private:
    using Count = std::atomic<std::uint64_t>;
    void* memory_;
    Count* count_;
};

constexpr std::uint32_t kMost = 50;
constexpr std::size_t kLives = 60;
// Large enough that most writers rewrite the file.
const std::string kPadding(60'000, 'p');

[[noreturn]] void write_until_killed(const std::filesystem::path& path, Acknowledged& acknowledged)
{
    const auto state = StateFile::open(path, kStateDevice, kMost);
    if (!state || !(*state)->damage().empty()) {
        ::_exit(2);
    }
    for (auto seq = (*state)->last_seq() + 1;; seq += 2) {
        if (!(*state)->append(stored(seq, seq + 1), memory_of(seq + 1) + kPadding, now_of(1))) {
            ::_exit(3);
        }
        acknowledged.set(seq + 1);
    }
}

TEST(StateKill, EachEventOnceWhenWritersAreKilledInALoop)
{
    const test::TemporaryFolder folder;
    const auto path = folder / "leaf-1.state";
    Acknowledged acknowledged;
    for (std::size_t life = 0; life < kLives; ++life) {
        SCOPED_TRACE(life);
        const auto before = acknowledged.get();
        const auto child = ::fork();
        if (child == 0) {
            write_until_killed(path, acknowledged);
        }
        // Each writer appends a different number of times. The point at which it dies within an append is random.
        int status = 0;
        while (acknowledged.get() < before + 2 + 2 * (life % 23)) {
            ASSERT_EQ(::waitpid(child, &status, WNOHANG), 0) << "the writer ended by itself: " << WEXITSTATUS(status);
        }
        ::kill(child, SIGKILL);
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);

        const auto state = must_open_state(path, kMost);
        EXPECT_EQ(state->damage(), "");
        const auto last = state->last_seq();
        ASSERT_GE(last, acknowledged.get()) << "acknowledged events are in the file";
        EXPECT_LE(last, acknowledged.get() + 2);
        EXPECT_EQ(events_of(*state), stored(last > kMost ? last - kMost + 1 : 1, last));
        EXPECT_EQ(state->remembered()->checkpoint, memory_of(last) + kPadding);
    }
    EXPECT_GT(acknowledged.get(), 1'000U);
}

}  // namespace
}  // namespace petrel::runtime
