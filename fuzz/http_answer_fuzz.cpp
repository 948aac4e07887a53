// A server answers a request with any bytes and closes the connection: the client returns a response or an error, in
// time. The first byte selects a request with one answer or with an answer that goes on.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "base/assert.hpp"
#include "http_client/client.hpp"

namespace {

using namespace petrel;

// Answers each connection with the same bytes, after the end of the request's head.
class Server {
public:
    Server()
    {
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(name);
        PETREL_ASSERT(::bind(listening_, reinterpret_cast<const sockaddr*>(&name), size) == 0 &&
                          ::listen(listening_, 16) == 0 &&
                          ::getsockname(listening_, reinterpret_cast<sockaddr*>(&name), &size) == 0,
                      "no listening socket");
        port_ = ntohs(name.sin_port);
    }

    std::uint16_t port() const { return port_; }

    void serve_one(std::string_view answer) const
    {
        const int peer = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        std::string head;
        std::array<char, 1024> buffer{};
        while (head.find("\r\n\r\n") == head.npos) {
            const auto got = ::recv(peer, buffer.data(), buffer.size(), 0);
            if (got <= 0) {
                break;
            }
            head.append(buffer.data(), static_cast<std::size_t>(got));
        }
        while (!answer.empty()) {
            const auto took = ::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
            if (took <= 0) {
                break;  // the client has seen enough
            }
            answer.remove_prefix(static_cast<std::size_t>(took));
        }
        ::close(peer);
    }

private:
    int listening_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::uint16_t port_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const Server server;
    if (size == 0) {
        return 0;
    }
    const std::string_view answer{reinterpret_cast<const char*>(data) + 1, size - 1};
    std::thread serving{[&] { server.serve_one(answer); }};
    const auto client = http_client::make_client({false, "127.0.0.1", server.port(), {}});
    const http_client::Request request{.path = "/api/v1/events", .within = std::chrono::seconds{5}};
    std::size_t taken = 0;
    const auto response =
        data[0] % 2 == 0 ? client->send(request) : client->receive(request, [&](std::string_view piece) {
            taken += piece.size();
            return taken < 64;
        });
    serving.join();
    if (!response) {
        PETREL_ASSERT(!response.error().what.empty(), "no response, and no reason");
        return 0;
    }
    PETREL_ASSERT(response->body.size() <= answer.size() && taken <= answer.size(), "a body that was not sent");
    PETREL_ASSERT(!response->retry_after ||
                      (*response->retry_after >= Duration::zero() && *response->retry_after <= std::chrono::hours{1}),
                  "asks for another time than an hour at most");
    return 0;
}
