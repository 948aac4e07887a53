// The client against a real server, with and without TLS.
#include "http_client/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "support/manager_stand_in.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::http_client {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto kReport = R"({"report":1,"agent":"tor-17","boot":"00000000000000000000000000000000","version":"1"})";

Request report()
{
    return {.path = "/api/v1/agents/tor-17/reports",
            .body = kReport,
            .content_type = "application/x-ndjson",
            .within = 60s};
}

std::uint16_t port_of(const test::ManagerStandIn& server) { return static_cast<std::uint16_t>(server.port()); }

class ClientTest : public testing::Test {
protected:
    // A certificate for this name, which signs itself.
    void make_certificate(const std::string& name, const std::string& alternative) const
    {
        const auto ended = test::run(
            {.program = test::find_program("openssl"),
             .arguments = {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                           "-days", "2", "-subj", "/CN=" + name, "-addext", "subjectAltName=" + alternative, "-keyout",
                           folder / (name + ".key"), "-out", folder / (name + ".pem")}});
        ASSERT_EQ(ended.exit_code, 0) << ended.err;
    }
    std::unique_ptr<test::ManagerStandIn> tls_server(const std::string& name) const
    {
        return std::make_unique<test::ManagerStandIn>(
            folder / "store", std::vector<std::string>{"--tls", folder / (name + ".pem"), folder / (name + ".key")});
    }

    test::TemporaryFolder folder;
};

TEST_F(ClientTest, a_response_has_status_type_and_body)
{
    const test::ManagerStandIn server{folder / "store"};
    const auto client = make_client({false, "127.0.0.1", port_of(server), {}});
    const auto good = client->send(report());
    ASSERT_TRUE(good) << good.error().what;
    EXPECT_EQ(good->status, 200);
    EXPECT_EQ(good->content_type, "application/json");
    EXPECT_THAT(good->body, HasSubstr("stored"));
    const auto absent = client->send({.path = "/nothing", .within = 60s});
    ASSERT_TRUE(absent);
    EXPECT_EQ(absent->status, 404);
}

TEST_F(ClientTest, the_delay_that_the_server_asks_for_is_in_the_response)
{
    test::ManagerStandIn server{folder / "store"};
    server.order("status 503 7");
    const auto busy = make_client({false, "127.0.0.1", port_of(server), {}})->send(report());
    ASSERT_TRUE(busy);
    EXPECT_EQ(busy->status, 503);
    EXPECT_EQ(busy->retry_after, 7s);
    EXPECT_THAT(busy->body, HasSubstr("refused"));
}

TEST_F(ClientTest, the_token_is_sent)
{
    const test::ManagerStandIn server{folder / "store", {"--token", "secret"}};
    const auto client = make_client({false, "127.0.0.1", port_of(server), {}});
    EXPECT_EQ(client->send(report())->status, 401);
    auto with_token = report();
    with_token.token = "secret";
    EXPECT_EQ(client->send(with_token)->status, 200);
}

TEST_F(ClientTest, a_server_that_is_away_is_an_error_with_its_name)
{
    test::ManagerStandIn server{folder / "store"};
    const auto client = make_client({false, "127.0.0.1", port_of(server), {}});
    ASSERT_TRUE(client->send(report()));
    server.kill();
    const auto refused = client->send(report());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::unreachable);
    EXPECT_THAT(refused.error().what, HasSubstr("127.0.0.1:" + std::to_string(server.port())));
    server.start();
    EXPECT_TRUE(client->send(report())) << "the next request connects again";
}

TEST_F(ClientTest, another_thread_can_end_a_request_that_hangs)
{
    test::ManagerStandIn server{folder / "store"};
    server.order("hold");
    const auto client = make_client({false, "127.0.0.1", port_of(server), {}});
    std::optional<Result<Response>> ended;
    std::thread sender{[&] { ended = client->send(report()); }};
    server.wait_for_request();
    client->cancel();
    sender.join();
    ASSERT_TRUE(ended && !*ended);
    EXPECT_EQ(ended->error().kind, ErrorKind::timed_out);
}

TEST_F(ClientTest, tls_needs_a_certificate_that_the_ca_file_has)
{
    make_certificate("ours", "IP:127.0.0.1");
    make_certificate("other", "IP:127.0.0.1");
    const auto server = tls_server("ours");
    const auto trusted = make_client({true, "127.0.0.1", port_of(*server), folder / "ours.pem"})->send(report());
    ASSERT_TRUE(trusted) << trusted.error().what;
    EXPECT_EQ(trusted->status, 200);
    const auto unknown = make_client({true, "127.0.0.1", port_of(*server), folder / "other.pem"})->send(report());
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, ErrorKind::denied);
    EXPECT_FALSE(make_client({true, "127.0.0.1", port_of(*server), {}})->send(report()));
    const auto absent = make_client({true, "127.0.0.1", port_of(*server), folder / "absent.pem"})->send(report());
    ASSERT_FALSE(absent);
    EXPECT_THAT(absent.error().what, HasSubstr("absent.pem"));
}

TEST_F(ClientTest, tls_needs_a_certificate_for_the_name_of_the_server)
{
    make_certificate("elsewhere", "DNS:elsewhere");
    const auto server = tls_server("elsewhere");
    const auto answer = make_client({true, "127.0.0.1", port_of(*server), folder / "elsewhere.pem"})->send(report());
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::denied);
}

TEST_F(ClientTest, a_server_without_tls_is_an_error)
{
    const test::ManagerStandIn server{folder / "store"};
    EXPECT_FALSE(make_client({true, "127.0.0.1", port_of(server), {}})->send(report()));
}

}  // namespace
}  // namespace petrel::http_client
