// The real program with a simulated agent: its requests, its output for each answer, and its exit code.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/complaint_text.hpp"
#include "cli/agent/watch_screen.hpp"
#include "codec/control_json.hpp"
#include "petrel_program.hpp"
#include "runtime/control_server.hpp"
#include "runtime/state_file.hpp"
#include "support/loop_thread.hpp"
#include "support/temporary_folder.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/wrap.hpp"

namespace petrel::cli {
namespace {

using petrel::test::Ended;
using petrel::test::Folder;
using petrel::test::LoopThread;
using petrel::test::run;
using runtime::ControlServer;
using testing::AllOf;
using testing::HasSubstr;

// Answers each request with the next prepared answer, and records the requests.
class PlayedAgent {
public:
    explicit PlayedAgent(std::deque<std::string> answers) : answers_(std::move(answers))
    {
        server_ = thread_.in_loop([this] {
            return ControlServer::listen(thread_.loop(), path(), "",
                                         [this](const auto& peer, std::string_view line) {
                                             requests_.emplace_back(line);
                                             if (!answers_.empty()) {
                                                 peer->send(answers_.front());
                                                 answers_.pop_front();
                                             }
                                             peer->close_after_sending();
                                         })
                .value();
        });
    }
    ~PlayedAgent()
    {
        thread_.in_loop([this] { server_.reset(); });
    }
    PlayedAgent(const PlayedAgent&) = delete;
    PlayedAgent& operator=(const PlayedAgent&) = delete;

    std::filesystem::path path() const { return folder_ / "s"; }

    petrel::test::Invocation call(std::vector<std::string> arguments) const
    {
        auto invocation = test::petrel(std::move(arguments));
        invocation.environment = {{"PETREL_CONTROL_SOCKET", path().string()}};
        return invocation;
    }
    Ended control(std::vector<std::string> arguments) const { return run(call(std::move(arguments))); }

