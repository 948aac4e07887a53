// A proxy between a client and a Redis server that forwards commands one by one. Before each command it runs a function
// of the test, which thus runs between two commands of one pipeline.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "redis/address.hpp"
#include "support/subprocess.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {

class RedisGate {
public:
    // `before` runs in the gate's thread.
    RedisGate(redis::Address server, std::function<void()> before)
        : server_(std::move(server)), before_(std::move(before)), listener_(socket_at(address(), ::bind))
    {
        if (::listen(listener_, 64) != 0) {
            throw std::runtime_error("listen");
        }
        const auto pipe = detail::make_pipe();
        wake_ = pipe.write_end;
        thread_ = std::thread{[this, end = pipe.read_end] { serve(end); }};
    }
    ~RedisGate()
    {
        ::close(wake_);
        thread_.join();
        ::close(listener_);
    }
    RedisGate(const RedisGate&) = delete;
    RedisGate& operator=(const RedisGate&) = delete;

    redis::Address address() const { return {(folder_ / "gate.sock").string(), {}, 0}; }

private:
    struct Pair {
        int client{};
        int server{};
        std::string unsent;  // not yet forwarded
    };

    static int socket_at(const redis::Address& address, int (*join)(int, const sockaddr*, socklen_t))
    {
        sockaddr_un place{};
        place.sun_family = AF_UNIX;
        address.path.copy(place.sun_path, sizeof place.sun_path - 1);
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (join(fd, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) {
            throw std::runtime_error(address.path);
        }
        return fd;
    }

    static void write_all(int fd, std::string_view bytes)
    {
        while (!bytes.empty()) {
            const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) {
                return;  // the peer is gone, and nothing waits for the data
            }
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    // *2\r\n$3\r\nGET\r\n$1\r\nx\r\n; zero: the command is incomplete.
    static std::size_t first_command(std::string_view bytes)
    {
        std::size_t at = 0;
        const auto number = [&]() -> long {
            const auto end = bytes.find("\r\n", at);
            long value = -1;
            if (end != std::string_view::npos) {
                std::from_chars(bytes.data() + at + 1, bytes.data() + end, value);
                at = end + 2;
            }
            return value;
        };
        for (auto words = number(); words != 0; --words) {
            const auto length = words < 0 ? -1 : number();
            if (length < 0 || at + static_cast<std::size_t>(length) + 2 > bytes.size()) {
                return 0;
            }
            at += static_cast<std::size_t>(length) + 2;
        }
        return at;
    }

    void hand_on(Pair& pair)
    {
        while (const auto length = first_command(pair.unsent)) {
            before_();
            write_all(pair.server, std::string_view{pair.unsent}.substr(0, length));
            pair.unsent.erase(0, length);
        }
    }

    // False: one of the two sides has closed.
    bool pass(Pair& pair, const pollfd& client, const pollfd& server)
    {
        std::array<char, 65536> bytes{};
        if (client.revents != 0) {
            const auto got = ::read(pair.client, bytes.data(), bytes.size());
            if (got <= 0) {
                return false;
            }
            pair.unsent.append(bytes.data(), static_cast<std::size_t>(got));
            hand_on(pair);
        }
        if (server.revents != 0) {
            const auto got = ::read(pair.server, bytes.data(), bytes.size());
            if (got <= 0) {
                return false;
            }
            write_all(pair.client, {bytes.data(), static_cast<std::size_t>(got)});
        }
        return true;
    }

    void serve(int end)
    {
        std::vector<Pair> pairs;
        std::vector<pollfd> ready;
        do {
            if (!ready.empty()) {
                std::vector<Pair> left;
                for (std::size_t i = 0; i != pairs.size(); ++i) {
                    if (pass(pairs[i], ready[2 + 2 * i], ready[3 + 2 * i])) {
                        left.push_back(std::move(pairs[i]));
                    } else {
                        ::close(pairs[i].client);
                        ::close(pairs[i].server);
                    }
                }
                pairs = std::move(left);
                if (ready[1].revents != 0) {
                    pairs.push_back({::accept(listener_, nullptr, nullptr), socket_at(server_, ::connect), {}});
                }
            }
            ready = {{end, POLLIN, 0}, {listener_, POLLIN, 0}};
            for (const auto& pair : pairs) {
                ready.push_back({pair.client, POLLIN, 0});
                ready.push_back({pair.server, POLLIN, 0});
            }
        } while (::poll(ready.data(), ready.size(), -1) > 0 && ready[0].revents == 0);
        for (const auto& pair : pairs) {
            ::close(pair.client);
            ::close(pair.server);
        }
        ::close(end);
    }

    redis::Address server_;
    std::function<void()> before_;
    TemporaryFolder folder_;
    int listener_;
    int wake_{-1};
    std::thread thread_;
};

}  // namespace petrel::test
