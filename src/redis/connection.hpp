// One connection to a Redis server, over hiredis. Sends many commands at a time (a Pipeline), which need one round
// trip. Replies are read in place.
//
// Contract: blocking, for one thread. An Error is about the connection (no server, no reply in time): the connection is
// broken then and has to be opened again. A command that the server refuses is a normal reply (View::error()). A string
// longer than any legal one arrives truncated, with a mark (reply_limiter.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "redis/address.hpp"
#include "redis/reply_limiter.hpp"

struct redisContext;
struct redisReply;

namespace petrel::redis {

class ReplyMemory;

// Commands in wire format: built once, sent as often as needed.
class Pipeline {
public:
    Pipeline& add(std::span<const std::string_view> words);
    Pipeline& add(std::initializer_list<std::string_view> words) { return add(std::span{words.begin(), words.size()}); }
    Pipeline& add(const Pipeline& other, std::size_t command);  // a copy of one command of `other`
    void clear();
    std::size_t size() const { return ends_.size(); }
    bool empty() const { return ends_.empty(); }

private:
    friend class Connection;
    std::string bytes_;
    std::vector<std::size_t> ends_;  // end of each command in bytes_
};

// A reply of the server; valid only during the visit.
class View {
public:
    explicit View(const redisReply* reply) : reply_(reply) {}

    bool nothing() const;  // the key or field does not exist
    bool error() const;
    std::string_view text() const;  // the text of a string, a status or an error; empty for other replies
    std::int64_t number() const;    // the value of an integer; zero for other replies
    std::size_t size() const;       // the number of elements of a list; zero for other replies
    View operator[](std::size_t) const;

private:
    const redisReply* reply_;
};

class Connection {
public:
    using Visit = std::function<void(std::size_t command, View reply)>;

    // `database`: its number. `patience`: the longest wait for data of a reply.
    static Result<std::unique_ptr<Connection>> open(const Address&, int database, Duration patience);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    Result<void> run(const Pipeline&, const Visit&);
    // For commands that the server should not refuse: a refusal is an Error with the server's message.
    Result<void> run(const Pipeline&);

    // For a connection with subscriptions: visits the messages that have arrived, without waiting for more.
    Result<void> messages(const std::function<void(View)>&);

    int fd() const;

private:
    Connection(redisContext* context, std::string where, Duration patience);

    Result<void> send_all(std::string_view bytes);
    Result<std::size_t> receive(int flags);  // with MSG_DONTWAIT, 0 if there is nothing; otherwise waits for more bytes
    Result<redisReply*> received_reply();    // null: more bytes are needed. The reply is valid until the next call

    Error no_answer(std::string_view doing) const;
    Error broken(std::string_view doing, std::string_view why) const;
    Error lost(std::string_view doing) const;

    redisContext* context_;
    std::string where_;
    Duration patience_;
    ReplyLimiter limiter_;
    std::string passed_;         // the bytes received last, after the limiter
    std::size_t reply_bytes_{};  // received so far of the current reply
    std::unique_ptr<ReplyMemory> memory_;
    bool replied_{};  // a complete reply is in memory_
};

}  // namespace petrel::redis
