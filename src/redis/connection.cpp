#include "redis/connection.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "base/complaint_text.hpp"
#include "redis/reply_memory.hpp"

namespace petrel::redis {

namespace {

// The largest number of commands in flight: it bounds the replies that either side has to buffer.
constexpr std::size_t kAtOnce = 1024;

constexpr std::size_t kReceived = 64UL * 1024;  // the most bytes received at once

// The longest valid reply: a list of all queues of a large switch has 1 MiB.
constexpr std::size_t kLongestReply = 64UL * 1024 * 1024;

timeval as_timeval(Duration duration)
{
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
    return {static_cast<time_t>(us / 1'000'000), static_cast<suseconds_t>(us % 1'000'000)};
}

}  // namespace

// ------------------------------------------------------------------------------------------------------ Pipeline

Pipeline& Pipeline::add(std::span<const std::string_view> words)
{
    fmt::format_to(std::back_inserter(bytes_), "*{}\r\n", words.size());
    for (const auto word : words) {
        fmt::format_to(std::back_inserter(bytes_), "${}\r\n{}\r\n", word.size(), word);
    }
    ends_.push_back(bytes_.size());
    return *this;
}

Pipeline& Pipeline::add(const Pipeline& other, std::size_t command)
{
    const auto begin = command == 0 ? 0 : other.ends_[command - 1];
    bytes_.append(other.bytes_, begin, other.ends_[command] - begin);
    ends_.push_back(bytes_.size());
    return *this;
}

void Pipeline::clear()
{
    bytes_.clear();
    ends_.clear();
}

// ---------------------------------------------------------------------------------------------------------- View

bool View::nothing() const { return reply_->type == REDIS_REPLY_NIL; }
bool View::error() const { return reply_->type == REDIS_REPLY_ERROR; }

std::string_view View::text() const
{
    return reply_->str == nullptr ? std::string_view{} : std::string_view{reply_->str, reply_->len};
}

std::int64_t View::number() const { return reply_->type == REDIS_REPLY_INTEGER ? reply_->integer : 0; }
std::size_t View::size() const { return reply_->type == REDIS_REPLY_ARRAY ? reply_->elements : 0; }
View View::operator[](std::size_t i) const { return View{reply_->element[i]}; }

// ---------------------------------------------------------------------------------------------------- Connection

Connection::Connection(redisContext* context, std::string where, Duration patience)
    : context_(context), where_(std::move(where)), patience_(patience), memory_(std::make_unique<ReplyMemory>())
{
    if (context_->reader != nullptr) {
        memory_->serve(*context_->reader);
    }
}
Connection::~Connection() { redisFree(context_); }
int Connection::fd() const { return context_->fd; }

Error Connection::no_answer(std::string_view doing) const
{
    return {ErrorKind::timed_out,
            fmt::format("Redis at {}: {}: no answer in time ({} ms)", where_, doing, whole_ms(patience_)), true};
}

Error Connection::broken(std::string_view doing, std::string_view why) const
{
    return {ErrorKind::unreachable, fmt::format("Redis at {}: {}: {}", where_, doing, why), true};
}

// The error after a failed call of hiredis.
Error Connection::lost(std::string_view doing) const
{
    if (context_->err == REDIS_ERR_IO && errno == EAGAIN) {
        return no_answer(doing);
    }
    return broken(doing, context_->err != 0 ? context_->errstr : "the connection is broken");
}

Result<std::unique_ptr<Connection>> Connection::open(const Address& address, int database, Duration patience)
{
    const auto limit = as_timeval(patience);
    auto* context = address.path.empty() ? redisConnectWithTimeout(address.host.c_str(), address.port, limit)
                                         : redisConnectUnixWithTimeout(address.path.c_str(), limit);
    if (context == nullptr) {
        return tl::unexpected(Error{ErrorKind::exhausted, "no memory for a connection to Redis"});
    }
    std::unique_ptr<Connection> connection{new Connection{context, to_text(address), patience}};
    if (context->err != 0 || redisSetTimeout(context, limit) != REDIS_OK) {
        return tl::unexpected(connection->lost("cannot connect"));
    }
    Pipeline choose;
    choose.add({"SELECT", fmt::format("{}", database)});
    return connection->run(choose).map([&] { return std::move(connection); });
}

// Sends without hiredis, which would copy the bytes, and raise SIGPIPE if the server has closed the connection.
Result<void> Connection::send_all(std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto sent = ::send(context_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        } else if (errno == EAGAIN) {
            return tl::unexpected(no_answer("cannot send"));
        } else if (errno != EINTR) {
            return tl::unexpected(broken("cannot send", std::generic_category().message(errno)));
        }
    }
    return {};
}

