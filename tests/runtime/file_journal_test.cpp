// The journal on a disk: what it keeps, which damage it tolerates or refuses, and that only one process can open it.
#include "runtime/file_journal.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/crc32c.hpp"
#include "journal_fixture.hpp"
#include "support/full_disk.hpp"
#include "support/memory_journal.hpp"

namespace petrel::runtime {
namespace {

using device::Active;
using test::FullDisk;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;
using watchdog::Treatment;

const Active kFirst{target_of(0, Priority{3}), Treatment::drop, undo_of("profile-a"), wall(1'000)};
const Active kSecond{target_of(2, std::nullopt), Treatment::squeeze, undo_of(""), wall(2'000)};
const Active kThird{target_of(1, Priority{4}), Treatment::ignore_pause, undo_of(std::string(192, 'x')), wall(3'000)};

std::string content_of(const std::filesystem::path& path) { return read_whole_file(path).value(); }

void put(const std::filesystem::path& path, std::string_view text) { ASSERT_TRUE(write_atomically(path, text)); }
void put(const std::filesystem::path& path, const Bytes& bytes)
{
    put(path, std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Error refusal(const std::filesystem::path& path)
{
    auto journal = FileJournal::open_file(path, kDevice, three_ports());
    EXPECT_FALSE(journal);
    return journal ? Error{} : journal.error();
}

class FileJournalTest : public testing::Test {
protected:
    // Writes some records, and stores the treatments in force after each of them in `states`.
    void write_history()
    {
        const auto journal = must_open(path);
        const auto remember = [&] { states.emplace_back(content_of(path).size(), *journal->active()); };
        remember();
        for (const auto& active : {kFirst, kSecond, kThird}) {
            ASSERT_TRUE(journal->open(active));
            remember();
        }
        ASSERT_TRUE(journal->close(kSecond.target));
        remember();
        ASSERT_TRUE(journal->open(kSecond));
        remember();
    }

    TemporaryFolder folder;
    std::filesystem::path path{folder / "journal"};
    std::vector<std::pair<std::size_t, std::vector<Active>>> states;  // size of the file, treatments in force
};

TEST_F(FileJournalTest, KeepsOpenEntriesOnly)
{
    {
        const auto journal = must_open(path);
        EXPECT_THAT(*journal->active(), IsEmpty());
        ASSERT_TRUE(journal->open(kFirst));
        ASSERT_TRUE(journal->open(kSecond));
        ASSERT_TRUE(journal->open(kThird));
        ASSERT_TRUE(journal->close(kFirst.target));
        EXPECT_THAT(*journal->active(), ElementsAre(kSecond, kThird));
    }
    const auto journal = must_open(path);
    EXPECT_THAT(*journal->active(), ElementsAre(kSecond, kThird));
    EXPECT_EQ(journal->tail_dropped(), 0U);
}

TEST_F(FileJournalTest, KeepsTheFirstUndoWhenATargetIsOpenedAgain)
{
    auto again = kFirst;
    again.treatment = Treatment::drop_egress;
    again.undo = undo_of("our own doing");
    again.since = wall(9'000);
    auto kept = kFirst;
    kept.treatment = again.treatment;
    {
        const auto journal = must_open(path);
        ASSERT_TRUE(journal->open(kFirst));
        ASSERT_TRUE(journal->open(again));
        EXPECT_THAT(*journal->active(), ElementsAre(kept));
    }
    EXPECT_THAT(*must_open(path)->active(), ElementsAre(kept));
}

TEST_F(FileJournalTest, DoesNotWriteAnEntryTwice)
{
    const auto journal = must_open(path);
    ASSERT_TRUE(journal->open(kFirst));
    const auto before = content_of(path);
    ASSERT_TRUE(journal->open(kFirst));
    ASSERT_TRUE(journal->close(kSecond.target));
    EXPECT_EQ(content_of(path), before);
}

TEST_F(FileJournalTest, CutAtAnyByteItKeepsEveryWholeRecord)
{
    write_history();
    const auto whole = content_of(path);
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
        SCOPED_TRACE(cut);
        put(path, whole.substr(0, cut));
        if (cut < states.front().first) {
            EXPECT_THAT(refusal(path).kind, testing::AnyOf(ErrorKind::invalid, ErrorKind::corrupt))
                << "a header is written with the file's name or not at all";
            continue;
        }
        const auto& [size, active] = *std::ranges::find_if(states.rbegin(), states.rend(),
                                                           [&](const auto& state) { return state.first <= cut; });
        {
            const auto journal = must_open(path);
            EXPECT_EQ(*journal->active(), active);
            EXPECT_EQ(journal->tail_dropped(), cut - size);
            auto more = kFirst;
            more.target = target_of(1, std::nullopt);
            ASSERT_TRUE(journal->open(more));
        }
        const auto again = must_open(path);
        EXPECT_EQ(again->active()->size(), active.size() + 1) << "records after the cut can be read";
        EXPECT_EQ(again->tail_dropped(), 0U) << "no byte of the cut record is left";
    }
}

TEST_F(FileJournalTest, NoFlippedBitIsTakenForTheTruth)
{
    write_history();
    const auto whole = content_of(path);
    const auto last_record = (states.end() - 2)->first;
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
        SCOPED_TRACE(bit);
        auto bytes = whole;
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
        const auto content = parse_journal(std::as_bytes(std::span{bytes}));
        // If the bit changes the length of the last record, the record cannot be distinguished from an unfinished one.
        const bool in_length = bit / 8 >= last_record + 4 && bit / 8 < last_record + 6;
        if (in_length) {
            EXPECT_TRUE(!content || content->size == last_record);
        } else {
            ASSERT_FALSE(content);
        }
    }
}

// After a power failure the file may have its full length while bytes of the last record are zero.
TEST_F(FileJournalTest, BytesThatNeverGotToTheDiskAreAnUnfinishedRecord)
{
    write_history();
    auto bytes = content_of(path);
    const auto last_record = (states.end() - 2)->first;
    for (std::size_t from = last_record; from + 16 <= bytes.size(); ++from) {
        auto cut = bytes;
        std::fill(cut.begin() + static_cast<std::ptrdiff_t>(from), cut.end(), '\0');
        const auto content = parse_journal(std::as_bytes(std::span{cut}));
        ASSERT_TRUE(content) << from;
        EXPECT_EQ(content->size, last_record);
    }
}

TEST_F(FileJournalTest, NoLostByteInTheMiddleGoesUnseen)
{
    write_history();
    const auto whole = content_of(path);
    const auto last_record = (states.end() - 2)->first;
    for (std::size_t at = 0; at < last_record; ++at) {
        auto bytes = whole;
        bytes.erase(at, 1);
        ASSERT_FALSE(parse_journal(std::as_bytes(std::span{bytes}))) << at;
    }
}

TEST_F(FileJournalTest, DamageIsReportedWithItsPositionAndARemedy)
{
    write_history();
    auto bytes = content_of(path);
    const auto second_record = states[1].first;
    bytes[second_record + 8] ^= 1;
    put(path, bytes);
    const auto error = refusal(path);
    EXPECT_EQ(error.kind, ErrorKind::corrupt);
    EXPECT_THAT(error.what, HasSubstr(path.string()));
    EXPECT_THAT(error.what, HasSubstr("byte " + std::to_string(second_record)));
    EXPECT_THAT(error.what, HasSubstr("move the file away"));
    EXPECT_EQ(content_of(path), bytes) << "evidence is not touched";
}

TEST_F(FileJournalTest, ALongStretchOfRubbishIsNoUnfinishedRecord)
{
    write_history();
    put(path, content_of(path) + std::string(5'000, '\0'));
    EXPECT_EQ(refusal(path).kind, ErrorKind::corrupt);
}

TEST_F(FileJournalTest, RefusesOtherFilesAndDevices)
{
    put(path, "[agent]\npoll_ms = 100\n");
    EXPECT_EQ(refusal(path).kind, ErrorKind::invalid);
    EXPECT_THAT(refusal(path).what, HasSubstr("not a journal"));

    put(path, "");
    EXPECT_EQ(refusal(path).kind, ErrorKind::invalid);

    const auto other = journal_header("leaf-2");
    put(path, other);
    EXPECT_EQ(refusal(path).kind, ErrorKind::invalid);
    EXPECT_THAT(refusal(path).what, testing::AllOf(HasSubstr("leaf-2"), HasSubstr("leaf-1")));
}

TEST_F(FileJournalTest, RefusesAVersionFromTheFuture)
{
    auto header = journal_header(kDevice);
    header[8] = std::byte{kJournalVersion + 1};
    put(path, header);
    const auto error = refusal(path);
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_THAT(error.what, HasSubstr("version 3"));
    EXPECT_THAT(error.what, HasSubstr("reads versions 1 to 2"));
    EXPECT_EQ(content_of(path).size(), header.size()) << "the file is unchanged";
}

// A journal as the previous version of the program wrote it: treatment names and undo of up to 64 bytes.
Bytes journal_of_version_1(const std::vector<JournalEntry>& entries)
{
    auto bytes = record_file_header("PETRELJ\n", 1, kDevice);
    for (const auto& entry : entries) {
        const auto record = open_record(entry);
        bytes.insert(bytes.end(), record.begin(), record.end());
    }
    return bytes;
}

TEST_F(FileJournalTest, ReadsVersion1AndWritesVersion2WithTheNextRecord)
{
    const JournalEntry entry{{"Ethernet0", Priority{3}}, kFirst.treatment, undo_of(std::string(64, 'o')), kFirst.since};
    auto read = kFirst;
    read.undo = entry.undo;
    const auto old = journal_of_version_1({entry});
    put(path, old);
    const auto before = content_of(path);
    EXPECT_THAT(*must_open(path)->active(), ElementsAre(read));
    EXPECT_EQ(content_of(path), before) << "the earlier version can still read it";

    ASSERT_TRUE(must_open(path)->open(kThird)) << "its undo is too long for version 1";
    const auto written = content_of(path);
    EXPECT_EQ(parse_journal(std::as_bytes(std::span{written}))->version, 2);
    EXPECT_THAT(*must_open(path)->active(), ElementsAre(read, kThird));
}

// The power fails, or the disk is full, while the file of version 1 becomes version 2.
TEST_F(FileJournalTest, AChangeOfVersionThatFailsLosesNothing)
{
    const JournalEntry entry{{"Ethernet0", Priority{3}}, kFirst.treatment, kFirst.undo, kFirst.since};
    put(path, journal_of_version_1({entry}));
    const auto before = content_of(path);
    {
        const auto journal = must_open(path);
        const FullDisk full{5};
        EXPECT_FALSE(journal->open(kThird));
        EXPECT_THAT(*journal->active(), ElementsAre(kFirst));
    }
    EXPECT_EQ(content_of(path), before);
    EXPECT_THAT(*must_open(path)->active(), ElementsAre(kFirst));
}

TEST_F(FileJournalTest, AnUnfinishedRecordOfVersion1IsDropped)
{
    const JournalEntry entry{{"Ethernet0", Priority{3}}, kFirst.treatment, kFirst.undo, kFirst.since};
    const auto whole = journal_of_version_1({entry, {{"Ethernet4", Priority{4}}, kFirst.treatment, {}, kFirst.since}});
    put(path, Bytes{whole.begin(), whole.end() - 3});
    {
        const auto journal = must_open(path);
        EXPECT_GT(journal->tail_dropped(), 0U);
        EXPECT_THAT(*journal->active(), ElementsAre(kFirst));
        ASSERT_TRUE(journal->open(kSecond));
    }
    EXPECT_THAT(*must_open(path)->active(), ElementsAre(kFirst, kSecond));
}

TEST_F(FileJournalTest, AnUndoTooLongForVersion1IsDamageThere)
{
    put(path, journal_of_version_1({{{"Ethernet0", Priority{3}}, Treatment::drop, undo_of(std::string(65, 'o')), {}}}));
    EXPECT_EQ(refusal(path).kind, ErrorKind::corrupt);
}

// The record with one byte changed and a matching checksum.
Bytes resealed(Bytes record, std::size_t at, std::byte value)
{
    record[at] = value;
    const auto checksum = crc32c(std::span{record}.subspan(4));
    for (std::size_t i = 0; i < 4; ++i) {
        record[i] = static_cast<std::byte>((checksum >> (8 * i)) & 0xff);
    }
    return record;
}

TEST_F(FileJournalTest, RefusesRecordsItDoesNotUnderstand)
{
    const auto kind_after = [&](const Bytes& record) {
        auto bytes = journal_header(kDevice);
        bytes.insert(bytes.end(), record.begin(), record.end());
        const auto content = parse_journal(bytes);
        return content ? std::optional<ErrorKind>{} : content.error().kind;
    };
    constexpr std::size_t kKind = 6;
    constexpr std::size_t kPriority = 7;
    constexpr std::size_t kTreatment = 9 + 9 + 1;  // after "Ethernet0" and a length
    const auto record = open_record({{"Ethernet0", Priority{3}}, Treatment::drop, undo_of("u"), wall(1)});
    EXPECT_EQ(kind_after(resealed(record, kKind, record[kKind])), std::nullopt);
    EXPECT_EQ(kind_after(resealed(record, kKind, std::byte{9})), ErrorKind::corrupt);
    EXPECT_EQ(kind_after(resealed(record, kPriority, std::byte{8})), ErrorKind::corrupt);
    EXPECT_EQ(kind_after(resealed(record, kTreatment, std::byte{'D'})), ErrorKind::unsupported);
}

TEST_F(FileJournalTest, FollowsPortsByNameWhenTheInventoryChanges)
{
    const auto after = inventory_of({"Ethernet8", "Ethernet12", "Ethernet0"});
    {
        const auto journal = must_open(path);
        ASSERT_TRUE(journal->open(kFirst));
        ASSERT_TRUE(journal->open(kThird));
        journal->renumber(three_ports(), after);
        auto moved = kFirst;
        moved.target = target_of(2, Priority{3});
        EXPECT_THAT(*journal->active(), ElementsAre(moved));
        device::MemoryJournal memory;
        ASSERT_TRUE(memory.open(kFirst));
        ASSERT_TRUE(memory.open(kThird));
        memory.renumber(three_ports(), after);
        EXPECT_EQ(*memory.active(), *journal->active());
        EXPECT_EQ(journal->entries_of_absent_ports().size(), 1U) << "the entry of the absent port is kept";
        ASSERT_TRUE(journal->close(moved.target));
        EXPECT_THAT(*journal->active(), IsEmpty());
    }
    EXPECT_THAT(*must_open(path)->active(), ElementsAre(kThird)) << "the right entry was closed";
}

TEST_F(FileJournalTest, RefusesASecondProcess)
{
    auto first = must_open(path);
    const auto error = refusal(path);
    EXPECT_EQ(error.kind, ErrorKind::unreachable);
    EXPECT_THAT(error.what, HasSubstr(fmt::format("in use by process {}", ::getpid())));
    first.reset();
    EXPECT_NE(must_open(path), nullptr);
}

TEST_F(FileJournalTest, NamesOutliveNumbers)
{
    {
        const auto journal = must_open(path);
        ASSERT_TRUE(journal->open(kFirst));   // Ethernet0
        ASSERT_TRUE(journal->open(kSecond));  // Ethernet8
    }
    {
        const auto journal = must_open(path, inventory_of({"Ethernet12", "Ethernet8"}));
        auto moved = kSecond;
        moved.target.port.index = 1;
        EXPECT_THAT(*journal->active(), ElementsAre(moved));
        EXPECT_THAT(journal->entries_of_absent_ports(),
                    ElementsAre(JournalEntry{{"Ethernet0", Priority{3}}, kFirst.treatment, kFirst.undo, kFirst.since}));
        ASSERT_TRUE(journal->close(moved.target));
    }
    const auto journal = must_open(path);
    EXPECT_THAT(*journal->active(), ElementsAre(kFirst)) << "the entry is kept until its port is back";
    EXPECT_THAT(journal->entries_of_absent_ports(), IsEmpty());
}

TEST_F(FileJournalTest, RefusesEntriesThatCannotBeStored)
{
    const auto journal = must_open(path);
    auto active = kFirst;
    active.target.port.index = 3;
    EXPECT_EQ(journal->open(active).error().kind, ErrorKind::invalid);
    EXPECT_EQ(journal->close(active.target).error().kind, ErrorKind::invalid);
    active = kFirst;
    active.undo.size = 193;
    EXPECT_EQ(journal->open(active).error().kind, ErrorKind::invalid);
    EXPECT_THAT(*journal->active(), IsEmpty());
    EXPECT_EQ(FileJournal::open_file(folder / "other", std::string(300, 'x'), three_ports()).error().kind,
              ErrorKind::invalid);
}

TEST_F(FileJournalTest, AFullDiskLeavesTheFileAsItWas)
{
    const auto journal = must_open(path);
    ASSERT_TRUE(journal->open(kFirst));
    const auto before = content_of(path);
    const auto record = open_record({{"Ethernet8", std::nullopt}, kSecond.treatment, kSecond.undo, kSecond.since});
    for (std::size_t room = 0; room < record.size(); ++room) {
        {
            const FullDisk full{before.size() + room};
            const auto opened = journal->open(kSecond);
            ASSERT_FALSE(opened) << room;
            EXPECT_EQ(opened.error().kind, ErrorKind::exhausted);
        }
        EXPECT_EQ(content_of(path), before);
        EXPECT_THAT(*journal->active(), ElementsAre(kFirst));
    }
    ASSERT_TRUE(journal->open(kSecond));
    EXPECT_EQ(content_of(path).size(), before.size() + record.size());
}

TEST_F(FileJournalTest, AFullDiskKeepsACloseFromBeingForgotten)
{
    {
        const auto journal = must_open(path);
        ASSERT_TRUE(journal->open(kFirst));
        const FullDisk full{content_of(path).size() + 3};
        EXPECT_FALSE(journal->close(kFirst.target));
        EXPECT_THAT(*journal->active(), ElementsAre(kFirst));
    }
    const auto journal = must_open(path);
    EXPECT_THAT(*journal->active(), ElementsAre(kFirst));
    EXPECT_EQ(journal->tail_dropped(), 0U);
}

TEST_F(FileJournalTest, AFullDiskAtTheFirstStartLeavesNothing)
{
    {
        const FullDisk full{5};
        EXPECT_EQ(refusal(path).kind, ErrorKind::exhausted);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_THAT(*must_open(path)->active(), IsEmpty());
}

TEST_F(FileJournalTest, HistoryDoesNotPileUp)
{
    const auto journal = must_open(path);
    ASSERT_TRUE(journal->open(kThird));
    std::size_t largest = 0;
    std::size_t shrunk = 0;
    for (std::size_t i = 0, before = 0; i < 2'000; ++i) {
        ASSERT_TRUE(journal->open(kFirst));
        ASSERT_TRUE(journal->close(kFirst.target));
        const auto size = static_cast<std::size_t>(std::filesystem::file_size(path));
        largest = std::max(largest, size);
        shrunk += size < before ? 1 : 0;
        before = size;
    }
    EXPECT_LT(largest, 66'000U);
    EXPECT_GT(shrunk, 0U);
    EXPECT_THAT(*journal->active(), ElementsAre(kThird));
    EXPECT_EQ(refusal(path).kind, ErrorKind::unreachable) << "still held after the file was replaced";

    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator{folder.path()}) {
        files.push_back(file.path().filename().string());
    }
    EXPECT_THAT(files, UnorderedElementsAreArray({"journal", "journal.lock"}));
}

TEST_F(FileJournalTest, AFailedCompactionLosesNothing)
{
    auto journal = must_open(path);
    ASSERT_TRUE(journal->open(kThird));
    // A folder has the name of the draft, so that every rewrite fails.
    std::filesystem::create_directory(path.string() + "." + std::to_string(::getpid()) + ".tmp");
    for (int i = 0; i < 1'300; ++i) {
        ASSERT_TRUE(journal->open(kFirst));
        ASSERT_TRUE(journal->close(kFirst.target));
    }
    ASSERT_GT(std::filesystem::file_size(path), 66'000U);
    journal.reset();
    EXPECT_THAT(*must_open(path)->active(), ElementsAre(kThird));
}

Active arbitrary_active()
{
    const auto port = *rc::gen::inRange<std::uint16_t>(0, 3);
    const auto priority = *rc::gen::inRange(-1, 3);
    const auto treatment = *rc::gen::inRange(1, static_cast<int>(Treatment::count_));
    auto bytes = *rc::gen::resize(192, rc::gen::arbitrary<std::string>());
    bytes.resize(std::min<std::size_t>(bytes.size(), 192));
    return {target_of(port, priority < 0 ? std::nullopt : std::optional{Priority{static_cast<std::uint8_t>(priority)}}),
            static_cast<Treatment>(treatment), undo_of(bytes), wall(*rc::gen::arbitrary<std::int32_t>())};
}

RC_GTEST_PROP(FileJournalLaw, EqualsTheJournalInMemoryAcrossRestarts, ())
{
    const TemporaryFolder folder;
    auto journal = must_open(folder / "journal");
    device::MemoryJournal model;
    const auto steps = *rc::gen::inRange(0, 60);
    for (int i = 0; i < steps; ++i) {
        const auto active = arbitrary_active();
        switch (*rc::gen::inRange(0, 4)) {
        case 0:
            journal.reset();
            journal = must_open(folder / "journal");
            break;
        case 1:
            RC_ASSERT(journal->close(active.target).has_value());
            RC_ASSERT(model.close(active.target).has_value());
            break;
        default: RC_ASSERT(journal->open(active).has_value()); RC_ASSERT(model.open(active).has_value());
        }
        RC_ASSERT(*journal->active() == *model.active());
    }
}

}  // namespace
}  // namespace petrel::runtime