    std::vector<std::string> requests()
    {
        return thread_.in_loop([this] { return requests_; });
    }

private:
    Folder folder_;
    std::deque<std::string> answers_;
    std::vector<std::string> requests_;
    LoopThread thread_;
    std::unique_ptr<ControlServer> server_;
};

std::string words(std::string text) { return codec::answer_json(control::OrderReport{{std::move(text)}}); }

control::StatusReport some_status()
{
    control::StatusReport status;
    status.name = "tor-17";
    return status;
}

TEST(ControlCommand, EachSendsItsRequest)
{
    const std::vector<std::pair<std::vector<std::string>, std::string>> commands{
        {{"mitigate", "Ethernet4:3", "--note", "ticket 7"},
         R"({"command":"mitigate","queue":"Ethernet4:3","note":"ticket 7"})"},
        {{"release", "Ethernet4", "--device", "sw1"}, R"({"command":"release","device":"sw1","queue":"Ethernet4"})"},
        {{"hold", "Ethernet4:3"}, R"({"command":"hold","queue":"Ethernet4:3"})"},
        {{"release-all"}, R"({"command":"release-all"})"},
        {{"link", "clear", "Ethernet4", "--sequence", "3", "--device", "sw1"},
         R"({"command":"link-clear","device":"sw1","port":"Ethernet4","sequence":3})"},
    };
    for (const auto& [arguments, request] : commands) {
        PlayedAgent agent{{words("done")}};
        const auto ended = agent.control(arguments);
        EXPECT_EQ(ended.out, "done\n");
        EXPECT_EQ(ended.err, "");
        EXPECT_EQ(ended.exit_code, 0);
        EXPECT_EQ(agent.requests(), std::vector{request});
    }
}

TEST(ControlCommand, ShowsLinks)
{
    control::LinkReport link;
    link.port = "Ethernet4";
    const auto links = codec::answer_json(std::vector{link});
    PlayedAgent agent{{links, links, links}};
    EXPECT_NE(agent.control({"link", "show"}).out.find("not seen"), std::string::npos);
    EXPECT_EQ(agent.control({"link", "show", "Ethernet4", "--history", "--json"}).out, links + '\n');
    EXPECT_NE(agent.control({"link", "show", "--format", "opasaquery"}).out.find("Port Ethernet4 Info"),
              std::string::npos);
    EXPECT_EQ(agent.requests(), (std::vector<std::string>{
                                    R"({"command":"links"})",
                                    R"({"command":"links","port":"Ethernet4","history":true})",
                                    R"({"command":"links"})",
                                }));
}

TEST(ControlCommand, RefusesWrongArgumentsOfLinks)
{
    const auto complaint = [](std::vector<std::string> arguments) {
        const auto ended = run(test::petrel(std::move(arguments)));
        EXPECT_EQ(ended.exit_code, 2) << ended.out;
        return ended.err;
    };
    EXPECT_NE(complaint({"link", "clear", "--sequence", "1"}).find("PORT: which one?"), std::string::npos);
    EXPECT_NE(complaint({"link", "clear", "Ethernet4"}).find("--sequence: which event?"), std::string::npos);
    for (const auto* number : {"0", "-1", "1x", "18446744073709551616"}) {
        EXPECT_NE(complaint({"link", "clear", "Ethernet4", "--sequence", number}).find("1 or more"), std::string::npos)
            << number;
    }
    EXPECT_NE(complaint({"link", "show", "--format", "opaportinfo"}).find("opasaquery"), std::string::npos);
}

TEST(ControlCommand, EscapesAnswersForTheTerminal)
{
    for (const auto* command : {"status", "queues", "events"}) {
        PlayedAgent agent{{"\x1b]0;t\x07 no JSON"}};
        const auto ended = agent.control({command, "--json"});
        EXPECT_EQ(ended.out.find_first_of("\x1b\x07"), std::string::npos) << ended.out;
    }
}

TEST(ControlCommand, PrintsAnswersAsTextOrJson)
{
    const auto status = codec::answer_json(some_status());
    control::QueueReport queue;
    queue.port = "Ethernet4";
    const auto queues = codec::answer_json(std::vector{queue});
    const auto explanation = codec::answer_json(control::ExplainReport{queue, {"because"}, {}});
    PlayedAgent agent{{status, status, queues, queues, explanation, explanation}};
    EXPECT_TRUE(agent.control({"status"}).out.starts_with("tor-17: 0 devices"));
    EXPECT_EQ(agent.control({"status", "--json"}).out, status + '\n');
    EXPECT_NE(agent.control({"queues", "--stormed"}).out.find("Ethernet4"), std::string::npos);
    EXPECT_EQ(agent.control({"queues", "--json", "--device", "sw1"}).out, queues + '\n');
    EXPECT_NE(agent.control({"explain", "Ethernet4"}).out.find("because"), std::string::npos);
    EXPECT_EQ(agent.control({"explain", "--json", "Ethernet4"}).out, explanation + '\n');
    EXPECT_EQ(agent.requests()[2], R"({"command":"queues","stormed":true})");
    EXPECT_EQ(agent.requests()[3], R"({"command":"queues","device":"sw1"})");
}

TEST(ControlCommand, ExitCodeFollowsTheAgentsError)
{
    const auto line = codec::answer_json(Error{ErrorKind::invalid, "no queue '\x1b[2J'"});
    PlayedAgent agent{{line, line}};
    const auto as_text = agent.control({"release", "x"});
    EXPECT_EQ(as_text.out, "");
    EXPECT_EQ(as_text.err, "petrel: no queue '\\x1b[2J'\n");
    EXPECT_EQ(as_text.exit_code, 2);
    const auto as_it_came = agent.control({"release", "x", "--json"});
    EXPECT_EQ(as_it_came.out, line + '\n');
    EXPECT_EQ(as_it_came.err, "");
    EXPECT_EQ(as_it_came.exit_code, 2);
}

TEST(ControlCommand, ARefusedReloadIsAFailure)
{
    const auto good = codec::answer_json(control::ReloadReport{1, 0, {}, {}});
    const auto bad = codec::answer_json(control::ReloadReport{1, 1, {"agent.toml:1:1: value 'x': allowed y"}, {}});
    PlayedAgent agent{{good, bad, bad}};
    EXPECT_EQ(agent.control({"reload"}).out, "the configuration was reloaded and is in force\n");
    const auto ended = agent.control({"reload"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err, "agent.toml:1:1: value 'x': allowed y\npetrel: the configuration was refused; the one before "
                         "is in force\n");
    EXPECT_EQ(agent.control({"reload", "--json"}).exit_code, 2);
}

TEST(ControlCommand, ARefusedReloadShowsTheLinesOfTheFile)
{
    const petrel::test::TemporaryFolder folder;
    const auto file = (folder / "agent.toml").string();
    std::ofstream{file} << "[agent]\nstop = \"restor\"\n";
    const Complaint problem{file, 2, 8, "restor", "restore or hold (stop)"};
    PlayedAgent agent{{codec::answer_json(control::ReloadReport{1, 1, {to_text(problem)}, {problem}})}};
    EXPECT_EQ(
        agent.control({"reload"}).err,
        fmt::format("{}:2:8: value 'restor': allowed restore or hold (stop)\n    stop = \"restor\"\n           ^\n"
                    "petrel: the configuration was refused; the one before is in force\n",
                    file));
}

TEST(ControlCommand, ToFollowAQueueThatIsNotThereIsAnError)
{
    const auto unknown = codec::answer_json(Error{ErrorKind::invalid, "no queue or port 'Ethernet99:3'"});
    PlayedAgent agent{{unknown}};
    const auto ended = agent.control({"events", "--follow", "--queue", "Ethernet99:3"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err, "petrel: no queue or port 'Ethernet99:3'\n");
    EXPECT_EQ(agent.requests(), std::vector<std::string>{R"({"command":"events","queue":"Ethernet99:3","last":1})"});
}

TEST(ControlCommand, EventsEndAtTheAgentsEndMark)
{
    const std::string event = R"({"seq":1,"time_us":0,"event":"storm_detected","device":"sw1","port":"a","queue":3})";
    const auto whole = event + '\n' + event + '\n' + codec::events_end_json(2);
    PlayedAgent agent{{whole, whole, event, codec::answer_json(Error{ErrorKind::denied, "no"})}};
    EXPECT_EQ(agent.control({"events", "--json", "--last", "2"}).out, event + '\n' + event + '\n');
    EXPECT_NE(agent.control({"events"}).out.find("sw1:a:3  storm_detected"), std::string::npos);
    const auto cut = agent.control({"events", "--json", "--follow"});
    EXPECT_EQ(cut.out, event + '\n');
    EXPECT_EQ(cut.err, fmt::format("petrel: the agent at {} went away\n", agent.path().string()));
    EXPECT_EQ(cut.exit_code, 3);
    EXPECT_EQ(agent.control({"events"}).exit_code, 4);
    EXPECT_EQ(agent.requests()[0], R"({"command":"events","last":2})");
    EXPECT_EQ(agent.requests()[2], R"({"command":"events","follow":true})");
}

TEST(ControlCommand, ReportsAMissingOrInvalidAnswer)
{
    PlayedAgent agent{{"hello"}};
    const auto nonsense = agent.control({"status"});
    EXPECT_EQ(nonsense.err, "petrel: the agent's answer cannot be read: it is no JSON\n");
    EXPECT_EQ(nonsense.exit_code, 1);
    const auto silent = agent.control({"status"});
    EXPECT_EQ(silent.err, fmt::format("petrel: the agent at {} went away without an answer\n", agent.path().string()));
    EXPECT_EQ(silent.exit_code, 3);
}

TEST(ControlCommand, EventsAreChosenByTimeQueueAndType)
{
    PlayedAgent agent{{codec::events_end_json(0)}};
    EXPECT_EQ(agent
                  .control({"events", "--queue", "sw1:Ethernet4:3", "--type", "storm_detected,storm_restored",
                            "--since", "1970-01-01T00:00:01+00:00"})
                  .exit_code,
              0);
    EXPECT_EQ(agent.requests(),
              std::vector<std::string>{R"({"command":"events","queue":"sw1:Ethernet4:3","since_us":1000000,)"
                                       R"("types":["storm_detected","storm_restored"]})"});
    const auto wrong = run(test::petrel({"events", "--since", "soon", "--type", "storm_detectd"}));
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err, AllOf(HasSubstr("--since: value 'soon': allowed such as 30s, 10min"),
                                 HasSubstr("--type: value 'storm_detectd': allowed an event, the nearest is "
                                           "'storm_detected'")));
}

TEST(ControlCommand, StatusCheckIsForMonitoring)
{
    auto status = some_status();
    auto& device = status.devices.emplace_back();
    device.name = "sw1";
    device.condition = control::DeviceReport::Condition::watching;
    device.queues = device.watched = 8;
    const auto good = codec::answer_json(status);
    device.alerted = 1;
    PlayedAgent agent{{good, codec::answer_json(status), codec::answer_json(status)}};
    const auto well = agent.control({"status", "--check"});
    EXPECT_EQ(well.out, "tor-17: 1 device, 8 queues watched, all well\n");
    EXPECT_EQ(well.exit_code, 0);
    const auto bad = agent.control({"status", "--check"});
    EXPECT_EQ(bad.out, "tor-17: 1 device, 8 queues watched; 1 problem\n"
                       "1 queue of sw1 is in a storm that is not acted on\n");
    EXPECT_EQ(bad.exit_code, 1);
    EXPECT_EQ(agent.control({"status"}).exit_code, 0) << "only --check fails";
}

TEST(ControlCommand, HelpOfACommand)
{
    EXPECT_EQ(run(test::petrel({"help"})).out, run(test::petrel({"--help"})).out);
    EXPECT_EQ(run(test::petrel({"help", "lab", "run"})).out, run(test::petrel({"lab", "run", "--help"})).out);
    EXPECT_EQ(run(test::petrel({"help", "pfcwd"})).out, run(test::petrel({"pfcwd", "--help"})).out);
    const auto wrong = run(test::petrel({"help", "stats"}));
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("the nearest is 'status'"));
}

control::QueueReport watched_queue(std::string port, watchdog::Phase phase)
{
    control::QueueReport queue;
    queue.device = "sw1";
    queue.port = std::move(port);
    queue.priority = 3;
    queue.policy = "tor";
    queue.phase = phase;
    return queue;
}

class WatchScreenTest : public testing::Test {
protected:
    void SetUp() override
    {
        auto status = some_status();
        status.devices.emplace_back().name = "sw1";
        answers.status = status;
        answers.queues = {watched_queue("Ethernet0", watchdog::Phase::mitigated),
                          watched_queue("Ethernet4", watchdog::Phase::alerted),
                          watched_queue("Ethernet8", watchdog::Phase::mitigated)};
        answers.events = {R"({"seq":1,"time_us":1773039901000042,"event":"storm_detected","device":"sw1",)"
                          R"("port":"Ethernet4","queue":3,"policy":"tor","reason":"proven","action":"drop",)"
                          R"("cause":null,"evidence":null})"};
        watch.show(answers);
    }

