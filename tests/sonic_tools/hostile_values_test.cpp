// Names and values in the databases may contain any bytes. The tools escape them, so that they neither control the
// terminal nor forge a line of output.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/complaint_text.hpp"
#include "codec/control_json.hpp"
#include "codec/event_json.hpp"
#include "codec/flat_json.hpp"
#include "sonic_tools/saved_counters.hpp"
#include "sonic_tools/tools.hpp"
#include "support/memory_store.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::sonic_tools {
namespace {

using sonic::Db;
using Ask = control::ControlRequest::Command;
using Lines = std::vector<std::string>;

const std::vector<std::string> kAttacks{
    "\x1b[2J\x1b[H",                                // clears the screen
    "\x1b]0;owned\x07",                             // sets the title of the window
    "\nEthernet0      drop   400   400   disable",  // forges a line
    "\r\n[exit=0]\r",                               // overwrites a line
    "\xc2\x9b"
    "31m",  // CSI as one character
    "\x9b"
    "31m\xff\xc3",  // CSI as one byte
    "\b\b\b\b\x7f\x7f\v\f\t",
    "\xe2\x80\xae"
    "evil\xe2\x80\xa8",    // reverses the text, separates lines
    "\",\"x\",[1]}\n{\"",  // ends a JSON string
};

// A switch with this text in every name and value, except in the names that the tools look up themselves.
class HostileSwitch {
public:
    explicit HostileSwitch(const std::string& text) : text_(text)
    {
        const auto port = "Ethernet0" + text;
        const auto skipped = "Ethernet4" + text;
        auto& config = store_.content[Db::config];
        config["PORT|" + port] = {{"role", text}, {"admin_status", "up"}, {"pfc_asym", text}};
        config["PORT|" + skipped] = {{"pfc_asym", text}};
        config["PORT_QOS_MAP|" + port] = {{"pfc_enable", "3" + text}, {"pfcwd_sw_enable", text}};
        config["PFC_WD|" + port] = {
            {"action", text}, {"detection_time", "400" + text}, {"restoration_time", text}, {"pfc_stat_history", text}};
        config["PFC_WD|" + skipped] = {{"detection_time", "250"}, {"restoration_time", "250"}};
        config["PFC_WD|GLOBAL"] = {{"POLL_INTERVAL", "200" + text}, {"BIG_RED_SWITCH", text}};
        config["BUFFER_POOL|pool" + text] = {{"type" + text, text}};
        config["BUFFER_PROFILE|profile" + text] = {{"dynamic_th", text}, {"pool" + text, text}};
        config["DEFAULT_LOSSLESS_BUFFER_PARAMETER|" + text] = {{"over_subscribe_ratio" + text, text}};
        auto& counters = store_.content[Db::counters];
        counters["COUNTERS_PORT_NAME_MAP"] = {{port, "oid:0x1" + text}, {skipped, "oid:0x2"}};
        counters["COUNTERS_QUEUE_NAME_MAP"] = {{port + ":3", "oid:0x3" + text}, {skipped + ":3", "oid:0x4"}};
        counters["COUNTERS:oid:0x1" + text] = {{"SAI_PORT_STAT_PFC_3_RX_PKTS", text},
                                               {"SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS", text},
                                               {"EST_PORT_STAT_PFC_3_RECENT_PAUSE_TIMESTAMP", text}};
        counters["COUNTERS:oid:0x3" + text] = {{"PFC_WD_STATUS", text},
                                               {"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1" + text}};
        counters["COUNTERS:oid:0x4"] = {{"PFC_WD_STATUS", "stormed"}, {"PFC_WD_QUEUE_STATS_TX_PACKETS", text}};
    }

    Outcome run(std::vector<std::string> words)
    {
        Surroundings around;
        around.open_store = [this](const Where&) -> Result<std::unique_ptr<sonic::Store>> {
            return std::make_unique<test::MemoryStore>(store_);
        };
        around.request_answer = [this](const Where&, const control::ControlRequest& request) {
            return answer(request);
        };
        around.may_write = true;
        around.cache = cache();
        const auto tool = words.front();
        words.erase(words.begin());
        return run_tool(tool, tool, words, around);
    }

