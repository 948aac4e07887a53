// Log lines arrive unchanged: at a real socket, also after its collector has restarted, and at the end of a file.
#include "runtime/log_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "support/golden.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::runtime {
namespace {

using test::TemporaryFolder;
using testing::ElementsAre;

// Stands in for the syslog daemon.
class Collector {
public:
    explicit Collector(const std::filesystem::path& path) : path_(path), socket_(::socket(AF_UNIX, SOCK_DGRAM, 0))
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const auto& name = path.native();
        std::copy(name.begin(), name.end(), address.sun_path);
        EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    }
    ~Collector() { std::filesystem::remove(path_); }
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    std::vector<std::string> received()
    {
        std::vector<std::string> lines;
        std::array<char, 4096> buffer{};
        for (;;) {
            const auto size = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (size < 0) {
                return lines;
            }
            lines.emplace_back(buffer.data(), static_cast<std::size_t>(size));
        }
    }

private:
    std::filesystem::path path_;
    FileDescriptor socket_;
};

wire::LogLine line(std::string message)
{
    return {wire::kUser, wire::kSeverityInfo, WallTime{}, "x0c0r4b0", "fabric_routing", "3960", {},
            {},          std::move(message)};
}
std::string text(const std::string& message)
{
    return "<14>1 1970-01-01T00:00:00.000000+00:00 x0c0r4b0 fabric_routing 3960 - - " + message;
}

TEST(LogWriter, SendsADatagramForEachLine)
{
    const TemporaryFolder folder;
    Collector collector{folder / "log"};
    auto writer = LogWriter::open(folder / "log");
    ASSERT_TRUE(writer.has_value());
    ASSERT_TRUE(writer->write(line(" one")).has_value());
    ASSERT_TRUE(writer->write(line(" two")).has_value());
    EXPECT_THAT(collector.received(), ElementsAre(text(" one"), text(" two")));
}

TEST(LogWriter, FindsACollectorThatRestarted)
{
    const TemporaryFolder folder;
    std::optional<Collector> collector{folder / "log"};
    auto writer = LogWriter::open(folder / "log");
    ASSERT_TRUE(writer.has_value());
    collector.reset();
    const auto lost = writer->write(line("nobody is there"));
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().kind, ErrorKind::unreachable);
    collector.emplace(folder / "log");
    ASSERT_TRUE(writer->write(line("somebody is")).has_value());
    EXPECT_THAT(collector->received(), ElementsAre(text("somebody is")));
}

// A collector removes what is at the path of its socket, then creates the socket.
TEST(LogWriter, FollowsACollectorThatTakesThePlaceOfTheFile)
{
    const TemporaryFolder folder;
    auto writer = LogWriter::open(folder / "log");
    ASSERT_TRUE(writer.has_value());
    ASSERT_TRUE(writer->write(line("into the file")).has_value());
    EXPECT_FALSE(writer->is_socket());
    std::filesystem::remove(folder / "log");
    std::optional<Collector> collector{folder / "log"};
    ASSERT_TRUE(writer->write(line("one")).has_value());
    EXPECT_TRUE(writer->is_socket());
    collector.reset();
    EXPECT_FALSE(writer->write(line("lost")).has_value());
    collector.emplace(folder / "log");
    ASSERT_TRUE(writer->write(line("two")).has_value());
    EXPECT_THAT(collector->received(), ElementsAre(text("two")));
}

TEST(LogWriter, ASocketMayAppearLaterAndNoFileTakesItsPlace)
{
    const TemporaryFolder folder;
    auto writer = LogWriter::to_socket(folder / "log");
    ASSERT_TRUE(writer.has_value());
    const auto lost = writer->write(line("too early"));
    ASSERT_FALSE(lost.has_value());
    EXPECT_EQ(lost.error().kind, ErrorKind::unreachable);
    EXPECT_FALSE(std::filesystem::exists(folder / "log"));
    Collector collector{folder / "log"};
    ASSERT_TRUE(writer->write(line("one")).has_value());
    EXPECT_THAT(collector.received(), ElementsAre(text("one")));
    EXPECT_FALSE(LogWriter::to_socket(folder / std::string(200, 'x')).has_value())
        << "no path of a socket is that long";
}

TEST(LogWriter, AppendsToAFile)
{
    const TemporaryFolder folder;
    const auto file = folder / "messages";
    std::ofstream{file} << "what was there\n";
    for (const auto* message : {"one", "two"}) {
        auto writer = LogWriter::open(file);
        ASSERT_TRUE(writer.has_value());
        ASSERT_TRUE(writer->write(line(message)).has_value());
    }
    EXPECT_EQ(test::content(file), "what was there\n" + text("one") + '\n' + text("two") + '\n');
}

TEST(LogWriter, NamesThePathThatCannotBeWritten)
{
    const TemporaryFolder folder;
    const auto nowhere = LogWriter::open(folder / "missing" / "messages");
    ASSERT_FALSE(nowhere.has_value());
    EXPECT_THAT(nowhere.error().what, testing::HasSubstr("missing/messages"));
    EXPECT_FALSE(LogWriter::open(folder.path()).has_value());
}

}  // namespace
}  // namespace petrel::runtime
