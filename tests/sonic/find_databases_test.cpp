#include "sonic/find_databases.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "support/temporary_folder.hpp"

namespace petrel::sonic {
namespace {

TEST(FindDatabases, TheOperatorsAddressAppliesToAll)
{
    const auto found = find_databases("tcp://10.0.0.1:6379");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size(), 7U);
    EXPECT_EQ(found->at(Db::state).address.host, "10.0.0.1");
    EXPECT_EQ(found->at(Db::state).number, 6);
    EXPECT_FALSE(find_databases("nonsense"));
}

TEST(FindDatabases, TheFileOfSonicComesNextThenTheUsualSocket)
{
    const test::TemporaryFolder folder;
    const auto file = folder / "database_config.json";
    EXPECT_EQ(find_databases("", file)->at(Db::config).address.path, "/var/run/redis/redis.sock");
    std::ofstream{file} << R"({"INSTANCES": {"redis": {"unix_socket_path": "/run/other.sock"}},
                               "DATABASES": {"CONFIG_DB": {"id": 14, "instance": "redis"}}})";
    const auto found = find_databases("", file);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->at(Db::config).address.path, "/run/other.sock");
    EXPECT_EQ(found->at(Db::config).number, 14);
    std::ofstream{file} << "nonsense";
    ASSERT_FALSE(find_databases("", file));
    EXPECT_NE(find_databases("", file).error().what.find(file.string()), std::string::npos);
}

TEST(FindDatabases, AFifoIsRefusedAndNotWaitedFor)
{
    const test::TemporaryFolder folder;
    const auto file = folder / "database_config.json";
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_EQ(find_databases("", file).error().what,
              file.string() + " is no regular file: allowed a JSON file of SONiC's");
    EXPECT_FALSE(find_asics(file));
}

}  // namespace
}  // namespace petrel::sonic
