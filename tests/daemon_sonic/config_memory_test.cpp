#include "daemon/sonic/config_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "support/memory_store.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::daemon {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class RememberedConfig : public testing::Test {
protected:
    RememberedConfig()
    {
        auto& tables = store_.content[sonic::Db::config];
        tables["PORT|Ethernet0"] = {{"speed", "100000"}};
        tables["PORT_QOS_MAP|Ethernet0"] = {{"pfcwd_sw_enable", "3"}};
        tables["PFC_WD|Ethernet0"] = {{"detection_time", "200"}};
        tables["BUFFER_PROFILE|lossless"] = {{"dynamic_th", "0"}};
        tables["SECRETS|all"] = {{"password", "1234"}};
    }

    sonic::Config config() { return sonic::read_config(store_, sonic::Role::owner).value(); }
    ConfigMemory::Kept recalled() const { return memory_.recall().value().value(); }
    void make_old() const { std::filesystem::last_write_time(memory_.file(), kOld); }
    bool is_old() const { return std::filesystem::last_write_time(memory_.file()) == kOld; }
    std::string content() const
    {
        std::ifstream in{memory_.file()};
        return {std::istreambuf_iterator<char>{in}, {}};
    }

    ino_t number() const
    {
        struct stat found{};
        EXPECT_EQ(::stat(memory_.file().c_str(), &found), 0);
        return found.st_ino;
    }

    static constexpr std::filesystem::file_time_type kOld{};

    test::MemoryStore store_;
    test::TemporaryFolder folder_;
    ConfigMemory memory_{folder_ / "config_db.json"};
};

TEST_F(RememberedConfig, IsTheSavedOne)
{
    EXPECT_FALSE(memory_.recall().value()) << "no configuration was saved yet";
    const auto kept = config();
    ASSERT_TRUE(memory_.keep(kept));
    EXPECT_EQ(recalled().config.tables, kept.tables);
    EXPECT_EQ(recalled().config.policies.policies.front().policy.name, "pfcwd-drop-200-infinite");
    EXPECT_EQ(recalled().config.alphas, kept.alphas);
    EXPECT_THAT(content(), HasSubstr(R"("PFC_WD": {)"));
    EXPECT_THAT(content(), Not(HasSubstr("1234"))) << "tables that the agent does not use are not saved";
}

TEST_F(RememberedConfig, HasTheAgeOfItsLastConfirmation)
{
    ASSERT_TRUE(memory_.keep(config()));
    make_old();
    EXPECT_EQ(recalled().right_at,
              std::chrono::floor<std::chrono::seconds>(std::filesystem::file_time_type::clock::to_sys(kOld)));
    memory_.confirm();
    EXPECT_FALSE(is_old());
    make_old();
    ASSERT_TRUE(memory_.keep(config()));
    EXPECT_FALSE(is_old()) << "the same was configured again";
}

TEST_F(RememberedConfig, IsWrittenOnlyIfItChanged)
{
    ASSERT_TRUE(memory_.keep(config()));
    const std::ifstream open{memory_.file()};  // keeps the inode in use, so no new file gets its number
    const auto first = number();
    ASSERT_TRUE(memory_.keep(config()));
    EXPECT_EQ(number(), first);
    store_.content[sonic::Db::config]["PFC_WD|Ethernet0"]["detection_time"] = "300";
    ASSERT_TRUE(memory_.keep(config()));
    EXPECT_NE(number(), first);
    EXPECT_EQ(recalled().config.tables, config().tables);
}

TEST_F(RememberedConfig, AnEntryThatCannotBeSavedDoesNotDropTheOthers)
{
    store_.content[sonic::Db::config]["PORT|"] = {{"speed", "1"}};
    ASSERT_TRUE(memory_.keep(config()));
    EXPECT_EQ(recalled().config.tables.size(), 4U);
}

TEST_F(RememberedConfig, AnUnreadableFileIsAnError)
{
    std::ofstream{memory_.file()} << "{";
    EXPECT_FALSE(memory_.recall());
    std::filesystem::remove(memory_.file());
    std::filesystem::create_directory(memory_.file());
    EXPECT_FALSE(memory_.recall());
    EXPECT_FALSE(memory_.keep(config()));
}

// Another user who may write to the folder can replace the file by a link or a FIFO.
TEST_F(RememberedConfig, TheFileOfALaterVersionStays)
{
    constexpr auto kLater = R"({"PETREL_FORMAT": {"tables": {"version": "2"}}, "PFC_WD": {}})";
    std::ofstream{memory_.file()} << kLater;
    EXPECT_THAT(memory_.recall().error().what, HasSubstr("this program reads version 1"));
    EXPECT_THAT(memory_.keep(config()).error().what, HasSubstr("is not replaced"));
    EXPECT_EQ(content(), kLater);
}

TEST_F(RememberedConfig, RefusesLinksAndFifos)
{
    const auto target = folder_ / "target";
    std::ofstream{target} << "not ours";
    const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours{24};
    std::filesystem::last_write_time(target, long_ago);
    std::filesystem::create_symlink(target, memory_.file());
    memory_.confirm();
    EXPECT_EQ(std::filesystem::last_write_time(target), long_ago);
    const auto linked = memory_.recall();
    ASSERT_FALSE(linked);
    EXPECT_THAT(linked.error().what, testing::HasSubstr("it is a symbolic link; allowed: a regular file"));
    std::filesystem::remove(memory_.file());
    ASSERT_EQ(::mkfifo(memory_.file().c_str(), 0600), 0);
    EXPECT_FALSE(memory_.recall()) << "reading the FIFO fails and does not block";
}

}  // namespace
}  // namespace petrel::daemon
