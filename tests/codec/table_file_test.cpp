// Tables in a file: read back as written; anything else is refused with a reason.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "codec/json_shape.hpp"
#include "codec/sonic/table_file.hpp"

namespace petrel::codec {
namespace {

TEST(TableFile, HasTheFormatOfSonic)
{
    EXPECT_EQ(table_file_text({{"PFC_WD|Ethernet0", {{"action", "drop"}}}, {"PFC_WD|GLOBAL", {}}}),
              R"({
    "PETREL_FORMAT": {
        "tables": {
            "version": "1"
        }
    },
    "PFC_WD": {
        "Ethernet0": {
            "action": "drop"
        },
        "GLOBAL": {}
    }
}
)");
}

TEST(TableFile, WithoutAVersionIsOfTheFirst)
{
    const auto read = read_table_file(R"({"PFC_WD": {"Ethernet0": {"action": "drop"}}})", "x");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->size(), 1U);
}

TEST(TableFile, OfAnotherVersionIsRefused)
{
    for (const auto* fields : {R"({"version": "2"})", "{}"}) {
        const auto read = read_table_file(fmt::format(R"({{"PETREL_FORMAT": {{"tables": {}}}}})", fields), "x");
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().kind, ErrorKind::unsupported);
        EXPECT_THAT(read.error().what, testing::HasSubstr("this program reads version 1"));
    }
}

RC_GTEST_PROP(TableFile, IsReadAsItWasWritten, ())
{
    const auto word = rc::gen::nonEmpty(rc::gen::string<std::string>());
    control::TableContent content;
    for (const auto& entry : *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
             "PFC_WD|Ethernet0", "PFC_WD|GLOBAL", "PORT|Ethernet0", "QUEUE|Ethernet0|3", "a b|\""))) {
        content[entry]["field"] = *rc::gen::element<std::string>("", "100", "\"\\\n", "\xc3\xa9");
    }
    RC_ASSERT(read_table_file(table_file_text(content), "x").value() == content);
}

TEST(TableFile, AnythingElseIsRefused)
{
    const std::pair<std::string, std::string> files[]{
        {"", "x:1:1: allowed JSON (syntax error while parsing value - unexpected end of input; expected '[', '{', or a "
             "literal)"},
        {"[]", "x: allowed a JSON object of tables"},
        {R"({"PFC_WD": {"Ethernet0": {"action": "dr)",
         "x:1:40: allowed JSON (syntax error while parsing value - invalid string: missing closing quote; last read: "
         "'\"dr')"},
        {R"({"PFC_WD": "on"})", "x:1:12: value 'PFC_WD': allowed an object of entries"},
        {R"({"PFC_WD": {"Ethernet0": "on"}})",
         "x:1:26: value 'PFC_WD|Ethernet0': allowed an entry with a name and an object of fields"},
        {R"({"PFC_WD": {"": {}}})", "x:1:17: value 'PFC_WD|': allowed an entry with a name and an object of fields"},
        {R"({"PFC_WD": {"Ethernet0": {"detection_time": 100}}})",
         "x:1:45: value 'PFC_WD|Ethernet0: detection_time': allowed text"},
        {R"({"A": {"b": {"c": {"d": {}}}}})", "x: allowed JSON with at most 3 levels of objects and lists"},
    };
    for (const auto& [text, problem] : files) {
        const auto read = read_table_file(text, "x");
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().what, problem);
    }
}

TEST(TableFile, AllProblemsAreReportedWithTheirPlaces)
{
    const auto read = read_table_file(R"({
    "PFC_WD": {
        "Ethernet0": {"action": "drop", "detection_time": 100},
        "Ethernet4": 7
    },
    "PORT": []
})",
                                      "x");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::corrupt);
    EXPECT_EQ(read.error().what,
              "x:3:59: value 'PFC_WD|Ethernet0: detection_time': allowed text\n"
              "x:4:22: value 'PFC_WD|Ethernet4': allowed an entry with a name and an object of fields\n"
              "x:6:13: value 'PORT': allowed an object of entries");
    EXPECT_EQ(read.error().complaints.size(), 3U);
}

RC_GTEST_PROP(TableFile, ATruncatedFileIsRefused, ())
{
    const auto text = table_file_text({{"PFC_WD|Ethernet0", {{"action", "drop"}}}, {"PORT|Ethernet0", {{"a", "b"}}}});
    RC_ASSERT(!read_table_file(text.substr(0, *rc::gen::inRange<std::size_t>(0, text.size() - 1)), "x"));
}

TEST(JsonShape, ReportsDepthAndDuplicateKeys)
{
    EXPECT_EQ(json_shape("7").depth, 0U);
    EXPECT_EQ(json_shape("[]").depth, 1U);
    EXPECT_EQ(json_shape(R"({"a":[{},{"b":[1]}],"c":{}})").depth, 4U);
    EXPECT_EQ(json_shape(R"([[[[)").depth, 4U) << "the depth up to the first error";
    EXPECT_EQ(json_shape(R"({"a":1,"b":2,"a":3})").repeated, "a");
    EXPECT_EQ(json_shape(R"({"a":{"b":1},"b":2})").repeated, std::nullopt);
    EXPECT_EQ(json_shape(R"({"a":{"b":1,"b":2}})").repeated, std::nullopt);
}

}  // namespace
}  // namespace petrel::codec
