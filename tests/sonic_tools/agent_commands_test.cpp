// The commands of pfcwd that send a request to Petrel's agent.
#include <gmock/gmock.h>

#include "codec/control_json.hpp"
#include "sonic/queue_tables.hpp"
#include "sonic_tools/transcript.hpp"

namespace petrel::sonic_tools {
namespace {

using sonic::Db;
using Ask = control::ControlRequest::Command;
using Lines = std::vector<std::string>;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kStorm =
    R"({"seq":7,"time_us":1800000000123456,"event":"storm_detected","device":"sw1","port":"Ethernet4","queue":3,)"
    R"("policy":"tor","reason":"proven","action":"drop","cause":null,"evidence":{"criterion":"continuous",)"
    R"("source":"duration","proven_us":400100,"limit_us":400000,"looks":[]}})";
constexpr auto kOther =
    R"({"seq":8,"time_us":1800000001000000,"event":"storm_restored","device":"sw1","port":"Ethernet44","queue":3,)"
    R"("policy":"tor","reason":"quiet","action":"drop","cause":1,"evidence":null})";
constexpr auto kOfOtherDevice =
    R"({"seq":9,"time_us":1800000002000000,"event":"storm_restored","device":"sw2","port":"Ethernet4","queue":3,)"
    R"("policy":"tor","reason":"quiet","action":"drop","cause":1,"evidence":null})";

control::QueueReport queue(std::string device, std::string port, std::uint8_t priority)
{
    control::QueueReport report;
    report.device = std::move(device);
    report.port = std::move(port);
    report.priority = priority;
    return report;
}

// A stand-in for the agent with these queues and events. It records the orders and confirms each.
class AgentCommands : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        bench_.emplace();
        bench().agent = [this](const control::ControlRequest& request) -> Result<Lines> {
            switch (request.command) {
            case Ask::queues: return Lines{codec::answer_json(queues_)};
            case Ask::events: return events_;
            default: break;
            }
            orders_.push_back(request);
            return Lines{codec::answer_json(
                control::OrderReport{{fmt::format("{} of {} is watched", request.queue, request.device)}})};
        };
    }
    Bench& bench() { return *bench_; }
    Outcome run(const std::string& line) { return bench_->run(line); }

    void answer(Result<Lines> lines)
    {
        bench().agent = [lines = std::move(lines)](const control::ControlRequest&) { return lines; };
    }

    // The queues in the orders since the last call.
    std::vector<std::string> ordered(Ask command)
    {
        std::vector<std::string> names;
        for (const auto& order : std::exchange(orders_, {})) {
            EXPECT_EQ(order.command, command);
            names.push_back(fmt::format("{} of {}", order.queue, order.device));
        }
        return names;
    }

    Lines events_{kStorm, kOther};
    std::vector<control::QueueReport> queues_{queue("sw1", "Ethernet0", 3), queue("sw1", "Ethernet4", 3),
                                              queue("sw1", "Ethernet4", 4)};
    std::vector<control::ControlRequest> orders_;

private:
    std::optional<Bench> bench_;
};

TEST_F(AgentCommands, HistoryIsATableWithItsEvidence)
{
    EXPECT_EQ(run("pfcwd show history Ethernet4").out,
              fmt::format("{:<32}  QUEUE        EVENT           ACTION    WHY\n"
                          "{:-<32}  -----------  --------------  --------  {:-<76}\n"
                          "2027-01-15T08:00:00.123456+00:00  Ethernet4:3  storm_detected  drop      "
                          "paused 400.100 ms without a break (limit 400 ms; the last 0 looks on record)\n",
                          "TIME", "", ""));
    EXPECT_EQ(run("pfcwd show history --json").out, fmt::format("{}\n{}\n", kStorm, kOther));
    EXPECT_EQ(run("pfcwd show history Ethernet44:3 --json").out, fmt::format("{}\n", kOther))
        << "a port that no longer exists";
}

TEST_F(AgentCommands, HistoryOfAnUnknownQueueIsAnError)
{
    EXPECT_EQ(run("pfcwd show history Ethernet99 Ethernet4:3"),
              (Outcome{"Failed to run command, invalid options:\nEthernet99\n", "", 1}));
    EXPECT_EQ(run("pfcwd show history all Ethernet99").exit_code, 1);
    EXPECT_EQ(run("pfcwd show history Ethernet0").exit_code, 0) << "the port exists and had no storm";
}

TEST_F(AgentCommands, HistoryNamesTheDeviceIfThereAreSeveral)
{
    events_.emplace_back(kOfOtherDevice);
    const auto table = run("pfcwd show history Ethernet4").out;
    EXPECT_THAT(table, StartsWith(fmt::format("{:<32}  DEVICE    QUEUE        EVENT", "TIME")));
    EXPECT_THAT(table, HasSubstr("08:00:00.123456+00:00  sw1       Ethernet4:3  storm_detected"));
    EXPECT_THAT(table, HasSubstr("08:00:02.000000+00:00  sw2       Ethernet4:3  storm_restored"));
    EXPECT_THAT(run("pfcwd show history Ethernet44").out, HasSubstr("  sw1       Ethernet44:3  "))
        << "the device is shown, because both could have such a port";
}

