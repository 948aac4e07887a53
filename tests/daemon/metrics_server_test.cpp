// The metrics server, with real connections: what it answers, and that hostile clients do not stop it.
#include "daemon/metrics_server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "http/listening_socket.hpp"
#include "runtime/file_descriptor.hpp"

namespace petrel::daemon {
namespace {

using runtime::FileDescriptor;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// `host`: the client's own address is 127.0.0.host.
FileDescriptor connect_to(std::uint16_t port, std::uint32_t host = 1)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
    FileDescriptor made{::socket(AF_INET, SOCK_STREAM, 0)};
    EXPECT_EQ(::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return made;
}

void send(const FileDescriptor& to, std::string_view text)
{
    EXPECT_EQ(::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

std::string all_that_comes(const FileDescriptor& from)
{
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t got = 1; got > 0;) {
        got = ::recv(from.get(), piece.data(), piece.size(), 0);
        text.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    return text;
}

std::string request(std::uint16_t port, std::string_view first_line)
{
    const auto connection = connect_to(port);
    send(connection, std::string{first_line} + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    return all_that_comes(connection);
}

std::unique_ptr<MetricsServer> serve(MetricsServer::Text text)
{
    auto server = MetricsServer::listen("127.0.0.1:0", std::move(text));
    EXPECT_TRUE(server.has_value()) << server.error().what;
    return std::move(*server);
}

std::string refusal(std::string_view host_port)
{
    const auto server = MetricsServer::listen(host_port, [] { return std::string{}; });
    return server ? "none" : server.error().what;
}

TEST(MetricsServer, ServesThePresentText)
{
    std::atomic<int> calls{};
    const auto server = serve([&] { return "petrel_calls " + std::to_string(++calls) + "\n"; });
    EXPECT_THAT(request(server->port(), "GET /metrics"),
                AllOf(StartsWith("HTTP/1.1 200 OK"), HasSubstr("text/plain; version=0.0.4"),
                      EndsWith("\r\n\r\npetrel_calls 1\n")));
    EXPECT_THAT(request(server->port(), "GET /metrics"), EndsWith("\r\n\r\npetrel_calls 2\n"));
    EXPECT_THAT(request(server->port(), "HEAD /metrics"), AllOf(HasSubstr("200 OK"), EndsWith("\r\n\r\n")));
    EXPECT_THAT(request(server->port(), "GET /healthz"), AllOf(HasSubstr("200 OK"), EndsWith("\r\n\r\nok\n")));
}

TEST(MetricsServer, ReportsALoopThatDoesNotAnswer)
{
    const auto server = serve([] { return std::nullopt; });
    for (const auto* line : {"GET /metrics", "GET /healthz"}) {
        EXPECT_THAT(request(server->port(), line),
                    AllOf(HasSubstr(" 503 "), EndsWith("the agent's loop does not answer\n")));
    }
}

TEST(MetricsServer, ServesNoOtherPath)
{
    std::atomic<int> calls{};
    const auto server = serve([&] { return std::to_string(++calls); });
    EXPECT_THAT(request(server->port(), "GET /"), HasSubstr(" 404 "));
    EXPECT_THAT(request(server->port(), "GET /metrics/../etc/passwd"), HasSubstr(" 404 "));
    EXPECT_THAT(request(server->port(), "DELETE /metrics"), HasSubstr(" 405 "));
    EXPECT_EQ(calls, 0);
}

TEST(MetricsServer, AFailureInsideCostsTheConnectionOnly)
{
    std::atomic<bool> broken{true};
    const auto server = serve([&]() -> std::optional<std::string> {
        if (broken) {
            throw std::runtime_error("broken");
        }
        return "fine\n";
    });
    EXPECT_THAT(request(server->port(), "GET /metrics"), IsEmpty());
    broken = false;
    EXPECT_THAT(request(server->port(), "GET /metrics"), EndsWith("fine\n"));
}

TEST(MetricsServer, GoesOnAfterGarbageAndCrowds)
{
    const auto server = serve([] { return "fine\n"; });
    {
        const auto rude = connect_to(server->port());
        send(rude, std::string(100, '\0') + "\r\n\r\n");
        const auto endless = connect_to(server->port());
        ::send(endless.get(), std::string(1 << 20, 'x').data(), 1 << 20, MSG_NOSIGNAL);
        EXPECT_THAT(all_that_comes(endless), testing::Not(HasSubstr("200 OK")));
    }
    {
        std::vector<FileDescriptor> crowd;
        for (int i = 0; i < 32; ++i) {  // half of the connections that the server allows
            crowd.push_back(connect_to(server->port()));
        }
    }
    EXPECT_THAT(request(server->port(), "GET /metrics"), EndsWith("fine\n"));
}

// False if the server has closed the connection. No bytes may be waiting on it.
bool is_open(const FileDescriptor& connection)
{
    char byte{};
    return ::recv(connection.get(), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

TEST(MetricsServer, SlowClientsDoNotKeepAHealthCheckOut)
{
    const auto server = serve([] { return "fine\n"; });
    std::vector<FileDescriptor> slow;
    for (int i = 0; i < 40; ++i) {
        slow.push_back(connect_to(server->port()));
        send(slow.back(), "GET /metr");
    }
    EXPECT_THAT(request(server->port(), "GET /healthz"), EndsWith("ok\n"));
    EXPECT_THAT(request(server->port(), "GET /metrics"), EndsWith("fine\n"));
    for (const auto& connection : slow) {
        EXPECT_TRUE(is_open(connection)) << "the server had room for the connection";
    }
}

TEST(MetricsServer, DropsTheOldestConnectionAboveTheLimit)
{
    const auto server = serve([] { return "fine\n"; });
    std::vector<FileDescriptor> slow;
    for (int i = 0; i < 300; ++i) {
        slow.push_back(connect_to(server->port()));
        send(slow.back(), "GET /metr");
        if (i % 20 == 0) {
            EXPECT_THAT(request(server->port(), "GET /healthz"), EndsWith("ok\n")) << i;
        }
    }
    EXPECT_THAT(request(server->port(), "GET /healthz"), EndsWith("ok\n"));
    EXPECT_THAT(all_that_comes(slow.front()), IsEmpty()) << "the server closed the oldest connection";
    EXPECT_TRUE(is_open(slow.back()));
}

TEST(MetricsServer, SlowClientsOfManyAddressesDoNotKeepAHealthCheckOut)
{
    const auto server = serve([] { return "fine\n"; });
    std::vector<FileDescriptor> slow;
    for (std::uint32_t host = 2; host != 102; ++host) {
        slow.push_back(connect_to(server->port(), host));
        send(slow.back(), "GET /metr");
    }
    for (int i = 0; i != 10; ++i) {
        EXPECT_THAT(request(server->port(), "GET /healthz"), EndsWith("ok\n")) << i;
    }
}

TEST(MetricsServer, DetectsAddressesThatAreOpenToAll)
{
    for (const auto* everywhere : {"0.0.0.0:9464", "[::]:9464", "[0:0::0]:9464", "[::ffff:0.0.0.0]:9464", "0:9464"}) {
        EXPECT_TRUE(http::open_to_all(everywhere)) << everywhere;
    }
    for (const auto* somewhere : {"", "9464", "127.0.0.1:9464", "[::1]:9464", "192.0.2.1:9464", "localhost:9464"}) {
        EXPECT_FALSE(http::open_to_all(somewhere)) << somewhere;
    }
}

TEST(MetricsServer, NamesTheAddressItCannotListenAt)
{
    const auto server = serve([] { return std::nullopt; });
    const auto taken = "127.0.0.1:" + std::to_string(server->port());
    EXPECT_EQ(refusal(taken), "cannot listen for metrics at " + taken + ": Address already in use");
    for (const auto* wrong : {"", "9464", ":9464", "localhost:", "::1:9464", "localhost:metrics"}) {
        EXPECT_THAT(refusal(wrong), StartsWith("cannot listen for metrics at " + std::string{wrong} + ": ")) << wrong;
    }
    EXPECT_THAT(refusal("::1:9464"), HasSubstr("brackets"));
}

TEST(MetricsServer, SupportsIpv6)
{
    const auto server = MetricsServer::listen("[::1]:0", [] { return std::nullopt; });
    if (!server) {
        GTEST_SKIP() << server.error().what;
    }
    EXPECT_NE((*server)->port(), 0);
}

}  // namespace
}  // namespace petrel::daemon