    std::string page(std::size_t lines = 24) const { return watch.page({lines, 80}, Paint{false}); }
    std::string selected() const
    {
        const auto text = page();
        const auto at = text.find("\n> ");
        return at == std::string::npos ? "" : text.substr(at + 3, text.find('\n', at + 1) - at - 3);
    }

    WatchAnswers answers;
    WatchScreen watch;
};

TEST_F(WatchScreenTest, HasQueuesEventsAndKeysAndFits)
{
    EXPECT_THAT(page(), AllOf(HasSubstr("Ethernet0:3"), HasSubstr("07:05:01  sw1:Ethernet4:3  storm_detected (drop)"),
                              HasSubstr("Enter explain")));
    for (std::size_t lines = 2; lines != 40; ++lines) {
        EXPECT_LT(std::ranges::count(page(lines), '\n'), static_cast<std::ptrdiff_t>(lines));
    }
}

TEST_F(WatchScreenTest, TheSelectionFollowsItsQueue)
{
    EXPECT_THAT(selected(), HasSubstr("Ethernet4:3")) << "the worst first";
    watch.press("\x1b[B");
    EXPECT_THAT(selected(), HasSubstr("Ethernet0:3"));
    answers.queues.front().phase = watchdog::Phase::restoring;  // now the last of the table
    watch.show(answers);
    EXPECT_THAT(selected(), HasSubstr("Ethernet0:3"));
    watch.press("j");
    EXPECT_THAT(selected(), HasSubstr("Ethernet0:3")) << "there is no further row";
}

TEST_F(WatchScreenTest, AFilterLeavesOutQueuesAndEvents)
{
    for (const auto* key : {"/", "t", "8"}) {
        watch.press(key);
    }
    EXPECT_THAT(page(), AllOf(HasSubstr("filter: t8_"), HasSubstr("Ethernet8:3"),
                              testing::Not(HasSubstr("Ethernet4:3")), testing::Not(HasSubstr("storm_detected"))));
    watch.press("\r");
    EXPECT_THAT(selected(), HasSubstr("Ethernet8:3"));
    watch.press("/");
    watch.press("\x1b");
    EXPECT_THAT(page(), HasSubstr("Ethernet4:3"));
}

TEST_F(WatchScreenTest, AnOrderNeedsAYes)
{
    EXPECT_FALSE(watch.press("h").request);
    EXPECT_THAT(page(), HasSubstr("hold sw1:Ethernet4:3? y: yes"));
    EXPECT_FALSE(watch.press("n").request);
    watch.press("r");
    const auto wanted = watch.press("y");
    ASSERT_TRUE(wanted.request);
    EXPECT_EQ(codec::request_json(*wanted.request),
              R"({"command":"release","device":"sw1","queue":"Ethernet4:3","note":"petrel watch"})");
    watch.answered("sw1:Ethernet4:3 is restoring\n");
    EXPECT_THAT(page(), testing::EndsWith("sw1:Ethernet4:3 is restoring"));
}

TEST_F(WatchScreenTest, WithoutAQueueAKeySaysSo)
{
    answers.queues.clear();
    watch.show(answers);
    for (const auto* key : {"h", "r", "\r"}) {
        EXPECT_FALSE(watch.press(key).request);
        EXPECT_THAT(page(), testing::EndsWith("no queue is selected; a shows all queues")) << key;
    }
    watch.press("a");
    EXPECT_THAT(page(), testing::EndsWith("q end"));
}

// A terminal sends a paste, and keys that are pressed while a page is drawn, at once.
TEST_F(WatchScreenTest, SeveralKeysMayArriveTogether)
{
    EXPECT_EQ(keys_in("a\x1b[B\xc3\xa4\x1bOA\x1b[1;5C\r"),
              (std::vector<std::string>{"a", "\x1b[B", "\xc3\xa4", "\x1bOA", "\x1b[1;5C", "\r"}));
    EXPECT_EQ(keys_in("\x1b"), std::vector<std::string>{"\x1b"});
    EXPECT_EQ(keys_in("\x1b[1"), std::vector<std::string>{"\x1b[1"}) << "a sequence that is cut";
    for (const auto& key : keys_in("/sw1:Ethernet8")) {
        watch.press(key);
    }
    EXPECT_THAT(page(), AllOf(HasSubstr("filter: sw1:Ethernet8_"), testing::Not(HasSubstr("Ethernet4:3"))));
}

TEST_F(WatchScreenTest, EventsFillTheScreenAndEndBetweenWords)
{
    answers.events.assign(30, answers.events.front());
    watch.show(answers);
    const auto text = page();
    EXPECT_EQ(std::ranges::count(text, '\n'), 23);
    EXPECT_EQ(text.find("\n\n"), std::string::npos) << "no line stays empty while there are events";
    for (const std::size_t width : {20U, 40U, 60U, 80U}) {
        std::istringstream lines{watch.page({24, width}, Paint{false})};
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("07:05:01") || line.ends_with("q end")) {
                EXPECT_LE(shown_width(line), width) << line;
            }
        }
    }
    EXPECT_THAT(watch.page({24, 40}, Paint{false}), HasSubstr("\n07:05:01  sw1:Ethernet4:3 …\n"));
    EXPECT_THAT(watch.page({24, 40}, Paint{false}), testing::EndsWith("\nEnter explain, h hold, r release, q end"));
}

