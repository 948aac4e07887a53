// The control socket's server: a Unix stream socket in an event loop. A client sends one line and gets lines back;
// the handler executes the request. The server bounds everything that a client can use up, and no client blocks the
// loop.
//
// One request for each connection. The server refuses a connection that does not send its line in time.
//
// When all places are taken, a new client displaces the oldest connection that has sent no request, or else the oldest
// one that has not read its answer for Limits::unread. A refused client gets an error as its answer.
// Root (peer uid 0) has reserved places: other users cannot take them, and cannot displace a connection of root.
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

// The path of root's separate socket, beside that of the agent: other users cannot fill its backlog.
std::filesystem::path root_socket(const std::filesystem::path& socket);

class ControlServer {
public:
    struct Caller {
        std::string name;  // "root (uid 0, pid 1234)"
    };

    // One client. A handler that answers later keeps the pointer. send() to a client that has disconnected does
    // nothing.
    class Peer {
    public:
        // Sends lines; the last one without its line feed. The first answer may have any size. If more than
        // Limits::waiting bytes of later lines wait because the client does not read, the client is dropped.
        void send(std::string lines);
        void close_after_sending();

        // Keeps the connection open for later events. False: there are Limits::followers already.
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
        std::string request_;  // the bytes received so far
        bool has_requested_{};
        bool closing_{};
        bool follows_{};
        Instant answered_{};
        std::string out_;
        std::size_t taken_{};     // bytes of out_ that the socket has taken
        std::uint64_t sent_{};    // bytes sent in total
        std::uint64_t answer_{};  // bytes of the first answer
        EventLoop::TimerId too_late_{};
        std::uint64_t arrived_{};  // number of this connection, in the order of arrival
    };

    struct Limits {
        std::size_t connections{64};
        std::size_t followers{32};  // connections that may follow events
        // Reserved for root, of the connections and of the followers each. If it is not less than `connections`, other
        // users cannot use the socket.
        std::size_t only_for_root{8};
        std::size_t request{std::size_t{256} * 1024};
        std::size_t waiting{std::size_t{1024} * 1024};  // bytes for one client, besides its first answer
        // Bytes for all clients together. Small answers and answers for root are not limited by it.
        std::size_t waiting_in_all{std::size_t{64} * 1024 * 1024};
        std::size_t small_answer{std::size_t{64} * 1024};
        Duration patience{std::chrono::seconds{10}};  // time for a client to send its whole request
        Duration unread{std::chrono::seconds{10}};    // after that, a connection with an unread answer may be displaced
    };

    struct Counters {
        std::uint64_t connections{};   // in total
        std::uint64_t refused{};       // no room
        std::uint64_t bad{};           // no complete request: too long, too late, or cut off
        std::uint64_t dropped_slow{};  // the client did not read
    };

    using Handler = std::function<void(const std::shared_ptr<Peer>&, std::string_view line)>;

    // Replaces the socket of a process that has died. Fails if another process listens there. Members of `group` may
    // use the socket besides its owner; empty = the group of the process.
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

    // Checks that no other process has removed or replaced the socket's name, by which clients find the server. True:
    // it was lost, and the server listens there again. Connected clients stay.
    Result<bool> keep_name();

    Counters counters() const;  // may be called in any thread
    std::size_t connected() const { return peers_.size(); }
    std::size_t waiting_in_all() const { return waiting_in_all_; }  // bytes that wait for clients

private:
    ControlServer(EventLoop&, std::filesystem::path, std::string group, FileDescriptor, Handler, Limits);

    Result<void> watch_listener();
    void accept_some();
    void admit(FileDescriptor);
    std::size_t for_others(std::size_t places) const;  // the places that are not reserved for root
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
    ino_t inode_{};  // of the socket's name, to notice that another process replaced it
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
