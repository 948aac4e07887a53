// Signals as events of the loop. Blocked for the whole process from then on, so threads that are started later do not
// get them either.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

#include "base/result.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

// For threads that leave all signals to the loop.
void block_all_signals();

class Signals {
public:
    // `hear` is called with the signal's number. The loop has to outlive it.
    static Result<std::unique_ptr<Signals>> make(EventLoop&, std::initializer_list<int>, std::function<void(int)> hear);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

private:
    Signals(EventLoop& loop, FileDescriptor file) : loop_(loop), file_(std::move(file)) {}

    EventLoop& loop_;
    FileDescriptor file_;
};

}  // namespace petrel::runtime
