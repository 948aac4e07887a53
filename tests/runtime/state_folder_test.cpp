// A folder that another user may write to: which files StateFolder opens, creates and gives to that user, and which it
// does not.
#include "runtime/state_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "runtime/atomic_file.hpp"
#include "runtime/file_lock.hpp"
#include "runtime/local_socket.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr uid_t kOther = 65534;
constexpr uid_t kThird = 65533;

class StateFolderTest : public testing::Test {
protected:
    StateFolder open() const { return std::move(*StateFolder::of(path)); }
    std::string refusal(int access = O_RDWR) const
    {
        const auto found = open().find("file", access);
        return found ? "accepted" : found.error().what;
    }
    std::span<const std::byte> bytes() const { return std::as_bytes(std::span{text}); }
    struct stat status() const
    {
        struct stat found{};
        EXPECT_EQ(::lstat(path.c_str(), &found), 0);
        return found;
    }

    test::TemporaryFolder folder;
    std::filesystem::path path{folder / "file"};
    std::string text{"text"};
};

TEST_F(StateFolderTest, FindsARegularFileAndNothingElse)
{
    EXPECT_EQ(*open().find("file", O_RDWR), std::nullopt);
    std::ofstream{path} << text;
    EXPECT_EQ(*open().read("file"), text);

    const auto expect_refused = [&](const std::string& what, const std::function<void()>& make) {
        std::filesystem::remove(path);
        make();
        for (const int access : {O_RDONLY, O_WRONLY, O_RDWR}) {
            EXPECT_EQ(refusal(access),
                      fmt::format("cannot open {}: it is {}; allowed: a regular file", path.string(), what));
        }
    };
    expect_refused("a FIFO", [&] { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); });
    expect_refused("a folder", [&] { std::filesystem::create_directory(path); });
    expect_refused("a symbolic link", [&] { std::filesystem::create_symlink("/dev/null", path); });
    expect_refused("a symbolic link", [&] { std::filesystem::create_symlink("missing", path); });
    expect_refused("a socket", [&] { ASSERT_EQ(bind_local(*local_socket(), *local_address(path)), 0); });
    if (::geteuid() == 0) {
        expect_refused("a device", [&] { ASSERT_EQ(::mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 3)), 0); });
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "missing"));
}

TEST_F(StateFolderTest, RefusesASecondNameAndAnotherOwner)
{
    std::ofstream{folder / "secret"} << text;
    std::filesystem::create_hard_link(folder / "secret", path);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("a file with 2 names"), HasSubstr("allowed: one name")));
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give files away";
    }
    std::filesystem::remove(folder / "secret");
    ASSERT_EQ(::chown(path.c_str(), kThird, kThird), 0);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("a file of uid 65533"), HasSubstr("allowed: one of uid 0")));
    ASSERT_EQ(::chown(folder.path().c_str(), kOther, kOther), 0);
    EXPECT_THAT(refusal(), HasSubstr("allowed: one of uid 0 or 65534"));
    ASSERT_EQ(::chown(path.c_str(), kOther, kOther), 0);
    EXPECT_EQ(refusal(), "accepted") << "the folder's owner";
}

TEST_F(StateFolderTest, GivesOnlyNewFilesToTheFoldersOwner)
{
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give files away";
    }
    ASSERT_EQ(::chown(folder.path().c_str(), kOther, kOther), 0);
    ASSERT_TRUE(*open().create("file", 0600));
    EXPECT_EQ(status().st_uid, kOther);

    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
    EXPECT_FALSE(*open().create("file", 0600)) << "the name is taken";
    EXPECT_TRUE(HeldFile::take(folder / "other"));
    std::filesystem::rename(path, folder / "other.lock");
    EXPECT_TRUE(HeldFile::take(folder / "other"));
    path = folder / "other.lock";
    EXPECT_EQ(status().st_uid, 0U) << "the file existed before";
}