TEST_F(WatchScreenTest, ALongPageScrolls)
{
    std::string text;
    for (int i = 0; i != 30; ++i) {
        text += fmt::format("line {}\n", i);
    }
    watch.answered(text);
    EXPECT_THAT(page(10), AllOf(testing::StartsWith("line 0\n"), HasSubstr("line 8\nup/down scroll")));
    watch.press("\x1b[A");
    watch.press("\x1b[B");
    EXPECT_THAT(page(10), testing::StartsWith("line 1\n"));
    for (int i = 0; i != 50; ++i) {
        watch.press("j");
    }
    EXPECT_THAT(page(10), HasSubstr("line 29\nup/down scroll, any other key: back, q end")) << "the end stays below";
    watch.press("k");
    watch.press("x");
    EXPECT_THAT(page(), HasSubstr("Enter explain"));
}

TEST_F(WatchScreenTest, EnterExplainsTheQueue)
{
    const auto wanted = watch.press("\r");
    ASSERT_TRUE(wanted.request);
    EXPECT_EQ(codec::request_json(*wanted.request), R"({"command":"explain","device":"sw1","queue":"Ethernet4:3"})");
    watch.answered("one\ntwo\n");
    EXPECT_THAT(page(), AllOf(testing::StartsWith("one\ntwo\n"), HasSubstr("any key: back")));
    EXPECT_FALSE(watch.press("x").end);
    EXPECT_THAT(page(), HasSubstr("Enter explain"));
    EXPECT_TRUE(watch.press("q").end);
}

