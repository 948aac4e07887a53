// The format of a journal file, without I/O, so that tests and fuzzers can pass any bytes to the reader.
//
//   header  of record_bytes.hpp with the magic "PETRELJ\n", then records sealed with a u16 length
//   body    u8 kind (1 open, 2 close), u8 priority (255 = the port), u8 length + port name,
//           and of an open: u8 length + treatment name, u8 length + undo bytes, i64 microseconds since 1970
//
// Version 1 has the same format with an undo of at most 64 bytes. It is read; the next write makes it version 2.
//
// Numbers are little-endian, checksums CRC-32C. Ports and treatments are stored by name, because their numbers are
// valid only in one process. Records are appended one at a time, each durable before the next: a crash leaves at most
// one unfinished record, at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "device/journal.hpp"
#include "runtime/record_bytes.hpp"

namespace petrel::runtime {

inline constexpr std::uint16_t kJournalVersion = 2;

// A target as stored.
struct NamedTarget {
    std::string port;
    std::optional<Priority> priority;
    bool operator==(const NamedTarget&) const = default;
};

// One treatment in force, as stored.
struct JournalEntry {
    NamedTarget target;
    watchdog::Treatment treatment{};
    device::Undo undo;
    WallTime since;
    bool operator==(const JournalEntry&) const = default;
};

struct JournalContent {
    std::uint16_t version{};
    std::string device;
    std::vector<JournalEntry> entries;  // open entries, in the order of opening
    std::size_t size{};                 // bytes of the header and of complete records
    std::size_t dropped{};              // bytes of an unfinished record after them
};

Bytes journal_header(std::string_view device);
Bytes open_record(const JournalEntry&);
Bytes close_record(const NamedTarget&);

// A whole journal with only these entries.
Bytes journal_bytes(std::string_view device, std::span<const JournalEntry>);

// Apply an open or a close to the entries. A second open changes the treatment and keeps the first undo and time.
void enter(std::vector<JournalEntry>&, const JournalEntry&);
void remove(std::vector<JournalEntry>&, const NamedTarget&);

Result<JournalContent> parse_journal(std::span<const std::byte>);

}  // namespace petrel::runtime
