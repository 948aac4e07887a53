// The single library of a process: its lock, and the thread that advances a fabric in wall-clock time and delivers its
// notices. In stepped time there is no such thread.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "libsai/library.hpp"
#include "libsai/log.hpp"

namespace petrel::libsai {

struct Process {
    std::mutex mutex;  // guards library and pacer
    std::unique_ptr<Library> library;
    std::jthread pacer;
};

Process& process();

Status begin(const sai::ServiceMethods&);
Status end();
void deliver_notices();
void start_pacer(Process&);  // requires the lock

template <class Call>
Status on_library(Call call)
{
    auto& here = process();
    const std::lock_guard lock{here.mutex};
    if (!here.library) {
        return sai::status::uninitialized;
    }
    try {
        const Status status = call(*here.library);
        if (here.library->runs_by_wall_clock() && !here.pacer.joinable()) {
            start_pacer(here);
        }
        return status;
    } catch (const std::bad_alloc&) {
        return sai::status::no_memory;
    } catch (const std::exception& problem) {
        log(sai::LogLevel::critical, problem.what());
        return sai::status::failure;
    }
}

}  // namespace petrel::libsai
