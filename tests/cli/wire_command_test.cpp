// `petrel wire` on real links: pause frames between two network namespaces, which tshark reads too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "petrel_program.hpp"
#include "support/tshark.hpp"

namespace petrel::cli::test {
namespace {

using testing::HasSubstr;

class WireLink : public testing::Test {
protected:
    void SetUp() override
    {
        if (::geteuid() != 0) {
            GTEST_SKIP() << "network namespaces need root";
        }
        if (petrel::test::tshark().empty()) {
            GTEST_SKIP() << "no tshark in PATH (Debian package tshark)";
        }
        const auto probe = petrel::test::run({.program = "/usr/bin/unshare", .arguments = {"--net", "/bin/true"}});
        if (probe.exit_code != 0) {
            GTEST_SKIP() << "no network namespaces here: " << probe.err;
        }
    }

    // Sends with these arguments and returns the counter's and tshark's results.
    static std::string sent(const std::string& frames, std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), {PETREL_TEST_DATA "/cli/veth_link.sh", PETREL_BIN_DIR "/petrel", frames});
        const auto ended = petrel::test::run({.program = "/bin/bash", .arguments = std::move(arguments)});
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
    }
};

TEST_F(WireLink, CarriesPausesOfPriorities)
{
    EXPECT_EQ(sent("200", {"--priority", "3", "--priority", "4", "--count", "200", "--interval-us", "0"}),
              "veth0: 200 pause frames sent\n"
              "veth0: 200 pause frames received\n"
              "  priority 3: 200 XOFF, 0 XON\n"
              "  priority 4: 200 XOFF, 0 XON\n"
              "200 02:00:00:00:00:07,0x0101,0x0018,65535,,60\n");
}

TEST_F(WireLink, CarriesTheEndOfAPause)
{
    EXPECT_EQ(sent("1", {"--priority", "3", "--quanta", "0"}), "veth0: 1 pause frames sent\n"
                                                               "veth0: 1 pause frames received\n"
                                                               "  priority 3: 0 XOFF, 1 XON\n"
                                                               "1 02:00:00:00:00:07,0x0101,0x0008,0,,60\n");
}

TEST_F(WireLink, CarriesPausesOfThePort)
{
    EXPECT_EQ(sent("3", {"--port", "--quanta", "1000", "--count", "3"}), "veth0: 3 pause frames sent\n"
                                                                         "veth0: 3 pause frames received\n"
                                                                         "  port (802.3x): 3 XOFF, 0 XON\n"
                                                                         "3 02:00:00:00:00:07,0x0001,,,1000,60\n");
}

// On the loopback interface of a new namespace, which is down at first.
petrel::test::Ended counted_on_loopback(const std::string& before)
{
    const auto* const count = PETREL_BIN_DIR "/petrel wire count lo --frames 1 --for-ms 1";
    return petrel::test::run({.program = "/usr/bin/unshare", .arguments = {"--net", "/bin/sh", "-c", before + count}});
}

TEST_F(WireLink, ACountThatStaysShortEndsWith5)
{
    const auto ended = counted_on_loopback("ip link set lo up && ");
    EXPECT_EQ(ended.exit_code, 5) << ended.err;
    EXPECT_EQ(ended.out, "lo: 0 pause frames received\n");
}

TEST_F(WireLink, AnInterfaceThatIsDownIsNotQuiet)
{
    const auto ended = counted_on_loopback("");
    EXPECT_EQ(ended.exit_code, 3) << ended.out;
    EXPECT_THAT(ended.err, HasSubstr("interface 'lo': cannot receive frames: Network is down"));
}

petrel::test::Ended wire(std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "wire");
    return petrel::test::run(petrel(std::move(arguments)));
}

TEST_F(WireLink, NamesAnInterfaceThatDoesNotExist)
{
    const auto ended = wire({"count", "no-such-port"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err, "petrel: interface 'no-such-port': there is none of this name in this network namespace\n");
}

TEST_F(WireLink, NeedsAPrivilege)
{
    const auto ended = petrel::test::run(
        {.program = "/usr/bin/setpriv",
         .arguments = {"--bounding-set=-all", "--inh-caps=-all", PETREL_BIN_DIR "/petrel", "wire", "count", "lo"}});
    EXPECT_EQ(ended.exit_code, 4) << ended.out;
    EXPECT_THAT(ended.err, HasSubstr("it needs CAP_NET_RAW"));
}

TEST(WireSend, WantsPrioritiesOrThePort)
{
    EXPECT_EQ(wire({"send", "lo"}).exit_code, 2);
    const auto both = wire({"send", "lo", "--port", "--priority", "3"});
    EXPECT_EQ(both.exit_code, 2);
    EXPECT_THAT(both.err, HasSubstr("--priority 0..7, or --port"));
    EXPECT_EQ(wire({"send", "lo", "--priority", "8"}).exit_code, 2);
}

}  // namespace
}  // namespace petrel::cli::test