TEST_F(StateFolderTest, KeepsItsFilesInAWorldWritableFolder)
{
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give files away";
    }
    ASSERT_EQ(::chown(folder.path().c_str(), kOther, kOther), 0);
    ASSERT_EQ(::chmod(folder.path().c_str(), 01777), 0);
    ASSERT_TRUE(*open().create("file", 0600));
    EXPECT_EQ(status().st_uid, 0U);
}

// An attacker can predict the name of the draft.
TEST_F(StateFolderTest, WritesThroughNothingThatWasPutInPlaceOfTheDraft)
{
    std::ofstream{folder / "secret"} << "secret";
    const auto draft = folder / fmt::format("file.{}.tmp", ::getpid());
    std::filesystem::create_hard_link(folder / "secret", draft);
    ASSERT_TRUE(open().replace("file", bytes(), 0644));
    EXPECT_EQ(*read_whole_file(folder / "secret"), "secret");
    std::filesystem::create_symlink(folder / "secret", draft);
    ASSERT_TRUE(open().replace("file", bytes(), 0644));
    EXPECT_EQ(*read_whole_file(folder / "secret"), "secret");
    ASSERT_EQ(::mkfifo(draft.c_str(), 0600), 0);
    ASSERT_TRUE(open().replace("file", bytes(), 0644));
    EXPECT_EQ(*read_whole_file(path), text);
    EXPECT_FALSE(std::filesystem::exists(draft));
}

TEST_F(StateFolderTest, TakesNoModeFromWhereALinkLeads)
{
    std::ofstream{folder / "other"} << text;
    ASSERT_EQ(::chmod((folder / "other").c_str(), 04777), 0);
    std::filesystem::create_symlink(folder / "other", path);
    ASSERT_TRUE(open().replace("file", bytes(), 0600));
    EXPECT_EQ(status().st_mode, S_IFREG | 0600U);
    ASSERT_EQ(::chmod(path.c_str(), 04640), 0);
    ASSERT_TRUE(open().replace("file", bytes(), 0600));
    EXPECT_EQ(status().st_mode, S_IFREG | 0640U) << "the set-user-id bit is never set";
}

TEST_F(StateFolderTest, ReadsNoMoreThanAllowed)
{
    std::ofstream{path} << text;
    EXPECT_TRUE(open().read("file", 4));
    EXPECT_THAT(open().read("file", 3).error().what, HasSubstr("it is too large; allowed: 3 bytes"));
    std::filesystem::resize_file(path, std::uintmax_t{1} << 40U);  // a sparse file
    EXPECT_THAT(open().read("file").error().what, HasSubstr("it is too large"));
}

TEST_F(StateFolderTest, StaysInTheFolderThatWasOpened)
{
    const auto inner = folder / "state";
    std::filesystem::create_directory(inner);
    auto opened = std::move(*StateFolder::of(inner / "file"));
    std::filesystem::rename(inner, folder / "moved");
    std::filesystem::create_directory(folder / "trap");
    std::filesystem::create_directory_symlink(folder / "trap", inner);
    const auto written = opened.replace("file", bytes(), 0644);
    ASSERT_TRUE(written);
    EXPECT_TRUE(std::filesystem::exists(folder / "moved/file"));
    EXPECT_TRUE(std::filesystem::is_empty(folder / "trap"));
    EXPECT_FALSE(opened.leads_to("file", *written)) << "the path leads elsewhere";
}

TEST_F(StateFolderTest, NoticesThatANameLeadsElsewhereAndHoldsItAgain)
{
    auto held = std::move(*HeldFile::take(path));
    auto file = std::move(*held.folder().replace("file", bytes(), 0644));
    EXPECT_FALSE(held.lost(file));
    const auto expect_lost = [&](const std::function<void()>& harm) {
        harm();
        EXPECT_TRUE(held.lost(file));
        ASSERT_TRUE(held.take_again());
        file = std::move(*held.folder().replace("file", bytes(), 0644));
        EXPECT_FALSE(held.lost(file));
        EXPECT_FALSE(HeldFile::take(path)) << "the lock holds again";
    };
    expect_lost([&] { std::filesystem::remove(path); });
    expect_lost([&] { ASSERT_TRUE(write_atomically(path, "of somebody else")); });
    expect_lost([&] { std::filesystem::remove(folder / "file.lock"); });
    expect_lost([&] { std::filesystem::remove_all(folder.path()); });
}

