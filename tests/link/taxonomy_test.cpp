// Compares the taxonomy with its table (taxonomy.csv), row by row and in both directions, and checks the rules of the
// vocabularies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <set>
#include <sstream>

#include "link/decode.hpp"
#include "link/port_error_action.hpp"
#include "support/golden.hpp"

namespace petrel::link {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct TaxonomyRow {
    std::string ns, code, name, canonical, canonical_name, cause_class, intent, effect, wire;
};

std::vector<TaxonomyRow> table()
{
    std::vector<TaxonomyRow> rows;
    std::istringstream lines{test::content(std::filesystem::path{PETREL_TEST_DATA} / "link" / "taxonomy.csv")};
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        TaxonomyRow row;
        std::istringstream cells{line};
        for (auto* cell : {&row.ns, &row.code, &row.name, &row.canonical, &row.canonical_name, &row.cause_class,
                           &row.intent, &row.effect, &row.wire}) {
            std::getline(cells, *cell, ',');
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

TEST(Taxonomy, IsTotalOverItsTable)
{
    const auto rows = table();
    EXPECT_EQ(rows.size(), 521U);
    for (const auto& row : rows) {
        SCOPED_TRACE(row.ns + " " + row.code);
        const auto dot = row.ns.find('.');
        const auto decoded = decode(row.ns.substr(0, dot), row.ns.substr(dot + 1) + ":" + row.code);
        ASSERT_TRUE(decoded) << decoded.error().what;
        EXPECT_EQ(decoded->list, row.ns);
        EXPECT_EQ(decoded->raw, row.code);
        ASSERT_THAT(decoded->parts, SizeIs(1));
        EXPECT_EQ(decoded->parts[0].name, row.name);
        const auto known = cause(decoded->canonical);
        EXPECT_EQ(fmt::format("0x{:04X}", decoded->canonical), row.canonical);
        EXPECT_EQ(symbol_of(decoded->canonical), row.canonical_name);
        EXPECT_EQ(name(known.cause_class), row.cause_class);
        EXPECT_EQ(name(known.intent), row.intent);
        EXPECT_EQ(known.link_stays_up ? "up-error" : "down", row.effect);
        EXPECT_EQ(std::to_string(known.wire), row.wire);
    }
}

TEST(Taxonomy, HasNothingBesidesItsTable)
{
    std::map<std::string, std::size_t> rows;
    for (const auto& row : table()) {
        ++rows[row.ns];
    }
    for (const auto& list : vocabularies()) {
        const auto ns = fmt::format("{}.{}", list.vendor, list.list);
        if (ns == "opa.ldr") {
            EXPECT_EQ(rows.at(ns), 256U);
        } else if (ns != "sonic.oper_error_status") {  // SAI's list under another name
            EXPECT_EQ(rows.at(ns), list.codes.size()) << ns;
        }
        rows.erase(ns);
    }
    EXPECT_THAT(rows, IsEmpty());
}

TEST(Taxonomy, CausesAreFoundByNumber)
{
    for (const auto& row : table()) {
        const auto canonical = static_cast<Canonical>(std::stoul(row.canonical, nullptr, 16));
        EXPECT_EQ(cause(canonical).canonical, canonical);
    }
    EXPECT_EQ(cause(0x0100).canonical, kUnclassified);
    EXPECT_EQ(cause(0xfffe).canonical, kUnclassified);
    EXPECT_EQ(symbol_of(kStormMitigated), "PFC_STORM_MITIGATED");
    EXPECT_EQ(symbol_of(0x0402), "DEVICE_OVERTEMP");
}

TEST(Taxonomy, EveryCauseIsExplainedAndFoundByItsName)
{
    for (const auto& row : table()) {
        const auto canonical = static_cast<Canonical>(std::stoul(row.canonical, nullptr, 16));
        SCOPED_TRACE(row.canonical);
        EXPECT_FALSE(cause(canonical).meaning.empty());
        EXPECT_FALSE(cause(canonical).advice.empty());
        EXPECT_THAT(causes_named(row.canonical), ElementsAre(canonical));
        if (!cause(canonical).symbol.empty()) {
            EXPECT_THAT(causes_named(row.canonical_name), ElementsAre(canonical));
        }
    }
}

TEST(Taxonomy, ANameMayBeWrittenInSeveralWays)
{
    for (const auto* name : {"36", "0x24", "NEIGHBOR_UNKNOWN", "Neighbor Unknown", "neighbor-unknown", "Neigh Unknown",
                             "OPA_LINKDOWN_REASON_NEIGHBOR_UNKNOWN"}) {
        EXPECT_THAT(causes_named(name), ElementsAre(kNeighborUnknown)) << name;
    }
    EXPECT_THAT(causes_named("phy high ber"), ElementsAre(0x0108));
    EXPECT_THAT(causes_named("Speed Policy"), ElementsAre(40, 57)) << "tools print it for both";
    EXPECT_THAT(causes_named("SPEED_POLICY"), ElementsAre(40)) << "an exact name wins";
    EXPECT_THAT(causes_named("Width Policy"), ElementsAre(41));
    EXPECT_THAT(causes_named("Width_Policy"), ElementsAre(58));
    for (const auto* unknown : {"", "256", "0x0100", "-1", "36x", "????", "bounce"}) {
        EXPECT_THAT(causes_named(unknown), IsEmpty()) << unknown;
    }
}

TEST(Decode, KeepsUnknownCodes)
{
    for (const auto& [vendor, value] :
         std::initializer_list<std::pair<const char*, const char*>>{{"opa", "256"},
                                                                    {"ethtool", "99.1"},
                                                                    {"ethtool", "99"},
                                                                    {"hpe", "cass_origin:17"},
                                                                    {"nvidia", "41"},
                                                                    {"sonic", "Gremlins"},
                                                                    {"sai", "WHAT"},
                                                                    {"opa", ""},
                                                                    {"hpe", "cass_origin:18446744073709551616"}}) {
        const auto decoded = decode(vendor, value);
        ASSERT_TRUE(decoded);
        EXPECT_EQ(decoded->canonical, kUnclassified) << vendor << value;
        EXPECT_THAT(decoded->parts, IsEmpty());
        const std::string_view given = value;
        EXPECT_EQ(decoded->raw, given.substr(given.find(':') + 1));
    }
}

TEST(Decode, NumbersAreReadInAllTheirForms)
{
    EXPECT_EQ(decode("nvidia", "0xc")->canonical, 0x0703);
    EXPECT_EQ(decode("nvidia", "12")->canonical, 0x0703);
    EXPECT_EQ(decode("nvidia", "ts1:10")->canonical, 0x0903);
    EXPECT_EQ(decode("ethtool", "7")->canonical, 0x010e) << "a state without a sub-state";
    EXPECT_EQ(decode("sai", "1<<5")->canonical, 0x0108);
    EXPECT_EQ(decode("sonic", "32")->canonical, 0x0108) << "SONiC's number is SAI's map of bits";
    EXPECT_EQ(decode("sonic", "Remote-fault")->canonical, 0x0102);
    EXPECT_EQ(decode("sai", "PFC_DEADLOCK")->canonical, 0x0803);
    EXPECT_EQ(decode("hpe", "CASS_DOWN_ORIGIN_CMD")->canonical, 60) << "a name implies its list";
    EXPECT_EQ(decode("hpe", "ERROR_STATE_ETHERNET_FLOW_CONTROL_TOO_LONG")->canonical, kPauseTooLongFromPeer);
}

TEST(Decode, AMapGivesTheLowestLayerFirst)
{
    // No media, autonegotiation without a match, no signal; may be retried; and an unknown bit.
    const auto decoded =
        decode("hpe", fmt::format("{}", 1ULL << 23 | 1ULL << 6 | 1ULL << 35 | 1ULL << 61 | 1ULL << 40));
    ASSERT_THAT(decoded->parts, SizeIs(3));
    EXPECT_EQ(decoded->parts[0].code, "1<<23");
    EXPECT_EQ(decoded->parts[1].code, "1<<35");
    EXPECT_EQ(decoded->parts[2].code, "1<<6");
    EXPECT_EQ(decoded->canonical, 50);
    EXPECT_EQ(decoded->unknown_bits, 1ULL << 40);
    EXPECT_THAT(decoded->remarks, ElementsAre("may be retried"));
    const auto faults = decode("sai", "0x3");
    EXPECT_EQ(faults->canonical, 0x0101) << "in one layer the lowest bit";
    EXPECT_EQ(decode("sai", "0xc000")->unknown_bits, 0xc000U);
    EXPECT_EQ(decode("sai", "0")->canonical, kUnclassified);
}

TEST(Decode, RefusesUnknownVendorsAndLists)
{
    EXPECT_EQ(decode("acme", "1").error().what, "vendor 'acme': allowed one of opa, ethtool, sai, hpe, nvidia, sonic");
    EXPECT_EQ(decode("opa", "x:1").error().what, "list 'x' of opa: allowed one of ldr, lni, offdis");
}

TEST(Reasons, AllHaveTheirPlace)
{
    const std::set<int> local_only{36, 49, 50, 51, 54};
    std::set<std::string_view> texts;
    int known = 0;
    for (int code = 0; code <= 255; ++code) {
        const auto& one = reason(static_cast<std::uint8_t>(code));
        SCOPED_TRACE(code);
        EXPECT_EQ(one.code, code);
        EXPECT_EQ(one.local_only, local_only.contains(code));
        EXPECT_EQ(one.cause_class == CauseClass::port_error_action, code >= 1 && code <= 32);
        EXPECT_FALSE(one.text.empty() || one.meaning.empty() || one.set_by.empty() || one.advice.empty());
        if (one.known()) {
            ++known;
            EXPECT_TRUE(texts.insert(one.text).second) << "two codes with one text";
        }
        if (code >= 1 && code <= 32) {
            const auto bit = static_cast<std::uint8_t>(code - 1);
            EXPECT_EQ(refused_bits(PortErrorMask{1} << bit) != 0, one.symbol.starts_with("RCV_ERROR_"));
            EXPECT_EQ(code_of_error(bit), code);
        }
    }
    EXPECT_EQ(known, 50);
    EXPECT_EQ(code_text(39), "39 FM Bounce");
    EXPECT_EQ(code_text(62), "62 Unknown code");
}

}  // namespace
}  // namespace petrel::link
