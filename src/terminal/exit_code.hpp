// The exit codes of all petrel commands. Scripts depend on these numbers: their meaning never changes.
#pragma once

#include "base/result.hpp"

namespace petrel {

enum class ExitCode : int {
    ok = 0,
    failure = 1,  // an operation failed, or a check found a storm
    usage = 2,    // bad flags, bad configuration, bad trace
    unreachable = 3,
    permission = 4,
    expectation = 5,
    interrupted = 130
};

// The only place where an error becomes an exit code.
constexpr ExitCode exit_code(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::invalid: return ExitCode::usage;
    case ErrorKind::unreachable:
    case ErrorKind::timed_out: return ExitCode::unreachable;
    case ErrorKind::denied: return ExitCode::permission;
    case ErrorKind::unsupported:
    case ErrorKind::corrupt:
    case ErrorKind::exhausted: return ExitCode::failure;
    }
    return ExitCode::failure;
}

}  // namespace petrel