    std::filesystem::path cache() const { return folder_ / "cache"; }

    bool agent_refuses{};

private:
    Result<Lines> answer(const control::ControlRequest& request) const
    {
        if (agent_refuses && request.command != Ask::queues) {
            return tl::unexpected(Error{ErrorKind::invalid, "the agent says " + text_});
        }
        if (request.command == Ask::queues) {
            control::QueueReport queue;
            queue.device = "sw1" + text_;
            queue.port = "Ethernet0" + text_;
            queue.priority = 3;
            return Lines{codec::answer_json(std::vector{queue})};
        }
        if (request.command == Ask::events) {
            const std::vector<std::pair<std::string_view, std::string_view>> event{
                {"device", text_}, {"port", text_}, {"event", text_}, {"action", text_}, {"policy", text_}};
            auto line = codec::flat_json(event);
            line.insert(1, R"("seq":1,"time_us":1800000000123456,"queue":3,)");
            return Lines{line};
        }
        return Lines{codec::answer_json(control::OrderReport{{"done " + text_}})};
    }

    std::string text_;
    test::MemoryStore store_;
    test::TemporaryFolder folder_;
};

std::vector<std::vector<std::string>> commands(const std::string& text)
{
    const auto port = "Ethernet0" + text;
    const auto skipped = "Ethernet4" + text;
    return {{"pfcwd", "show", "config"},
            {"pfcwd", "show", "config", "-d", "all", port},
            {"pfcwd", "show", "config", "ethernet0" + text},
            {"pfcwd", "show", "config", "--json"},
            {"pfcwd", "show", "stats", "-e"},
            {"pfcwd", "show", "stats", port},
            {"pfcwd", "show", "stats", "nosuch" + text},
            {"pfcwd", "show", "stats", "--json"},
            {"pfcwd", "show", "history"},
            {"pfcwd", "show", "history", "--json"},
            {"pfcwd", "start", "all", "400"},
            {"pfcwd", "start", skipped, "400"},
            {"pfcwd", "start_default"},
            {"pfcwd", "interval", "100"},
            {"pfcwd", "interval", "300"},
            {"pfcwd", "pfc_stat_history", "enable"},
            {"pfcwd", "stop", "ethernet4" + text},
            {"pfcwd", "stop"},
            {"pfcwd", "clear"},
            {"pfcwd", "release", port},
            {"pfcwd", "release", "all"},
            {"pfcwd", "nosuch" + text},
            {"pfcwd", "--nosuch" + text},
            {"pfcwd", "interval", text},
            {"pfcwd", "interval", "300", text},
            {"mmuconfig", "-l"},
            {"mmuconfig", "-l", "-vv"},
            {"mmuconfig", "-l", "--json"},
            {"mmuconfig", "-p", "profile" + text, "-a", "1", "-vv"},
            {"mmuconfig", "-p", "profile" + text, "-s", "1"},
            {"mmuconfig", "-p", text, "-a", "1"},
            {"pfc", "show", "priority"},
            {"pfc", "show", "priority", port},
            {"pfc", "show", "priority", text},
            {"pfc", "show", "asymmetric"},
            {"pfc", "show", "priority", "--json"},
            {"pfc", "config", "priority", "on", port, "3"},
            {"pfc", "config", "priority", "off", port, "3"},
            {"pfc", "config", "asymmetric", "on", text},
            {"pfcstat"},
            {"pfcstat", "--history"},
            {"pfcstat", "--history", "--json"},
            {"pfcstat", "-c"}};
}

std::size_t line_count(const std::string& text)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The first line with an unprintable character, escaped. A leading tab is allowed: the tools indent lists of choices
// with it.
std::string first_disturbing_line(const std::string& text)
{
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) {
        line.erase(0, line.starts_with('\t') ? 1 : 0);
        if (!printable(line)) {
            return escaped(line);
        }
    }
    return {};
}

