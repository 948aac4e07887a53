// Whole files: what was written is read, a failure leaves the old content and no litter, and errors say what is wrong.
#include "runtime/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "journal_fixture.hpp"

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

TEST(AtomicFile, LeavesNoLitterBehindAFailure)
{
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "taken/inside");
    const auto written = write_atomically(folder / "taken", "text");
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().what, HasSubstr((folder / "taken").string()));
    EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(AtomicFile, SaysWhatIsWrong)
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

}  // namespace
}  // namespace petrel::runtime
