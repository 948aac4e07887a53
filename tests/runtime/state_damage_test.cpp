// A state file that was cut, has flipped bits, or is not a state file. StateFile returns only events that were written,
// loses only the damaged ones, and the service starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "runtime/start_guard.hpp"
#include "state_fixture.hpp"

namespace petrel::runtime {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kEvents = 9;

class StateDamage : public testing::Test {
protected:
    // Writes several records, with and without events, and stores the size of the file after each.
    StateDamage()
    {
        const auto state = must_open_state(path);
        for (std::uint64_t seq = 1; seq <= kEvents; seq += 3) {
            EXPECT_TRUE(state->append(stored(seq, seq + 2), memory_of(seq + 2), now_of(1)));
            ends.push_back(text_of(path).size());
            EXPECT_TRUE(state->append({}, memory_of(seq + 100), now_of(2)));
            ends.push_back(text_of(path).size());
        }
        whole = text_of(path);
    }

    StateContent parse(std::string_view text) const
    {
        return parse_state(std::as_bytes(std::span{text}), kStateDevice);
    }

    // The content of the file after its first n records.
    StateContent after(std::size_t records) const
    {
        const auto size = records == 0 ? state_header(kStateDevice).size() : ends[records - 1];
        return parse(std::string_view{whole}.substr(0, size));
    }

    std::size_t record_at(std::size_t byte) const
    {
        return static_cast<std::size_t>(std::ranges::upper_bound(ends, byte) - ends.begin());
    }

    void put(std::string_view text) const { ASSERT_TRUE(write_atomically(path, text)); }

    TemporaryFolder folder;
    std::filesystem::path path{folder / "leaf-1.state"};
    std::vector<std::size_t> ends;
    std::string whole;
};

// Holds for every damaged version of the file.
void expect_nothing_invented(const StateContent& content)
{
    std::uint64_t last = 0;
    for (const auto& event : content.events) {
        ASSERT_GT(event.seq, last);
        ASSERT_LE(event.seq, kEvents);
        ASSERT_EQ(event, stored(event.seq));
        last = event.seq;
    }
    if (content.remembered) {
        ASSERT_THAT(content.remembered->checkpoint, HasSubstr("checkpoint after "));
    }
}

TEST_F(StateDamage, CutAtAnyByteItLosesTheUnfinishedRecordOnly)
{
    const auto header = state_header(kStateDevice).size();
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        SCOPED_TRACE(cut);
        const auto content = parse(std::string_view{whole}.substr(0, cut));
        if (cut < header) {
            EXPECT_NE(content.damage, "") << "a header is written with the file's name or not at all";
            EXPECT_THAT(content.events, IsEmpty());
            EXPECT_FALSE(content.remembered);
            continue;
        }
        const auto expected = after(record_at(cut));
        EXPECT_EQ(content.damage, "");
        EXPECT_EQ(content.size, expected.size);
        EXPECT_EQ(content.dropped, cut - expected.size);
        EXPECT_EQ(content.events, expected.events);
        EXPECT_EQ(content.remembered, expected.remembered);
    }
}

TEST_F(StateDamage, RecordsAfterACutAreRead)
{
    for (std::size_t cut = ends[1]; cut < ends[2]; ++cut) {
        SCOPED_TRACE(cut);
        put(std::string_view{whole}.substr(0, cut));
        {
            const auto state = must_open_state(path);
            EXPECT_EQ(state->tail_dropped(), cut - ends[1]);
            EXPECT_EQ(state->last_seq(), 3U);
            ASSERT_TRUE(state->append(stored(4, 4), memory_of(4), now_of(3)));
        }
        const auto again = must_open_state(path);
        EXPECT_EQ(events_of(*again), stored(1, 4));
        EXPECT_EQ(again->tail_dropped(), 0U);
        EXPECT_EQ(again->damage(), "");
    }
}

TEST_F(StateDamage, AFlippedBitCostsItsOwnRecordOnly)
{
    const auto header = state_header(kStateDevice).size();
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
        SCOPED_TRACE(bit);
        auto bytes = whole;
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
        const auto content = parse(bytes);
        expect_nothing_invented(content);
        if (bit / 8 < header) {
            EXPECT_NE(content.damage, "");
            EXPECT_EQ(content.events.size(), kEvents) << "records name their device";
            continue;
        }
        const auto hit = record_at(bit / 8);
        const bool last = hit + 1 == ends.size();
        EXPECT_EQ(content.damage.empty(), last) << "a damaged last record is as good as an unfinished one";
        EXPECT_EQ(content.events.size(), kEvents - (hit % 2 == 0 ? 3 : 0));
        EXPECT_EQ(content.remembered, after(last ? hit : ends.size()).remembered);
    }
}

TEST_F(StateDamage, ALostByteCostsItsOwnRecordOnly)
{
    for (std::size_t at = state_header(kStateDevice).size(); at < whole.size(); ++at) {
        auto bytes = whole;
        bytes.erase(at, 1);
        const auto content = parse(bytes);
        expect_nothing_invented(content);
        EXPECT_EQ(content.events.size(), kEvents - (record_at(at) % 2 == 0 ? 3 : 0)) << at;
    }
}

