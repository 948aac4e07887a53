// Several servers that stand for each other.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http_client/client.hpp"

namespace petrel::http_client {
namespace {

// What each server does, and which ones were asked.
struct Servers {
    std::vector<int> status;  // 0: it does not answer
    std::string asked;
};

class Server final : public Client {
public:
    Server(Servers& all, std::size_t me) : all_(all), me_(me) {}

    Result<Response> send(const Request&) override
    {
        all_.asked += static_cast<char>('a' + me_);
        const auto status = all_.status.at(me_);
        return status == 0 ? tl::unexpected(Error{ErrorKind::unreachable, "no answer"})
                           : Result<Response>{Response{status, {}, std::string(1, static_cast<char>('a' + me_)), {}}};
    }
    Result<Response> receive(const Request& request, const Take& take) override
    {
        if (all_.status.at(me_) == 200) {
            take("piece");
            all_.status.at(me_) = 0;  // the stream breaks
        }
        return send(request);
    }
    void cancel() override { all_.asked += '!'; }

private:
    Servers& all_;
    std::size_t me_;
};

std::unique_ptr<Client> client_of(Servers& servers)
{
    std::vector<std::unique_ptr<Client>> all;
    for (std::size_t i = 0; i != servers.status.size(); ++i) {
        all.push_back(std::make_unique<Server>(servers, i));
    }
    return make_client_of_several(std::move(all));
}

TEST(Several, TheOneThatAnswersGetsTheNextRequest)
{
    Servers servers{{503, 0, 200}, {}};
    const auto client = client_of(servers);
    EXPECT_EQ(client->send({.path = "/"})->body, "c");
    EXPECT_EQ(client->send({.path = "/"})->body, "c");
    EXPECT_EQ(servers.asked, "abcc");
    client->cancel();
    EXPECT_EQ(servers.asked, "abcc!");
}

TEST(Several, OtherAnswersAreAnswers)
{
    Servers servers{{404, 200}, {}};
    EXPECT_EQ(client_of(servers)->send({.path = "/"})->status, 404);
    EXPECT_EQ(servers.asked, "a");
}

TEST(Several, IfNoneHelpsTheLastAnswerCounts)
{
    Servers servers{{0, 503}, {}};
    const auto client = client_of(servers);
    EXPECT_EQ(client->send({.path = "/"})->status, 503);
    servers.status = {503, 0};
    EXPECT_FALSE(client->send({.path = "/"}));
    EXPECT_EQ(servers.asked, "abab");
}

TEST(Several, OneGetsWhatMayNotBeRepeatedAndTheNextOneTheNext)
{
    Servers servers{{0, 200}, {}};
    const auto client = client_of(servers);
    EXPECT_FALSE(client->send({.path = "/", .once = true}));
    EXPECT_EQ(client->send({.path = "/", .once = true})->body, "b");
    EXPECT_EQ(servers.asked, "ab");
}

TEST(Several, NoOtherServerGoesOnWithAStreamThatBroke)
{
    Servers servers{{0, 200, 200}, {}};
    std::string taken;
    EXPECT_FALSE(client_of(servers)->receive({.path = "/"}, [&](auto piece) {
        taken += piece;
        return true;
    }));
    EXPECT_EQ(taken, "piece");
    EXPECT_EQ(servers.asked, "ab");
}

}  // namespace
}  // namespace petrel::http_client
