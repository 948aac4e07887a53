#include "runtime/random_digits.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cstdint>

#include "base/assert.hpp"

namespace petrel::runtime {

std::string random_digits()
{
    std::array<std::uint64_t, 2> bits{};
    const auto got = ::getrandom(bits.data(), sizeof bits, 0);  // a read this small is never short
    PETREL_ASSERT(got == static_cast<ssize_t>(sizeof bits), "the kernel gives no random bytes");
    return fmt::format("{:016x}{:016x}", bits[0], bits[1]);
}

}  // namespace petrel::runtime
