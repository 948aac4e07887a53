// An index of one kind does not compile where another kind is expected.
#include "base/indexed.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/ids.hpp"

namespace petrel {
namespace {

using Apple = Id<struct AppleTag>;
using Pear = Id<struct PearTag>;

template <class Items, class Index>
concept TakesIndex = requires(Items items, Index index) { items[index]; };

static_assert(TakesIndex<IndexedVector<Apple, int>, Apple>);
static_assert(!TakesIndex<IndexedVector<Apple, int>, Pear>);
static_assert(!TakesIndex<IndexedVector<Apple, int>, std::uint32_t>);
static_assert(TakesIndex<IndexedSpan<Apple, int>, Apple>);
static_assert(!TakesIndex<IndexedSpan<Apple, int>, Pear>);
static_assert(sizeof(IndexedSpan<Apple, int>) == sizeof(std::span<int>));

TEST(Indexed, AnIndexFindsItsElement)
{
    IndexedVector<Apple, int> apples{3};
    apples[Apple{2}] = 7;
    EXPECT_EQ(apples[Apple{2}], 7);
    EXPECT_EQ(apples[Apple{1}], 0);
    EXPECT_EQ(apples.size(), 3U);

    std::vector<int> numbers{4, 5, 6};
    const IndexedSpan<Apple, int> span{numbers};
    span[Apple{0}] = 8;
    EXPECT_EQ(numbers[0], 8);
    EXPECT_EQ(span[2], 6);
}

}  // namespace
}  // namespace petrel
