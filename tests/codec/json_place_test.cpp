// The places of values in a JSON text.
#include "codec/json_place.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/complaint_text.hpp"

namespace petrel::codec {
namespace {

std::string place_of(std::string_view text, const JsonPath& path)
{
    const auto place = json_place(text, path);
    return std::to_string(place.line) + ':' + std::to_string(place.column);
}

constexpr std::string_view kText = R"( {
  "a": {"}": [1, {"x": "\"]\\"}, -2.5e3 ], "b" : true},
  "ä": "ö", "c": [ ]
})";

TEST(JsonPlace, IsFoundByKeysAndIndexes)
{
    EXPECT_EQ(place_of(kText, {}), "1:2");
    EXPECT_EQ(place_of(kText, {"a"}), "2:8");
    EXPECT_EQ(place_of(kText, {"a", "}", "0"}), "2:15");
    EXPECT_EQ(place_of(kText, {"a", "}", "1", "x"}), "2:24");
    EXPECT_EQ(place_of(kText, {"a", "}", "2"}), "2:34");
    EXPECT_EQ(place_of(kText, {"a", "b"}), "2:50");
    EXPECT_EQ(place_of(kText, {"c"}), "3:18") << "columns are characters, not bytes";
}

TEST(JsonPlace, IsNotSearchedForAComplaintThatIsNotKept)
{
    ComplaintList list{"file"};
    for (std::size_t i = 0; i != ComplaintList::kMost; ++i) {
        EXPECT_EQ(json_place(kText, {"c"}, list), (Place{3, 18}));
        list.add({}, "value", "another");
    }
    EXPECT_EQ(json_place(kText, {"c"}, list), Place{});
}

TEST(JsonPlace, OfWhatIsMissingIsThatOfItsContainer)
{
    EXPECT_EQ(place_of(kText, {"a", "nothing", "x"}), "2:8");
    EXPECT_EQ(place_of(kText, {"a", "}", "9"}), "2:14");
    EXPECT_EQ(place_of(kText, {"c", "0"}), "3:18");
    EXPECT_EQ(place_of("7", {"a"}), "1:1");
}

// Searching ends and stays inside the text, also where the text is not JSON.
RC_GTEST_PROP(JsonPlace, AnyTextHasAPlace, ())
{
    const auto text =
        *rc::gen::container<std::string>(rc::gen::element('{', '}', '[', ']', '"', ',', ':', 'a', '\\', ' '));
    const auto place = json_place(text, {"a", "0"});
    RC_ASSERT(place.line == 1 && place.column <= text.size() + 1);
}

TEST(JsonPlace, AnErrorOfTheSyntaxHasAPlaceAndAReason)
{
    ComplaintList complaints{"x"};
    EXPECT_TRUE(parse_json("{\"a\": 1,\n \"b\" 2}", 3, complaints).is_discarded());
    EXPECT_TRUE(parse_json("[[[[]]]]", 3, complaints).is_discarded());
    EXPECT_TRUE(parse_json("1e999", 3, complaints).is_discarded());
    EXPECT_EQ(
        to_text(std::move(complaints).take(), "\n"),
        "x: allowed JSON with at most 3 levels of objects and lists\n"
        "x: allowed JSON ([json.exception.out_of_range.406] number overflow parsing '1e999')\n"
        "x:2:6: allowed JSON (syntax error while parsing object separator - unexpected number literal; expected ':')");
}

}  // namespace
}  // namespace petrel::codec
