// Receives log lines of switches: datagrams over UDP or a Unix socket, or a stream over TCP. It cuts the bytes into
// lines and does not interpret them. All calls and callbacks are made in the loop's thread.
//
// Log lines have no password. So a listener that other machines reach needs the networks of its senders; lines of
// others are refused. Connections, bytes and the work of one turn are bounded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/file_descriptor.hpp"
#include "syslog/log_address.hpp"
#include "wire/log_frames.hpp"

namespace petrel::syslog {

class LogListener {
public:
    static constexpr std::size_t kMostConnections = 256;

    using Take = std::function<void(std::string_view line)>;

    // `from`: whose lines are accepted besides those of this machine. The loop outlives the object.
    static Result<std::unique_ptr<LogListener>> listen(runtime::EventLoop&, const LogAddress&,
                                                       std::vector<Network> from, Take);
    ~LogListener();
    LogListener(const LogListener&) = delete;
    LogListener& operator=(const LogListener&) = delete;

    std::string where() const;  // "udp:127.0.0.1:5514", with the real port
    std::uint64_t refused() const
    {
        return refused_;
    }  // lines that are too long, and connections and datagrams of others

private:
    struct Connection {
        runtime::FileDescriptor file;
        wire::LogFrames frames;
    };

    LogListener(runtime::EventLoop&, LogAddress, runtime::FileDescriptor, std::vector<Network>, Take);

    void receive();
    void accept_some();
    void read(int fd);
    bool accepts(const IpAddress&) const;

    runtime::EventLoop& loop_;
    LogAddress address_;
    runtime::FileDescriptor file_;
    std::vector<Network> from_;
    Take take_;
    std::map<int, Connection> connections_;
    std::uint64_t refused_{};
};

}  // namespace petrel::syslog
