// Receives signals as events of the loop. make() blocks them in the calling thread. Threads that are started later
// inherit that, so make() must run before any other thread is started.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

#include "base/result.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

// Called by threads that leave all signals to the loop.
void block_all_signals();

class Signals {
public:
    // Calls `call` with the signal's number. The loop must outlive the object.
    static Result<std::unique_ptr<Signals>> make(EventLoop&, std::initializer_list<int>, std::function<void(int)> call);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

private:
    Signals(EventLoop& loop, FileDescriptor file) : loop_(loop), file_(std::move(file)) {}

    EventLoop& loop_;
    FileDescriptor file_;
};

}  // namespace petrel::runtime
