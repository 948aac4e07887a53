// The real program, called by the names of SONiC's tools.
#include <gmock/gmock.h>

#include "sonic_tools/saved_counters.hpp"
#include "sonic_tools/transcript.hpp"
#include "support/subprocess.hpp"

namespace petrel::sonic_tools {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Program : public testing::Test {
protected:
    void SetUp() override
    {
        PETREL_NEEDS_REDIS();
        bench_.emplace();
    }
    Bench& bench() { return *bench_; }

    test::Invocation call(const std::string& name, std::vector<std::string> arguments)
    {
        test::Invocation made{PETREL_BIN_DIR "/" + name};
        made.arguments = std::move(arguments);
        made.environment = {{"PETREL_REDIS", redis::to_text(bench().address())},
                            {"XDG_CACHE_HOME", cache_.path()},
                            {"PETREL_CONTROL_SOCKET", cache_ / "no agent"}};
        return made;
    }

    test::Ended run(const std::string& name, std::vector<std::string> arguments)
    {
        return test::run(call(name, std::move(arguments)));
    }

    // Runs pfcstat in a folder, with this home folder in the environment.
    test::Ended run_at_home(const std::string& home, const std::filesystem::path& folder, std::string argument)
    {
        auto made = call("pfcstat", {std::move(argument)});
        made.environment.emplace_back("XDG_CACHE_HOME", "");
        made.environment.emplace_back("HOME", home);
        made.folder = folder;
        return test::run(made);
    }

    // Runs the same command in this process and with the program, and compares the results.
    void expect_same(const std::string& tool, const std::vector<std::string>& arguments)
    {
        const auto line = fmt::format("{} {}", tool, fmt::join(arguments, " "));
        const auto expected = bench().run(line);
        const auto ended = run(tool, arguments);
        EXPECT_EQ(ended.out, expected.out) << line;
        EXPECT_EQ(ended.err, expected.err) << line;
        EXPECT_EQ(ended.exit_code, expected.exit_code) << line;
    }

private:
    std::optional<Bench> bench_;
    test::TemporaryFolder cache_;
};

TEST_F(Program, IsCalledByItsNames)
{
    expect_same("pfcwd", {"show", "config"});
    expect_same("pfcwd", {"show", "stats", "--check-storm"});
    expect_same("pfcwd", {"start", "Ethernet0", "50"});
    expect_same("mmuconfig", {});
    expect_same("mmuconfig", {"-l", "-vv"});
    expect_same("pfc", {"show", "priority"});
    expect_same("pfcstat", {});
}

TEST_F(Program, IsASubcommandOfPetrel)
{
    EXPECT_EQ(run("petrel", {"pfcwd", "show", "config"}).out, bench().run("pfcwd show config").out);
    const auto wrong = run("petrel", {"pfcwd", "interval"});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err,
                StartsWith("Usage: petrel pfcwd interval [OPTIONS] POLL_INTERVAL\nTry 'petrel pfcwd interval "
                           "--help' for help.\n"));
}

TEST_F(Program, KeepsCountersInTheCacheOfTheUser)
{
    EXPECT_EQ(run("pfcstat", {"-c"}).out, "Clear saved PFC counters and history\n");
    EXPECT_THAT(run("pfcstat", {}).out, StartsWith("Last cached time was 20"));
}

TEST_F(Program, WritesNothingForAUserWithoutAHome)
{
    const test::TemporaryFolder folder;
    const auto refused = run_at_home(folder / "no home", folder.path(), "-c");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, StartsWith("Error: cannot make "));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));

    SavedCounters saved{"somebody was here", {}};
    std::filesystem::create_directory(folder / ".cache");
    ASSERT_TRUE(save(folder / ".cache/petrel", saved));
    EXPECT_THAT(run_at_home(folder.path(), "/", "-sfrontend").out, HasSubstr("somebody was here"));
    EXPECT_THAT(run_at_home("", folder.path(), "-sfrontend").out, Not(HasSubstr("somebody was here")));
}

TEST_F(Program, WaitsUntilConfigDbIsFilled)
{
    bench().fill_config(false);
    const auto program = call("pfcwd", {"show", "config"});
    auto out = test::detail::make_pipe();
    auto err = test::detail::make_pipe();
    const auto child = ::fork();
    if (child == 0) {
        test::detail::become(program, STDIN_FILENO, out.write_end, err.write_end);
    }
    test::detail::close_end(out.write_end);
    test::detail::close_end(err.write_end);
    std::string output;
    while (output.find('\n') == std::string::npos && test::detail::read_some(err.read_end, output)) {
    }
    EXPECT_EQ(output,
              "pfcwd: CONFIG_DB is not filled yet (CONFIG_DB_INITIALIZED is not set): waiting for it, at most 30 s\n");
    bench().fill_config(true);
    std::string shown;
    while (test::detail::read_some(out.read_end, shown)) {
    }
    EXPECT_EQ(shown, bench().run("pfcwd show config").out);
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    test::detail::close_end(out.read_end);
    test::detail::close_end(err.read_end);
}

TEST_F(Program, NamesTheAddressesItTried)
{
    const auto database = run("pfcwd", {"show", "config", "--redis", "unix:///nowhere/redis.sock"});
    EXPECT_EQ(database.exit_code, 1);
    EXPECT_EQ(database.out, "");
    EXPECT_THAT(database.err, StartsWith("Error: "));
    EXPECT_THAT(database.err, HasSubstr("/nowhere/redis.sock"));
    const auto agent = run("pfcwd", {"show", "history"});
    EXPECT_EQ(agent.exit_code, 1);
    EXPECT_THAT(agent.err, HasSubstr("no agent answers at "));
    EXPECT_EQ(run("pfcwd", {"--redis", "nonsense", "show", "config"}).exit_code, 1);
}

}  // namespace
}  // namespace petrel::sonic_tools
