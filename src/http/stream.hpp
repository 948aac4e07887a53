// The body of an answer that goes on until the client leaves. For server.cpp only: it includes the HTTP library.
#pragma once

#include <microhttpd.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "http/exchange.hpp"

namespace petrel::http {

// The library's thread takes blocks; without one the connection waits, suspended.
class Stream final : public Outflow {
public:
    Stream(MHD_Connection* connection, std::string begin, std::function<void()> drained)
        : connection_(connection), drained_(std::move(drained))
    {
        texts_.push_back(std::make_shared<const std::string>(std::move(begin)));
    }

    bool put(std::shared_ptr<const std::string> text) override
    {
        const std::lock_guard lock{mutex_};
        if (ended_) {
            return false;
        }
        texts_.push_back(std::move(text));
        resume();
        return true;
    }

    bool empty() const override
    {
        const std::lock_guard lock{mutex_};
        return texts_.empty();
    }

    void end()
    {
        const std::lock_guard lock{mutex_};
        ended_ = true;
        resume();
    }

    // In the library's thread.
    ssize_t take(char* into, std::size_t most)
    {
        std::unique_lock lock{mutex_};
        std::size_t taken = 0;
        while (!texts_.empty() && taken < most) {
            const auto& text = *texts_.front();
            const auto size = std::min(text.size() - begun_, most - taken);
            std::copy_n(text.data() + begun_, size, into + taken);
            taken += size;
            begun_ += size;
            if (begun_ == text.size()) {
                texts_.pop_front();
                begun_ = 0;
            }
        }
        if (taken > 0) {
            const bool all = texts_.empty();
            lock.unlock();
            if (all) {
                drained_();
            }
            return static_cast<ssize_t>(taken);
        }
        if (ended_) {
            return MHD_CONTENT_READER_END_OF_STREAM;
        }
        suspended_ = true;
        MHD_suspend_connection(connection_);
        return 0;
    }

private:
    void resume()
    {
        if (suspended_) {
            suspended_ = false;
            MHD_resume_connection(connection_);
        }
    }

    mutable std::mutex mutex_;
    MHD_Connection* connection_;
    std::function<void()> drained_;
    std::deque<std::shared_ptr<const std::string>> texts_;
    std::size_t begun_{};  // bytes of the first text that are taken
    bool suspended_{};
    bool ended_{};
};

}  // namespace petrel::http
