// How the program interacts with the system: files, pipes, full disks, terminals, Ctrl-C.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <span>
#include <sstream>

#include "codec/trace_reader.hpp"
#include "petrel_program.hpp"
#include "sonic/redis_store.hpp"
#include "support/redis_server.hpp"
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

// The looks and the rows of a trace.
std::map<std::int64_t, std::size_t> looks_in(const std::string& text)
{
    std::map<std::int64_t, std::size_t> looks;
    const auto trace = codec::read_trace(text, "trace");
    EXPECT_TRUE(trace) << text;
    if (trace) {
        for (const auto& device : trace->devices) {
            for (const auto us : device.time_us) {
                ++looks[us];
            }
        }
    }
    return looks;
}

TEST(Record, WritesATraceOfAllQueues)
{
    const OutputFolder folder;
    const auto file = (folder / "leaf.csv").string();
    const auto ended = run(petrel({"record", "--device", "twin:../scenarios/agent/calm.toml#leaf0", "--every-ms", "1",
                                   "--looks", "3", "-o", file}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "petrel: 3 looks recorded\n");
    const auto looks = looks_in(content(file));
    ASSERT_EQ(looks.size(), 3U);
    EXPECT_EQ(looks.begin()->first, 0);
    EXPECT_GE(looks.begin()->second, 4U);
    EXPECT_EQ(run(petrel({"replay", file, "--policy", "sonic", "--check"})).exit_code, 0);
}

TEST(Record, OfSonicReadsCountersOnly)
{
    const petrel::test::RedisServer server;
    sonic::RedisStore store{sonic::at_one_address(server.address()), std::chrono::seconds{10}};
    const auto set = [&](const std::string& key, sonic::Hash fields) {
        const sonic::Change change{sonic::Change::Kind::set, key, std::move(fields)};
        ASSERT_TRUE(store.apply(sonic::Db::counters, {&change, 1}));
    };
    const auto device = "sonic:unix://" + server.address().path;
    const auto none = run(petrel({"record", "--device", device}));
    EXPECT_EQ(none.exit_code, 3);
    EXPECT_NE(none.err.find("COUNTERS_DB has no COUNTERS_PORT_NAME_MAP"), std::string::npos) << none.err;

    set("COUNTERS_PORT_NAME_MAP", {{"Ethernet4", "oid:0x1"}});
    const OutputFolder folder;
    const auto empty = run(petrel({"record", "--device", device, "-o", (folder / "empty.csv").string()}));
    EXPECT_EQ(empty.exit_code, 1);
    EXPECT_NE(empty.err.find("has no queue or port whose counters can be recorded"), std::string::npos) << empty.err;
    EXPECT_EQ(folder.files(), 0U) << "a trace without rows is no trace";
    set("COUNTERS_QUEUE_NAME_MAP", {{"Ethernet4:3", "oid:0x2"}, {"Ethernet4:12", "oid:0x3"}});
    set("COUNTERS:oid:0x1", {{"SAI_PORT_STAT_PFC_3_RX_PKTS", "7"}, {"SAI_PORT_STAT_PFC_4_RX_PKTS", "0"}});
    set("COUNTERS:oid:0x2", {{"SAI_QUEUE_STAT_PACKETS", "11"}, {"SAI_QUEUE_ATTR_PAUSE_STATUS", "true"}});
    set("COUNTERS:oid:0x3", {{"SAI_QUEUE_STAT_PACKETS", "99"}});
    const auto before = store.keys(sonic::Db::counters, "").value();
    const auto ended = run(petrel({"record", "--device", device, "--every-ms", "1", "--looks", "2"}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(looks_in(ended.out).size(), 2U);
    EXPECT_NE(ended.out.find("\n0,sonic,Ethernet4,3,1,,7,,11,"), std::string::npos) << ended.out;
    EXPECT_EQ(ended.out.find("99"), std::string::npos) << "queue 12 is no priority";
    EXPECT_EQ(store.keys(sonic::Db::counters, "").value(), before);
    EXPECT_TRUE(store.keys(sonic::Db::state, "").value().empty()) << "it claims nothing";
}

TEST(Record, NamesWhatIsWrong)
{
    const auto kind = run(petrel({"record", "--device", "nosuch:x"}));
    EXPECT_EQ(kind.exit_code, 2);
    EXPECT_NE(kind.err.find("--device: value 'nosuch:x': allowed KIND:..., of a kind that there is: "),
              std::string::npos)
        << kind.err;
    const auto file = run(petrel({"record", "--device", "twin:../scenarios/agent/calm.toml", "-o", "/nowhere/x.csv"}));
    EXPECT_EQ(file.exit_code, 2);
    EXPECT_NE(file.err.find("/nowhere/x.csv: cannot be written"), std::string::npos) << file.err;
}

}  // namespace
}  // namespace petrel::cli
