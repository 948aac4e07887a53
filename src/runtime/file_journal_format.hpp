// The bytes of a journal file, apart from how they get to a disk, so that any bytes can be put to the reader.
//
//   header  of record_bytes.hpp with the magic "PETRELJ\n", then records sealed with a u16 length
//   body    u8 kind (1 open, 2 close), u8 priority (255 = the port), u8 length + port name,
//           and of an open: u8 length + treatment name, u8 length + undo bytes, i64 microseconds since 1970
//
// Numbers are little-endian, checksums CRC-32C. Ports and treatments are named: numbers mean nothing to another
// process. Records are appended one at a time, each durable before the next: a crash leaves at most one unfinished
// record, at the end.
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

inline constexpr std::uint16_t kJournalVersion = 1;

// A target as it is stored.
struct NamedTarget {
    std::string port;
    std::optional<Priority> priority;
    bool operator==(const NamedTarget&) const = default;
};

// One mitigation in force, as it is stored.
struct JournalEntry {
    NamedTarget target;
    watchdog::Treatment treatment{};
    device::Undo undo;
    WallTime since;
    bool operator==(const JournalEntry&) const = default;
};

struct JournalContent {
    std::string device;
    std::vector<JournalEntry> entries;  // what is open, in order of opening
    std::size_t size{};                 // bytes of header and whole records
    std::size_t dropped{};              // bytes of an unfinished record after them
};

Bytes journal_header(std::string_view device);
Bytes open_record(const JournalEntry&);
Bytes close_record(const NamedTarget&);

// The whole of a journal that holds just these entries.
Bytes journal_bytes(std::string_view device, std::span<const JournalEntry>);

// What an open or close does to the entries. Opening again changes the treatment and keeps the first undo and time.
void enter(std::vector<JournalEntry>&, const JournalEntry&);
void remove(std::vector<JournalEntry>&, const NamedTarget&);

Result<JournalContent> parse_journal(std::span<const std::byte>);

}  // namespace petrel::runtime
