// The demo: its story, which is the same on every output; its screen, which leaves the terminal in order; its report.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "demo/act.hpp"
#include "demo/status.hpp"
#include "petrel_program.hpp"

namespace petrel::cli {
namespace {

namespace fs = std::filesystem;

fs::path new_folder(const char* name)
{
    const auto folder = fs::path{testing::TempDir()} / name;
    fs::remove_all(folder);
    fs::create_directories(folder);
    return folder;
}

petrel::test::Invocation demo_in(const fs::path& folder, std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "demo");
    auto call = test::petrel(std::move(arguments));
    call.folder = folder;
    return call;
}

fs::path story() { return petrel::test::golden("cli/demo/story.txt"); }

// The service runs in real time: its output is separated from the rest, which is the same in every run.
struct Output {
    std::string story;
    std::string service;
};

Output split(const std::string& out)
{
    const auto from = out.find("\nAnd as a service");
    const auto to = out.find("\nThe same as tests");
    if (from == std::string::npos || to == std::string::npos) {
        return {out, {}};
    }
    return {out.substr(0, from) + out.substr(to), out.substr(from, to - from)};
}

TEST(Demo, PrintsItsStoryAndEndsWithTheReport)
{
    const auto folder = new_folder("demo-story");
    const auto ended = run(demo_in(folder, {"--report", "out"}));
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
    petrel::test::expect_golden(story(), split(ended.out).story);
    EXPECT_TRUE(ended.out.ends_with("out/index.html\n"));
    const auto index = petrel::test::content(folder / "out/index.html");
    std::istringstream lines{split(ended.out).story};
    std::string line;
    std::getline(lines, line);
    std::size_t compared = 0;
    for (bool inside = false; std::getline(lines, line);) {
        inside = (inside || line.starts_with("after ")) && !line.empty();
        if (inside && !line.starts_with("-")) {
            const std::regex blanks{"  +"};
            for (std::sregex_token_iterator cell{line.begin(), line.end(), blanks, -1}, end; cell != end; ++cell) {
                const auto text = std::regex_replace(cell->str(), std::regex{"'"}, "&#39;");
                EXPECT_NE(index.find('>' + text + '<'), std::string::npos) << text << " is not in the index";
            }
            ++compared;
        }
    }
    EXPECT_EQ(compared, 8U) << "the heading and seven quantities";
    for (const auto* run : {"run-001.html", "run-002.html"}) {
        EXPECT_NE(index.find(run), std::string::npos);
        EXPECT_TRUE(fs::exists(folder / "out" / run));
    }
}

TEST(Demo, PrintsTheSameToATerminal)
{
    auto call = demo_in(new_folder("demo-terminal"), {"--fast", "--report", "out"});
    call.stdout_is_terminal = true;
    call.environment = {{"NO_COLOR", "1"}};
    auto out = run(call).out;
    std::erase(out, '\r');
    EXPECT_EQ(split(out).story, petrel::test::content(story()));
}

TEST(Demo, EndsWithTheServiceAsItsOperatorSeesIt)
{
    auto call = demo_in(new_folder("demo-service"), {"--fast", "--report", "out"});
    call.environment = {{"PETREL_CONTROL_SOCKET", "/nowhere/control.sock"}};  // is for other agents
    const auto ended = run(call);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const auto service = split(ended.out).service;
    std::size_t at = 0;
    for (const auto* line :
         {"$ petrel manager --store manager.db", "$ petrel agent --config agent.toml\n", "agent_ready",
          "storm_detected leaf0-0:Ethernet0:3", "$ petrel ports --errors\n", "h0:eth0", "$ petrel queues --stormed\n",
          "lossless-off", "$ petrel explain leaf0-0:Ethernet0:3", "limit 200 ms", "storm_restored leaf0-0:Ethernet0:3",
          "$ petrel ports --errors\n", "no port is in error", "agent_stopped"}) {
        const auto found = service.find(line, at);
        ASSERT_NE(found, std::string::npos) << line << " in\n" << service;
        at = found;
    }
}

TEST(Demo, WithoutAFolderMakesOneAmongTheTemporaryFiles)
{
    const auto folder = new_folder("demo-temporary");
    auto call = demo_in(folder, {});
    call.environment = {{"TMPDIR", folder.string()}};
    const auto out = run(call).out;
    std::smatch path;
    ASSERT_TRUE(std::regex_search(out, path, std::regex{"(/[^ ]*/petrel-demo-[^/]*/index.html)\n$"}));
    EXPECT_TRUE(path[1].str().starts_with(folder.string()));
    EXPECT_TRUE(fs::exists(path[1].str()));
}

TEST(Demo, AReportThatCannotBeWrittenIsAFailure)
{
    const auto folder = new_folder("demo-denied");
    std::ofstream{folder / "file"} << "in the way";
    const auto ended = run(demo_in(folder, {"--report", "file/below"}));
    EXPECT_EQ(ended.exit_code, 4);
    EXPECT_NE(ended.err.find("file/below"), std::string::npos);

    auto call = demo_in(folder, {});
    call.environment = {{"TMPDIR", (folder / "nowhere").string()}};
    EXPECT_EQ(run(call).exit_code, 4);
}

// The cursor moves up by as many lines as were drawn.
void expect_redrawn_in_place(const std::string& out)
{
    const std::regex redraw{"\x1b\\[([0-9]+)A\x1b\\[J"};
    std::size_t drawn = 0;
    for (std::sregex_iterator at{out.begin(), out.end(), redraw}, end; at != end; ++at, ++drawn) {
        const auto block = at->suffix().str().substr(0, at->suffix().str().find("\x1b[" + (*at)[1].str() + "A"));
        EXPECT_EQ(std::to_string(std::count(block.begin(), block.end(), '\n')), (*at)[1]) << block;
    }
    EXPECT_GT(drawn, 1U);
}

TEST(Demo, InterruptedLeavesTheTerminalInOrder)
{
    auto call = demo_in(new_folder("demo-interrupted"), {});
    call.stdout_is_terminal = true;
    call.environment = {{"TERM", "xterm"}, {"NO_COLOR", ""}};
    call.interrupt_after_bytes = 4000;
    const auto ended = run(call);
    EXPECT_EQ(ended.exit_code, 130);
    expect_redrawn_in_place(ended.out);
    EXPECT_EQ(ended.out.find("\x1b[?"), std::string::npos) << "modes of the terminal are not ours";
    EXPECT_TRUE(ended.out.ends_with('\n'));
    const auto colour = ended.out.rfind("\x1b[", ended.out.rfind('m'));
    EXPECT_EQ(ended.out.substr(colour, 4), "\x1b[0m");
}

TEST(Demo, DrawsNothingWhereTheCursorDoesNotMove)
{
    auto call = demo_in(new_folder("demo-dumb"), {});
    call.stdout_is_terminal = true;
    call.environment = {{"TERM", "dumb"}, {"NO_COLOR", "1"}};
    call.interrupt_after_bytes = 500;
    const auto ended = run(call);
    EXPECT_EQ(ended.exit_code, 130);
    EXPECT_EQ(ended.out.find('\x1b'), std::string::npos);
}

TEST(Demo, RefusesPacedAndFastTogether) { EXPECT_EQ(run(demo_in(".", {"--fast", "--realtime"})).exit_code, 2); }

TEST(Demo, PlaysThePlansThatAreTested)
{
    for (const auto& plan : {demo::kWithoutWatchdog, demo::kLeafSwitchesWatch}) {
        const auto tree = fs::path{PETREL_TEST_DATA}.parent_path();
        EXPECT_EQ(plan.text, petrel::test::content(tree / plan.file)) << plan.file;
    }
}

// A redrawn block must have as many lines as the one before, and no line may wrap.
TEST(DemoStatus, HasOneShapeAtAllTimes)
{
    const auto experiment = lab::Experiment::make(demo::scenario_of(demo::kLeafSwitchesWatch));
    ASSERT_TRUE(experiment);
    demo::FabricWatch watch{**experiment};
    std::size_t standing = 0;
    std::set<std::ptrdiff_t> heights;
    for (auto at = twin::kMs; at <= 900 * twin::kMs; at += twin::kMs) {
        (*experiment)->run_until(at);
        const auto now = watch.look();
        standing = std::max(standing, now.standing(0));
        const auto text = demo::status_text(now, watch, **experiment, 120, Paint{false});
        heights.insert(std::count(text.begin(), text.end(), '\n'));
        std::istringstream lines{text};
        for (std::string line; std::getline(lines, line);) {
            ASSERT_LT(line.size(), 80U) << line;
        }
    }
    EXPECT_EQ(standing, 15U);
    EXPECT_EQ(heights.size(), 1U);
}

}  // namespace
}  // namespace petrel::cli
