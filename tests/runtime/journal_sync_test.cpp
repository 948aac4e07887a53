// A change of the journal is durable when the call returns. This program has its own fdatasync, which counts its calls
// and can fail.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "journal_fixture.hpp"

namespace petrel::runtime {
namespace {

std::atomic<int> syncs{};
std::atomic<bool> syncs_fail{};

int counted_sync(int file)
{
    ++syncs;
    if (syncs_fail) {
        errno = EIO;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_fdatasync, file));
}

const device::Active kEntry{target_of(0, Priority{3}), watchdog::Treatment::drop, undo_of("before"), wall(1'000)};

class JournalSync : public testing::Test {
protected:
    ~JournalSync() override { syncs_fail = false; }

    TemporaryFolder folder;
    std::unique_ptr<FileJournal> journal = must_open(folder / "journal");
};

TEST_F(JournalSync, FollowsEveryChange)
{
    const int before = syncs;
    ASSERT_TRUE(journal->open(kEntry));
    EXPECT_EQ(syncs, before + 1);
    ASSERT_TRUE(journal->close(kEntry.target));
    EXPECT_EQ(syncs, before + 2);
}

TEST_F(JournalSync, IsPartOfTheChange)
{
    syncs_fail = true;
    EXPECT_FALSE(journal->open(kEntry));
    EXPECT_TRUE(journal->active()->empty());
    syncs_fail = false;
    EXPECT_TRUE(journal->open(kEntry));
    journal.reset();
    EXPECT_EQ(must_open(folder / "journal")->active()->size(), 1U);
}

}  // namespace
}  // namespace petrel::runtime

extern "C" int fdatasync(int file) { return petrel::runtime::counted_sync(file); }