TEST(ControlCommand, NoAgentIsExit3)
{
    const Folder folder;
    const auto path = (folder / "s").string();
    for (const auto* command : {"status", "queues", "events", "watch", "reload"}) {
        const auto ended = run(test::petrel({command, "--socket", path}));
        EXPECT_EQ(ended.exit_code, 3);
        EXPECT_EQ(ended.err, fmt::format("petrel: no agent answers at {}: is it running? (systemctl status "
                                         "petrel-agent; on a server: petrel-host)\n",
                                         path));
    }
}

TEST(ControlCommand, EventsOfADeadAgentAreThoseOfItsStateFolder)
{
    const petrel::test::TemporaryFolder folder;
    const auto event = [](int seq, std::string_view device) {
        return runtime::StoredEvent{static_cast<std::uint64_t>(seq),
                                    fmt::format(R"({{"seq":{},"time_us":{},"event":"order_taken","device":"{}","port":)"
                                                R"(null,"queue":null,"policy":null,"reason":"operator","action":null,)"
                                                R"("cause":null,"by":"release","evidence":null}})",
                                                seq, 1000 * seq, device)};
    };
    const auto store = [&](const std::string& device, const std::vector<runtime::StoredEvent>& events) {
        const auto file = runtime::StateFile::open(folder / (device + ".state"), device, 10);
        ASSERT_TRUE(file);
        ASSERT_TRUE((*file)->append(events, "{}", {}));
    };
    store("sw1", {event(1, "sw1"), event(3, "sw1")});
    store("sw2", {event(2, "sw2")});
    const auto socket = (folder / "s").string();
    const auto stored = [&](std::vector<std::string> flags) {
        flags.insert(flags.begin(), {"events", "--socket", socket, "--state-dir", folder.path().string()});
        return run(test::petrel(std::move(flags)));
    };
    const auto line = [&](int seq, std::string_view device) { return event(seq, device).json + '\n'; };
    EXPECT_EQ(stored({"--json"}).out, line(1, "sw1") + line(2, "sw2") + line(3, "sw1"));
    EXPECT_EQ(stored({"--json", "--last", "1"}).out, line(3, "sw1"));
    EXPECT_EQ(stored({"--json", "--device", "sw2"}).out, line(2, "sw2"));
    EXPECT_EQ(stored({"--json", "--since", "1970-01-01T00:00:00.002Z"}).out, line(2, "sw2") + line(3, "sw1"));
    EXPECT_EQ(stored({"--json", "--type", "order_taken", "--last", "1"}).out, line(3, "sw1"));
    EXPECT_EQ(stored({"--json", "--type", "storm_detected"}).out, "");
    EXPECT_EQ(stored({"--json", "--queue", "Ethernet4:3"}).out, "");
    const auto text = stored({});
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_THAT(text.out, HasSubstr("sw2  order_taken"));
    EXPECT_THAT(text.err,
                AllOf(HasSubstr("no agent answers at " + socket), HasSubstr("stored in " + folder.path().string())));

    EXPECT_EQ(stored({"--device", "sw3"}).exit_code, 3);
    EXPECT_EQ(stored({"--follow"}).exit_code, 3) << "no agent adds events";

    // Without the flag, the folder is that of the agent that has this socket by its configuration.
    auto configured = test::petrel({"events", "--json", "--last", "1"});
    configured.environment = {{"PETREL_CONTROL_SOCKET", socket}, {"PETREL_STATE_DIR", folder.path().string()}};
    EXPECT_EQ(run(configured).out, line(3, "sw1"));
    configured.arguments.insert(configured.arguments.end(), {"--socket", (folder / "another").string()});
    EXPECT_EQ(run(configured).exit_code, 3);
}

