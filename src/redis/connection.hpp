// One connection to a Redis server, over hiredis. Commands go out many at a time (a Pipeline) and are answered in one
// round trip; replies are looked at where they lie.
//
// Contract: blocking, for one thread. An Error is about the connection (nobody there, no answer in time): it is broken
// then and has to be opened anew. What the server refuses is a reply like others (View::error()). A text that is longer
// than any legal one arrives cut, with a mark that says so (reply_limiter.hpp).
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

// Commands as they go over the wire: made once, sent as often as wanted.
class Pipeline {
public:
    Pipeline& add(std::span<const std::string_view> words);
    Pipeline& add(std::initializer_list<std::string_view> words) { return add(std::span{words.begin(), words.size()}); }
    Pipeline& add(const Pipeline& other, std::size_t command);  // that one of the other's
    void clear();
    std::size_t size() const { return ends_.size(); }
    bool empty() const { return ends_.empty(); }

private:
    friend class Connection;
    std::string bytes_;
    std::vector<std::size_t> ends_;  // of each command, in bytes_
};

// A reply as the server sent it; valid while it is being visited.
class View {
public:
    explicit View(const redisReply* reply) : reply_(reply) {}

    bool nothing() const;  // there is no such key or field
    bool error() const;
    std::string_view text() const;  // of a string, a status or an error; of others empty
    std::int64_t number() const;    // of an integer; of others zero
    std::size_t size() const;       // of a list; of others zero
    View operator[](std::size_t) const;

private:
    const redisReply* reply_;
};

class Connection {
public:
    using Visit = std::function<void(std::size_t command, View reply)>;

    // `database`: its number. `patience`: how long any answer may take to begin.
    static Result<std::unique_ptr<Connection>> open(const Address&, int database, Duration patience);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    Result<void> run(const Pipeline&, const Visit&);
    // For commands that the server has no reason to refuse: one that it does is an Error, with the server's words.
    Result<void> run(const Pipeline&);

    // Of a connection that has subscribed: what has come, without waiting for more.
    Result<void> messages(const std::function<void(View)>&);

    int fd() const;

private:
    Connection(redisContext* context, std::string where, Duration patience);

    Result<void> send_all();
    Result<void> receive();                // waits for the next bytes
    Result<redisReply*> received_reply();  // null: more bytes are needed. It lives until the next call

    Error no_answer(std::string_view doing) const;
    Error broken(std::string_view doing, std::string_view why) const;
    Error lost(std::string_view doing) const;

    redisContext* context_;
    std::string where_;
    Duration patience_;
    ReplyLimiter limiter_;
    std::string passed_;         // by the limiter, of the bytes received last
    std::size_t reply_bytes_{};  // received of the reply under way
    std::unique_ptr<ReplyMemory> memory_;
    bool replied_{};  // a whole reply is in memory_
};

}  // namespace petrel::redis
