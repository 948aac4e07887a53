// An HTTP server in a thread of its own. Requests are handed over whole, and answered later from any thread. Bounded:
// connections (visitors.hpp), their idle time, the size of headers and bodies, the bytes of all bodies under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/exchange.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::http {

struct Tls {
    std::string certificate;  // PEM
    std::string key;
    std::string clients{};  // PEM: clients are asked for a certificate of this issuer; empty: they are not
};

struct ServerOptions {
    std::string purpose;  // for messages: "agents and clients"
    std::size_t most_connections{2048};
    std::size_t most_body{std::size_t{1} << 20};
    std::size_t most_bodies{std::size_t{64} << 20};  // bytes of all requests under way
    unsigned most_silence_s{30};
    std::optional<Tls> tls{};
};

class Server {
public:
    struct Handlers {
        // Both are called in the server's thread. `admit`: before the body arrives; an answer refuses the request.
        std::function<std::optional<Answer>(const Request&)> admit;
        std::function<void(Request, Reply)> handle;
        // The answer to a request that the server itself refuses: the status, and why.
        std::function<Answer(unsigned status, std::string_view why)> refuse;
    };

    // Takes the listening socket. The thread inherits the signal mask of the caller.
    static Result<std::unique_ptr<Server>> start(runtime::FileDescriptor listening, ServerOptions, Handlers);

    // Requests without an answer get 503, streams end.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

private:
    struct Http;
    explicit Server(std::unique_ptr<Http>);
    std::unique_ptr<Http> http_;
};

}  // namespace petrel::http
