// What the managers of a group share: an ordered log, cells, and messages that nobody keeps. Narrow, so that its users
// do not depend on the server behind it, and tests replace it.
//
// Contract: calls may block for a few seconds, and any thread may make them. A success of append() or replace() is
// durable as far as the server is. An error of one of them means that it is not known whether it took effect.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace petrel::bus {

// Entries have the numbers 1, 2, 3 ... The server may discard the oldest ones.
struct LogEnds {
    std::string id;         // another one if the log was made again
    std::uint64_t first{};  // the oldest entry that is kept; none is if it is behind `last`
    std::uint64_t last{};   // 0: none was ever appended
    bool operator==(const LogEnds&) const = default;
};

struct Cell {
    std::uint64_t revision{};  // 0: it was never written
    std::string text;
    bool operator==(const Cell&) const = default;
};

enum class Append : std::uint8_t { stored, refused };

class Bus {
public:
    virtual ~Bus() = default;

    // Makes what is missing. ErrorKind::invalid: the server cannot be used as it is configured.
    virtual Result<LogEnds> open() = 0;

    // Refused: the entry would not get this number, because the last entry is not the one before it.
    virtual Result<Append> append(std::uint64_t number, std::string_view entry) = 0;
    // None: there is no such entry, or not yet.
    virtual Result<std::optional<std::string>> read(std::uint64_t number) = 0;

    virtual Result<Cell> cell(const std::string& name) = 0;
    // The new revision. Fails if the cell has another revision.
    virtual Result<std::uint64_t> replace(const std::string& name, std::uint64_t revision, const std::string& text) = 0;

    // To all others who listen; it may get lost.
    virtual void tell(std::string_view message) = 0;
    // Called in a thread of the bus. An empty function ends it: after that it is not called any more.
    virtual void listen(std::function<void(std::string_view message)>) = 0;
};

}  // namespace petrel::bus
