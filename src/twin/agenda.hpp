// The timers of a node, apart from sending and receiving: pause refreshes, delayed pauses, retransmissions, hardware
// detectors, faults, steps of an agent. A heap in time order. Entries of the same time are ordered by kind, port and
// queue, so the result never depends on the order of insertion.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "twin/sim_time.hpp"

namespace petrel::twin {

enum class Task : std::uint8_t {
    delayed_pause,   // arg and queue: the fields of the pause frame
    refresh,         // port: repeat the pause; arg: the port's count of speed changes
    port_detector,   // port, queue: pause too long
    queue_detector,  // port, queue: deadlock detection
    recovery_end,    // port, queue
    flow_start,      // arg: flow
    flow_stop,       // arg: flow
    retransmit,      // arg: flow
    rate_timer,      // arg: flow, queue: number of the cut that started it
    drain,           // the receive pipeline takes the next frame
    storm,           // arg: storm generator
    call,            // arg: row of the node's calls; agents step here, after all other events of that time
    count_
};

struct Todo {
    Ps at{};
    Task task{};
    std::uint8_t port{};
    std::uint8_t queue{};
    std::uint32_t arg{};
    auto operator<=>(const Todo&) const = default;
};

class Agenda {
public:
    Ps next() const { return heap_.empty() ? kForever : heap_.front().at; }
    void add(const Todo& todo)
    {
        heap_.push_back(todo);
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
    }
    Todo pop()
    {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
        const Todo first = heap_.back();
        heap_.pop_back();
        return first;
    }

    void call_at(Ps when, std::function<void(Ps)> call)
    {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(calls_.size()));
            calls_.emplace_back();
        }
        const std::uint32_t row = free_.back();
        free_.pop_back();
        calls_[row] = std::move(call);
        add({when, Task::call, 0, 0, row});
    }
    std::function<void(Ps)> take_call(const Todo& todo)
    {
        free_.push_back(todo.arg);
        return std::exchange(calls_[todo.arg], nullptr);
    }

private:
    std::vector<Todo> heap_;
    std::vector<std::function<void(Ps)>> calls_;
    std::vector<std::uint32_t> free_;  // rows of calls_
};

}  // namespace petrel::twin
