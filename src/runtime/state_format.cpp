#include "runtime/state_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "watchdog/checkpoint.hpp"

namespace petrel::runtime {
namespace {

constexpr std::string_view kStateMagic = "PETRELS\n";
using StateLength = std::uint32_t;
using Mark = std::uint32_t;  // the first field of a record: the checksum of the header
constexpr std::size_t kStateFrame = sizeof(Mark) + kSealSize<StateLength>;

// The checksum is the last field of the header.
std::span<const std::byte> mark_of(std::span<const std::byte> header) { return header.last(sizeof(Mark)); }

struct Found {
    std::size_t at{};
    std::span<const std::byte> body;
};

// The first complete record at or after `from`.
std::optional<Found> next_record(std::span<const std::byte> bytes, std::size_t from, std::span<const std::byte> mark)
{
    while (true) {
        const auto rest = bytes.subspan(from);
        const auto there = std::ranges::search(rest, mark);
        if (there.empty()) {
            return std::nullopt;
        }
        const auto at = from + static_cast<std::size_t>(there.begin() - rest.begin());
        if (const auto body = unsealed<StateLength>(bytes.subspan(at + mark.size()))) {
            return Found{at, *body};
        }
        from = at + 1;
    }
}

// False: the record is not valid in any version; nothing of it is used.
bool take_record(std::span<const std::byte> body, StateContent& content)
{
    RecordReader reader{body};
    Remembered remembered;
    remembered.saved_at = WallTime{std::chrono::microseconds{reader.number<std::int64_t>()}};
    remembered.boot_age = Duration{reader.number<std::int64_t>()};
    remembered.boot_id = reader.text();
    remembered.checkpoint = reader.text<std::uint32_t>();
    const auto count = reader.number<std::uint32_t>();
    std::vector<StoredEvent> events;
    auto last = content.events.empty() ? 0 : content.events.back().seq;
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
        const auto seq = reader.number<std::uint64_t>();
        events.push_back({seq, reader.text<std::uint32_t>()});
        if (seq <= std::exchange(last, seq)) {
            return false;
        }
    }
    if (!reader.finished()) {
        return false;
    }
    content.remembered = std::move(remembered);
    std::ranges::move(events, std::back_inserter(content.events));
    return true;
}

// Describes why the bytes do not begin with the header of this device.
std::string header_problem(std::span<const std::byte> bytes, std::string_view device)
{
    RecordReader reader{bytes};
    if (!std::ranges::equal(reader.raw(kStateMagic.size()), std::as_bytes(std::span{kStateMagic}))) {
        return "it does not begin with PETRELS: no state file, or damaged at its beginning";
    }
    if (const auto version = reader.number<std::uint16_t>(); reader.ok() && version != kStateVersion) {
        return fmt::format("of version {}, this program reads version {}", version, kStateVersion);
    }
    const auto name = reader.text();
    const auto covered = bytes.size() - reader.left();
    const auto checksum = reader.number<std::uint32_t>();
    if (reader.ok() && crc32c(bytes.first(covered)) == checksum) {
        return fmt::format("of device '{}', not of '{}'", name, device);
    }
    return "damaged at its beginning";
}

}  // namespace

Bytes state_header(std::string_view device) { return record_file_header(kStateMagic, kStateVersion, device); }

Bytes state_record(std::string_view device, const Remembered& remembered, std::span<const StoredEvent> events)
{
    RecordWriter body;
    body.number(std::int64_t{remembered.saved_at.time_since_epoch().count()});
    body.number(std::int64_t{remembered.boot_age.count()});
    body.text(remembered.boot_id);
    body.text<std::uint32_t>(remembered.checkpoint);
    body.number(static_cast<std::uint32_t>(events.size()));
    for (const auto& event : events) {
        body.number(event.seq);
        body.text<std::uint32_t>(event.json);
    }
    RecordWriter record;
    record.raw(mark_of(state_header(device)));
    record.raw(sealed<StateLength>(body.bytes()));
    return record.take();
}

StateContent parse_state(std::span<const std::byte> bytes, std::string_view device)
{
    StateContent content;
    const auto header = state_header(device);
    if (bytes.size() >= header.size() && std::ranges::equal(bytes.first(header.size()), header)) {
        content.size = header.size();
    } else {
        content.damage = header_problem(bytes, device);
    }
    while (const auto found = next_record(bytes, content.size, mark_of(header))) {
        const bool gap = found->at != content.size;
        if ((!take_record(found->body, content) || gap) && content.damage.empty()) {
            content.damage = fmt::format("damaged at byte {}", content.size);
        }
        content.size = found->at + kStateFrame + found->body.size();
    }
    content.dropped = bytes.size() - content.size;
    return content;
}

bool is_of_another_boot(const Remembered& then, const Boot& boot)
{
    return !boot.id.empty() && !then.boot_id.empty() && boot.id != then.boot_id;
}

Duration time_since(const Remembered& then, WallTime now, const Boot& boot)
{
    if (!boot.id.empty() && boot.id == then.boot_id) {
        return then.boot_age < Duration{} ? Duration{}
                                          : std::clamp(boot.age - then.boot_age, Duration{}, watchdog::kOldestAge);
    }
    if (now <= then.saved_at) {
        return {};
    }
    // Unsigned, so that no value in the file causes an overflow.
    const auto us = static_cast<std::uint64_t>(now.time_since_epoch().count()) -
                    static_cast<std::uint64_t>(then.saved_at.time_since_epoch().count());
    constexpr auto kMost = static_cast<std::uint64_t>(whole_us(watchdog::kOldestAge));
    return std::chrono::microseconds{std::min(us, kMost)};
}

}  // namespace petrel::runtime
