// The control socket with good and bad clients. No test measures time: the loop is not blocked if it answers another
// client meanwhile.
#include "runtime/control_server.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <random>
#include <vector>

#include "support/loop_thread.hpp"

namespace petrel::runtime {
namespace {

using petrel::test::Client;
using petrel::test::Folder;
using petrel::test::LoopThread;
using petrel::test::OtherUser;
using Peer = ControlServer::Peer;
using Limits = ControlServer::Limits;

bool is_root() { return ::getuid() == 0; }

// Echoes every line. A client that sends "follow" stays connected and receives the lines that the test sends to
// followers.
class Server {
public:
    explicit Server(const Limits& limits = Limits{}, const std::string& group = {})
    {
        server_ = thread_.in_loop([&] {
            return ControlServer::listen(
                       thread_.loop(), path(), group,
                       [this](const std::shared_ptr<Peer>& peer, std::string_view line) { answer(peer, line); }, limits)
                .value();
        });
    }
    ~Server()
    {
        thread_.in_loop([this] { server_.reset(); });
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    std::filesystem::path path() const { return folder_ / "control.sock"; }
    EventLoop& loop() { return thread_.loop(); }
    ControlServer::Counters counters()
    {
        return thread_.in_loop([this] { return server_->counters(); });
    }
    std::size_t connected()
    {
        return thread_.in_loop([this] { return server_->connected(); });
    }
    void send_to_followers(const std::string& line)
    {
        thread_.in_loop([&] {
            for (const auto& follower : followers_) {
                follower->send(line);
            }
        });
    }
    void close()
    {
        thread_.in_loop([this] { server_.reset(); });
    }
    bool all_followers_gone()
    {
        return thread_.in_loop([this] {
            return std::all_of(followers_.begin(), followers_.end(), [](const auto& peer) { return peer->gone(); });
        });
    }

    // A client of a user who is not root and may use the socket.
    Client other_users_client()
    {
        std::filesystem::permissions(folder_ / "", std::filesystem::perms{0711});
        std::filesystem::permissions(path(), std::filesystem::perms{0666});
        const OtherUser user;
        return Client{path()};
    }

    // True if the server answers a correct client at this moment.
    bool serves()
    {
        Client client{path()};
        return client.send("good\n") && client.line() == "you said good" && client.line() == std::nullopt;
    }

    // Evaluates the condition in the loop's thread until it is true.
    template <class Condition>
    void until(const Condition& is_so)
    {
        while (!thread_.in_loop(is_so)) {
            std::this_thread::yield();
        }
    }
    const ControlServer& server() const { return *server_; }

private:
    void answer(const std::shared_ptr<Peer>& peer, std::string_view line)
    {
        if (line == "follow" && peer->follow()) {
            peer->send("following");
            followers_.push_back(peer);
            return;
        }
        if (line.starts_with("big ")) {
            peer->send(std::string(std::stoul(std::string{line.substr(4)}), 'x'));
        } else if (line == "who") {
            peer->send(peer->caller().name);
        } else {
            peer->send(fmt::format("you said {}", line));
        }
        peer->close_after_sending();
        EXPECT_TRUE(peer->gone() || line.size() > 100'000 || line.starts_with("big "));  // a large answer is queued
        peer->send("too late");
    }

    Folder folder_;
    std::vector<std::shared_ptr<Peer>> followers_;
    LoopThread thread_;
    std::unique_ptr<ControlServer> server_;
};

TEST(ControlServer, AnswersALineWithALine)
{
    Server server;
    EXPECT_TRUE(server.serves());
    EXPECT_EQ(server.counters().connections, 1U);
    EXPECT_EQ(server.counters().bad, 0U);
}

TEST(ControlServer, ALineMayComeInPieces)
{
    Server server;
    Client client{server.path()};
    for (const char c : std::string_view{"piece by piece\nand more that nobody reads"}) {
        ASSERT_TRUE(client.send({&c, 1}) || c != '\n');
        server.counters();  // lets the loop run once before the next byte
    }
    EXPECT_EQ(client.line(), "you said piece by piece");
}

TEST(ControlServer, AHalfClosedClientIsAnswered)
{
    Server server;
    Client client{server.path()};
    client.send("good\n");
    client.end_sending();
    EXPECT_EQ(client.line(), "you said good");
}

TEST(ControlServer, IdentifiesTheCaller)
{
    Server server;
    Client client{server.path()};
    client.send("who\n");
    const auto line = client.line().value();
    EXPECT_NE(line.find(fmt::format("(uid {}, pid {})", ::getuid(), ::getpid())), std::string::npos) << line;
}

TEST(ControlServer, ALargeAnswerArrivesCompletely)
{
    Server server;
    for (const std::size_t size : {1U, 100'000U, 300'000U, 20'000'000U}) {
        Client client{server.path()};
        client.send(fmt::format("big {}\n", size));
        EXPECT_EQ(client.line(), std::string(size, 'x'));
        EXPECT_EQ(client.line(), std::nullopt);
    }
}

TEST(ControlServer, ManyFollowersReceiveEverythingInOrder)
{
    Server server;
    std::vector<Client> clients;
    for (int i = 0; i < 20; ++i) {
        clients.emplace_back(server.path()).send("follow\n");
        EXPECT_EQ(clients.back().line(), "following");
    }
    for (int i = 0; i < 100; ++i) {
        server.send_to_followers(fmt::format("event {}", i));
    }
    for (auto& client : clients) {
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(client.line(), fmt::format("event {}", i));
        }
    }
    server.close();
    for (auto& client : clients) {
        EXPECT_EQ(client.line(), std::nullopt);
    }
    EXPECT_TRUE(server.all_followers_gone());
    server.send_to_followers("no follower");
}

TEST(ControlServer, SocketIsForOwnerAndGroup)
{
    Server server;
    struct stat found{};
    ASSERT_EQ(::stat(server.path().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0660U);
    server.close();
    EXPECT_FALSE(std::filesystem::exists(server.path()));
}

TEST(ControlServer, SocketIsGivenToTheGroup)
{
    const auto* group = ::getuid() == 0 ? ::getgrnam("daemon") : nullptr;
    if (group == nullptr) {
        GTEST_SKIP() << "needs root, and a group 'daemon'";
    }
    const auto gid = group->gr_gid;
    const Server server{Limits{}, "daemon"};
    struct stat found{};
    ASSERT_EQ(::stat(server.path().c_str(), &found), 0);
    EXPECT_EQ(found.st_gid, gid);
}

// The errors of listen().
TEST(ControlServer, ReportsWhyItCannotListen)
{
    const Folder folder;
    LoopThread thread;
    const auto error = [&](const std::filesystem::path& path, const std::string& group) {
        return thread.in_loop([&] {
            auto server = ControlServer::listen(thread.loop(), path, group, {});
            return server ? "listens" : server.error().what;
        });
    };
    const auto file = folder / "file";
    std::ofstream{file} << "precious";
    EXPECT_EQ(error(file, ""),
              fmt::format("cannot listen at {}: a file of this name exists and is no socket", file.string()));
    EXPECT_EQ(std::filesystem::file_size(file), 8U);
    const auto nowhere = folder / "no/such/folder";
    EXPECT_EQ(error(nowhere, ""), fmt::format("cannot listen at {}: No such file or directory", nowhere.string()));
    const auto good = folder / "good.sock";
    EXPECT_EQ(error(good, "no-such-group"), "group 'no-such-group' of the control socket: no such group");
    EXPECT_FALSE(std::filesystem::exists(good));
    const auto longer = folder / std::string(108, 'x').c_str();
    EXPECT_EQ(error(longer, ""), fmt::format("socket '{}': allowed a name of 1..107 bytes", longer.string()));
}

TEST(ControlServer, TheSocketOfALiveAgentIsNotReplaced)
{
    const Folder folder;
    const auto path = folder / "control.sock";
    const auto child = ::fork();
    if (child == 0) {
        auto loop = EventLoop::make().value();
        auto server = ControlServer::listen(*loop, path, "", {});
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(std::filesystem::is_socket(path)) << "the dead agent has left its socket";

    auto loop = EventLoop::make().value();
    auto first = ControlServer::listen(*loop, path, "", {});
    ASSERT_TRUE(first) << first.error().what;
    const auto second = ControlServer::listen(*loop, path, "", {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().what, fmt::format("another agent answers at {}", path.string()));

    // If another server has taken the name meanwhile, closing the first one does not remove its socket.
    std::filesystem::remove(path);
    auto other_loop = EventLoop::make().value();
    const auto third = ControlServer::listen(*other_loop, path, "", {});
    ASSERT_TRUE(third);
    first->reset();
    EXPECT_TRUE(std::filesystem::is_socket(path));
}

TEST(ControlServerHostile, GarbageIsPassedOnAsLines)
{
    Server server;
    std::mt19937_64 random{1};
    for (int i = 0; i < 200; ++i) {
        std::string garbage(1 + random() % 5'000, '\0');
        std::generate(garbage.begin(), garbage.end(), [&] { return static_cast<char>(random()); });
        Client client{server.path()};
        client.send(garbage);
    }
    EXPECT_TRUE(server.serves());
}

TEST(ControlServerHostile, ALineThatDoesNotEndIsRefused)
{
    Server server;
    Client client{server.path()};
    const std::string much(10'000, 'x');
    while (client.send(much)) {
    }
    EXPECT_EQ(client.line(),
              R"({"ok":false,"error":{"kind":"exhausted","what":"a request of more than 262144 bytes"}})");
    EXPECT_EQ(client.line(), std::nullopt);
    EXPECT_EQ(server.counters().bad, 1U);
    EXPECT_TRUE(server.serves());
}

TEST(ControlServerHostile, TheLongestLineIsAnsweredOneByteMoreIsNot)
{
    for (const auto& [size, answered] : {std::pair{262'144U, true}, {262'145U, false}}) {
        Server server;
        Client client{server.path()};
        client.send(std::string(size, 'x') + '\n');
        EXPECT_EQ(client.line().value().starts_with("you said"), answered);
    }
}

TEST(ControlServerHostile, AClientThatDiesInTheMiddleOfALineChangesNothing)
{
    Server server;
    for (int i = 0; i < 500; ++i) {
        Client client{server.path()};
        client.send("mitigate everyth");
    }
    server.until([&] { return server.server().counters().bad == 500; });
    EXPECT_TRUE(server.serves());
    EXPECT_EQ(server.connected(), 0U);
}

TEST(ControlServerHostile, AClientThatDiesBeforeTheAnswerChangesNothing)
{
    Server server;
    for (int i = 0; i < 200; ++i) {
        Client client{server.path()};
        client.send("big 5000000\n");
    }
    EXPECT_TRUE(server.serves());
    server.until([&] { return server.server().connected() == 0; });
}

TEST(ControlServerHostile, AConnectionWithoutARequestIsNotCountedAsBad)
{
    Server server;
    {
        const Client client{server.path()};
    }
    EXPECT_TRUE(server.serves());
    EXPECT_EQ(server.counters().bad, 0U);
}

TEST(ControlServerHostile, ARequestThatTakesTooLongIsRefused)
{
    Limits limits;
    limits.patience = std::chrono::milliseconds{1};
    Server server{limits};
    Client client{server.path()};
    client.send("half a li");
    EXPECT_EQ(client.line(), R"({"ok":false,"error":{"kind":"exhausted","what":"no whole request within 0 s"}})");
    EXPECT_EQ(client.line(), std::nullopt);
    EXPECT_EQ(server.counters().bad, 1U);
}

// Thousands of clients connect and send nothing. The server closes old ones for new ones, and answers requests.
TEST(ControlServerHostile, ThousandsOfConnections)
{
    Server server;
    std::vector<Client> idle;
    for (int i = 0; i < 3'000; ++i) {
        idle.emplace_back(server.path());
        ASSERT_TRUE(idle.back().connected()) << i;
        if (idle.size() == 500) {  // the test process has a limit on file descriptors too
            idle.erase(idle.begin(), idle.begin() + 250);
        }
        if (i % 100 == 0) {
            EXPECT_TRUE(server.serves());
            EXPECT_LE(server.connected(), Limits{}.connections);
        }
    }
    EXPECT_TRUE(server.serves());
    EXPECT_GT(server.counters().refused, 100U);
}

TEST(ControlServerHostile, AClientWithARequestIsNotDisplaced)
{
    Limits limits;
    limits.connections = 4;
    limits.only_for_root = 0;
    Server server{limits};
    std::vector<Client> followers;
    for (int i = 0; i < 4; ++i) {
        followers.emplace_back(server.path()).send("follow\n");
        EXPECT_EQ(followers.back().line(), "following");
    }
    Client late{server.path()};
    EXPECT_EQ(late.line(),
              R"({"ok":false,"error":{"kind":"exhausted","what":"all 4 connections are in use: try again"}})");
    EXPECT_EQ(server.counters().refused, 1U);
    server.send_to_followers("still there");
    for (auto& follower : followers) {
        EXPECT_EQ(follower.line(), "still there");
    }
}

TEST(ControlServerHostile, AFollowerThatDoesNotReadIsDroppedAndTheOthersGoOn)
{
    Server server;
    Client good{server.path()};
    good.send("follow\n");
    EXPECT_EQ(good.line(), "following");
    Client deaf{server.path()};
    deaf.send("follow\n");
    const std::string event(10'000, 'e');
    int sent = 0;
    for (; server.counters().dropped_slow == 0; ++sent) {
        server.send_to_followers(event);
        ASSERT_EQ(good.line(), event);
        ASSERT_LT(sent, 1'000) << "the unread bytes have no bound";
    }
    EXPECT_GT(sent, 100) << "a megabyte may wait";
    EXPECT_EQ(server.connected(), 1U);
    server.send_to_followers(event);
    EXPECT_EQ(good.line(), event);
    EXPECT_TRUE(server.serves());
}

// The size of the first answer does not count towards the limit on what may wait after it.
TEST(ControlServerHostile, ALargeFirstAnswerLeavesRoomForOthers)
{
    Limits limits;
    limits.waiting = 100'000;
    std::shared_ptr<Peer> kept;
    Folder folder;
    LoopThread thread;
    auto other = thread.in_loop([&] {
        return ControlServer::listen(
                   thread.loop(), folder / "s", "",
                   [&](const std::shared_ptr<Peer>& peer, std::string_view) {
                       kept = peer;
                       peer->send(std::string(5'000'000, 'a'));
                       peer->send(std::string(99'000, 'b'));
                   },
                   limits)
            .value();
    });
    Client client{folder / "s"};
    client.send("events\n");
    EXPECT_EQ(client.line(), std::string(5'000'000, 'a'));
    EXPECT_EQ(client.line(), std::string(99'000, 'b'));
    thread.in_loop([&] {
        other.reset();
        EXPECT_TRUE(kept->gone());
        kept->send("nothing happens");
        kept.reset();
    });
}

TEST(ControlServerHostile, UnreadAnswersAreBoundedInTotal)
{
    Limits limits;
    limits.waiting_in_all = 10'000'000;
    Server server{limits};
    std::vector<Client> deaf;
    for (int i = 0; i < 20; ++i) {
        deaf.push_back(server.other_users_client());
        deaf.back().send("big 3000000\n");
    }
    server.until([&] { return server.server().counters().refused == 17; });
    auto late = server.other_users_client();
    late.send("big 3000000\n");
    EXPECT_EQ(late.line(), R"({"ok":false,"error":{"kind":"exhausted","what":"too many answers wait for clients that )"
                           R"(do not read them: try again"}})");
    EXPECT_TRUE(server.serves()) << "a small answer has room";
    if (is_root()) {
        Client root{server.path()};
        root.send("big 3000000\n");
        EXPECT_EQ(root.line(), std::string(3'000'000, 'x')) << "an answer for root has room";
    }
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(deaf[static_cast<std::size_t>(i)].line(), std::string(3'000'000, 'x'));
    }
    auto again = server.other_users_client();
    again.send("big 3000000\n");
    EXPECT_EQ(again.line(), std::string(3'000'000, 'x'));
}

TEST(ControlServerHostile, OtherUsersDoNotTakeRootsPlaces)
{
    if (!is_root()) {
        GTEST_SKIP() << "needs root";
    }
    Limits limits;
    limits.connections = 6;
    limits.followers = 6;
    limits.only_for_root = 2;
    Server server{limits};
    std::vector<Client> others;
    for (int i = 0; i < 4; ++i) {
        others.push_back(server.other_users_client());
        others.back().send("follow\n");
        EXPECT_EQ(others.back().line(), "following");
    }
    auto refused = server.other_users_client();
    EXPECT_EQ(refused.line(), R"({"ok":false,"error":{"kind":"exhausted","what":"all 4 connections are in use, 2 more )"
                              R"(are kept for root: try again"}})");
    EXPECT_TRUE(server.serves()) << "root";
    server.send_to_followers("still there");
    for (auto& other : others) {
        EXPECT_EQ(other.line(), "still there");
    }
}

// If another user opens many connections, the server closes that user's old ones, never one of root, however old.
TEST(ControlServerHostile, OtherUsersDoNotDisplaceRoot)
{
    if (!is_root()) {
        GTEST_SKIP() << "needs root";
    }
    Server server;
    Client root{server.path()};
    std::vector<Client> crowd;
    for (int i = 0; i < 200; ++i) {
        crowd.push_back(server.other_users_client());
    }
    server.until([&] { return server.server().counters().connections == 201; });
    EXPECT_EQ(server.connected(), 1 + Limits{}.connections - Limits{}.only_for_root);
    root.send("good\n");
    EXPECT_EQ(root.line(), "you said good");
}

TEST(ControlServerHostile, RootDisplacesAnIdleClientOfAnotherUser)
{
    if (!is_root()) {
        GTEST_SKIP() << "needs root";
    }
    Limits limits;
    limits.connections = 2;
    limits.only_for_root = 1;
    Server server{limits};
    Client follower{server.path()};
    follower.send("follow\n");
    EXPECT_EQ(follower.line(), "following");
    auto idle = server.other_users_client();
    EXPECT_TRUE(server.serves());
    EXPECT_EQ(idle.line(), R"({"ok":false,"error":{"kind":"exhausted","what":"too many connections at once, and this )"
                           R"(one sent no request: try again"}})");
}

TEST(ControlServerHostile, FollowersLeavePlacesForRequests)
{
    Server server;
    std::vector<Client> clients;
    const auto most = Limits{}.followers - Limits{}.only_for_root;
    for (std::size_t i = 0; i < 64; ++i) {
        clients.push_back(server.other_users_client());
        clients.back().send("follow\n");
        EXPECT_EQ(clients.back().line(), i < most ? "following" : "you said follow") << i;
    }
    auto other = server.other_users_client();
    other.send("good\n");
    EXPECT_EQ(other.line(), "you said good");
    EXPECT_EQ(server.counters().refused, 64 - most);
    if (is_root()) {
        Client root{server.path()};
        root.send("follow\n");
        EXPECT_EQ(root.line(), "following") << "root has places of its own";
    }
    clients.erase(clients.begin());
    server.until([&] { return server.server().connected() <= most; });
    clients.push_back(server.other_users_client());
    clients.back().send("follow\n");
    EXPECT_EQ(clients.back().line(), "following") << "a place that is left is free again";
}

TEST(ControlServerHostile, AClientThatDoesNotReadIsDisplacedByARequest)
{
    Limits limits;
    limits.connections = 2;
    limits.only_for_root = 0;
    limits.unread = Duration{};
    Server server{limits};
    Client follower{server.path()};
    follower.send("follow\n");
    EXPECT_EQ(follower.line(), "following");
    Client deaf{server.path()};
    deaf.send("big 20000000\n");
    server.until([&] { return server.server().waiting_in_all() != 0; });
    EXPECT_TRUE(server.serves());
    EXPECT_EQ(server.counters().dropped_slow, 1U);
    server.send_to_followers("still there");
    EXPECT_EQ(follower.line(), "still there");
}

TEST(ControlServerHostile, AnswersUnreadForTooLongMakeRoomForNewOnes)
{
    Limits limits;
    limits.waiting_in_all = 5'000'000;
    limits.unread = Duration{};
    Server server{limits};
    std::vector<Client> deaf;
    for (int i = 0; i < 3; ++i) {
        deaf.push_back(server.other_users_client());
        deaf.back().send("big 3000000\n");
        server.until([&] {
            return server.server().counters().connections == static_cast<unsigned>(i) + 1 &&
                   server.server().waiting_in_all() != 0;
        });
    }
    auto reader = server.other_users_client();
    reader.send("big 3000000\n");
    EXPECT_EQ(reader.line(), std::string(3'000'000, 'x'));
    EXPECT_EQ(server.counters().refused, 0U);
}

// If the process has no free file descriptors, the server accepts no client, and does not busy-wait until there are
// some again.
TEST(ControlServerHostile, OutOfFileDescriptorsItWaits)
{
    const auto child = ::fork();
    if (child == 0) {
        const Folder folder;
        auto loop = EventLoop::make().value();
        auto server =
            ControlServer::listen(*loop, folder / "s", "", [&](const std::shared_ptr<Peer>& peer, std::string_view) {
                peer->send("served");
                peer->close_after_sending();
                loop->stop();
            }).value();
        // Sanitizers open file descriptors when a function is called for the first time, so one client connects before
        // the limit is set.
        Client earlier{folder / "s"};
        earlier.send("good\n");
        loop->run();
        Client client{folder / "s"};
        client.send("good\n");
        const auto soon = loop->now().mono + std::chrono::milliseconds{20};
        rlimit files{};
        ::getrlimit(RLIMIT_NOFILE, &files);
        const rlim_t before = std::exchange(files.rlim_cur, 3);
        ::setrlimit(RLIMIT_NOFILE, &files);
        loop->at(soon, [&] {
            files.rlim_cur = before;
            ::setrlimit(RLIMIT_NOFILE, &files);
        });
        loop->run();
        ::_exit(client.line() == "served" && server->counters().connections == 2 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace petrel::runtime
