#include "twin/engine.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace petrel::twin {

namespace {

constexpr std::size_t kWorthSharing = 32;  // active nodes; with fewer, waking other threads costs more than it saves
constexpr std::uint32_t kClaim = 4;        // nodes that a thread takes at a time
constexpr int kSpins = 4000;               // before a waiting thread sleeps

// Waits until `word` is no longer `old`. It spins first, because windows are short, and then sleeps, because threads
// may share a core.
template <class T>
void await_change(const std::atomic<T>& word, T old)
{
    for (int i = 0; i != kSpins; ++i) {
        if (word.load(std::memory_order_acquire) != old)
            return;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    word.wait(old, std::memory_order_acquire);
}

}  // namespace

Engine::Engine(std::vector<NodeRef> nodes, Ps window, unsigned threads, Border* border)
    : nodes_{std::move(nodes)},
      window_length_{std::min(window, kLongestWindow)},
      threads_{std::max(1U, threads)},
      border_{border},
      next_(nodes_.size(), 0),
      arrived_(nodes_.size()),
      mail_(threads_, std::vector<Mail>(nodes_.size())),
      segments_(threads_)
{
    PETREL_ASSERT(window_length_ > 0, "a link without latency leaves no window");
    for (std::uint32_t node = 0; border_ != nullptr && node != next_.size(); ++node)
        if (!border_->ours(node))
            next_[node] = kForever;
    active_.reserve(nodes_.size());
    for (unsigned t = 1; t != threads_; ++t)
        workers_.emplace_back([this, t] { work(t); });
}

Engine::~Engine()
{
    quit_ = true;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
}

bool Engine::run_window(Ps end, bool done)
{
    const Outlook outlook = look_ahead(done);
    if (outlook.done)
        return false;
    if (outlook.earliest >= end) {
        now_ = end;
        return false;
    }
    window_ = {outlook.earliest, std::min(outlook.earliest + window_length_, end)};

    active_.clear();
    for (std::uint32_t node = 0; node != next_.size(); ++node)
        if (next_[node] < window_.end)
            active_.push_back(node);
    if (threads_ == 1 || active_.size() < kWorthSharing) {
        for (std::uint32_t node : active_)
            run_node(node, mail_[0].data());
    } else {
        run_together();
    }
    now_ = window_.end;
    ++windows_;
    return true;
}

// Delivers the frames of the last window, also to other processes, and returns the time of the next event of all nodes.
Outlook Engine::look_ahead(bool done)
{
    if (border_ == nullptr)
        return {deliver_mail(), done};
    for (auto& mail : mail_)
        border_->collect(mail);
    const Outlook all = border_->exchange({deliver_mail(), done});
    for (const BorderFrame& frame : border_->received()) {
        next_[frame.node] = std::min(next_[frame.node], frame.at);
        arrived_[frame.node] |= std::uint64_t{1} << frame.port;
    }
    return all;
}

// Merges the mail of the last window into next_ and arrived_ of the receivers. Returns the time of the next event of
// all nodes.
Ps Engine::deliver_mail()
{
    Ps earliest = kForever;
    for (std::size_t node = 0; node != next_.size(); ++node) {
        for (auto& mail : mail_) {
            if (mail[node].ports == 0)
                continue;
            next_[node] = std::min(next_[node], mail[node].earliest);
            arrived_[node] |= mail[node].ports;
            mail[node] = {};
        }
        earliest = std::min(earliest, next_[node]);
    }
    return earliest;
}

inline void Engine::run_node(std::uint32_t node, Mail* mail)
{
    const std::uint64_t arrived = arrived_[node];
    arrived_[node] = 0;
    const NodeRef& ref = nodes_[node];
    next_[node] = ref.host != nullptr ? ref.host->run(window_, arrived != 0, mail)
                                      : ref.fabric_switch->run(window_, arrived, mail);
}

void Engine::run_together()
{
    const auto count = static_cast<std::uint32_t>(active_.size());
    for (unsigned t = 0; t != threads_; ++t) {
        segments_[t].next.store(count * t / threads_, std::memory_order_relaxed);
        segments_[t].end = count * (t + 1) / threads_;
    }
    busy_.store(threads_ - 1, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    run_share(0);
    for (unsigned busy = busy_.load(); busy != 0; busy = busy_.load(std::memory_order_acquire))
        await_change(busy_, busy);
}

void Engine::run_share(unsigned thread)
{
    for (unsigned i = 0; i != threads_; ++i) {
        Segment& segment = segments_[(thread + i) % threads_];
        for (;;) {
            const std::uint32_t first = segment.next.fetch_add(kClaim, std::memory_order_relaxed);
            if (first >= segment.end)
                break;
            const std::uint32_t last = std::min(first + kClaim, segment.end);
            for (std::uint32_t n = first; n != last; ++n)
                run_node(active_[n], mail_[thread].data());
        }
    }
}

void Engine::work(unsigned thread)
{
    std::uint64_t seen = 0;
    for (;;) {
        await_change(round_, seen);
        seen = round_.load(std::memory_order_acquire);
        if (quit_)
            return;
        run_share(thread);
        busy_.fetch_sub(1, std::memory_order_release);
        busy_.notify_one();
    }
}

}  // namespace petrel::twin
