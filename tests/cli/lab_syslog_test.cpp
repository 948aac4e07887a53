// `petrel lab run --syslog`: the log lines of the switches arrive unchanged in a file and in a real socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "petrel_program.hpp"
#include "support/golden.hpp"

namespace petrel::cli {
namespace {

using ::petrel::test::run;

const std::string kScenario = "../scenarios/pause-too-long.toml";

struct LabSyslog : testing::Test {
    LabSyslog()
    {
        std::string name = (std::filesystem::temp_directory_path() / "petrel-syslog-XXXXXX").string();
        folder = ::mkdtemp(name.data());
    }
    ~LabSyslog() override { std::filesystem::remove_all(folder); }
    LabSyslog(const LabSyslog&) = delete;
    LabSyslog& operator=(const LabSyslog&) = delete;

    std::filesystem::path folder;
};

TEST_F(LabSyslog, AddsToAFile)
{
    const auto file = folder / "messages";
    for (int i = 0; i < 2; ++i) {
        const auto ended = run(test::petrel({"lab", "run", kScenario, "--syslog", file.string()}));
        ASSERT_EQ(ended.exit_code, 0) << ended.err;
    }
    const auto once = test::content(petrel::test::golden("lab") / "pause-too-long-syslog.txt");
    EXPECT_EQ(test::content(file), once + once);
}

TEST_F(LabSyslog, SendsToASocket)
{
    const auto path = folder / "log";
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto& name = path.native();
    std::copy(name.begin(), name.end(), address.sun_path);
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    const auto ended = run(test::petrel({"lab", "run", kScenario, "--syslog", path.string()}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::string log;
    std::array<char, 4096> line{};
    for (ssize_t size = 0; (size = ::recv(socket, line.data(), line.size(), MSG_DONTWAIT)) > 0;) {
        log += std::string{line.data(), static_cast<std::size_t>(size)} + '\n';
    }
    ::close(socket);
    EXPECT_EQ(log, test::content(petrel::test::golden("lab") / "pause-too-long-syslog.txt"));
}

TEST_F(LabSyslog, NamesThePathThatCannotBeWritten)
{
    const auto ended =
        run(test::petrel({"lab", "run", kScenario, "--until", "1ms", "--syslog", (folder / "no" / "where").string()}));
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_THAT(ended.err, testing::HasSubstr("no/where"));
}

}  // namespace
}  // namespace petrel::cli