TEST(ControlCommand, DeniedAccessNamesTheAllowedUsers)
{
    if (::getuid() != 0) {
        GTEST_SKIP() << "needs root, to become another user";
    }
    const PlayedAgent agent{{}};
    std::filesystem::permissions(agent.path().parent_path(), std::filesystem::perms::all);
    auto call = agent.call({"--reuid=65534", "--clear-groups", PETREL_BIN_DIR "/petrel", "status"});
    call.program = "/usr/bin/setpriv";
    if (!std::filesystem::exists(call.program)) {
        GTEST_SKIP() << "needs setpriv";
    }
    call.arguments.insert(call.arguments.begin(), "--regid=65534");
    const auto ended = run(call);
    if (ended.exit_code == 127 || ended.err.find("setpriv") != std::string::npos) {
        GTEST_SKIP() << "user nobody may not run the built program: " << ended.err;
    }
    EXPECT_EQ(ended.exit_code, 4);
    EXPECT_EQ(ended.err, fmt::format("petrel: you may not use the agent at {}: root and group 'root' may\n",
                                     agent.path().string()));
}

TEST(ControlCommand, ReportsAllBadArgumentsAtOnce)
{
    const auto queue = run(test::petrel({"release", "--devic", "x"}));
    EXPECT_EQ(queue.exit_code, 2);
    EXPECT_NE(queue.err.find("--devic: no such flag; the nearest is --device"), std::string::npos) << queue.err;
    const auto none = run(test::petrel({"explain"}));
    EXPECT_EQ(none.err,
              "QUEUE: which one? PORT:PRIORITY, e.g. Ethernet4:3; of a NIC its interface, e.g. eth0\nRun with --help "
              "for more information.\n");
    for (const auto* last : {"0", "-1", "x", "4294967296"}) {
        const auto ended = run(test::petrel({"events", "--last", last}));
        EXPECT_EQ(ended.exit_code, 2);
        EXPECT_EQ(ended.err.substr(0, ended.err.find('\n')),
                  fmt::format("--last: value '{}': allowed 1..4294967295", last));
    }
}

