#include "runtime/file_journal_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/crc32c.hpp"

namespace petrel::runtime {
namespace {

constexpr std::string_view kMagic = "PETRELJ\n";
constexpr std::uint8_t kOpen = 1;
constexpr std::uint8_t kClose = 2;
constexpr std::uint8_t kWholePort = 255;
using BodyLength = std::uint16_t;
constexpr std::size_t kFrame = kSealSize<BodyLength>;
constexpr std::uint16_t kOldestVersion = 1;
constexpr std::size_t kLongestUndoOfVersion1 = 64;
constexpr std::size_t kLongestBody = 1024;  // all records are much shorter; a greater length is damage

void put_target(RecordWriter& writer, const NamedTarget& target)
{
    writer.number(target.priority ? target.priority->value : kWholePort);
    writer.text(target.port);
}

NamedTarget get_target(RecordReader& reader)
{
    const auto priority = reader.number<std::uint8_t>();
    auto port = reader.text();
    return {std::move(port), priority == kWholePort ? std::nullopt : std::optional{Priority{priority}}};
}

// The body of the record at the front, if it is complete and undamaged.
std::optional<std::span<const std::byte>> whole_record(std::span<const std::byte> bytes)
{
    const auto body = unsealed<BodyLength>(bytes);
    return body && body->size() <= kLongestBody ? body : std::nullopt;
}

// Bytes that never reached the disk read as zero. No record ends with this many zeros.
bool ends_unwritten(std::span<const std::byte> rest)
{
    constexpr std::size_t kZeros = 16;
    return rest.size() >= kZeros &&
           std::ranges::all_of(rest.last(kZeros), [](std::byte b) { return b == std::byte{0}; });
}

// Whether the rest is an unfinished record: short, and with no record after it. Otherwise it is a record that was
// durable and has been damaged since. Its treatment may be in force, so it must not be dropped.
bool is_torn_tail(std::span<const std::byte> rest)
{
    if (rest.size() > kFrame + kLongestBody) {
        return false;
    }
    RecordReader reader{rest};
    reader.number<std::uint32_t>();
    const auto length = reader.number<BodyLength>();
    if (reader.ok() && rest.size() == kFrame + length && !ends_unwritten(rest)) {
        return false;
    }
    for (std::size_t at = 1; at < rest.size(); ++at) {
        if (whole_record(rest.subspan(at))) {
            return false;
        }
    }
    return true;
}

Error damaged(std::size_t offset, std::string_view what)
{
    return {ErrorKind::corrupt,
            fmt::format("byte {}: {}; move the file away, then restore every treatment that the device "
                        "still shows by hand, since the journal does not have the values from before",
                        offset, what)};
}

Result<void> take_record(std::span<const std::byte> body, JournalContent& content)
{
    const auto offset = content.size;
    auto& entries = content.entries;
    RecordReader reader{body};
    const auto kind = reader.number<std::uint8_t>();
    auto target = get_target(reader);
    const bool sane = reader.ok() && (!target.priority || target.priority->value < kPriorities);
    if (sane && kind == kClose && reader.finished()) {
        remove(entries, target);
        return {};
    }
    if (!sane || kind != kOpen) {
        return tl::unexpected(damaged(offset, "a record of an unknown kind"));
    }
    JournalEntry entry;
    entry.target = std::move(target);
    const auto treatment = reader.text();
    const auto undo = reader.raw(reader.number<std::uint8_t>());
    entry.since = WallTime{std::chrono::microseconds{reader.number<std::int64_t>()}};
    const auto longest_undo = content.version == 1 ? kLongestUndoOfVersion1 : entry.undo.bytes.size();
    if (!reader.finished() || undo.size() > longest_undo) {
        return tl::unexpected(damaged(offset, "a record of an unknown kind"));
    }
    std::ranges::copy(undo, entry.undo.bytes.begin());
    entry.undo.size = static_cast<std::uint8_t>(undo.size());
    const auto known = watchdog::treatment_from_name(treatment);
    if (!known) {
        return tl::unexpected(
            Error{ErrorKind::unsupported,
                  fmt::format("byte {}: treatment '{}' is unknown to this version; restore it with the version "
                              "that wrote it",
                              offset, treatment)});
    }
    entry.treatment = *known;
    enter(entries, entry);
    return {};
}

// The content of a journal without records.
Result<JournalContent> take_header(std::span<const std::byte> bytes)
{
    JournalContent content;
    RecordReader reader{bytes};
    const auto magic = reader.raw(std::min(kMagic.size(), bytes.size()));
    if (magic.empty() || !std::ranges::equal(magic, std::as_bytes(std::span{kMagic}).first(magic.size()))) {
        return tl::unexpected(Error{ErrorKind::invalid, "not a journal: it does not begin with PETRELJ"});
    }
    content.version = reader.number<std::uint16_t>();
    if (reader.ok() && (content.version < kOldestVersion || content.version > kJournalVersion)) {
        return tl::unexpected(
            Error{ErrorKind::unsupported,
                  fmt::format("a journal of version {}, this program reads versions {} to {}; use the program "
                              "that wrote it",
                              content.version, kOldestVersion, kJournalVersion)});
    }
    content.device = reader.text();
    const auto covered = bytes.size() - reader.left();
    const auto checksum = reader.number<std::uint32_t>();
    if (!reader.ok() || crc32c(bytes.first(covered)) != checksum) {
        return tl::unexpected(damaged(0, "the header is damaged"));
    }
    content.size = bytes.size() - reader.left();
    return content;
}

}  // namespace

Bytes journal_header(std::string_view device) { return record_file_header(kMagic, kJournalVersion, device); }

Bytes open_record(const JournalEntry& entry)
{
    RecordWriter body;
    body.number(kOpen);
    put_target(body, entry.target);
    body.text(name(entry.treatment));
    body.number(entry.undo.size);
    body.raw(std::span{entry.undo.bytes}.first(entry.undo.size));
    body.number(std::int64_t{entry.since.time_since_epoch().count()});
    return sealed<BodyLength>(body.bytes());
}

Bytes close_record(const NamedTarget& target)
{
    RecordWriter body;
    body.number(kClose);
    put_target(body, target);
    return sealed<BodyLength>(body.bytes());
}

Bytes journal_bytes(std::string_view device, std::span<const JournalEntry> entries)
{
    auto bytes = journal_header(device);
    for (const auto& entry : entries) {
        const auto record = open_record(entry);
        bytes.insert(bytes.end(), record.begin(), record.end());
    }
    return bytes;
}

void enter(std::vector<JournalEntry>& entries, const JournalEntry& entry)
{
    const auto there = std::ranges::find(entries, entry.target, &JournalEntry::target);
    if (there != entries.end()) {
        there->treatment = entry.treatment;
    } else {
        entries.push_back(entry);
    }
}

void remove(std::vector<JournalEntry>& entries, const NamedTarget& target)
{
    std::erase_if(entries, [&](const JournalEntry& entry) { return entry.target == target; });
}

Result<JournalContent> parse_journal(std::span<const std::byte> bytes)
{
    auto content = take_header(bytes);
    while (content && content->size < bytes.size()) {
        const auto rest = bytes.subspan(content->size);
        const auto body = whole_record(rest);
        if (!body) {
            if (!is_torn_tail(rest)) {
                return tl::unexpected(damaged(content->size, "a damaged record"));
            }
            content->dropped = rest.size();
            break;
        }
        const auto taken = take_record(*body, *content);
        if (!taken) {
            return tl::unexpected(taken.error());
        }
        content->size += kFrame + body->size();
    }
    return content;
}

}  // namespace petrel::runtime
