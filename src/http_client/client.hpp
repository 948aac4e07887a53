// Requests to one HTTP server, with TLS, a token and a deadline. Narrow, so that its users do not depend on the library
// behind it, and tests replace the server. client.cpp is the only file that uses the library.
//
// Contract: one thread sends requests, one at a time, and each may block. cancel() may be called by any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace petrel::http_client {

struct Endpoint {
    bool tls{};
    std::string host;
    std::uint16_t port{};
    std::filesystem::path ca_file;  // with TLS: the certificates that are trusted; empty = those of the machine
    std::filesystem::path certificate_file{};  // with TLS: our certificate and its key; may be replaced; empty = none
};

struct Request {
    std::string path;                   // with its query
    std::optional<std::string> body{};  // none = GET, else POST
    std::string_view content_type{};
    std::string token{};  // empty = none
    Duration within{};    // for each wait for bytes, and at most 5 s for connecting; a user with a deadline cancels
    bool once{};          // of several servers only one may get it: it could take effect twice
};

struct Response {
    int status{};
    std::string content_type;
    std::string body;
    std::optional<Duration> retry_after;
};

inline constexpr std::size_t kLargestBody = std::size_t{64} << 20U;

class Client {
public:
    virtual ~Client() = default;

    // Any status is a response. An error says why there is none: not reached, not trusted, too late, cancelled.
    virtual Result<Response> send(const Request&) = 0;

    // A response without end: `take` gets its bytes as they come, until it returns false or the server ends. The
    // response has the body only if the status is not 200.
    using Take = std::function<bool(std::string_view)>;
    virtual Result<Response> receive(const Request&, const Take& take) = 0;

    // The request under way ends soon, with an error.
    virtual void cancel() = 0;
};

std::unique_ptr<Client> make_client(Endpoint);

// Of several servers that stand for each other, the next one gets the request if one does not answer, or answers with
// status 503. The one that answered gets the next request. If none does, the answer is that of the last one.
std::unique_ptr<Client> make_client_of_several(std::vector<std::unique_ptr<Client>>);
std::unique_ptr<Client> make_client_of_several(const std::vector<Endpoint>&);

}  // namespace petrel::http_client
