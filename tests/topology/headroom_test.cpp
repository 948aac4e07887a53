// The headroom calculation, compared with calculations by hand and with buffer tables that vendors published for SONiC.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "support/golden.hpp"
#include "topology/cable.hpp"
#include "topology/headroom.hpp"

namespace petrel {
namespace {

using namespace topology;

constexpr BitRate k40Gbps{40'000'000'000};
constexpr BitRate k100Gbps{100'000'000'000};

TEST(Cable, ADelayIsLengthOverSpeed)
{
    EXPECT_EQ(delay_of_cable(198), std::chrono::microseconds{1});
    EXPECT_EQ(delay_of_cable(0), Delay{0});
    EXPECT_EQ(delay_of_cable(5), Delay{25'253});
}

TEST(Headroom, IsTheSumOfItsParts)
{
    const HeadroomCase fabric{.cable_m = 300,
                              .speed = k100Gbps,
                              .lossless_mtu_bytes = 1024,
                              .port_mtu_bytes = 9100,
                              .cell_bytes = 96,
                              .small_share = 1,
                              .mac_phy_bytes = 819,
                              .gearbox = std::chrono::nanoseconds{100}};
    // 300 m twice at 198e6 m/s and 12.5 GB/s are 37,878.8 bytes; 394 quanta 25,216; two gearboxes 2,500; a received
    // byte may use 192/97 bytes of memory: 1,024 + 192/97 x 75,513.8 = 150,494.1, which is 146.97 KiB.
    EXPECT_EQ(xoff_bytes(fabric), 147U * 1024U);
}

TEST(Headroom, WithoutSmallPacketsAByteTakesAByte)
{
    EXPECT_DOUBLE_EQ(cell_occupancy(208, 0), 1);
    EXPECT_DOUBLE_EQ(cell_occupancy(208, 1), 3.25);
    EXPECT_DOUBLE_EQ(cell_occupancy(128, 1), 256.0 / 129);
    EXPECT_DOUBLE_EQ(cell_occupancy(208, 0.5), 2.125);
}

TEST(Headroom, ReportsInvalidNumbers)
{
    const HeadroomCase good{.cable_m = 5, .speed = k100Gbps, .cell_bytes = 96};
    ASSERT_TRUE(xoff_bytes(good));
    std::string text;
    const auto refused = [&](auto change) {
        auto bad = good;
        change(bad);
        const auto result = xoff_bytes(bad);
        ASSERT_FALSE(result);
        text += result.error().what + "\n";
    };
    refused([](auto& c) { c.cable_m = -1; });
    refused([](auto& c) { c.cable_m = std::nan(""); });
    refused([](auto& c) { c.speed = BitRate{56'000'000'000}; });
    refused([](auto& c) { c.cell_bytes = 0; });
    refused([](auto& c) { c.small_share = 1.5; });
    refused([](auto& c) { c.gearbox = Delay{-1}; });
    test::expect_golden(test::golden("topology/headroom_refused.txt"), text);
}

RC_GTEST_PROP(Headroom, GrowsWithTheCableAndOnlyByTheCable, ())
{
    HeadroomCase some{.cable_m = *rc::gen::inRange(0, 1'000) * 1.0,
                      .speed = *rc::gen::element(k40Gbps, k100Gbps),
                      .lossless_mtu_bytes = *rc::gen::inRange(64U, 10'000U),
                      .port_mtu_bytes = *rc::gen::inRange(64U, 10'000U),
                      .cell_bytes = *rc::gen::inRange(32U, 512U),
                      .small_share = *rc::gen::inRange(0, 101) / 100.0,
                      .mac_phy_bytes = *rc::gen::inRange(0U, 10'000U),
                      .gearbox = std::chrono::nanoseconds{*rc::gen::inRange(0, 1'000)}};
    const double metres = *rc::gen::inRange(0, 1'000);
    auto longer = some;
    longer.cable_m += metres;
    const auto more = static_cast<double>(xoff_bytes(longer).value() - xoff_bytes(some).value());
    const auto expected = cell_occupancy(some.cell_bytes, some.small_share) * bytes_on_cable(metres, some.speed);
    RC_ASSERT(std::abs(more - expected) < 1024.001);
}

// The published figures for 5, 40 and 300 m contain terms that are not published. They cancel in the differences, which
// depend on the cable alone. A figure is rounded up to the chip's unit, so a difference is wrong by less than one unit.
struct Published {
    const char* what;
    BitRate speed;
    std::array<double, 3> xoff;
};

void expect_cable_terms(const Published& row, double occupancy, double unit)
{
    constexpr std::array<double, 3> kMetres{5, 40, 300};
    for (std::size_t i = 1; i < kMetres.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_NEAR(row.xoff[i] - row.xoff[j], occupancy * bytes_on_cable(kMetres[i] - kMetres[j], row.speed), unit)
                << row.what << ": " << kMetres[j] << " to " << kMetres[i] << " m";
        }
    }
}

TEST(Headroom, ExplainsTheCableTermsOfSpectrum)
{
    // Cells of 96 bytes, the worst case for all frames, in whole KiB.
    expect_cable_terms({"Spectrum, 100G", k100Gbps, {30'720, 38'912, 104'448}}, cell_occupancy(96, 1), 1024);
}

TEST(Headroom, ExplainsTheCableTermsOfTomahawk2)
{
    // Cells of 208 bytes, in whole cells. The share of small packets is not published. One value, 11.6 %, must fit both
    // speeds and all lengths; only 11.4 to 11.8 % does.
    const auto occupancy = cell_occupancy(208, 0.116);
    expect_cable_terms({"Tomahawk 2, 100G", k100Gbps, {54'080, 59'696, 101'088}}, occupancy, 208);
    expect_cable_terms({"Tomahawk 2, 40G", k40Gbps, {29'536, 31'616, 48'256}}, occupancy, 208);
}

}  // namespace
}  // namespace petrel
