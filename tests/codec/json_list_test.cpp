#include "codec/sonic/json_list.hpp"

#include <gtest/gtest.h>

namespace petrel::codec {
namespace {

TEST(JsonList, EscapesSpecialCharacters)
{
    EXPECT_EQ(json_list({}), "[]");
    const std::vector<std::string> texts{"oid:0x15", "storm", "a \"b\"\\", "\x01\xff"};
    EXPECT_EQ(json_list(texts), "[\"oid:0x15\",\"storm\",\"a \\\"b\\\"\\\\\",\"\\u0001\xef\xbf\xbd\"]");
}

}  // namespace
}  // namespace petrel::codec
