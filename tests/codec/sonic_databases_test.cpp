#include "codec/sonic/databases.hpp"

#include <gtest/gtest.h>

#include "base/complaint_text.hpp"

namespace petrel::codec {
namespace {

TEST(SonicDatabases, AreFoundByInstance)
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

TEST(SonicDatabases, ErrorsNameTheKey)
{
    EXPECT_EQ(complaint_about("[]"), "db.json: is no JSON object");
    EXPECT_EQ(
        complaint_about("{\n  \"DATABASES\": {},\n}"),
        "db.json:3:1: allowed JSON (syntax error while parsing object key - unexpected '}'; expected string literal)");
    EXPECT_EQ(complaint_about("{}"), "db.json: names no database (DATABASES, INSTANCES)");
    EXPECT_EQ(complaint_about(R"({"DATABASES": {"CONFIG_DB": {"id": 4, "instance": "redis"}}})"),
              "db.json:1:51: CONFIG_DB: its instance 'redis' has neither unix_socket_path nor hostname and port");
    EXPECT_EQ(complaint_about(R"({"DATABASES": {"CONFIG_DB": {"id": "four", "instance": "redis"}}})"),
              "db.json:1:36: CONFIG_DB: its id has to be 0..1023");
}

TEST(SonicDatabases, AllProblemsAreReportedWithTheirPlaces)
{
    const auto read = read_database_config(R"({
  "INSTANCES": {"redis": {"unix_socket_path": "/run/redis.sock"}, "remote": {"hostname": "10.0.0.1"}},
  "DATABASES": {
    "APPL_DB": {"id": 0, "instance": "remote"},
    "ASIC_DB": {"id": 5000, "instance": "remote"},
    "CONFIG_DB": 4,
    "STATE_DB": {"id": 6, "instance": "redis"}
  }
})",
                                           "db.json");
    ASSERT_FALSE(read);
    EXPECT_EQ(to_text(read.error(), "\n"),
              "db.json:4:38: APPL_DB: its instance 'remote' has neither unix_socket_path nor hostname and port\n"
              "db.json:5:23: ASIC_DB: its id has to be 0..1023\n"
              "db.json:6:18: value 'CONFIG_DB': allowed an object with id and instance")
        << "an instance is one problem, however many databases it has";
}

std::vector<AsicEntry> asics_in(std::string_view text)
{
    return read_asics(text, "global.json").value_or(std::vector<AsicEntry>{{"refused", ""}});
}

// SONiC's file of a switch with several ASICs; cards with databases of their own are not ASICs of the switch.
TEST(SonicDatabases, SeveralAsicsHaveNamesAndFiles)
{
    EXPECT_EQ(asics_in(R"({"INCLUDES": [{"include": "../../redis/sonic-db/database_config.json"},
                                  {"namespace": "asic0", "include": "../../redis0/sonic-db/database_config.json"},
                                  {"container_name": "dpu0", "include": "../../redisdpu0/sonic-db/database_config.json"},
                                  {"namespace": "asic1", "include": "../../redis1/sonic-db/database_config.json"}]})"),
              (std::vector<AsicEntry>{{"asic0", "../../redis0/sonic-db/database_config.json"},
                                      {"asic1", "../../redis1/sonic-db/database_config.json"}}));
    for (const auto* one_asic : {"{}", R"({"INCLUDES": 7})", R"({"INCLUDES": [7, {"namespace": 7}]})",
                                 R"({"INCLUDES": [{"namespace": "", "include": "x"}]})"}) {
        EXPECT_EQ(asics_in(one_asic), std::vector<AsicEntry>{}) << one_asic;
    }
}

TEST(SonicDatabases, AnInvalidListOfAsicsIsRefusedWithTheReason)
{
    const auto complaint = [](std::string_view text) {
        const auto read = read_asics(text, "global.json");
        return read ? std::string{} : to_text(read.error().front());
    };
    EXPECT_EQ(complaint("[]"), "global.json: is no JSON object");
    EXPECT_EQ(complaint("nonsense"),
              "global.json:1:2: allowed JSON (syntax error while parsing value - invalid literal; last read: 'no')");
    EXPECT_EQ(complaint(R"({"INCLUDES": [{"namespace": "asic0"}]})"),
              "global.json:1:15: asic0: has no include, the path of its database_config.json");
    EXPECT_EQ(
        complaint(R"({"INCLUDES": [{"namespace": "asic0", "include": "x"}, {"namespace": "asic0", "include": "y"}]})"),
        "global.json:1:55: asic0: is given twice");
}

}  // namespace
}  // namespace petrel::codec
