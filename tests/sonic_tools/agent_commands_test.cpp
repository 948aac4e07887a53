// The commands of pfcwd that ask Petrel's agent.
#include <gmock/gmock.h>

#include "codec/control_json.hpp"
#include "sonic_tools/transcript.hpp"

namespace petrel::sonic_tools {
namespace {

using Ask = codec::ControlRequest::Command;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kStorm =
    R"({"seq":7,"time_us":1800000000123456,"event":"storm_detected","device":"sw1","port":"Ethernet4","queue":3,)"
    R"("policy":"tor","reason":"proven","action":"drop","cause":null,"evidence":{"criterion":"continuous",)"
    R"("source":"duration","proven_us":400100,"limit_us":400000,"looks":[]}})";
constexpr auto kOther =
    R"({"seq":8,"time_us":1800000001000000,"event":"storm_restored","device":"sw1","port":"Ethernet44","queue":3,)"
    R"("policy":"tor","reason":"quiet","action":"drop","cause":1,"evidence":null})";

class AgentCommands : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        bench_.emplace();
    }
    Bench& bench() { return *bench_; }

    void answer(Result<std::vector<std::string>> lines)
    {
        bench().agent = [lines = std::move(lines)](const codec::ControlRequest&) { return lines; };
    }

private:
    std::optional<Bench> bench_;
};

TEST_F(AgentCommands, HistoryIsATableWithItsEvidence)
{
    answer(std::vector<std::string>{kStorm, kOther});
    EXPECT_EQ(bench().run("pfcwd show history Ethernet4").out,
              fmt::format("{:<32}  QUEUE        EVENT           ACTION    WHY\n"
                          "{:-<32}  -----------  --------------  --------  {:-<76}\n"
                          "2027-01-15T08:00:00.123456+00:00  Ethernet4:3  storm_detected  drop      "
                          "paused 400.100 ms without a break (limit 400 ms; the last 0 looks on record)\n",
                          "TIME", "", ""));
    EXPECT_EQ(bench().asked.back().command, Ask::events);
    EXPECT_EQ(bench().run("pfcwd show history --json").out, fmt::format("{}\n{}\n", kStorm, kOther));
    EXPECT_EQ(bench().run("pfcwd show history Ethernet44:3 --json").out, fmt::format("{}\n", kOther));
}

TEST_F(AgentCommands, ReleaseNamesQueuesPortsOrAll)
{
    answer(std::vector{codec::answer_json(codec::OrderReport{{"Ethernet4:3 of sw1 released"}})});
    const auto two = bench().run("pfcwd release Ethernet4:3 Ethernet0");
    EXPECT_EQ(two, (Outcome{"Ethernet4:3 of sw1 released\nEthernet4:3 of sw1 released\n", "", 0}));
    ASSERT_EQ(bench().asked.size(), 2U);
    EXPECT_EQ(bench().asked[0].command, Ask::release);
    EXPECT_EQ(bench().asked[0].queue, "Ethernet4:3");
    EXPECT_EQ(bench().asked[0].note, "pfcwd release");
    EXPECT_EQ(bench().asked[1].queue, "Ethernet0");

    EXPECT_EQ(bench().run("pfcwd release all").exit_code, 0);
    EXPECT_EQ(bench().asked.back().command, Ask::release_all);
    const auto none = bench().run("pfcwd release");
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_THAT(none.err, HasSubstr("Error: Which queues? Their names, or all.\n"));
    EXPECT_EQ(bench().asked.size(), 3U) << "nobody releases everything by forgetting a word";
}

TEST_F(AgentCommands, WhatTheAgentRefusesIsAnError)
{
    answer(std::vector{codec::answer_json(Error{ErrorKind::invalid, "no queue Ethernet9:9"})});
    EXPECT_EQ(bench().run("pfcwd release Ethernet9:9"), (Outcome{"", "Error: no queue Ethernet9:9\n", 1}));
    answer(tl::unexpected(Error{ErrorKind::unreachable, "no agent answers"}));
    EXPECT_EQ(bench().run("pfcwd release all"), (Outcome{"", "Error: no agent answers\n", 1}));
    EXPECT_EQ(bench().run("pfcwd show history"), (Outcome{"", "Error: no agent answers\n", 1}));
}

}  // namespace
}  // namespace petrel::sonic_tools
