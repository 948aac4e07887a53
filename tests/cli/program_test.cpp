// How the program interacts with the system: files, pipes, full disks, terminals, Ctrl-C.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "petrel_program.hpp"
#include "terminal/exit_code.hpp"

namespace petrel::cli {
namespace {

using petrel::test::run;
using test::content;
using test::petrel;

class OutputFolder {
public:
    OutputFolder()
    {
        std::string name = testing::TempDir() + "petrel-cli-XXXXXX";
        path_ = ::mkdtemp(name.data());
    }
    ~OutputFolder() { std::filesystem::remove_all(path_); }
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;
    std::filesystem::path operator/(const char* name) const { return path_ / name; }
    std::size_t files() const
    {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{path_}, {}));
    }

private:
    std::filesystem::path path_;
};

void put(const std::filesystem::path& path, std::string_view text) { std::ofstream{path, std::ios::binary} << text; }

// A script that requests the help of a removed command must get an error.
TEST(Program, AnUnknownCommandHasNoHelp)
{
    const std::pair<std::vector<std::string>, std::string> calls[]{
        {{"replya", "--help"}, "petrel: value 'replya': allowed a command, the nearest is 'replay'"},
        {{"replya", "-h"}, "petrel: value 'replya': allowed a command, the nearest is 'replay'"},
        {{"--help", "replya"}, "petrel: value 'replya': allowed a command, the nearest is 'replay'"},
        {{"nosuch", "--help"}, "petrel: value 'nosuch': allowed a command, one of replay"},
        {{"lab", "chekc", "--help"}, "petrel lab: value 'chekc': allowed a command, the nearest is 'check'"},
        {{"link", "nosuch", "--help"}, "petrel link: value 'nosuch': allowed a command, one of play"},
        {{"config", "nosuch", "--help"}, "petrel config: value 'nosuch': allowed a command, one of check, show"},
        {{"nosuch\x1b[2J", "--help"}, "petrel: value 'nosuch\\x1b[2J': allowed a command, one of replay"}};
    for (const auto& [arguments, words] : calls) {
        const auto ended = run(petrel(arguments));
        EXPECT_EQ(ended.exit_code, 2) << words;
        EXPECT_EQ(ended.out, "");
        EXPECT_EQ(ended.err.substr(0, words.size()), words);
    }
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"--help"}, {"replay", "--help"}, {"lab", "--help"}, {"lab", "run", "--help"}, {"lab", "--help", "run"}}) {
        const auto ended = run(petrel(arguments));
        EXPECT_EQ(ended.exit_code, 0) << arguments.front();
        EXPECT_NE(ended.out.find("Usage: petrel"), std::string::npos);
    }
}

TEST(Program, OutputFileEqualsStdout)
{
    const OutputFolder folder;
    const auto file = folder / "events.jsonl";
    put(file, "something older");
    const auto to_file = run(petrel({"replay", "storm.csv", "--policy", "sonic", "--json", "-o", file.string()}));
    const auto to_stdout = run(petrel({"replay", "storm.csv", "--policy", "sonic", "--json", "-o", "-"}));
    EXPECT_EQ(to_file.exit_code, 0);
    EXPECT_EQ(to_file.out, "");
    EXPECT_FALSE(to_stdout.out.empty());
    EXPECT_EQ(content(file), to_stdout.out);
    EXPECT_EQ(folder.files(), 1U) << "no draft is left behind";
}

TEST(Program, BadInputLeavesTheOutputFileAlone)
{
    const OutputFolder folder;
    const auto file = folder / "events.jsonl";
    put(file, "something older");
    const auto ended =
        run(petrel({"replay", "storm.csv", "--policy", "sonic", "--detect-ms", "1", "-o", file.string()}));
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(content(file), "something older");
    EXPECT_EQ(folder.files(), 1U);
}

TEST(Program, OutputThroughALinkKeepsTheLink)
{
    const OutputFolder folder;
    const auto real = folder / "real.txt";
    const auto link = folder / "link.txt";
    put(real, "something older");
    std::filesystem::create_symlink(real, link);
    EXPECT_EQ(run(petrel({"replay", "storm.csv", "--policy", "sonic", "-o", link.string()})).exit_code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_NE(content(real).find("storm_detected"), std::string::npos);
}

// In a world-writable folder another user may have placed the link for root to follow.
TEST(Program, OutputThroughALinkOfAnotherUserIsRefused)
{
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give links away";
    }
    const OutputFolder folder;
    const auto real = folder / "real.txt";
    const auto link = folder / "link.txt";
    put(real, "something older");
    std::filesystem::create_symlink(real, link);
    ASSERT_EQ(::lchown(link.c_str(), 65534, 65534), 0);
    const auto ended = run(petrel({"replay", "storm.csv", "--policy", "sonic", "-o", link.string()}));
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_NE(ended.err.find("a symbolic link of uid 65534"), std::string::npos) << ended.err;
    EXPECT_EQ(content(real), "something older");
}

