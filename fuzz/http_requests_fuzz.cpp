// A client sends any bytes to the HTTP API of the manager or to the metrics of an agent, and then no more: the server
// answers, closes the connection or waits, answers the next client, and never answers with status 500. Without a token,
// a manager that has tokens shows nothing but its health. The first byte selects the server.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "api/service.hpp"
#include "base/assert.hpp"
#include "daemon/metrics_server.hpp"
#include "runtime/event_loop.hpp"

namespace {

using namespace petrel;

constexpr std::string_view kSecret = "a-token-of-the-fuzz-target";
constexpr int kAnswers_ms = 20;  // a server that has not answered by then waits for more
constexpr int kHangs_ms = 8'000;

// A manager with a store of its own, and its loop in a thread.
class RunningManager {
public:
    explicit RunningManager(bool with_tokens)
    {
        std::string folder = (std::filesystem::temp_directory_path() / "petrel-fuzz-XXXXXX").string();
        PETREL_ASSERT(::mkdtemp(folder.data()) != nullptr, "no folder");
        folder_ = folder;
        api::ServiceOptions options{.listen = "127.0.0.1:0"};
        if (with_tokens) {
            options.tokens = {{"operator", config::Role::operator_, std::string{kSecret}},
                              {"agent", config::Role::agent, std::string{kSecret} + "-2"}};
        }
        auto manager = manager::Manager::start(manager::Store::open(folder_ / "store").value()).value();
        service_ = api::Service::start(*loop_, std::move(manager), std::move(options)).value();
        thread_ = std::thread{[this] { loop_->run(); }};
    }
    ~RunningManager()
    {
        loop_->stop();
        thread_.join();
        service_.reset();
        std::filesystem::remove_all(folder_);
    }
    RunningManager(const RunningManager&) = delete;
    RunningManager& operator=(const RunningManager&) = delete;

    std::uint16_t port() const { return service_->port(); }

private:
    std::filesystem::path folder_;
    std::unique_ptr<runtime::EventLoop> loop_{runtime::EventLoop::make().value()};
    std::unique_ptr<api::Service> service_;
    std::thread thread_;
};

// A manager remembers all reports: after this many requests, another one starts.
constexpr unsigned kMostRequests = 2'000;

std::uint16_t port_of_manager(bool with_tokens)
{
    static std::array<std::unique_ptr<RunningManager>, 2> managers;
    static std::array<unsigned, 2> requests{};
    const auto which = with_tokens ? 1U : 0U;
    if (!managers[which] || ++requests[which] == kMostRequests) {
        managers[which].reset();
        managers[which] = std::make_unique<RunningManager>(with_tokens);
        requests[which] = 0;
    }
    return managers[which]->port();
}

std::uint16_t port_of_metrics()
{
    static const auto server = daemon::MetricsServer::listen("127.0.0.1:0", [] {
                                   return std::optional<std::string>{"petrel_up 1\n"};
                               }).value();
    return server->port();
}

enum class Then : std::uint8_t { sends_no_more, waits };

// The beginning of the answer within this time; empty if there is none.
std::string answer_to(std::string_view sent, std::uint16_t port, Then then, int within_ms)
{
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    PETREL_ASSERT(::connect(client, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0, "no server");
    while (!sent.empty()) {
        const auto took = ::send(client, sent.data(), sent.size(), MSG_NOSIGNAL);
        if (took <= 0) {
            break;  // the server has closed the connection
        }
        sent.remove_prefix(static_cast<std::size_t>(took));
    }
    if (then == Then::sends_no_more) {
        ::shutdown(client, SHUT_WR);
    }
    pollfd readable{.fd = client, .events = POLLIN, .revents = 0};
    std::array<char, 4096> buffer{};
    const auto got = ::poll(&readable, 1, within_ms) == 1 ? ::recv(client, buffer.data(), buffer.size(), 0) : 0;
    const linger at_once{1, 0};
    ::setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    ::close(client);
    return {buffer.data(), got < 0 ? 0 : static_cast<std::size_t>(got)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 2) {
        return 0;
    }
    const std::string_view sent{reinterpret_cast<const char*>(data) + 1, size - 1};
    const auto which = data[0] % 3;
    const auto port = which == 2 ? port_of_metrics() : port_of_manager(which == 1);
    const auto answer = answer_to(sent, port, Then::sends_no_more, kAnswers_ms);
    if (answer.empty()) {
        const auto health = answer_to("GET /healthz HTTP/1.0\r\n\r\n", port, Then::waits, kHangs_ms);
        PETREL_ASSERT(health.find(" 200 ") == 8, "the next client gets '{}'", health);
        return 0;
    }
    PETREL_ASSERT(answer.starts_with("HTTP/1."), "not an answer: {}", answer);
    PETREL_ASSERT(answer.find(" 500 ") != 8, "{}", answer);
    const bool shows = answer.find(" 200 ") == 8;
    const bool is_health = answer.find("Content-Length: 3\r\n") != answer.npos ||  // ok
                           answer.find("Content-Length: 6\r\n") != answer.npos;    // ready
    PETREL_ASSERT(which != 1 || !shows || is_health || sent.find(kSecret) != sent.npos, "shown without a token: {}",
                  answer);
    return 0;
}
