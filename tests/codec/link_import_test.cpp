// The output of other tools: reasons of both ends, what is ambiguous, what is unknown, and complaints with their place.
#include "codec/link_import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/complaint_text.hpp"
#include "link/both_ends.hpp"
#include "link/opa_text.hpp"
#include "link/reasons.hpp"

namespace petrel::codec {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// As opasaquery prints a port.
std::string port_info(std::string_view ldr, std::string_view nldr, std::string_view log = "LinkDownErrorLog: None\n")
{
    return fmt::format("PortLID:       0x00000007        PortNum:   0x0c (12)\n"
                       "Subnet:   0xfe80000000000000\n"
                       "LocalPort:     12                PortState:        Init\n"
                       "LinkDownReason: {}    NeighborLinkDownReason: {}\n{}",
                       ldr, nldr, log);
}

link::ImportedPort only_port(const Parsed<ImportedPorts>& read)
{
    EXPECT_TRUE(read);
    EXPECT_THAT(*read, SizeIs(1));
    return read->front();
}

TEST(LinkImport, EveryTextOfOpasaqueryIsUnderstood)
{
    for (unsigned code = 0; code <= 0xff; ++code) {
        const auto reason = static_cast<std::uint8_t>(code);
        SCOPED_TRACE(code);
        const auto port = only_port(read_opa_port_info(port_info(link::opa_tool_text(reason), "None"), "f"));
        EXPECT_EQ(port.port, "LID 0x00000007 port 12");
        EXPECT_EQ(port.state, "Init");
        ASSERT_TRUE(port.local && port.neighbor);
        EXPECT_EQ(port.neighbor->canonical, 0);
        if (!link::reason(reason).known()) {
            EXPECT_EQ(port.local->raw, "????");
            EXPECT_FALSE(port.local->known());
        } else if (code == 40 || code == 57) {
            ASSERT_THAT(port.local->parts, SizeIs(2)) << "two codes have this text";
            EXPECT_EQ(port.local->parts[0].canonical, 40);
            EXPECT_EQ(port.local->parts[1].canonical, 57);
        } else {
            EXPECT_EQ(port.local->canonical, code);
        }
    }
}

TEST(LinkImport, TheLogIsReadByItsNumbers)
{
    const auto port = only_port(read_opa_port_info(
        port_info("Speed Policy", "None",
                  "LinkDownErrorLog: 57 (        Speed Policy) Time: November 17, 01:02:03 PM \n"
                  "NeighborLinkDownErrorLog:  0 (                None) Time: November 17, 01:02:03 PM\n"
                  "LinkDownErrorLog:  0 (                None) Time: November 18, 01:02:03 AM \n"
                  "NeighborLinkDownErrorLog: 62 (               ???? ) Time: November 18, 01:02:03 AM\n"),
        "f"));
    EXPECT_THAT(port.log, ElementsAre(link::ImportedEvent{57, 0, "November 17, 01:02:03 PM"},
                                      link::ImportedEvent{0, 62, "November 18, 01:02:03 AM"}));
}

TEST(LinkImport, ComplaintsHaveTheirPlace)
{
    const auto read = read_opa_port_info(port_info("None", "None", "LinkDownErrorLog: 256 (x) Time: now\n"), "f");
    ASSERT_FALSE(read);
    EXPECT_EQ(to_text(read.error(), "\n"), "f:5:19: value '256 (x) Time: now': allowed a code 0..255");
    EXPECT_EQ(to_text(read_opa_port_info("Hello\n", "f").error(), "\n"),
              "f:1:1: allowed the output of opasaquery -o portinfo, or of opaportinfo");
    EXPECT_EQ(to_text(read_ethtool_settings("", "f").error(), "\n"), "f:1:1: allowed the output of ethtool");
}

TEST(LinkImport, OpaportinfoNamesItsPort)
{
    const auto port =
        only_port(read_opa_port_info("Port 1 Info\n"
                                     "   LocalPort:     1                 PortState:        Down (Reboot)\n"
                                     "   LinkDownReason: None    NeighborLinkDownReason: Reboot\n",
                                     "f"));
    EXPECT_EQ(port.port, "port 1");
    EXPECT_EQ(port.state, "Down (Reboot)");
    EXPECT_EQ(port.neighbor->canonical, 35);
    const auto plain = read_opa_port_info("LocalPort:     1                 PortState:        Active\n"
                                          "LocalPort:     2                 PortState:        Active\n",
                                          "f");
    ASSERT_THAT(*plain, SizeIs(2)) << "a port without a heading begins with its state";
    EXPECT_EQ(plain->back().port, "port 2");
    EXPECT_FALSE(plain->back().local);
}

TEST(LinkImport, EthtoolGivesStateAndSubState)
{
    const auto code = [](std::string_view printed) {
        const auto port =
            only_port(read_ethtool_settings(fmt::format("Settings for eth0:\n\tLink detected: no{}\n", printed), "f"));
        return port.local ? port.local->raw : "";
    };
    EXPECT_EQ(code(" (Autoneg, No partner detected)"), "0.1");
    EXPECT_EQ(code(" (Autoneg, No HCD)"), "0.6");
    EXPECT_EQ(code(" (No cable)"), "4.0");
    EXPECT_EQ(code(" (Module, CMIS module is not in ModuleReady state)"), "10.1");
    EXPECT_EQ(code(" (12, 3)"), "12.3") << "a newer kernel";
    EXPECT_EQ(code(" (Autoneg, Nobody home)"), "Autoneg, Nobody home") << "a newer ethtool";
    EXPECT_EQ(code(" (Gremlins)"), "Gremlins");
    EXPECT_EQ(code(""), "");
    const auto port = only_port(read_ethtool_settings("Settings for eth0:\n\tLink detected: yes\n", "f"));
    EXPECT_EQ(port.state, "link");
    EXPECT_FALSE(port.local);
}

TEST(LinkImport, AnUnknownSubStateKeepsItsState)
{
    const auto read = read_ethtool_settings("Settings for a:\n\tLink detected: no (Autoneg, Nobody home)\n", "f");
    EXPECT_EQ(read->front().local->canonical, 0x0201) << "the sub-state is unknown, the state is not";
}

TEST(LinkImport, TheAccountNamesTheEndThatBegan)
{
    const auto account = [](std::string_view ldr, std::string_view nldr) {
        return link::account_of(only_port(read_opa_port_info(port_info(ldr, nldr), "f")));
    };
    EXPECT_THAT(std::string{account("FM Bounce", "None")}, testing::StartsWith("This end took the link down."));
    EXPECT_THAT(std::string{account("None", "FM Bounce")}, testing::StartsWith("The neighbour took the link down"));
    EXPECT_THAT(std::string{account("FM Bounce", "Reboot")}, testing::StartsWith("Both ends"));
    EXPECT_THAT(std::string{account("Neigh Unknown", "None")}, testing::StartsWith("This end did not take"));
    EXPECT_THAT(std::string{account("None", "Neigh Unknown")}, testing::HasSubstr("does not follow the protocol"));
    EXPECT_THAT(std::string{account("None", "None")}, testing::StartsWith("No reason is recorded"));
    EXPECT_THAT(std::string{account("Speed Policy", "None")}, testing::StartsWith("A code is unknown or ambiguous"));
}

}  // namespace
}  // namespace petrel::codec