TEST(ControlCommand, WatchPrintsUntilThePipeIsClosed)
{
    std::deque<std::string> answers;
    for (int i = 0; i < 10; ++i) {
        answers.push_back(codec::answer_json(some_status()));
        answers.push_back(codec::answer_json(std::vector<control::QueueReport>{}));
    }
    PlayedAgent agent{answers};
    auto call = agent.call({"watch"});
    call.interrupt_after_bytes = 10;
    const auto ended = run(call);
    EXPECT_EQ(ended.exit_code, 130);
    EXPECT_TRUE(ended.out.starts_with("tor-17: 0 devices")) << ended.out;
    call.interrupt_after_bytes = -1;
    call.nobody_reads_stdout = true;
    EXPECT_EQ(run(call).exit_code, 0);
}

TEST(ControlCommand, WatchOnATerminalDrawsAndEndsWithItsInput)
{
    PlayedAgent agent{{codec::answer_json(some_status()), codec::answer_json(std::vector<control::QueueReport>{}),
                       codec::events_end_json(0)}};
    auto call = agent.call({"watch"});
    call.stdout_is_terminal = true;
    call.interrupt_after_bytes = 10;
    const auto ended = run(call);
    EXPECT_EQ(ended.exit_code, 130);
    EXPECT_TRUE(ended.out.starts_with("\x1b[H\x1b[2J")) << ended.out;
}

}  // namespace
}  // namespace petrel::cli
