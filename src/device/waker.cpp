#include "device/waker.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/assert.hpp"

namespace petrel::device {

Waker::Waker() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { PETREL_ASSERT(fd_ >= 0, "no eventfd"); }
Waker::~Waker() { ::close(fd_); }

void Waker::wake() const noexcept
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof one);  // if the counter is full, it is readable
}

void Waker::reset() const noexcept
{
    std::uint64_t count{};
    [[maybe_unused]] const auto taken = ::read(fd_, &count, sizeof count);
}

}  // namespace petrel::device
