// Helper programs as child processes: lines in both directions, and what is reported about programs that end, hang,
// write too much or leave processes behind. The helpers are shell scripts.
#include "runtime/helper_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "support/temporary_folder.hpp"

namespace petrel::runtime {
namespace {

using namespace std::chrono_literals;
using device::exec::Helper;
using testing::HasSubstr;

constexpr std::size_t kLongest = 1000;
constexpr Duration kLong = 60s;    // never reached
constexpr Duration kShort = 20ms;  // always reached

std::unique_ptr<Helper> start_script(const std::string& script, Duration deadline = kLong)
{
    auto started = HelperProcess::start({"/bin/sh", "-c", script}, kLongest);
    EXPECT_TRUE(started) << started.error().what;
    (*started)->set_deadline(deadline);
    return std::move(*started);
}

template <class Value>
std::string what(const Result<Value>& result)
{
    return result ? "no error" : result.error().what;
}

TEST(HelperProcessTest, LinesGoBothWays)
{
    const auto helper = start_script("while read -r line; do echo \"got $line\"; done");
    ASSERT_TRUE(helper->send("one"));
    ASSERT_TRUE(helper->send("two"));
    EXPECT_EQ(helper->receive(), "got one");
    EXPECT_EQ(helper->receive(), "got two");
    EXPECT_EQ(helper->receive_at_once(), std::nullopt);
    EXPECT_TRUE(helper->finish());
}

TEST(HelperProcessTest, TheDescriptorIsReadableWhenALineArrives)
{
    const auto helper = start_script("read -r line; echo notice; read -r line");
    EXPECT_EQ(helper->receive_at_once(), std::nullopt);
    ASSERT_TRUE(helper->send("go"));
    pollfd ready{helper->fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&ready, 1, -1), 1);
    EXPECT_EQ(helper->receive_at_once(), "notice");
}

TEST(HelperProcessTest, AMissingProgramIsNotStarted)
{
    const auto started = HelperProcess::start({"/no/such/program"}, kLongest);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().what, "cannot start /no/such/program: No such file or directory");
}

TEST(HelperProcessTest, AHelperThatEndsIsDescribed)
{
    EXPECT_EQ(what(start_script("echo 'KeyError: 3' >&2; exit 3")->receive()),
              "has ended with exit code 3; its stderr ends with 'KeyError: 3'");
    EXPECT_EQ(what(start_script("kill -SEGV $$")->receive()), "has ended by signal 11");
    EXPECT_EQ(what(start_script("exec >&-; read -r line")->receive()), "has closed its output");
    const auto helper = start_script("echo last; exit 0");
    EXPECT_EQ(helper->receive(), "last");
    EXPECT_EQ(what(helper->receive()), "has ended with exit code 0");
    EXPECT_EQ(what(helper->receive_at_once()), "has ended with exit code 0");
}

TEST(HelperProcessTest, AHelperThatIsSilentIsLate)
{
    const auto helper = start_script("echo 'waits for the switch' >&2; echo ready; read -r a; read -r b");
    EXPECT_EQ(helper->receive(), "ready");
    ASSERT_TRUE(helper->send("one"));
    helper->set_deadline(kShort);
    const auto answer = helper->receive();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::timed_out);
    EXPECT_THAT(answer.error().what, HasSubstr("no answer within 20 ms"));
}

TEST(HelperProcessTest, AnUnfinishedLineIsLate)
{
    const auto helper = start_script("echo ready; printf unfinished; read -r line");
    EXPECT_EQ(helper->receive(), "ready");
    helper->set_deadline(kShort);
    EXPECT_EQ(what(helper->receive()), "no answer within 20 ms");
}

TEST(HelperProcessTest, ALineHasALimit)
{
    const auto text = [](std::size_t bytes) { return "printf '%0" + std::to_string(bytes) + "d\\n' 0; read -r line"; };
    EXPECT_EQ(start_script(text(kLongest))->receive(), std::string(kLongest, '0'));
    EXPECT_THAT(what(start_script(text(kLongest + 1))->receive()), HasSubstr("a line is longer than 1000 bytes"));
    EXPECT_THAT(what(start_script("while :; do printf xxxxxxxxxx; done")->receive()),
                HasSubstr("a line is longer than 1000 bytes and begins with 'xxxx"));
}

// The request is longer than the pipe, and the helper does not read it before its own output is read.
TEST(HelperProcessTest, ALongRequestDoesNotBlockBoth)
{
    const auto helper = start_script("i=0; while [ $i -lt 2000 ]; do printf '%0900d\\n' 0; i=$((i+1)); done; "
                                     "read -r line; echo ${#line}; read -r line",
                                     kShort);
    const auto sent = helper->send(std::string(200'000, 'x'));
    EXPECT_FALSE(sent) << "more output waits than is kept";
    const auto modest = start_script("i=0; while [ $i -lt 100 ]; do echo notice; i=$((i+1)); done; "
                                     "read -r line; echo ${#line}; read -r line");
    ASSERT_TRUE(modest->send(std::string(200'000, 'x')));
    for (int i = 0; i != 100; ++i) {
        EXPECT_EQ(modest->receive(), "notice");
    }
    EXPECT_EQ(modest->receive(), "200000");
}

TEST(HelperProcessTest, AHelperThatHasEndedRaisesNoSignal)
{
    const auto helper = start_script("exit 0");
    EXPECT_FALSE(helper->receive());
    EXPECT_FALSE(helper->send(std::string(200'000, 'x')));
}

TEST(HelperProcessTest, FinishWantsExitCodeZeroInTime)
{
    EXPECT_TRUE(start_script("cat >/dev/null")->finish());
    EXPECT_EQ(what(start_script("cat >/dev/null; exit 4")->finish()), "has ended with exit code 4");
    const auto stays = start_script("while :; do :; done");
    stays->set_deadline(kShort);
    EXPECT_EQ(what(stays->finish()), "has not ended within 20 ms after close and the end of its input");
}

// A command that the helper runs ends with it: otherwise the pipe of its stdout would stay open.
TEST(HelperProcessTest, ItsCommandsEndWithIt)
{
    const auto helper = start_script("cat /dev/zero >/dev/null & echo $!; wait");
    const auto line = helper->receive();
    ASSERT_TRUE(line) << line.error().what;
    const auto command = static_cast<pid_t>(std::stol(*line));
    EXPECT_EQ(::kill(command, 0), 0);
    helper->kill();
    std::string rest;
    while (const auto more = helper->receive_at_once()) {
        rest += more->value_or("");  // until the last holder of the pipe is gone
    }
    EXPECT_EQ(rest, "");
}

TEST(HelperProcessTest, ItHasOnlyItsThreeFiles)
{
    const test::TemporaryFolder folder;
    const std::ofstream other{folder.path() / "other"};  // without O_CLOEXEC
    const auto helper = start_script(                    // not with ls: a pipeline opens files in the shell itself
        "i=0; while [ $i -lt 64 ]; do [ -e /proc/$$/fd/$i ] && printf '%s ' $i; i=$((i + 1)); done; echo");
    EXPECT_EQ(helper->receive(), "0 1 2 ");
}

}  // namespace
}  // namespace petrel::runtime
