#include "codec/sonic_databases.hpp"

#include <gtest/gtest.h>

#include "base/complaint_text.hpp"

namespace petrel::codec {
namespace {

TEST(SonicDatabases, AreAtTheirInstances)
{
    const auto read = read_database_config(R"({
        "INSTANCES": {"redis": {"hostname": "127.0.0.1", "port": 6379, "unix_socket_path": "/run/redis.sock"},
                      "remote": {"hostname": "10.0.0.1", "port": 6380}},
        "DATABASES": {"CONFIG_DB": {"id": 4, "separator": "|", "instance": "redis"},
                      "COUNTERS_DB": {"id": 2, "separator": ":", "instance": "remote"}},
        "VERSION": "1.0"})",
                                           "database_config.json");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->at("CONFIG_DB"), (DatabaseEntry{"/run/redis.sock", "127.0.0.1", 6379, 4}));
    EXPECT_EQ(read->at("COUNTERS_DB"), (DatabaseEntry{"", "10.0.0.1", 6380, 2}));
}

std::string complaint_about(std::string_view text)
{
    const auto read = read_database_config(text, "db.json");
    return read ? "" : to_text(read.error().front());
}

TEST(SonicDatabases, WhatIsWrongIsSaidByName)
{
    EXPECT_EQ(complaint_about("nonsense"), "db.json: is no JSON object");
    EXPECT_EQ(complaint_about("{}"), "db.json: names no database (DATABASES, INSTANCES)");
    EXPECT_EQ(complaint_about(R"({"DATABASES": {"CONFIG_DB": {"id": 4, "instance": "redis"}}})"),
              "db.json: CONFIG_DB: its instance 'redis' has neither unix_socket_path nor hostname and port");
    EXPECT_EQ(complaint_about(R"({"DATABASES": {"CONFIG_DB": {"id": "four", "instance": "redis"}}})"),
              "db.json: CONFIG_DB: its id has to be 0..1023");
}

// As SONiC writes it where there are several; cards with databases of their own are no ASICs of the switch.
TEST(SonicDatabases, OfSeveralAsicsHaveNames)
{
    EXPECT_EQ(read_asic_names(R"({"INCLUDES": [{"include": "../../redis/sonic-db/database_config.json"},
                                  {"namespace": "asic0", "include": "../../redis0/sonic-db/database_config.json"},
                                  {"container_name": "dpu0", "include": "../../redisdpu0/sonic-db/database_config.json"},
                                  {"namespace": "asic1", "include": "../../redis1/sonic-db/database_config.json"}]})"),
              (std::vector<std::string>{"asic0", "asic1"}));
    for (const auto* other :
         {"", "nonsense", "[]", "{}", R"({"INCLUDES": 7})", R"({"INCLUDES": [7, {"namespace": 7}]})",
          R"({"INCLUDES": [{"namespace": "", "include": "x"}]})"}) {
        EXPECT_EQ(read_asic_names(other), std::vector<std::string>{}) << other;
    }
}

}  // namespace
}  // namespace petrel::codec
