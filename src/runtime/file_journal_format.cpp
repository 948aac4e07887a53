#include "runtime/file_journal_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <utility>

#include "base/assert.hpp"
#include "base/crc32c.hpp"

namespace petrel::runtime {
namespace {

constexpr std::string_view kMagic = "PETRELJ\n";
constexpr std::uint8_t kOpen = 1;
constexpr std::uint8_t kClose = 2;
constexpr std::uint8_t kWholePort = 255;
constexpr std::size_t kFrame = 6;           // checksum and length of a record
constexpr std::size_t kLongestBody = 1024;  // no record comes near; a greater length is damage

class Writer {
public:
    template <std::integral T>
    void number(T value)
    {
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            bytes_.push_back(static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xff));
        }
    }
    void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    void text(std::string_view text)
    {
        PETREL_ASSERT(text.size() <= kLongestJournalName, "a name of {} bytes in a journal", text.size());
        number(static_cast<std::uint8_t>(text.size()));
        raw(std::as_bytes(std::span{text}));
    }
    Bytes take() { return std::move(bytes_); }
    const Bytes& bytes() const { return bytes_; }

private:
    Bytes bytes_;
};

// Reads from the front; once something is missing, everything is, and ok() says so.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

    template <std::integral T>
    T number()
    {
        std::uint64_t value = 0;
        const auto bytes = raw(sizeof(T));
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
        }
        return static_cast<T>(value);
    }
    std::span<const std::byte> raw(std::size_t size)
    {
        ok_ = ok_ && size <= left_.size();
        const auto piece = left_.first(ok_ ? size : 0);
        left_ = left_.subspan(piece.size());
        return piece;
    }
    std::string text()
    {
        const auto bytes = raw(number<std::uint8_t>());
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    bool ok() const { return ok_; }
    bool finished() const { return ok_ && left_.empty(); }
    std::size_t left() const { return left_.size(); }

private:
    std::span<const std::byte> left_;
    bool ok_{true};
};

void put_target(Writer& writer, const NamedTarget& target)
{
    writer.number(target.priority ? target.priority->value : kWholePort);
    writer.text(target.port);
}

NamedTarget get_target(Reader& reader)
{
    const auto priority = reader.number<std::uint8_t>();
    auto port = reader.text();
    return {std::move(port), priority == kWholePort ? std::nullopt : std::optional{Priority{priority}}};
}

Bytes frame(const Bytes& body)
{
    Writer checked;
    checked.number(static_cast<std::uint16_t>(body.size()));
    checked.raw(body);
    Writer record;
    record.number(crc32c(checked.bytes()));
    record.raw(checked.bytes());
    return record.take();
}

// The body of the whole and undamaged record at the front, if there is one.
std::optional<std::span<const std::byte>> whole_record(std::span<const std::byte> bytes)
{
    Reader reader{bytes};
    const auto checksum = reader.number<std::uint32_t>();
    const auto size = reader.number<std::uint16_t>();
    const auto body = reader.raw(size);
    if (!reader.ok() || size == 0 || size > kLongestBody) {
        return std::nullopt;
    }
    const auto checked = bytes.subspan(sizeof checksum, sizeof size + body.size());
    return crc32c(checked) == checksum ? std::optional{body} : std::nullopt;
}

// An unfinished record is short and has nothing after it. Anything else was durable once and has been damaged since.
bool is_torn_tail(std::span<const std::byte> rest)
{
    if (rest.size() > kFrame + kLongestBody) {
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
                        "still shows by hand, since the journal cannot say what was there before",
                        offset, what)};
}

