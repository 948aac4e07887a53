// The texts about a running agent, compared with tests/golden/control/*.txt.
#include "reports/agent/control_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/link_import.hpp"
#include "config/stop_policy.hpp"
#include "control/report.hpp"
#include "reports/agent/agent_links_text.hpp"
#include "reports/agent/control_problems.hpp"
#include "support/golden.hpp"
#include "terminal/wrap.hpp"

namespace petrel::reports {
namespace {

using control::DeviceReport;
using control::QueueReport;
using control::StatusReport;
using watchdog::Phase;
using watchdog::Treatment;

const Paint kPlain{false};

DeviceReport device(std::string name)
{
    DeviceReport report;
    report.name = std::move(name);
    report.driver = "twin:x.toml";
    report.condition = DeviceReport::Condition::watching;
    report.condition_ms = 275'000'000;
    report.ports = 32;
    report.queues = 256;
    report.watched = 64;
    report.detected = 3;
    report.restored = 3;
    report.poll_us = 100'000;
    report.looks = 2'750'000;
    report.polls_missed = 2;
    report.last_look_us = 900;
    report.longest_look_us = 12'345;
    return report;
}

StatusReport status()
{
    StatusReport report;
    report.name = "tor-17";
    report.version = "1.2.3";
    report.config = "/etc/petrel/agent.toml";
    report.pid = 812;
    report.up_ms = 275'010'000;
    report.stop_policy = config::StopPolicy::restore;
    report.events = 6;
    report.devices = {device("sw1")};
    return report;
}

StatusReport trouble()
{
    auto report = status();
    report.red_switch = true;
    report.reload = {3, 1, {"agent.toml:4:10: value 'x': allowed text, json, rfc5424", "and \x1b[2J something"}};
    report.state_error = "cannot write /var/lib/petrel/sw1.state: No space left on device";
    report.files_lost = 2;
    report.file_lost = "/run/petrel/control.sock was removed or replaced; the agent created it again";
    report.log_lines_dropped = 1;
    report.devices[0].alerted = 2;
    report.devices[0].mitigated = 3;
    report.devices[0].latched = 1;
    report.devices[0].unseen = {{"Ethernet8:3", "orchagent has not registered it"}};
    report.devices[0].notes = {"Ethernet4:3: drop is not possible here: forward instead"};
    report.devices[0].device_notes = {"get OPER_SPEED of a port: NOT_IMPLEMENTED (-15); it is not used"};
    report.devices.push_back(device("sw2"));
    report.devices[1].condition = DeviceReport::Condition::not_answering;
    report.devices[1].condition_ms = 12'345;
    report.devices[1].why = "reading counters takes longer than 2000 ms";
    report.devices.push_back(device("sw3"));
    report.devices[2].condition = DeviceReport::Condition::failing;
    report.devices[2].why = "gone";
    report.devices[2].condition_ms = 90'000;
    report.devices[2].polls_missed = 100'000;
    return report;
}

QueueReport queue(std::string port, std::uint8_t priority, Phase phase)
{
    QueueReport report;
    report.device = "sw1";
    report.port = std::move(port);
    report.priority = priority;
    report.policy = "tor";
    report.phase = phase;
    report.configured = Treatment::drop;
    report.effective = Treatment::drop;
    report.detect_interval.configured_us = 200'000;
    report.restore_interval.configured_us = 400'000;
    return report;
}

std::vector<QueueReport> queues()
{
    std::vector<QueueReport> all{queue("Ethernet0", 3, Phase::watching),  queue("Ethernet0", 4, Phase::off),
                                 queue("Ethernet4", 3, Phase::mitigated), queue("Ethernet8", 3, Phase::alerted),
                                 queue("Ethernet12", 3, Phase::latched),  queue("Ethernet16", 3, Phase::watching)};
    all[1].policy.clear();
    all[1].configured = all[1].effective = std::nullopt;
    all[1].detect_interval = all[1].restore_interval = {};
    all[2].effective = all[2].observed = Treatment::ignore_pause;
    all[2].detected = 2;
    all[2].restored = 1;
    all[2].tx_ok = 7;
    all[2].tx_drop = 120;
    all[2].rx_drop_last = 9;
    all[2].in_storm_us = 2'500'000;
    all[2].longest_pause_us = 812'345;
    all[3].detected = 1;
    all[4].observed = Treatment::drop;
    all[5].proven_us = 200'000;
    return all;
}

const auto kStorm =
    R"({"seq":7,"time_us":1763230310123456,"event":"storm_detected","device":"sw1","port":"Ethernet4","queue":3,)"
    R"("policy":"tor","reason":"proven","action":"drop","cause":null,"evidence":{"criterion":"continuous",)"
    R"("source":"duration","proven_us":400100,"limit_us":400000,"looks":[{},{},{},{}]}})";

void expect_text(const char* name, std::string_view text)
{
    petrel::test::expect_golden(petrel::test::golden("control") / name, text);
}

TEST(ControlText, Status)
{
    expect_text("status-well.txt", status_text(status(), kPlain, kAnyWidth));
    expect_text("status-trouble.txt", status_text(trouble(), kPlain, kAnyWidth));
    StatusReport bare;
    bare.name = "tor-17";
    expect_text("status-bare.txt", status_text(bare, kPlain, kAnyWidth));
}

// An agent that watches nothing must not look healthy; the advice depends on whether the file or SONiC configures it.
TEST(ControlText, AdviceDependsOnTheSourceOfTheConfiguration)
{
    auto idle = status();
    idle.devices[0].watched = 0;
    auto late = status();
    late.devices[0].polls_missed = 100'000;
    std::string text;
    for (const auto* nos : {"", "sonic"}) {
        idle.nos = late.nos = nos;
        text += fmt::format("---- {}\n{}\n{}\n", *nos == 0 ? "the file" : nos, status_text(idle, kPlain, kAnyWidth),
                            status_text(late, kPlain, kAnyWidth));
    }
    expect_text("status-advice.txt", text);

    idle.nos_trouble = "CONFIG_DB is not filled yet";
    EXPECT_EQ(problems_of(idle).size(), 1U) << "the only problem is the cause: CONFIG_DB is not filled";
    idle.nos_trouble.clear();
    idle.devices[0].condition = DeviceReport::Condition::opening;
    EXPECT_EQ(problems_of(idle).size(), 1U) << "the configuration is not the reason that nothing is watched yet";
    idle = status();
    idle.devices.push_back(device("sw2"));
    idle.devices[0].watched = 0;
    EXPECT_TRUE(problems_of(idle).empty()) << "with several devices an idle one is no problem";
    idle = status();
    idle.devices[0].watched = 0;
    idle.devices[0].unseen = {{"eth0", "the counters of driver 'veth' are unknown"}};
    EXPECT_EQ(problems_of(idle).size(), 1U) << "the only problem is that the queue cannot be watched";
}

// A release does not end the latch of a NIC.
TEST(ControlText, ALatchedNicHasToBeRepaired)
{
    auto report = status();
    report.devices[0].mitigated = 3;
    report.devices[0].latched = 2;
    report.devices[0].latched_nics = 1;
    const auto text = status_text(report, kPlain, kAnyWidth);
    EXPECT_THAT(text, testing::HasSubstr("! 1 queue of sw1 is latched: mitigated until an operator releases it\n"));
    EXPECT_THAT(text, testing::HasSubstr("! 1 NIC of sw1 is latched: it sends no pause until it is repaired\n"));
    EXPECT_THAT(text, testing::HasSubstr("; once repaired: petrel host repaired QUEUE\n"));
}

// Every problem comes with advice for the operator.
TEST(ControlText, EveryProblemHasANextStep)
{
    const auto problems = problems_of(trouble());
    EXPECT_EQ(problems.size(), 12U);
    for (const auto& problem : problems) {
        EXPECT_FALSE(problem.next.empty()) << problem.what;
    }
    EXPECT_TRUE(problems_of(status()).empty());
}

TEST(ControlText, Queues)
{
    expect_text("queues.txt", queues_text(queues(), false, kAnyWidth));
    expect_text("queues-none.txt", queues_text({}, true, kAnyWidth) + queues_text({}, false, kAnyWidth));
    auto some = queues();
    some[0].detect_interval = {290'000, 290'000, 300'000};
    some[0].restore_interval = {400'500, 401'000, std::nullopt};
    some[3].detect_interval = {5'000'000, std::nullopt, 1'500'000};  // polled: the device can only do 1.5 s
    expect_text("queues-intervals.txt", queues_text({some[0], some[1], some[3]}, false, kAnyWidth));
}

std::vector<control::LinkReport> links()
{
    constexpr std::int64_t kDownAt = 1'763'230'310'123'456;
    control::LinkEventReport lost;
    lost.seq = 7;
    lost.ldr = 36;
    lost.cause = 0x0103;
    lost.list = "sai.port_error";
    lost.code = 0x800;
    lost.event_us = lost.observed_us = kDownAt;
    lost.up_us = kDownAt + 1'500'000;
    lost.acknowledged = true;
    control::LinkEventReport disabled;
    disabled.seq = 8;
    disabled.ldr = 60;
    disabled.cause = 60;
    disabled.event_us = disabled.observed_us = kDownAt + 60'000'000;
    control::LinkEventReport reset;
    reset.seq = 1;
    reset.nldr = 35;
    reset.cause = 35;
    reset.event_us = reset.observed_us = kDownAt;

    std::vector<control::LinkReport> all(4);
    for (std::size_t i = 0; i != all.size(); ++i) {
        all[i].device = "sw1";
        all[i].port = "Ethernet" + std::to_string(4 * i);
    }
    all[0].up = true;
    all[1].up = false;
    all[1].last_seq = 8;
    all[1].unacknowledged = disabled;
    all[1].suppressed = 2;
    all[1].events = {lost, disabled};
    all[2].up = true;
    all[2].receives_reasons = all[2].quarantined = true;
    all[2].last_seq = 1;
    all[2].unacknowledged = reset;
    all[2].events = {reset};
    all[3].port = "Ether\x1bnet12";
    return all;
}

TEST(ControlText, Links)
{
    auto without_history = links();
    for (auto& link : without_history) {
        link.events.clear();
    }
    expect_text("links.txt", agent_links_text(without_history, kAnyWidth));
    expect_text("links-history.txt", agent_links_text(links(), kAnyWidth));
    EXPECT_EQ(agent_links_text({}, kAnyWidth), "the agent follows no link: see docs/link-down.md\n");
}

// What the importer reads from it is what the agent reported.
TEST(ControlText, LinksAsOpasaqueryPrintsThem)
{
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    const auto text = opasaquery_text(links());
    expect_text("links-opasaquery.txt", text);
    const auto ports = codec::read_opa_port_info(text, "opasaquery");
    ASSERT_TRUE(ports);
    ASSERT_EQ(ports->size(), 4U);
    EXPECT_EQ((*ports)[1].local->canonical, 60);
    EXPECT_EQ((*ports)[2].neighbor->canonical, 35);
    ASSERT_EQ((*ports)[1].log.size(), 2U);
    EXPECT_EQ((*ports)[1].log[0].ldr, 36);
    EXPECT_EQ((*ports)[1].log[0].nldr, std::nullopt) << "the switch receives no reasons";
    EXPECT_EQ((*ports)[2].log[0].nldr, 35);
}

TEST(ControlText, Explain)
{
    control::ExplainReport report;
    report.queue = queues()[2];
    report.lines = {"storm_detected: paused 400.100 ms without a break (limit 400 ms; the last 4 looks on record)",
                    "  100.000 ms: paused throughout, tx_bytes 0, rx_xoff 298"};
    report.event = kStorm;
    auto text = explain_text(report, kPlain, kAnyWidth);
    report.lines.clear();
    text += "\n---- of an earlier life\n" + explain_text(report, kPlain, kAnyWidth);
    text += "\n---- nothing yet\n" + explain_text({queues()[1], {}, {}}, kPlain, kAnyWidth);
    report.queue.detect_interval = {290'000, 290'000, 300'000};
    report.queue.restore_interval = {400'000, 400'000, 400'000};
    text += "\n---- watched by its device\n" + explain_text(report, kPlain, kAnyWidth);
    expect_text("explain.txt", text);
}

TEST(ControlText, Events)
{
    std::string text = event_text(kStorm, kAnyWidth);
    text += event_text(R"({"seq":8,"time_us":1763230311000000,"event":"order_taken","device":"sw1","port":null,)"
                       R"("queue":null,"reason":"operator","action":null,"by":"root (uid 0, pid 7): \u001b[2J"})",
                       kAnyWidth);
    text += event_text(R"({"seq":9,"time_us":0,"event":"storm_alert","device":"sw1","port":"Ethernet4","queue":3,)"
                       R"("reason":"blast_radius","action":"alert","evidence":{"criterion":"continuous",)"
                       R"("proven_us":400000,"limit_us":400000,"looks":[{}]}})",
                       kAnyWidth);
    text += event_text(R"({"seq":10,"event":"something_new","device":"sw1","port":"Ethernet4"})", kAnyWidth);
    text += event_text("no event", kAnyWidth);
    expect_text("events.txt", text);
}

std::size_t line_count(const std::string& text)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(ControlText, WatchFitsTheScreen)
{
    std::vector<QueueReport> many;
    for (int i = 0; i < 100; ++i) {
        many.push_back(queue("Ethernet" + std::to_string(i), 3, i % 3 == 0 ? Phase::mitigated : Phase::alerted));
    }
    for (std::size_t lines = 1; lines < 120; ++lines) {
        EXPECT_LE(line_count(watch_text(trouble(), many, {lines, 80}, kPlain)), lines);
        EXPECT_LE(line_count(watch_text(status(), {}, {lines, 80}, kPlain)), lines);
    }
    const auto pages = [&](std::size_t width) {
        return watch_text(status(), {many.begin(), many.begin() + 12}, {12, width}, kPlain) + "----\n" +
               watch_text(trouble(), many, {24, width}, kPlain) + "----\n" +
               watch_text(status(), {}, {24, width}, kPlain);
    };
    expect_text("watch.txt", pages(kAnyWidth));
    expect_text("watch-80.txt", pages(80));
}

std::size_t widest(std::string_view text)
{
    std::size_t width = 0;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        width = std::max(width, shown_width(line));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return width;
}

std::string words_of(std::string_view text)
{
    std::string all{text};
    std::ranges::replace(all, '\n', ' ');
    all.erase(std::ranges::unique(all, [](char a, char b) { return a == ' ' && b == ' '; }).begin(), all.end());
    return all;
}

// Every text about an agent fits the usual widths of terminals.
TEST(ControlText, FitsTheTerminal)
{
    auto wide = queues();
    for (auto& each : wide) {
        each.device = "leaf0-0";
        each.policy = "rdma-switch";
        each.detect_interval.programmed_us = each.detect_interval.observed_us = 200'000;
        each.restore_interval.programmed_us = 400'000;
    }
    wide[2].effective = wide[2].observed = Treatment::lossless_off;
    const control::ExplainReport explained{
        wide[2],
        {"storm_detected: " + std::string(30, 'x') + " and more of it", "  " + std::string(60, 'y') + ", counters"},
        {}};
    for (const std::size_t width : {80U, 100U, 120U}) {
        const auto text = status_text(trouble(), kPlain, width) + "\n---- queues\n" + queues_text(wide, false, width) +
                          "\n---- explain\n" + explain_text(explained, kPlain, width) + "\n---- events\n" +
                          event_text(kStorm, width) + "\n---- links\n" + agent_links_text(links(), width) +
                          "\n---- watch\n" + watch_text(trouble(), wide, {24, width}, kPlain);
        expect_text(fmt::format("width-{}.txt", width).c_str(), text);
        EXPECT_LE(widest(text), width);
    }
    const auto event = event_text(kStorm, kAnyWidth);
    EXPECT_EQ(words_of(event_text(kStorm, 40)), words_of(event)) << "wrapping loses and adds no word";
}

TEST(ControlText, Ages)
{
    EXPECT_EQ(age_text(0), "0 s");
    EXPECT_EQ(age_text(59'999), "59 s");
    EXPECT_EQ(age_text(60'000), "1 min 0 s");
    EXPECT_EQ(age_text(3'600'000), "1 h 0 min");
    EXPECT_EQ(age_text(86'400'000), "1 d 0 h");
}

}  // namespace
}  // namespace petrel::reports
