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
    const auto read = read_table_file(R"({"PFC_WD": {"Ethernet0": {"action": "drop"}}})");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->size(), 1U);
}

TEST(TableFile, OfAnotherVersionIsRefused)
{
    for (const auto* fields : {R"({"version": "2"})", "{}"}) {
        const auto read = read_table_file(fmt::format(R"({{"PETREL_FORMAT": {{"tables": {}}}}})", fields));
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
    RC_ASSERT(read_table_file(table_file_text(content)).value() == content);
}

TEST(TableFile, AnythingElseIsRefused)
{
    const std::pair<std::string, std::string> files[]{
        {"", "the file: allowed one complete JSON object of tables"},
        {"[]", "the file: allowed one complete JSON object of tables"},
        {R"({"PFC_WD": {"Ethernet0": {"action": "dr)", "the file: allowed one complete JSON object of tables"},
        {R"({"PFC_WD": "on"})", "PFC_WD: allowed an object of entries"},
        {R"({"PFC_WD": {"Ethernet0": "on"}})",
         "PFC_WD|Ethernet0: allowed an entry with a name and an object of fields"},
        {R"({"PFC_WD": {"": {}}})", "PFC_WD|: allowed an entry with a name and an object of fields"},
        {R"({"PFC_WD": {"Ethernet0": {"detection_time": 100}}})", "PFC_WD|Ethernet0: detection_time: allowed text"},
        {R"({"A": {"b": {"c": {"d": {}}}}})", "the file: allowed one complete JSON object of tables"},
    };
    for (const auto& [text, problem] : files) {
        const auto read = read_table_file(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().what, problem);
    }
}

RC_GTEST_PROP(TableFile, ATruncatedFileIsRefused, ())
{
    const auto text = table_file_text({{"PFC_WD|Ethernet0", {{"action", "drop"}}}, {"PORT|Ethernet0", {{"a", "b"}}}});
    RC_ASSERT(!read_table_file(text.substr(0, *rc::gen::inRange<std::size_t>(0, text.size() - 1))));
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
