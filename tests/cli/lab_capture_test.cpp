// The capture of a link in the lab, read by tshark: it contains every pause frame that the far end sent.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/petrel_program.hpp"
#include "support/tshark.hpp"

namespace petrel::cli::test {
namespace {

std::filesystem::path fresh_folder(const std::string& name)
{
    const auto folder = std::filesystem::path{testing::TempDir()} / ("petrel-captures-" + name);
    std::filesystem::remove_all(folder);
    return folder;
}

std::string lines_of(const std::filesystem::path& capture, const std::string& filter)
{
    petrel::test::Invocation call{.program = petrel::test::tshark(), .arguments = {"-n", "-r", capture, "-Y", filter}};
    const auto seen = run(call);
    EXPECT_EQ(seen.exit_code, 0) << seen.err;
    return seen.out;
}

std::ptrdiff_t count_of(const std::string& lines) { return std::count(lines.begin(), lines.end(), '\n'); }

TEST(LabCapture, TsharkDecodesEveryPause)
{
    if (petrel::test::tshark().empty()) {
        GTEST_SKIP() << "no tshark in PATH (Debian package tshark)";
    }
    const auto folder = fresh_folder("pauses");
    const auto ended = run(petrel({"lab", "run", "../scenarios/nic-storm-leaf-spine.toml", "--until", "301ms",
                                   "--capture", "leaf0:Ethernet0", "--pcap", folder, "--json"}));
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    // The storm begins at 100 ms and pauses every 10 ms: 21 frames by 301 ms, all for priority 3.
    const auto at_leaf = folder / "leaf0-Ethernet0.pcap";
    EXPECT_EQ(count_of(lines_of(at_leaf, "macc.opcode == 0x0101")), 21);
    EXPECT_EQ(count_of(lines_of(at_leaf, "macc.opcode == 0x0101 && macc.cbfc.pause_time.c3 == 65535")), 21);
    EXPECT_EQ(lines_of(at_leaf, "_ws.malformed"), "");
    EXPECT_EQ(lines_of(folder / "h0-eth0.pcap", "_ws.malformed"), "");
    EXPECT_GT(count_of(lines_of(folder / "h0-eth0.pcap", "udp.port == 4791")), 0);
}

TEST(LabCapture, NamesPortsThatCannotBeCaptured)
{
    const auto ended = run(petrel({"lab", "run", "../scenarios/incast.toml", "--capture", "s0:Ethernet99", "--capture",
                                   "nobody", "--pcap", fresh_folder("nothing")}));
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find("s0:Ethernet99"), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("nobody"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace petrel::cli::test
