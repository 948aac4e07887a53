// The messages that systemd receives, read from a stand-in for its socket.
#include "daemon/notify.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "runtime/file_descriptor.hpp"

namespace petrel::daemon {
namespace {

using namespace std::chrono_literals;

class Notify : public testing::Test {
protected:
    Notify() : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0))
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const auto name = "petrel-notify-" + std::to_string(::getpid());  // in the abstract namespace: no file
        std::copy(name.begin(), name.end(), address.sun_path + 1);
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
        EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
        ::setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
    }
    ~Notify() override
    {
        for (const auto* variable : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
            ::unsetenv(variable);
        }
    }

    std::string received()
    {
        std::array<char, 4096> buffer{};
        const auto size = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        return size < 0 ? "nothing" : std::string(buffer.data(), static_cast<std::size_t>(size));
    }

private:
    runtime::FileDescriptor socket_;
};

TEST_F(Notify, ReportsTheStateOfTheService)
{
    notify_ready("2 devices are watched");
    EXPECT_EQ(received(), "READY=1\nSTATUS=2 devices are watched");
    notify_alive();
    EXPECT_EQ(received(), "WATCHDOG=1");
    notify_reloading({Instant{1234567us}, WallTime{}});
    EXPECT_EQ(received(), "RELOADING=1\nMONOTONIC_USEC=1234567");
    notify_stopping("restoring 3 queues", 7s);
    EXPECT_EQ(received(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=12000000\nSTATUS=restoring 3 queues");
    EXPECT_EQ(received(), "nothing");
}

TEST_F(Notify, AStatusCannotBeMoreThanAStatus)
{
    notify_ready("sw2: bad\nSTOPPING=1");
    EXPECT_EQ(received(), "READY=1\nSTATUS=sw2: bad\\x0aSTOPPING=1");
}

TEST_F(Notify, FeedsTheWatchdogTwiceInItsTime)
{
    EXPECT_EQ(watchdog_interval(), std::nullopt);
    ::setenv("WATCHDOG_USEC", "10000000", 1);
    EXPECT_EQ(watchdog_interval(), 5s);
    ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
    EXPECT_EQ(watchdog_interval(), 5s);
    ::setenv("WATCHDOG_PID", "1", 1);  // meant for another process
    EXPECT_EQ(watchdog_interval(), std::nullopt);
}

TEST_F(Notify, DoesNothingOutsideSystemd)
{
    ::unsetenv("NOTIFY_SOCKET");
    notify_ready("nobody listens");
    notify_alive();
    EXPECT_EQ(received(), "nothing");
}

}  // namespace
}  // namespace petrel::daemon
