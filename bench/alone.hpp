// Runs a function in its own process and returns its figures: the peak memory is that of this run alone, and earlier
// runs do not affect the heap.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <type_traits>

#include "base/assert.hpp"

namespace petrel::bench {

// Contract: the calling process has one thread.
template <class Function>
auto run_alone(Function function)
{
    using Figures = std::invoke_result_t<Function>;
    static_assert(std::is_trivially_copyable_v<Figures> && sizeof(Figures) <= 4096, "has to fit in a pipe");
    std::array<int, 2> ends{};
    PETREL_ASSERT(::pipe(ends.data()) == 0, "no pipe");
    const auto child = ::fork();
    PETREL_ASSERT(child >= 0, "cannot fork");
    if (child == 0) {
        const Figures figures = function();
        const bool written = ::write(ends[1], &figures, sizeof figures) == sizeof figures;
        ::_exit(written ? 0 : 1);
    }
    ::close(ends[1]);
    Figures figures{};
    const auto got = ::read(ends[0], &figures, sizeof figures);
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    PETREL_ASSERT(got == sizeof figures && status == 0, "the run ended without figures, with status {}", status);
    return figures;
}

}  // namespace petrel::bench