Result<void> take_record(std::span<const std::byte> body, std::size_t offset, std::vector<JournalEntry>& entries)
{
    Reader reader{body};
    const auto kind = reader.number<std::uint8_t>();
    auto target = get_target(reader);
    const bool sane = reader.ok() && (!target.priority || target.priority->value < kPriorities);
    if (sane && kind == kClose && reader.finished()) {
        remove(entries, target);
        return {};
    }
    if (!sane || kind != kOpen) {
        return tl::unexpected(damaged(offset, "a record that no version writes"));
    }
    JournalEntry entry;
    entry.target = std::move(target);
    const auto treatment = reader.text();
    const auto undo = reader.raw(reader.number<std::uint8_t>());
    entry.since = WallTime{std::chrono::microseconds{reader.number<std::int64_t>()}};
    if (!reader.finished() || undo.size() > entry.undo.bytes.size()) {
        return tl::unexpected(damaged(offset, "a record that no version writes"));
    }
    std::ranges::copy(undo, entry.undo.bytes.begin());
    entry.undo.size = static_cast<std::uint8_t>(undo.size());
    const auto known = watchdog::treatment_from_name(treatment);
    if (!known) {
        return tl::unexpected(
            Error{ErrorKind::unsupported,
                  fmt::format("byte {}: treatment '{}' is not known here; restore it with the version "
                              "that wrote it",
                              offset, treatment)});
    }
    entry.treatment = *known;
    enter(entries, entry);
    return {};
}

// The header's device name; moves `at` behind it.
Result<std::string> take_header(std::span<const std::byte> bytes, std::size_t& at)
{
    Reader reader{bytes};
    const auto magic = reader.raw(std::min(kMagic.size(), bytes.size()));
    if (magic.empty() || !std::ranges::equal(magic, std::as_bytes(std::span{kMagic}).first(magic.size()))) {
        return tl::unexpected(Error{ErrorKind::invalid, "not a journal: it does not begin with PETRELJ"});
    }
    const auto version = reader.number<std::uint16_t>();
    if (reader.ok() && version != kJournalVersion) {
        return tl::unexpected(
            Error{ErrorKind::unsupported,
                  fmt::format("a journal of version {}, this program knows version {}; use the program "
                              "that wrote it",
                              version, kJournalVersion)});
    }
    auto device = reader.text();
    const auto covered = bytes.size() - reader.left();
    const auto checksum = reader.number<std::uint32_t>();
    if (!reader.ok() || crc32c(bytes.first(covered)) != checksum) {
        return tl::unexpected(damaged(0, "the header is damaged"));
    }
    at = bytes.size() - reader.left();
    return device;
}

}  // namespace

Bytes journal_header(std::string_view device)
{
    Writer writer;
    writer.raw(std::as_bytes(std::span{kMagic}));
    writer.number(kJournalVersion);
    writer.text(device);
    writer.number(crc32c(writer.bytes()));
    return writer.take();
}

Bytes open_record(const JournalEntry& entry)
{
    Writer body;
    body.number(kOpen);
    put_target(body, entry.target);
    body.text(name(entry.treatment));
    body.number(entry.undo.size);
    body.raw(std::span{entry.undo.bytes}.first(entry.undo.size));
    body.number(std::int64_t{entry.since.time_since_epoch().count()});
    return frame(body.bytes());
}

Bytes close_record(const NamedTarget& target)
{
    Writer body;
    body.number(kClose);
    put_target(body, target);
    return frame(body.bytes());
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
    JournalContent content;
    auto device = take_header(bytes, content.size);
    if (!device) {
        return tl::unexpected(device.error());
    }
    content.device = std::move(*device);
    while (content.size < bytes.size()) {
        const auto rest = bytes.subspan(content.size);
        const auto body = whole_record(rest);
        if (!body) {
            if (!is_torn_tail(rest)) {
                return tl::unexpected(damaged(content.size, "a damaged record with more behind it"));
            }
            content.dropped = rest.size();
            break;
        }
        const auto taken = take_record(*body, content.size, content.entries);
        if (!taken) {
            return tl::unexpected(taken.error());
        }
        content.size += kFrame + body->size();
    }
    return content;
}

}  // namespace petrel::runtime
