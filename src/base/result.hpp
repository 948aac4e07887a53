// Error types. An Error is one sentence for a person. Complaints are all the problems of one outside text at once. The
// command line maps an ErrorKind to an exit code in one place (terminal/exit_code.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace petrel {

enum class ErrorKind : std::uint8_t { invalid, unsupported, unreachable, denied, timed_out, corrupt, exhausted };

// One problem in a text that came from outside. Line and column count from 1; 0 means "not in a line" (a flag, a whole
// file).
struct Complaint {
    std::string file;
    std::uint32_t line{};
    std::uint32_t column{};
    std::string value;    // the text at this place
    std::string allowed;  // the allowed values
    bool operator==(const Complaint&) const = default;
};

template <class T>
using Parsed = tl::expected<T, std::vector<Complaint>>;

struct Error {
    ErrorKind kind{};
    std::string what;                     // the item, its value, and the allowed values
    bool of_server{};                     // a database server is away or misbehaves: the caller needs a new connection
    std::vector<Complaint> complaints{};  // of an outside text: the command line shows their lines below
};

template <class T>
using Result = tl::expected<T, Error>;

}  // namespace petrel
