// The format of a state file, without I/O, so that tests and fuzzers can pass any bytes to the reader.
//
//   header  of record_bytes.hpp with the magic "PETRELS\n"
//   record  u32 checksum of the header, then sealed with a u32 length:
//   body    i64 microseconds since 1970, i64 nanoseconds since boot, u8 length + boot id,
//           u32 length + checkpoint, u32 number of events, and of each: u64 seq, u32 length + JSON
//
// Each record holds a whole checkpoint and the events that led to it. It begins with the header's checksum, which
// identifies the device: so the reader finds the records after a damaged part, even if the header is damaged. The
// reader never fails; it describes the damage and counts the bytes of an unfinished record.
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
    Duration boot_age{};  // when it was saved
    bool operator==(const Remembered&) const = default;
};

struct StateContent {
    std::optional<Remembered> remembered;  // of the newest record
    std::vector<StoredEvent> events;       // in the order of seq; gaps only where the file was damaged
    std::string damage;                    // what is wrong, except an unfinished record at the end; or empty
    std::size_t size{};                    // bytes of the header and of complete records
    std::size_t dropped{};                 // bytes of an unfinished record after them
};

Bytes state_header(std::string_view device);
Bytes state_record(std::string_view device, const Remembered&, std::span<const StoredEvent>);

StateContent parse_state(std::span<const std::byte>, std::string_view device);

// False if one of the two boots is not known.
bool is_of_another_boot(const Remembered&, const Boot&);

// How long ago it was saved: by the time since boot if the machine was not rebooted since, else by the wall clock. Zero
// if the wall clock was set back.
Duration time_since(const Remembered&, WallTime now, const Boot&);

}  // namespace petrel::runtime
