// Atomic writes of whole files: a read returns what was written, a failed write leaves the old content and no draft,
// and errors name the cause.
#include "runtime/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>

#include "journal_fixture.hpp"
#include "runtime/start_guard.hpp"

namespace petrel::runtime {
namespace {

using testing::HasSubstr;

std::size_t files_in(const std::filesystem::path& folder)
{
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{folder}, {}));
}

TEST(AtomicFile, ReadsBackWhatItWrote)
{
    const TemporaryFolder folder;
    const auto path = folder / "checkpoint";
    for (const auto& text : {std::string{"one"}, std::string{}, std::string(300'000, 'x'), std::string{"a\0b", 3}}) {
        ASSERT_TRUE(write_atomically(path, text));
        EXPECT_EQ(*read_whole_file(path), text);
    }
    EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, LeavesNoTemporaryFileAfterAFailure)
{
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "taken/inside");
    const auto written = write_atomically(folder / "taken", "text");
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().what, HasSubstr((folder / "taken").string()));
    EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, ErrorsNameTheFileNotItsDraft)
{
    const TemporaryFolder folder;
    const auto path = folder / std::string(252, 'x');  // the name of the draft exceeds NAME_MAX
    const auto written = write_atomically(path, "text");
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().what, HasSubstr(path.string() + ": "));
    EXPECT_EQ(write_atomically(folder / "no/such", "text").error().what,
              "cannot open " + (folder / "no/such").string() + ": No such file or directory");
}

TEST(AtomicFile, KeepsTheModeOrUsesTheUmask)
{
    const TemporaryFolder folder;
    const auto mode = [](const std::filesystem::path& path) {
        return static_cast<unsigned>(std::filesystem::status(path).permissions());
    };
    const auto umask_before = ::umask(0027);
    EXPECT_TRUE(write_atomically(folder / "ours", "text"));
    EXPECT_TRUE(write_atomically(folder / "theirs", "text", kEverybodysFile));
    ::umask(0002);
    EXPECT_TRUE(write_atomically(folder / "group", "text", kEverybodysFile));
    ::umask(umask_before);
    EXPECT_EQ(mode(folder / "ours"), 0640U);
    EXPECT_EQ(mode(folder / "theirs"), 0640U);
    EXPECT_EQ(mode(folder / "group"), 0664U);
    std::filesystem::permissions(folder / "ours", std::filesystem::perms{0600});
    EXPECT_TRUE(write_atomically(folder / "ours", "new text", kEverybodysFile));
    EXPECT_EQ(mode(folder / "ours"), 0600U) << "a private file stays private";
}

TEST(AtomicFile, ReportsTheReasonOfAFailure)
{
    const TemporaryFolder folder;
    const auto missing = read_whole_file(folder / "nothing");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, ErrorKind::unreachable);
    EXPECT_THAT(missing.error().what, HasSubstr("nothing: No such file or directory"));

    EXPECT_EQ(read_whole_file(folder.path()).error().kind, ErrorKind::invalid);
    EXPECT_EQ(write_atomically(folder / "no/such/folder", "text").error().kind, ErrorKind::unreachable);

    EXPECT_EQ(file_error("open", "x", EACCES).kind, ErrorKind::denied);
    EXPECT_EQ(file_error("open", "x", EPERM).kind, ErrorKind::denied);
    EXPECT_EQ(file_error("open", "x", ENOSPC).kind, ErrorKind::exhausted);
}

// The list of an agent's starts, which such a write replaces.
TEST(StartGuard, AFourthStartWithinAMinuteWaitsAndLinesThatAreNoStartsCountNothing)
{
    const TemporaryFolder folder;
    const auto list = folder / "starts";
    const WallTime now{std::chrono::hours{24}};
    ASSERT_TRUE(write_atomically(list, "-9223372036854775808\n-9223372036854775808\n-9223372036854775808\nx\n\n"
                                       "9223372036854775807\n99999999999999999999\n"));
    for (int start = 0; start < 3; ++start) {
        EXPECT_EQ(note_start(list, now), Duration::zero()) << start;
    }
    EXPECT_EQ(note_start(list, now), std::chrono::seconds{1});
    EXPECT_EQ(note_start(list, now), std::chrono::seconds{2});
    EXPECT_EQ(note_start(list, now + std::chrono::minutes{1}), Duration::zero());
}

}  // namespace
}  // namespace petrel::runtime
