// The bus over a real server of NATS, with and without TLS and passwords.
#include "bus/nats/nats_bus.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nats/nats.h>

#include <fstream>
#include <future>
#include <thread>

#include "support/nats_server.hpp"
#include "support/subprocess.hpp"

namespace petrel::bus {
namespace {

using test::NatsServer;
using testing::HasSubstr;

std::unique_ptr<Bus> connect(const NatsServer& server, const std::string& credentials = {}, const std::string& ca = {})
{
    using namespace std::chrono_literals;
    auto bus = connect_to_nats(
        {.servers = {server.url()}, .credentials_file = credentials, .ca_file = ca, .replicas = 1, .choose = 300ms});
    EXPECT_TRUE(bus) << (bus ? "" : bus.error().what);
    return std::move(*bus);
}

// Until the library has connected and the server is ready.
LogEnds opened(Bus& bus)
{
    for (;;) {
        if (const auto ends = bus.open()) {
            return *ends;
        }
    }
}

TEST(NatsBus, AnEntryGetsItsNumberOrIsRefused)
{
    NatsServer server;
    const auto bus = connect(server);
    const auto empty = opened(*bus);
    EXPECT_EQ(empty.last, 0U);
    EXPECT_EQ(bus->read(1).value(), std::nullopt);
    EXPECT_EQ(bus->append(2, "too early").value(), Append::refused);
    EXPECT_EQ(bus->append(1, "one").value(), Append::stored);
    EXPECT_EQ(bus->append(1, "one again").value(), Append::refused);
    EXPECT_EQ(bus->append(2, std::string("t\0wo", 4)).value(), Append::stored);
    const auto other = connect(server);
    EXPECT_EQ(opened(*other), (LogEnds{empty.id, 1, 2}));
    EXPECT_EQ(other->append(2, "an old leader").value(), Append::refused);
    EXPECT_EQ(other->read(1).value(), "one");
    EXPECT_EQ(other->read(2).value(), std::string("t\0wo", 4));
    EXPECT_EQ(other->read(3).value(), std::nullopt);
}

// Announces all the time that it makes the log, with a name before all others.
class FirstMaker {
public:
    explicit FirstMaker(const NatsServer& server)
    {
        EXPECT_EQ(natsConnection_ConnectTo(&connection_, server.url().c_str()), NATS_OK);
        thread_ = std::jthread{[this](const std::stop_token& end) {
            while (!end.stop_requested()) {
                natsConnection_PublishString(connection_, "petrel.makes", "0");
                std::this_thread::yield();
            }
        }};
    }
    ~FirstMaker()
    {
        thread_ = {};
        natsConnection_Destroy(connection_);
    }
    FirstMaker(const FirstMaker&) = delete;
    FirstMaker& operator=(const FirstMaker&) = delete;

private:
    natsConnection* connection_{};
    std::jthread thread_;
};

TEST(NatsBus, OnlyOneOfSeveralMakesTheLog)
{
    NatsServer server;
    server.wait_for_log("Server is ready");
    const auto bus = connect(server);
    {
        const FirstMaker other{server};
        for (std::string why; why != "NATS: another manager makes the log";) {
            const auto log = bus->open();
            ASSERT_FALSE(log);
            why = log.error().what;
        }
    }
    EXPECT_EQ(opened(*bus).last, 0U);
}

TEST(NatsBus, ACellIsReplacedByOneOfSeveral)
{
    NatsServer server;
    const auto one = connect(server);
    const auto two = connect(server);
    opened(*one);
    opened(*two);
    EXPECT_EQ(one->cell("leader").value(), Cell{});
    const auto first = one->replace("leader", 0, "one");
    ASSERT_TRUE(first) << first.error().what;
    EXPECT_FALSE(two->replace("leader", 0, "two"));
    EXPECT_EQ(two->cell("leader").value(), (Cell{*first, "one"}));
    EXPECT_TRUE(two->replace("ca", 0, "another cell"));
    const auto second = two->replace("leader", *first, "two");
    ASSERT_TRUE(second) << second.error().what;
    EXPECT_FALSE(one->replace("leader", *first, "one"));
    EXPECT_EQ(one->cell("leader").value(), (Cell{*second, "two"}));
}

TEST(NatsBus, OthersHearWhatOneTells)
{
    NatsServer server;
    const auto one = connect(server);
    const auto two = connect(server);
    opened(*one);
    opened(*two);
    std::promise<std::string> heard;
    one->listen([](std::string_view message) { ADD_FAILURE() << "its own message: " << message; });
    two->listen([&](std::string_view message) {
        if (message == "news") {
            heard.set_value(std::string{message});
        }
    });
    static_cast<void>(two->open());  // the server has the subscription
    one->tell("news");
    EXPECT_EQ(heard.get_future().get(), "news");
    two->listen({});
}

TEST(NatsBus, AServerThatTakesNoLargeEntriesIsRefused)
{
    NatsServer server{"max_payload: 1MB"};
    const auto bus = connect(server);
    for (;;) {
        const auto ends = bus->open();
        ASSERT_FALSE(ends);
        if (ends.error().kind == ErrorKind::invalid) {
            EXPECT_THAT(ends.error().what, HasSubstr("max_payload of the server is 1048576: allowed from 4194304"));
            return;
        }
    }
}

TEST(NatsBus, APasswordComesFromAFile)
{
    NatsServer server{"max_payload: 8MB\nauthorization { user: petrel, password: \"a:b\" }"};
    std::ofstream{server.folder() / "good"} << "petrel:a:b\n";
    std::ofstream{server.folder() / "wrong"} << "nothing\n";
    opened(*connect(server, server.folder() / "good"));
    EXPECT_FALSE(connect(server)->open());
    for (const auto* file : {"wrong", "absent"}) {
        const auto refused =
            connect_to_nats({.servers = {server.url()}, .credentials_file = server.folder() / file, .ca_file = {}});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
        EXPECT_THAT(refused.error().what, HasSubstr(file));
    }
}

TEST(NatsBus, TlsNeedsACertificateThatTheCaFileHasAndThatNamesTheServer)
{
    test::TemporaryFolder folder;
    for (const auto& [name, alternative] :
         {std::pair{"ours", "IP:127.0.0.1"}, {"other", "IP:127.0.0.1"}, {"elsewhere", "DNS:elsewhere"}}) {
        const auto made = test::run(
            {.program = test::find_program("openssl"),
             .arguments = {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                           "-days", "2", "-subj", "/CN=nats", "-addext", fmt::format("subjectAltName={}", alternative),
                           "-keyout", folder / fmt::format("{}.key", name), "-out",
                           folder / fmt::format("{}.pem", name)}});
        ASSERT_EQ(made.exit_code, 0) << made.err;
    }
    const auto with = [&](const std::string& name) {
        return fmt::format("max_payload: 8MB\ntls {{ cert_file: \"{0}/{1}.pem\", key_file: \"{0}/{1}.key\" }}",
                           folder.path().string(), name);
    };
    {
        NatsServer server{with("ours")};
        opened(*connect(server, {}, folder / "ours.pem"));
        const auto untrusted = connect(server, {}, folder / "other.pem");
        const auto trusted = connect(server, {}, folder / "ours.pem");
        opened(*trusted);
        EXPECT_FALSE(untrusted->open()) << "the other one has connected meanwhile";
    }
    NatsServer server{with("elsewhere")};
    const auto wrong_name = connect(server, {}, folder / "elsewhere.pem");
    server.wait_for_log("TLS handshake error");
    EXPECT_FALSE(wrong_name->open());
    const auto absent = connect_to_nats({.servers = {server.url()}, .credentials_file = {}, .ca_file = "/absent.pem"});
    ASSERT_FALSE(absent);
    EXPECT_THAT(absent.error().what, HasSubstr("/absent.pem"));
}

}  // namespace
}  // namespace petrel::bus
