// A full disk for the writes of this process.
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <cstddef>

namespace petrel::test {

// During its lifetime files of this process cannot grow beyond `bytes`, as on a full disk.
class FullDisk {
public:
    explicit FullDisk(std::size_t bytes)
    {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        handler_ = ::signal(SIGXFSZ, SIG_IGN);
        auto limit = before_;
        limit.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

private:
    struct rlimit before_{};
    void (*handler_)(int);
};

}  // namespace petrel::test
