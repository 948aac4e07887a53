// The control socket's server: a Unix stream socket in the event loop. A client sends one line and gets lines back;
// what they mean is the handler's business. Everything a client may do wrong, or do on purpose, ends here: nothing it
// sends or fails to read blocks the loop, and all it can use up is bounded.
//
// One request a connection. A connection that has not sent its line in time, or that must make room for another while
// it has not, is told so and closed.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::runtime {

class ControlServer {
public:
    struct Caller {
        std::string name;  // "root (uid 0, pid 1234)"
    };

    // One client. Whoever answers later keeps it; a client that has gone meanwhile is simply not told.
    class Peer {
    public:
        // Lines, without the end of the last. The first answer may be of any size; of what follows only so much waits
        // for a client that does not read (Limits::waiting), then it is dropped.
        void send(std::string lines);
        void close_after_sending();

        bool gone() const { return server_ == nullptr; }
        Caller caller() const;

    private:
        friend class ControlServer;

        std::size_t waiting() const { return out_.size() - taken_; }

        ControlServer* server_{};  // null = gone
        FileDescriptor file_;
        ucred credentials_{};
        std::string request_;  // as far as it has come
        bool asked_{};
        bool closing_{};
        std::string out_;
        std::size_t taken_{};     // of out_, by the socket
        std::uint64_t sent_{};    // bytes ever
        std::uint64_t answer_{};  // bytes of the first answer
        EventLoop::TimerId too_late_{};
        std::uint64_t arrived_{};  // in the order of arrival
    };

    struct Limits {
        std::size_t connections{64};
        std::size_t request{std::size_t{256} * 1024};
        std::size_t waiting{std::size_t{1024} * 1024};              // for one client, besides its first answer
        std::size_t waiting_in_all{std::size_t{64} * 1024 * 1024};  // beyond this, one answer waits at a time
        Duration patience{std::chrono::seconds{10}};
    };

    struct Counters {
        std::uint64_t connections{};   // ever
        std::uint64_t refused{};       // for want of room
        std::uint64_t bad{};           // no whole request: too long, too late, or ended in the middle
        std::uint64_t dropped_slow{};  // did not read
    };

    using Handler = std::function<void(const std::shared_ptr<Peer>&, std::string_view line)>;

    // The socket of an agent that has died is replaced; one that somebody answers at is an error. `group` may use the
    // socket besides its owner; empty = the process's own group.
    static Result<std::unique_ptr<ControlServer>> listen(EventLoop&, const std::filesystem::path&,
                                                         const std::string& group, Handler, Limits);
    static Result<std::unique_ptr<ControlServer>> listen(EventLoop& loop, const std::filesystem::path& path,
                                                         const std::string& group, Handler handler)
    {
        return listen(loop, path, group, std::move(handler), Limits{});
    }
    ~ControlServer();
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;

    // Clients find the server by the socket's name alone, and another process may remove or replace that. True: it was
    // lost, and the server listens there again. Clients that are connected stay.
    Result<bool> keep_name();

    const Counters& counters() const { return counters_; }
    std::size_t connected() const { return peers_.size(); }

private:
    ControlServer(EventLoop&, std::filesystem::path, std::string group, FileDescriptor, Handler, Limits);

    Result<void> watch_listener();
    void accept_some();
    void admit(FileDescriptor);
    bool make_room();
    void refuse(Peer&, std::string why);
    static void send_at_once(const Peer&, std::string line);
    void on_file(const std::shared_ptr<Peer>&, std::uint32_t events);
    void read_request(const std::shared_ptr<Peer>&);
    void send(Peer&, std::string lines);
    void push(Peer&);
    void drop(Peer&);

    EventLoop& loop_;
    std::filesystem::path path_;
    std::string group_;
    FileDescriptor listener_;
    ino_t inode_{};  // of our socket's name: another agent may have taken it since
    Handler handler_;
    Limits limits_;
    Counters counters_;
    std::map<std::uint64_t, std::shared_ptr<Peer>> peers_;  // by arrival
    std::uint64_t arrivals_{};
    std::size_t waiting_in_all_{};
    std::optional<EventLoop::TimerId> rest_;  // out of file descriptors: nobody is let in until then
};

}  // namespace petrel::runtime