// Uses the limiter instead of redisBufferRead(), which would buffer strings of any length.
Result<std::size_t> Connection::receive(int flags)
{
    std::array<char, kReceived> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): recv() fills it
    const auto size = ::recv(context_->fd, buffer.data(), buffer.size(), flags);
    if (size < 0 && (errno == EINTR || (errno == EAGAIN && flags == MSG_DONTWAIT))) {
        return 0;
    }
    if (size < 0 && errno == EAGAIN) {
        return tl::unexpected(no_answer("receive"));
    }
    if (size <= 0) {
        return tl::unexpected(
            broken("receive", size == 0 ? "Server closed the connection" : std::generic_category().message(errno)));
    }
    passed_.clear();
    if (const auto done = limiter_.pass({buffer.data(), static_cast<std::size_t>(size)}, passed_); !done) {
        return tl::unexpected(
            Error{done.error().kind, fmt::format("Redis at {} sends {}", where_, done.error().what), true});
    }
    if (redisReaderFeed(context_->reader, passed_.data(), passed_.size()) != REDIS_OK) {
        return tl::unexpected(broken("cannot be understood", context_->reader->errstr));
    }
    reply_bytes_ += passed_.size();
    if (reply_bytes_ > kLongestReply) {
        return tl::unexpected(
            Error{ErrorKind::corrupt,
                  fmt::format("Redis at {} sends a reply of more than {} bytes", where_, kLongestReply), true});
    }
    return static_cast<std::size_t>(size);
}

Result<redisReply*> Connection::received_reply()
{
    if (std::exchange(replied_, false)) {
        memory_->clear();
    }
    void* reply = nullptr;
    if (redisGetReplyFromReader(context_, &reply) != REDIS_OK) {
        return tl::unexpected(lost("cannot be understood"));
    }
    if (reply != nullptr) {
        reply_bytes_ = 0;
        replied_ = true;
    }
    return static_cast<redisReply*>(reply);
}

Result<void> Connection::run(const Pipeline& pipeline, const Visit& visit)
{
    for (std::size_t first = 0; first < pipeline.size(); first += kAtOnce) {
        const auto last = std::min(first + kAtOnce, pipeline.size());
        const auto begin = first == 0 ? 0 : pipeline.ends_[first - 1];
        if (auto sent = send_all({pipeline.bytes_.data() + begin, pipeline.ends_[last - 1] - begin}); !sent) {
            return sent;
        }
        for (auto command = first; command != last;) {
            const auto reply = received_reply();
            if (!reply) {
                return tl::unexpected(reply.error());
            }
            if (*reply != nullptr) {
                visit(command, View{*reply});
                ++command;
            } else if (const auto more = receive(0); !more) {
                return tl::unexpected(more.error());
            }
        }
    }
    return {};
}

Result<void> Connection::run(const Pipeline& pipeline)
{
    std::optional<Error> refused;
    const auto done = run(pipeline, [&](std::size_t, View reply) {
        if (reply.error() && !refused) {
            refused =
                Error{ErrorKind::denied, fmt::format("Redis at {} refuses: {}", where_, excerpt(reply.text())), true};
        }
    });
    return done && refused ? Result<void>{tl::unexpected(*refused)} : done;
}

// If less arrives than the buffer holds, no more was there.
Result<void> Connection::messages(const std::function<void(View)>& visit)
{
    for (bool more = true;;) {
        for (;;) {
            const auto reply = received_reply();
            if (!reply) {
                return tl::unexpected(reply.error());
            }
            if (*reply == nullptr) {
                break;
            }
            visit(View{*reply});
        }
        if (!more) {
            return {};
        }
        const auto received = receive(MSG_DONTWAIT);
        if (!received) {
            return tl::unexpected(received.error());
        }
        more = *received == kReceived;
    }
}

}  // namespace petrel::redis