TEST_F(StateFolderTest, ALockThatAnotherProcessTookMeanwhileIsNotTaken)
{
    auto held = std::move(*HeldFile::take(path));
    const auto file = std::move(*held.folder().replace("file", bytes(), 0644));
    std::filesystem::remove(folder / "file.lock");
    const auto other = HeldFile::take(path);
    ASSERT_TRUE(other);
    EXPECT_TRUE(held.lost(file));
    EXPECT_THAT(held.take_again().error().what, HasSubstr("is in use by process"));
}

TEST_F(StateFolderTest, ConfigurationIsARegularFileBehindAnyLink)
{
    std::ofstream{folder / "real"} << text;
    std::filesystem::create_symlink(folder / "real", path);
    EXPECT_EQ(*read_regular_file(path), text);
    EXPECT_THAT(read_regular_file(folder / "missing").error().what, HasSubstr("No such file"));
    EXPECT_THAT(read_regular_file(folder.path()).error().what, HasSubstr("it is a folder"));
    EXPECT_THAT(read_regular_file("/dev/zero").error().what, HasSubstr("it is a device; allowed: a regular file"));
    std::filesystem::remove(folder / "real");
    ASSERT_EQ(::mkfifo((folder / "real").c_str(), 0600), 0);
    EXPECT_THAT(read_regular_file(path).error().what, HasSubstr("it is a FIFO; allowed: a regular file"));
}

TEST_F(StateFolderTest, ALinkOfAnotherUserIsNotFollowed)
{
    EXPECT_EQ(*link_flag(path), O_NOFOLLOW);
    std::filesystem::create_symlink(folder / "target", path);
    EXPECT_EQ(*link_flag(path), 0);
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give links away";
    }
    ASSERT_EQ(::lchown(path.c_str(), kOther, kOther), 0);
    EXPECT_THAT(link_flag(path).error().what, HasSubstr("it is a symbolic link of uid 65534"));
}

// An attacker exchanges the file for a link to a file of root between check and open.
TEST_F(StateFolderTest, AnExchangeBetweenCheckAndUseGivesNothingAway)
{
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give files away";
    }
    constexpr int kAttempts = 5'000;
    const auto secret = folder / "secret";
    const auto state = folder / "state";
    std::ofstream{secret} << text;
    std::filesystem::create_directory(state);
    std::ofstream{state / "file.lock"} << "";
    std::filesystem::create_symlink(secret, state / "trap");
    for (const auto& mine : {state, state / "file.lock", state / "trap"}) {
        ASSERT_EQ(::lchown(mine.c_str(), kOther, kOther), 0);
    }
    std::atomic<bool> over{false};
    std::atomic<std::uint64_t> exchanges{0};
    std::thread attacker{[&] {
        while (!over) {
            ::renameat2(AT_FDCWD, (state / "file.lock").c_str(), AT_FDCWD, (state / "trap").c_str(), RENAME_EXCHANGE);
            ++exchanges;
        }
    }};
    while (exchanges == 0) {
        std::this_thread::yield();
    }
    int taken = 0;
    int attempts = 0;
    while (attempts < kAttempts || taken == 0 || taken == attempts) {  // until both the file and the link were hit
        taken += HeldFile::take(state / "file") ? 1 : 0;
        ++attempts;
        static_cast<void>(StateFolder::of(state / "file")->read("file.lock"));
    }
    over = true;
    attacker.join();
    path = secret;
    EXPECT_EQ(status().st_uid, 0U);
    EXPECT_EQ(*read_whole_file(secret), text);
}

}  // namespace
}  // namespace petrel::runtime
