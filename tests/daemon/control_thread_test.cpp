// The control thread between real clients and a service's loop that the test blocks: which requests wait, in which
// order they are answered, and that requests for events do not need the loop.
#include "daemon/control_thread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <vector>

#include "control/request.hpp"
#include "support/loop_thread.hpp"

namespace petrel::daemon {
namespace {

using control::ControlRequest;
using test::Client;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kStatus = "{\"command\":\"status\"}\n";
constexpr auto kEvents = "{\"command\":\"events\"}\n";
constexpr auto kFollow = "{\"command\":\"events\",\"follow\":true}\n";

class ControlThreadTest : public testing::Test {
protected:
    void SetUp() override
    {
        std::filesystem::permissions(folder / "", std::filesystem::perms{0711});
        EventHistory history{3};
        history.add("sw", 1, R"({"seq":1,"time_us":10})");
        control = service.in_loop([&] {
            return ControlThread::start(
                       service.loop(),
                       {.socket = socket(),
                        .group = "",
                        .devices = {"sw"},
                        .history = std::move(history),
                        .handle_request = [this](const ControlRequest& request, const std::string&,
                                                 const ControlReply& reply) { answer(request, reply); }})
                .value();
        });
        std::filesystem::permissions(socket(), std::filesystem::perms{0666});
    }
    void TearDown() override
    {
        service.in_loop([this] { control.reset(); });
    }

    std::filesystem::path socket() const { return folder / "control.sock"; }

    Client root_asks(std::string_view line) const
    {
        Client client{socket()};
        client.send(line);
        return client;
    }
    Client other_asks(std::string_view line) const
    {
        std::optional<Client> client;
        {
            const test::OtherUser user;
            client.emplace(socket());
        }
        client->send(line);
        return std::move(*client);
    }

    // After two iterations the control thread has read everything that was sent before.
    void let_it_read() const
    {
        for (int i = 0; i != 2; ++i) {
            auto client = root_asks(kEvents);
            EXPECT_NE(client.line(), std::nullopt);
        }
    }

    // Blocks the service's loop until `go_on` is set.
    void hold_loop_up()
    {
        std::promise<void> held;
        auto is_held = held.get_future();
        service.loop().post([this, held = std::make_shared<std::promise<void>>(std::move(held))] {
            held->set_value();
            go_on.get_future().wait();
        });
        is_held.wait();
    }

    void add_event(std::uint64_t seq, const std::string& json)
    {
        service.in_loop([&] { control->publish("sw", seq, json); });
    }

    test::Folder folder;
    std::promise<void> go_on;
    std::vector<std::string> received;  // notes of the requests that the loop received, in this order
    test::LoopThread service;
    std::unique_ptr<ControlThread> control;

private:
    void answer(const ControlRequest& request, const ControlReply& reply)
    {
        received.push_back(request.note);
        reply([note = request.note](const EventHistory&) { return "answer to " + note; });
    }
};

std::string release_all(const std::string& note) { return "{\"command\":\"release-all\",\"note\":\"" + note + "\"}\n"; }

TEST_F(ControlThreadTest, EventsDoNotNeedTheLoop)
{
    hold_loop_up();
    auto client = root_asks(kEvents);
    EXPECT_EQ(client.line(), R"({"seq":1,"time_us":10})");
    EXPECT_THAT(client.line().value(), HasSubstr("\"events\":1"));
    EXPECT_EQ(client.line(), std::nullopt);
    go_on.set_value();
}

TEST_F(ControlThreadTest, AFollowerGetsTheHistoryAndThenEachEventOnce)
{
    add_event(2, R"({"seq":2,"time_us":20})");
    auto follower = root_asks(kFollow);
    EXPECT_EQ(follower.line(), R"({"seq":1,"time_us":10})");
    EXPECT_EQ(follower.line(), R"({"seq":2,"time_us":20})");
    for (std::uint64_t seq = 3; seq != 200; ++seq) {
        add_event(seq, "event " + std::to_string(seq));
    }
    for (std::uint64_t seq = 3; seq != 200; ++seq) {
        EXPECT_EQ(follower.line(), "event " + std::to_string(seq));
    }
    auto later = root_asks(kEvents);
    EXPECT_EQ(later.line(), "event 197") << "the newest are kept";
}

TEST_F(ControlThreadTest, RefusesAFollowerAboveTheLimit)
{
    std::vector<Client> followers;
    const runtime::ControlServer::Limits limits;
    for (std::size_t i = 0; i != limits.followers - limits.only_for_root; ++i) {
        followers.push_back(other_asks(kFollow));
        EXPECT_NE(followers.back().line(), std::nullopt);
    }
    auto refused = other_asks(kFollow);
    EXPECT_THAT(refused.line().value(), HasSubstr("too many clients follow events"));
    EXPECT_EQ(refused.line(), std::nullopt);
    auto other = other_asks(release_all("of another"));
    EXPECT_EQ(other.line(), "answer to of another");
    auto root = root_asks(kFollow);
    EXPECT_EQ(root.line(), R"({"seq":1,"time_us":10})");
}

TEST_F(ControlThreadTest, RootIsServedFirst)
{
    if (::getuid() != 0) {
        GTEST_SKIP() << "needs root";
    }
    hold_loop_up();
    std::vector<Client> others;
    for (const auto* note : {"a", "b", "c"}) {
        others.push_back(other_asks(release_all(note)));
        let_it_read();
    }
    auto root = root_asks(release_all("root"));
    let_it_read();
    go_on.set_value();
    EXPECT_EQ(root.line(), "answer to root");
    EXPECT_EQ(others.back().line(), "answer to c");
    EXPECT_THAT(service.in_loop([this] { return received; }), ElementsAre("a", "root", "b", "c"));
}

// The service carries out an order even if its client has disconnected, so the number of waiting requests needs a
// limit, not the number of clients.
TEST_F(ControlThreadTest, WaitingRequestsAreBounded)
{
    if (::getuid() != 0) {
        GTEST_SKIP() << "needs root";
    }
    hold_loop_up();
    for (int i = 0; i != 65; ++i) {  // the loop already has the first, 64 wait
        other_asks(release_all("gone"));
        let_it_read();
    }
    auto refused = other_asks(release_all("one too many"));
    EXPECT_THAT(refused.line().value(), HasSubstr("64 requests wait for the agent already: try again"));
    auto root = root_asks(release_all("root"));
    let_it_read();
    go_on.set_value();
    EXPECT_EQ(root.line(), "answer to root");
    auto last = other_asks(kStatus);
    EXPECT_EQ(last.line(), "answer to ");
    const auto all = service.in_loop([this] { return received; });
    EXPECT_EQ(all.size(), 65U + 2U);
    EXPECT_EQ(all[1], "root");
}

TEST_F(ControlThreadTest, AnUnknownDeviceIsRefused)
{
    auto client = root_asks("{\"command\":\"events\",\"device\":\"se\"}\n");
    EXPECT_THAT(client.line().value(), HasSubstr("no device 'se'"));
}

}  // namespace
}  // namespace petrel::daemon