TEST_F(AgentCommands, ReleaseNamesQueuesPortsOrAll)
{
    EXPECT_EQ(run("pfcwd release Ethernet4:3 Ethernet0"),
              (Outcome{"Ethernet4:3 of sw1 is watched\nEthernet0 of sw1 is watched\n", "", 0}));
    ASSERT_EQ(orders_.size(), 2U);
    EXPECT_EQ(orders_[0].note, "pfcwd release");
    EXPECT_THAT(ordered(Ask::release), ElementsAre("Ethernet4:3 of sw1", "Ethernet0 of sw1"));

    EXPECT_EQ(run("pfcwd release all").exit_code, 0);
    EXPECT_THAT(ordered(Ask::release_all), ElementsAre(" of "));
    const auto none = run("pfcwd release");
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_THAT(none.err, HasSubstr("Error: Which queues? Their names, or all.\n"));
    EXPECT_TRUE(orders_.empty()) << "a missing argument does not release everything";
}

TEST_F(AgentCommands, APortThatTwoDevicesHaveIsOnePort)
{
    queues_.push_back(queue("sw2", "Ethernet4", 3));
    EXPECT_EQ(run("pfcwd release Ethernet4:3"),
              (Outcome{"Ethernet4:3 of sw1 is watched\nEthernet4:3 of sw2 is watched\n", "", 0}));
    EXPECT_THAT(ordered(Ask::release), ElementsAre("Ethernet4:3 of sw1", "Ethernet4:3 of sw2"));
    EXPECT_EQ(run("pfcwd clear Ethernet4").exit_code, 0);
    EXPECT_THAT(ordered(Ask::clear), ElementsAre("Ethernet4 of sw1", "Ethernet4 of sw2"));
    EXPECT_EQ(run("pfcwd release Ethernet9").exit_code, 0);
    EXPECT_THAT(ordered(Ask::release), ElementsAre("Ethernet9 of ")) << "the text is the agent's";
}

TEST_F(AgentCommands, ARefusalOfTheAgentIsAnError)
{
    answer(Lines{codec::answer_json(Error{ErrorKind::invalid, "no queue Ethernet9:9"})});
    EXPECT_EQ(run("pfcwd release Ethernet9:9"), (Outcome{"", "Error: no queue Ethernet9:9\n", 1}));
    answer(tl::unexpected(Error{ErrorKind::unreachable, "no agent answers"}));
    EXPECT_EQ(run("pfcwd release all"), (Outcome{"", "Error: no agent answers\n", 1}));
    EXPECT_EQ(run("pfcwd release Ethernet0"), (Outcome{"", "Error: no agent answers\n", 1}));
    EXPECT_EQ(run("pfcwd show history"), (Outcome{"", "Error: no agent answers\n", 1}));
}

// The agent that owns the switch would write its own counts again, so pfcwd clears nothing without it. If no agent owns
// the switch, pfcwd clears the tables (differences_test.cpp).
TEST_F(AgentCommands, StatisticsOfAnOwnerAreNotClearedWithoutIt)
{
    sonic::RedisStore store{sonic::at_one_address(bench().address()), std::chrono::seconds{60}};
    ASSERT_TRUE(sonic::QueueTables{}.write(store)) << "the mark of an owner";
    const auto detected = [&] {
        return bench().hash(Db::counters, "COUNTERS:oid:0x15000000000013").at("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED");
    };
    answer(tl::unexpected(Error{ErrorKind::unreachable, "no agent answers"}));
    for (const auto* line : {"pfcwd clear", "pfcwd clear Ethernet4:3"}) {
        EXPECT_EQ(run(line),
                  (Outcome{"",
                           "Error: no agent answers\n"
                           "Nothing was cleared: the agent keeps counts, and these have to be cleared first\n",
                           1}));
        EXPECT_EQ(detected(), "2");
    }
}

TEST_F(AgentCommands, AnErrorListsWhatWasCleared)
{
    bench().agent = [this](const control::ControlRequest& request) -> Result<Lines> {
        if (request.command == Ask::queues) {
            return Lines{codec::answer_json(queues_)};
        }
        return request.queue == "Ethernet0:4"
                   ? Lines{codec::answer_json(Error{ErrorKind::invalid, "no queue Ethernet0:4"})}
                   : Lines{codec::answer_json(control::OrderReport{})};
    };
    EXPECT_EQ(run("pfcwd clear Ethernet4:3 Ethernet0:4"),
              (Outcome{"", "Error: no queue Ethernet0:4\nCleared were: Ethernet4:3\n", 1}));
}

}  // namespace
}  // namespace petrel::sonic_tools