TEST_F(StateDamage, ReorderedRecordsAreRejected)
{
    const auto first = whole.substr(state_header(kStateDevice).size(), ends[0] - state_header(kStateDevice).size());
    const auto content = parse(whole + first);
    expect_nothing_invented(content);
    EXPECT_NE(content.damage, "");
    EXPECT_EQ(content.events, stored(1, kEvents));
    EXPECT_EQ(content.remembered, after(ends.size()).remembered);
}

TEST_F(StateDamage, TheFileIsSetAsideAndTheAgentContinues)
{
    auto bytes = whole;
    bytes[ends[1] + 30] ^= 1;
    put(bytes);
    for (int start = 0; start < 2; ++start) {
        const auto state = must_open_state(path);
        EXPECT_EQ(state->last_seq(), kEvents);
        EXPECT_EQ(state->events().size(), kEvents - 3);
        EXPECT_EQ(state->remembered(), after(ends.size()).remembered);
        if (start == 0) {
            EXPECT_EQ(state->damage(), path.string() + ": damaged at byte " + std::to_string(ends[1]) +
                                           "; set aside as " + path.string() + ".bad-1");
            EXPECT_EQ(text_of(path.string() + ".bad-1"), bytes) << "evidence is not touched";
        } else {
            EXPECT_EQ(state->damage(), "") << "the damage is reported once";
        }
    }
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".bad-2"));
}

std::string damage_of(const std::filesystem::path& path)
{
    const auto state = must_open_state(path);
    EXPECT_THAT(state->events(), IsEmpty());
    EXPECT_FALSE(state->remembered());
    EXPECT_TRUE(state->append(stored(1, 1), memory_of(1), now_of(1)));
    EXPECT_EQ(events_of(*must_open_copy(path)), stored(1, 1));
    return state->damage();
}

TEST_F(StateDamage, OtherFilesAreSetAside)
{
    put("[agent]\nname = \"x\"\n");
    EXPECT_THAT(damage_of(path), HasSubstr("does not begin with PETRELS"));
    EXPECT_EQ(text_of(path.string() + ".bad-1"), "[agent]\nname = \"x\"\n");
    put("");
    EXPECT_THAT(damage_of(path), HasSubstr(".bad-2"));

    std::filesystem::remove(path);
    ASSERT_TRUE(must_open_state(path, 10, "leaf-2")->append(stored(1, 5), memory_of(5), now_of(1)));
    EXPECT_THAT(damage_of(path), HasSubstr("of device 'leaf-2', not of 'leaf-1'"));

    auto future = whole;
    future[8] = kStateVersion + 1;
    put(future.substr(0, state_header(kStateDevice).size()));
    EXPECT_THAT(damage_of(path), HasSubstr("of version 2, this program reads version 1"));

    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    EXPECT_THAT(damage_of(path), HasSubstr("it is a folder; allowed: a regular file; set aside"));

    std::filesystem::remove(path);
    std::filesystem::create_symlink(folder / "elsewhere", path);
    EXPECT_THAT(damage_of(path), HasSubstr("it is a symbolic link; allowed: a regular file; set aside"));
    EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere"));

    std::filesystem::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_THAT(damage_of(path), HasSubstr("it is a FIFO; allowed: a regular file; set aside"));

    std::filesystem::remove(path);
    put("x");
    std::filesystem::resize_file(path, std::uintmax_t{5} << 30U);  // a sparse file: takes no disk space
    EXPECT_THAT(damage_of(path), HasSubstr("it is too large; allowed: 1073741824 bytes; set aside"));
}

TEST_F(StateDamage, DamagedFilesDoNotPileUp)
{
    for (int i = 0; i < 20; ++i) {
        put("rubbish " + std::to_string(i));
        EXPECT_NE(damage_of(path), "");
    }
    EXPECT_EQ(text_of(path.string() + ".bad-1"), "rubbish 0");
    EXPECT_EQ(text_of(path.string() + ".bad-9"), "rubbish 19");
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".bad-10"));
}

// The file of recent starts: a start is never lost to an older format, and the file of a later version stays.
TEST(Starts, HaveAVersion)
{
    const TemporaryFolder folder;
    const auto file = folder / "starts";
    const auto start = [&](int second) { return note_start(file, WallTime{std::chrono::seconds{second}}); };
    std::ofstream{file} << "1000000\n2000000\n3000000\n";  // of a version without a heading
    EXPECT_EQ(start(4), std::chrono::seconds{1}) << "the fourth start within a minute";
    EXPECT_TRUE(text_of(file).starts_with("petrel_starts 1\n1000000\n"));
    EXPECT_EQ(start(5), std::chrono::seconds{2});

    constexpr auto kLater = "petrel_starts 2\n1000000\n2000000\n3000000\n";
    std::ofstream{file} << kLater;
    EXPECT_EQ(start(6), Duration{});
    EXPECT_EQ(text_of(file), kLater);
}

}  // namespace
}  // namespace petrel::runtime