void attack(const std::string& text)
{
    // The same commands on a switch with harmless names must print the same number of lines.
    const std::string harmless = "x";
    const auto hostile_commands = commands(text);
    const auto harmless_commands = commands(harmless);
    for (const bool refuses : {false, true}) {
        HostileSwitch hostile{text};
        HostileSwitch usual{harmless};
        hostile.agent_refuses = usual.agent_refuses = refuses;
        for (std::size_t i = 0; i != hostile_commands.size(); ++i) {
            const auto got = hostile.run(hostile_commands[i]);
            const auto wanted = usual.run(harmless_commands[i]);
            const auto words = fmt::format("{}", fmt::join(harmless_commands[i], " "));
            EXPECT_EQ(first_disturbing_line(got.out), "") << words;
            EXPECT_EQ(first_disturbing_line(got.err), "") << words;
            EXPECT_EQ(line_count(got.out), line_count(wanted.out)) << words << '\n' << got.out << wanted.out;
            EXPECT_EQ(line_count(got.err), line_count(wanted.err)) << words << '\n' << got.err << wanted.err;
            EXPECT_EQ(got.exit_code, wanted.exit_code) << words << '\n' << got.err;
        }
    }
}

TEST(HostileValues, NoToolLetsThemReachTheTerminal)
{
    for (const auto& text : kAttacks) {
        attack(text);
    }
}

TEST(HostileValues, AreShownEscaped)
{
    HostileSwitch hostile{"\x1b[2J\n"};
    EXPECT_THAT(hostile.run({"pfcwd", "show", "config"}).out, testing::HasSubstr(R"(Ethernet0\x1b[2J\x0a)"));
    EXPECT_THAT(hostile.run({"pfcwd", "show", "config", "--json"}).out,
                testing::HasSubstr(R"("port":"Ethernet0\u001b[2J\n")"));
    EXPECT_THAT(hostile.run({"pfcstat"}).out, testing::HasSubstr(R"(Ethernet0\x1b[2J\x0a)"));
}

TEST(HostileValues, TheTimeOfSavedCountersIsShownEscaped)
{
    HostileSwitch hostile{"x"};
    ASSERT_TRUE(save(hostile.cache(), {"\x1b[2J", {}}));
    EXPECT_THAT(hostile.run({"pfcstat"}).out, testing::StartsWith("Last cached time was \\x1b[2J\n"));
}

RC_GTEST_PROP(HostileValues, AnyTextStaysWithinItsLine, ())
{
    // No digits and list separators: they would change numbers and lists, and so the output.
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string{"\x1b\x9b\xc2\xe2\x80\xae\xa8\n\r\t\v\x7f\"\\;}=aZ"}));
    RC_PRE(!text.empty());
    HostileSwitch hostile{text};
    for (const auto& command : {"pfcwd show config", "pfcwd show stats", "pfcwd show history", "mmuconfig -l",
                                "pfcstat", "pfcwd show config --json"}) {
        std::istringstream in{command};
        std::vector<std::string> words;
        for (std::string word; in >> word;) {
            words.push_back(word);
        }
        const auto outcome = hostile.run(words);
        RC_ASSERT(first_disturbing_line(outcome.out).empty());
        RC_ASSERT(first_disturbing_line(outcome.err).empty());
        RC_ASSERT(outcome.exit_code == 0);
    }
}

TEST(HostileValues, ALongOneIsCut)
{
    HostileSwitch hostile{std::string(1'000'000, 'A')};
    for (const auto& command : commands(std::string(100, 'B'))) {
        const auto outcome = hostile.run(command);
        if (std::find(command.begin(), command.end(), "--json") == command.end()) {
            EXPECT_LT(outcome.out.size() + outcome.err.size(), 100'000U) << fmt::format("{}", fmt::join(command, " "));
        }
    }
    EXPECT_THAT(hostile.run({"pfcwd", "show", "config"}).out, testing::HasSubstr("… and 999"));
}

}  // namespace
}  // namespace petrel::sonic_tools