TEST(Program, OutputThroughALinkOfAnotherUserToAPipeOrIntoAFolderIsRefused)
{
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give links away";
    }
    const OutputFolder folder;
    const auto pipe = folder / "pipe";
    const auto secret = folder / "secret";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::filesystem::create_directory(secret);
    for (const auto& [name, target, output] :
         {std::tuple{"to-pipe", pipe, "to-pipe"}, std::tuple{"to-folder", secret, "to-folder/report.txt"}}) {
        const auto link = folder / name;
        std::filesystem::create_symlink(target, link);
        ASSERT_EQ(::lchown(link.c_str(), 65534, 65534), 0);
        const auto ended = run(petrel({"replay", "storm.csv", "--policy", "sonic", "-o", (folder / output).string()}));
        EXPECT_NE(ended.exit_code, 0);
        EXPECT_NE(ended.err.find("a symbolic link of uid 65534"), std::string::npos) << ended.err;
    }
    EXPECT_TRUE(std::filesystem::is_empty(secret));
}

TEST(Program, EmptyOutputNameIsRefused)
{
    const auto ended = run(petrel({"replay", "storm.csv", "--policy", "sonic", "-o", ""}));
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err, "--output: which one? A file, or - for stdout\n");
}

TEST(Program, NewOutputFileHasTheModeThatTheUmaskLeaves)
{
    const OutputFolder folder;
    const auto file = folder / "report.txt";
    const auto before = ::umask(0002);
    EXPECT_EQ(run(petrel({"replay", "storm.csv", "--policy", "sonic", "-o", file.string()})).exit_code, 0);
    ::umask(before);
    EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(file).permissions()), 0664U);
}

TEST(Program, OutputThatCannotBeWrittenIsNamedAsItWasGiven)
{
    const OutputFolder folder;
    const auto file = (folder / "").string() + "./" + std::string(252, 'x');
    const auto ended = run(petrel({"replay", "storm.csv", "--policy", "sonic", "-o", file}));
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err, "petrel: cannot open " + file + ": File name too long\n");
}

TEST(Program, OutputToADeviceIsWrittenNotReplaced)
{
    EXPECT_EQ(run(petrel({"replay", "storm.csv", "--policy", "sonic", "-o", "/dev/null"})).exit_code, 0);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
    const auto full = run(petrel({"replay", "storm.csv", "--policy", "sonic", "-o", "/dev/full"}));
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_EQ(full.err, "petrel: cannot write to /dev/full: No space left on device\n");
}

TEST(Program, FullDiskIsAFailure)
{
    for (const auto& command :
         {std::vector<std::string>{"replay", "storm.csv", "--policy", "sonic"}, {"policies"}, {"demo"}, {"--help"}}) {
        auto call = petrel(command);
        call.stdout_path = "/dev/full";
        const auto ended = run(call);
        EXPECT_EQ(ended.exit_code, 1) << command.front();
        EXPECT_EQ(ended.err, "petrel: cannot write to stdout: No space left on device\n") << command.front();
    }
}

TEST(Program, AClosedPipeEndsWithoutAnError)
{
    for (const auto& command : {std::vector<std::string>{"replay", "storm.csv", "--policy", "sonic"},
                                {"policies", "--json"},
                                {"demo", "--realtime"}}) {
        auto call = petrel(command);
        call.nobody_reads_stdout = true;
        const auto ended = run(call);
        EXPECT_EQ(ended.exit_code, 0) << command.front();
        EXPECT_EQ(ended.signal, 0) << command.front();
        EXPECT_EQ(ended.err, "") << command.front();
    }
}

TEST(Program, InterruptEndsWith130)
{
    auto call = petrel({"demo", "--realtime"});
    call.interrupt_after_bytes = 1;
    const auto ended = run(call);
    EXPECT_EQ(ended.exit_code, 130);
    EXPECT_EQ(ended.out.find("storm_restored"), std::string::npos);
}

TEST(Program, ColourOnlyOnATerminalAndWithoutNoColor)
{
    const std::string escape = "\x1b[";
    auto call = petrel({"replay", "storm.csv", "--policy", "sonic"});
    call.environment = {{"NO_COLOR", ""}};  // empty counts as not set
    EXPECT_EQ(run(call).out.find(escape), std::string::npos);
    call.stdout_is_terminal = true;
    EXPECT_NE(run(call).out.find(escape), std::string::npos);
    call.environment = {{"NO_COLOR", "1"}};
    EXPECT_EQ(run(call).out.find(escape), std::string::npos);
}

TEST(Program, SameInputSameOutput)
{
    const auto call =
        petrel({"replay", "two-switches.jsonl", "--policy", "sonic", "--policy", "progress", "--format", "html"});
    EXPECT_EQ(run(call).out, run(call).out);
}

TEST(ExitCode, EveryErrorHasOne)
{
    EXPECT_EQ(exit_code(ErrorKind::invalid), ExitCode::usage);
    EXPECT_EQ(exit_code(ErrorKind::unreachable), ExitCode::unreachable);
    EXPECT_EQ(exit_code(ErrorKind::timed_out), ExitCode::unreachable);
    EXPECT_EQ(exit_code(ErrorKind::denied), ExitCode::permission);
    EXPECT_EQ(exit_code(ErrorKind::unsupported), ExitCode::failure);
    EXPECT_EQ(exit_code(ErrorKind::corrupt), ExitCode::failure);
    EXPECT_EQ(exit_code(ErrorKind::exhausted), ExitCode::failure);
    EXPECT_EQ(static_cast<int>(ExitCode::expectation), 5);
}

}  // namespace
}  // namespace petrel::cli
