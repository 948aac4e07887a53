// The control socket's server: a Unix stream socket in an event loop. A client sends one line and gets lines back;
// the handler decides what they mean. The server bounds everything that a client can use up, and no client blocks the
// loop.
//
// One request for each connection. The server refuses a connection that does not send its line in time.
//
// When all places are taken, a new client displaces the oldest connection that has sent no request, or else the oldest
// one that has not read its answer for Limits::unread. A refused client gets an error as its answer.
// Root (peer uid 0) has places of its own: other users cannot take them, and cannot displace a connection of root.
// Followers, whose connections stay open, have only some of the places.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <atomic>
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

// Root has a socket of its own beside that of an agent: other users cannot fill its backlog.
std::filesystem::path root_socket(const std::filesystem::path& socket);

class ControlServer {
public:
    struct Caller {
        std::string name;  // "root (uid 0, pid 1234)"
    };

    // One client. A handler that answers later keeps it; what is sent to a client that has gone is dropped.
    class Peer {
    public:
        // Lines, without the end of the last. The first answer may be of any size; of what follows only so much waits
        // for a client that does not read (Limits::waiting), then it is dropped.
        void send(std::string lines);
        void close_after_sending();

        // The connection stays open for what happens later. False: Limits::followers are there already.
        [[nodiscard]] bool follow();

        bool root() const { return credentials_.uid == 0; }
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
        bool follows_{};
        Instant answered_{};
        std::string out_;
        std::size_t taken_{};     // of out_, by the socket
        std::uint64_t sent_{};    // bytes ever
        std::uint64_t answer_{};  // bytes of the first answer
        EventLoop::TimerId too_late_{};
        std::uint64_t arrived_{};  // in the order of arrival
    };

    struct Limits {
        std::size_t connections{64};
        std::size_t followers{32};  // of those connections
        // Of the connections, and so many of the followers. All of them: the socket is closed to other users.
        std::size_t only_for_root{8};
        std::size_t request{std::size_t{256} * 1024};
        std::size_t waiting{std::size_t{1024} * 1024};  // for one client, besides its first answer
        // For all clients together. A small answer and one for root always have room.
        std::size_t waiting_in_all{std::size_t{64} * 1024 * 1024};
        std::size_t small_answer{std::size_t{64} * 1024};
        Duration patience{std::chrono::seconds{10}};  // for a whole request
        Duration unread{std::chrono::seconds{10}};    // so long an unread answer keeps its place when others need it
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

    Counters counters() const;  // from any thread
    std::size_t connected() const { return peers_.size(); }
    std::size_t waiting_in_all() const { return waiting_in_all_; }  // bytes that clients have not taken

private:
    ControlServer(EventLoop&, std::filesystem::path, std::string group, FileDescriptor, Handler, Limits);

    Result<void> watch_listener();
    void accept_some();
    void admit(FileDescriptor);
    std::size_t for_others(std::size_t places) const;  // than root
    bool full_for(const Peer& newcomer) const;
    bool make_room(const Peer& newcomer);
    Peer* displaceable(bool by_root) const;
    bool unread_too_long(const Peer&) const;
    std::string no_place(const Peer&) const;
    bool take_follower(Peer&);
    bool has_room(const Peer&, std::size_t answer);
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
    struct {
        std::atomic<std::uint64_t> connections, refused, bad, dropped_slow;
    } counters_{};
    std::map<std::uint64_t, std::shared_ptr<Peer>> peers_;  // by arrival
    std::uint64_t arrivals_{};
    std::size_t waiting_in_all_{};
    std::optional<EventLoop::TimerId> rest_;  // out of file descriptors: no client is accepted until then
};

}  // namespace petrel::runtime
