// The databases that an agent keeps itself: changes are visible, and a change that cannot be stored has no effect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sonic/table_store.hpp"
#include "support/memory_store.hpp"

namespace petrel::sonic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPort = "PFC_WD|Ethernet0";
const Change kStart{Change::Kind::set, kPort, {{"detection_time", "100"}}};

struct Kept {
    TableContent content;
    int times{};
    bool fails{};

    TableStore::Keep how()
    {
        return [this](const TableContent& config) -> Result<void> {
            if (fails) {
                return tl::unexpected(Error{ErrorKind::exhausted, "the disk is full"});
            }
            ++times;
            content = config;
            return {};
        };
    }
};

Hash read(TableStore& store, Db db, const std::string& key) { return store.hashes(db, {&key, 1}).value().front(); }

TEST(TableStore, AConfigurationIsKeptBeforeItIsInForce)
{
    Kept kept;
    TableStore store{{}, kept.how()};
    const auto before = store.version();
    ASSERT_TRUE(store.apply(Db::config, {&kStart, 1}));
    EXPECT_EQ(kept.content.at(kPort), kStart.fields);
    EXPECT_EQ(read(store, Db::config, kPort), kStart.fields);
    EXPECT_NE(store.version(), before);
}

TEST(TableStore, AFailedSaveChangesNothing)
{
    Kept kept;
    TableStore store{{{kPort, {{"detection_time", "200"}}}}, kept.how()};
    kept.fails = true;
    const auto before = store.version();
    EXPECT_EQ(store.apply(Db::config, {&kStart, 1}).error().what, "the disk is full");
    EXPECT_EQ(read(store, Db::config, kPort), (Hash{{"detection_time", "200"}}));
    EXPECT_EQ(store.version(), before);
}

TEST(TableStore, OnlyAConfigurationIsKeptAndOnlyIfItIsAnother)
{
    Kept kept;
    TableStore store{{{kPort, kStart.fields}}, kept.how()};
    const auto before = store.version();
    ASSERT_TRUE(store.apply(Db::config, {&kStart, 1}));
    ASSERT_TRUE(store.apply(Db::counters, {&kStart, 1}));
    EXPECT_EQ(kept.times, 0);
    EXPECT_EQ(store.version(), before);
}

TEST(TableStore, OneKeyThatAFileCannotHoldRefusesAll)
{
    Kept kept;
    TableStore store{{}, kept.how()};
    const std::array changes{kStart, Change{Change::Kind::set, "PFC_WD", {{"a", "b"}}}};
    EXPECT_THAT(store.apply(Db::config, changes).error().what, HasSubstr("'PFC_WD': allowed TABLE|ENTRY"));
    EXPECT_THAT(read(store, Db::config, kPort), IsEmpty());
}

TEST(TableStore, AConfigurationThatIsTooLargeIsRefused)
{
    Kept kept;
    TableStore store{{}, kept.how()};
    const Change much{Change::Kind::set, kPort, {{"a", std::string(5'000'000, 'x')}}};
    EXPECT_EQ(store.apply(Db::config, {&much, 1}).error().kind, ErrorKind::exhausted);
}

TEST(TableStore, IsFilledFromTheBeginning)
{
    Kept kept;
    TableStore store{{}, kept.how()};
    EXPECT_TRUE(store.is_set(Db::config, "CONFIG_DB_INITIALIZED").value());
    EXPECT_FALSE(store.is_set(Db::config, "ANOTHER").value());
}

// Makes random changes to a TableStore and to the MemoryStore of other tests, and compares both.
RC_GTEST_PROP(TableStore, ChangesAsOtherStoresDo, ())
{
    Kept kept;
    TableStore store{{}, kept.how()};
    test::MemoryStore other;
    const auto key = rc::gen::element<std::string>("PFC_WD|Ethernet0", "PFC_WD|GLOBAL", "PORT|Ethernet0");
    const auto field = rc::gen::element<std::string>("a", "b");
    for (int i = *rc::gen::inRange(0, 20); i != 0; --i) {
        std::vector<Change> changes;
        for (int n = *rc::gen::inRange(1, 4); n != 0; --n) {
            Change change{*rc::gen::element(Change::Kind::set, Change::Kind::remove, Change::Kind::replace), *key, {}};
            for (const auto& name : *rc::gen::container<std::vector<std::string>>(field)) {
                change.fields[name] = *rc::gen::element<std::string>("1", "2");
            }
            changes.push_back(change);
        }
        const auto db = *rc::gen::element(Db::config, Db::counters);
        RC_ASSERT(store.apply(db, changes).has_value() == other.apply(db, changes).has_value());
        for (const auto at : {Db::config, Db::counters}) {
            const auto keys = store.keys(at, "P").value();
            RC_ASSERT(keys == other.keys(at, "P").value());
            RC_ASSERT(store.hashes(at, keys).value() == other.hashes(at, keys).value());
            RC_ASSERT(store.keys(at, "PFC_WD|").value() == other.keys(at, "PFC_WD|").value());
        }
        RC_ASSERT(kept.content.size() == store.keys(Db::config, "").value().size());
    }
}

}  // namespace
}  // namespace petrel::sonic
