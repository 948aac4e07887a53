// Runs the nodes in windows of time. A window is not longer than the shortest link latency. Frames sent in a window
// therefore arrive after it, and every node can run the whole window alone, in any order and on any thread. There is no
// global event queue. Idle time between windows is skipped. A window may be shortened without changing results.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "twin/border.hpp"
#include "twin/node_ref.hpp"

namespace petrel::twin {

class Engine {
public:
    // `window`: at most the shortest latency of a link. `border`: null if one process runs all nodes.
    Engine(std::vector<NodeRef> nodes, Ps window, unsigned threads, Border* border);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Runs all events before `end`. Returns early, at the end of a window, once `done` returns true (in all processes).
    template <class Done>
    void run_until(Ps end, Done done)
    {
        bool reached = false;
        while (run_window(end, reached))
            reached = done();
    }

    // An entry was added to a node's agenda from outside: the node must run at that time.
    void expect(std::uint32_t node, Ps at) { next_[node] = std::min(next_[node], at); }

    Ps now() const { return now_; }  // all events before this time are done
    std::uint64_t windows() const { return windows_; }

private:
    struct alignas(64) Segment {  // of the active nodes: one per thread; a thread that is done takes nodes of others
        std::atomic<std::uint32_t> next;
        std::uint32_t end{};
    };

    bool run_window(Ps end, bool done);
    Outlook look_ahead(bool done);
    Ps deliver_mail();
    void run_node(std::uint32_t node, Mail* mail);
    void run_share(unsigned thread);
    void run_together();
    void work(unsigned thread);

    std::vector<NodeRef> nodes_;
    Ps window_length_;
    unsigned threads_;
    Border* border_;
    std::vector<Ps> next_;                 // time of each node's next event
    std::vector<std::uint64_t> arrived_;   // by node: input ports with new frames since it last ran
    std::vector<std::vector<Mail>> mail_;  // by thread and node
    std::vector<std::uint32_t> active_;
    Window window_;
    Ps now_{};
    std::uint64_t windows_{};

    std::vector<Segment> segments_;
    std::vector<std::jthread> workers_;
    std::atomic<std::uint64_t> round_{};
    std::atomic<unsigned> busy_{};
    std::atomic<bool> quit_{};
};

}  // namespace petrel::twin
