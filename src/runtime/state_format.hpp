// The bytes of a state file, apart from how they get to a disk, so that any bytes can be put to the reader.
//
//   header  of record_bytes.hpp with the magic "PETRELS\n"
//   record  u32 checksum of the header, then sealed with a u32 length:
//   body    i64 microseconds since 1970, i64 nanoseconds since the machine's start, u8 length + id of that start,
//           u32 length + checkpoint, u32 number of events, and of each: u64 seq, u32 length + JSON
//
// Each record holds a whole checkpoint and the events that led to it. It begins with the header's checksum, so that it
// says whose it is by itself: the records behind a damage, be it in the header, are still found. Nothing makes the
// reader give up; what it could not read, it counts and names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "runner/memory.hpp"
#include "runtime/boot.hpp"
#include "runtime/record_bytes.hpp"

namespace petrel::runtime {

inline constexpr std::uint16_t kStateVersion = 1;

using runner::StoredEvent;

struct Remembered {
    std::string checkpoint;  // as codec::checkpoint_json writes it
    WallTime saved_at;
    std::string boot_id;
    Duration boot_age{};  // then
    bool operator==(const Remembered&) const = default;
};

struct StateContent {
    std::optional<Remembered> remembered;  // of the newest record
    std::vector<StoredEvent> events;       // seq grows; there are gaps only where something was damaged
    std::string damage;                    // what is wrong with the file, other than its end; empty: nothing
    std::size_t size{};                    // bytes of header and whole records
    std::size_t dropped{};                 // bytes of an unfinished record after them
};

Bytes state_header(std::string_view device);
Bytes state_record(std::string_view device, const Remembered&, std::span<const StoredEvent>);

StateContent parse_state(std::span<const std::byte>, std::string_view device);

// How long ago it was saved: by the machine's own count if it was not started anew since, else by the time of day,
// which may have been set back (then: no time at all).
Duration time_since(const Remembered&, WallTime now, const Boot&);

}  // namespace petrel::runtime
