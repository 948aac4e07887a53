// The file of link histories: what is appended is read by the next process, and an unfinished line costs only itself.
#include "runtime/link_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "codec/link_history.hpp"
#include "support/full_disk.hpp"
#include "support/golden.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::runtime {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

link::DownEvent down(std::uint64_t seq)
{
    link::DownEvent event;
    event.seq = seq;
    event.ldr = 36;
    event.raw = link::RawCode{link::list_named("sai.port_error").value(), 0x800};
    return event;
}

class LinkFileTest : public testing::Test {
protected:
    std::unique_ptr<LinkFile> open() { return LinkFile::open(path_).value(); }

    // Appends the event as a runner does.
    void append(LinkFile& file, std::uint64_t seq)
    {
        histories_["Ethernet0"].add(down(seq));
        const auto appended = file.append(codec::link_event_line("Ethernet0", down(seq)),
                                          [&] { return codec::link_history_text(histories_); });
        EXPECT_TRUE(appended) << appended.error().what;
    }

    test::TemporaryFolder folder_;
    std::filesystem::path path_{folder_ / "tor.links"};
    link::NamedHistories histories_;
};

TEST_F(LinkFileTest, TheNextProcessReadsWhatWasAppended)
{
    {
        const auto file = open();
        EXPECT_THAT(file->remembered(), IsEmpty());
        append(*file, 1);
        append(*file, 2);
    }
    EXPECT_EQ(open()->remembered(), histories_);
}

TEST_F(LinkFileTest, AnyTornWriteLosesAtMostTheLastEvent)
{
    {
        const auto file = open();
        append(*file, 1);
        append(*file, 2);
    }
    const auto whole = test::content(path_);
    const auto last = whole.rfind('\n', whole.size() - 2) + 1;
    for (auto size = last; size < whole.size(); ++size) {
        std::filesystem::resize_file(path_, size);
        const auto file = open();
        EXPECT_EQ(file->damage(), "");
        EXPECT_THAT(file->remembered().at("Ethernet0").events(), SizeIs(1)) << size;
        std::ofstream{path_} << whole;
    }
    std::filesystem::resize_file(path_, last + 3);
    histories_ = {};
    histories_["Ethernet0"].add(down(1));
    {
        const auto file = open();
        append(*file, 2);
    }
    EXPECT_EQ(open()->remembered(), histories_) << "the next line does not continue the torn one";
}

TEST_F(LinkFileTest, ADamagedFileIsSetAside)
{
    std::ofstream{path_} << "{\"petrel_link_history\":2}\nnonsense\n";
    const auto file = open();
    EXPECT_THAT(file->damage(), HasSubstr("set aside as"));
    EXPECT_THAT(file->remembered(), IsEmpty());
    EXPECT_THAT(test::content(folder_ / "tor.links.bad"), HasSubstr("nonsense"));
    append(*file, 1);
    EXPECT_THAT(test::content(path_), HasSubstr("\"seq\":1"));
}

TEST_F(LinkFileTest, ALostFileIsWrittenAnew)
{
    const auto file = open();
    append(*file, 1);
    std::filesystem::remove(path_);
    append(*file, 2);
    EXPECT_THAT(test::content(path_), testing::AllOf(HasSubstr("\"seq\":1"), HasSubstr("\"seq\":2")));
}

TEST_F(LinkFileTest, AFileThatHasGrownIsWrittenAnew)
{
    const auto file = open();
    append(*file, 1);
    const auto line = codec::link_event_line("Ethernet0", down(1));
    std::string many;
    while (many.size() < (1U << 19U)) {
        many += line;
    }
    const auto whole = [&] { return codec::link_history_text(histories_); };
    for (int i = 0; i != 3; ++i) {
        ASSERT_TRUE(file->append(many, whole));
    }
    EXPECT_GT(std::filesystem::file_size(path_), 1U << 20U);
    ASSERT_TRUE(file->append(line, whole));
    EXPECT_LT(std::filesystem::file_size(path_), 1U << 10U);
    EXPECT_EQ(open()->remembered(), histories_);
}

TEST_F(LinkFileTest, AfterAFailedWriteTheWholeFileIsWritten)
{
    const auto file = open();
    append(*file, 1);
    {
        const test::FullDisk full{std::filesystem::file_size(path_) + 10};
        histories_["Ethernet0"].add(down(2));
        EXPECT_FALSE(file->append(codec::link_event_line("Ethernet0", down(2)), [] { return std::string{}; }));
    }
    append(*file, 3);
    EXPECT_EQ(open()->remembered(), histories_);
}

}  // namespace
}  // namespace petrel::runtime
