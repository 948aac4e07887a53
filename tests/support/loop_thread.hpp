// An event loop in its own thread, and clients of a Unix socket that wait without a timeout.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "runtime/event_loop.hpp"
#include "runtime/local_socket.hpp"

namespace petrel::test {

class LoopThread {
public:
    LoopThread() : loop_(runtime::EventLoop::make().value()), thread_([this] { loop_->run(); }) {}
    ~LoopThread()
    {
        loop_->stop();
        thread_.join();
    }
    LoopThread(const LoopThread&) = delete;
    LoopThread& operator=(const LoopThread&) = delete;

    runtime::EventLoop& loop() { return *loop_; }

    // Calls `call` in the loop's thread and returns its result.
    template <class Call>
    auto in_loop(Call call)
    {
        std::packaged_task<decltype(call())()> task{std::move(call)};
        auto result = task.get_future();
        loop_->post([&task] { task(); });
        return result.get();
    }

private:
    std::unique_ptr<runtime::EventLoop> loop_;
    std::thread thread_;
};

class Folder {
public:
    Folder()
    {
        std::string name = testing::TempDir() + "petrel-XXXXXX";
        path_ = ::mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path operator/(const char* name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

// During its lifetime this thread (and no other) runs as a user other than root, also for sockets that it connects.
class OtherUser {
public:
    OtherUser() { become(kNobody); }
    ~OtherUser() { become(0); }
    OtherUser(const OtherUser&) = delete;
    OtherUser& operator=(const OtherUser&) = delete;

private:
    static constexpr uid_t kNobody = 65534;
    static void become(uid_t user)
    {
        if (::getuid() == 0) {
            ::syscall(SYS_setresuid, -1, user, -1);
        }
    }
};

class Client {
public:
    explicit Client(const std::filesystem::path& path) : file_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        connected_ = runtime::connect_local(file_, runtime::local_address(path).value()) == 0;
    }

    bool connected() const { return connected_; }

    // False: the server has closed the connection.
    bool send(std::string_view text)
    {
        while (!text.empty()) {
            const auto sent = ::send(file_.get(), text.data(), text.size(), MSG_NOSIGNAL);
            if (sent < 0) {
                return false;
            }
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    void end_sending() { ::shutdown(file_.get(), SHUT_WR); }

    // The next line; none = the server has closed the connection.
    std::optional<std::string> line()
    {
        std::array<char, 65536> piece;
        auto end = read_.find('\n');
        while (end == std::string::npos) {
            const auto got = ::recv(file_.get(), piece.data(), piece.size(), 0);
            if (got <= 0) {
                return std::nullopt;
            }
            read_.append(piece.data(), static_cast<std::size_t>(got));
            end = read_.find('\n');
        }
        auto line = read_.substr(0, end);
        read_.erase(0, end + 1);
        return line;
    }

private:
    runtime::FileDescriptor file_;
    bool connected_{};
    std::string read_;
};

}  // namespace petrel::test
