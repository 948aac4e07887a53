#include "runtime/signals.hpp"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace petrel::runtime {

void block_all_signals()
{
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

Result<std::unique_ptr<Signals>> Signals::make(EventLoop& loop, std::initializer_list<int> wanted,
                                               std::function<void(int)> call)
{
    sigset_t set;
    ::sigemptyset(&set);
    for (const auto signal : wanted) {
        ::sigaddset(&set, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    FileDescriptor file{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
    if (file.get() < 0) {
        return tl::unexpected(file_error("wait for", "signals", errno));
    }
    auto watched = loop.watch(file.get(), EPOLLIN, [fd = file.get(), call = std::move(call)](std::uint32_t) {
        signalfd_siginfo info{};
        while (::read(fd, &info, sizeof info) == sizeof info) {
            call(static_cast<int>(info.ssi_signo));
        }
    });
    if (!watched) {
        return tl::unexpected(std::move(watched.error()));
    }
    return std::unique_ptr<Signals>{new Signals{loop, std::move(file)}};
}

Signals::~Signals() { loop_.unwatch(file_.get()); }

}  // namespace petrel::runtime
