// A client of the control socket sends any bytes in any pieces. The handler gets the bytes before the first line feed,
// once, if they are not too many; otherwise it gets nothing. The first byte is the length of the pieces less one, the
// others are sent.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "runtime/control_server.hpp"

namespace {

using namespace petrel;
using runtime::ControlServer;

constexpr std::size_t kLongestRequest = 40;

class Server {
public:
    Server()
    {
        std::string folder = (std::filesystem::temp_directory_path() / "petrel-fuzz-XXXXXX").string();
        PETREL_ASSERT(::mkdtemp(folder.data()) != nullptr, "no folder");
        path_ = folder + "/control.sock";
        loop_->after_each_turn([this] { loop_->stop(); });
        ControlServer::Limits limits;
        limits.request = kLongestRequest;
        server_ = std::move(ControlServer::listen(
                                *loop_, path_, "",
                                [this](const auto& peer, std::string_view line) {
                                    lines.emplace_back(line);
                                    peer->send("an answer");
                                    peer->close_after_sending();
                                },
                                limits)
                                .value());
    }

    int connect()
    {
        const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        path_.copy(name.sun_path, sizeof(name.sun_path) - 1);
        PETREL_ASSERT(::connect(client, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0, "no server");
        turn();
        return client;
    }

    // The loop handles everything that has arrived.
    void turn()
    {
        loop_->post([] {});
        loop_->run();
    }

    std::size_t connected() const { return server_->connected(); }

    std::vector<std::string> lines;

private:
    std::string path_;
    std::unique_ptr<runtime::EventLoop> loop_{std::move(runtime::EventLoop::make().value())};
    std::unique_ptr<ControlServer> server_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static auto& server = *new Server;
    if (size == 0) {
        return 0;
    }
    const std::size_t most = data[0] + std::size_t{1};
    const std::string_view sent{reinterpret_cast<const char*>(data) + 1, size - 1};
    server.lines.clear();
    const int client = server.connect();
    for (auto left = sent; !left.empty();) {
        const auto piece = left.substr(0, most);
        left.remove_prefix(piece.size());
        if (::send(client, piece.data(), piece.size(), MSG_NOSIGNAL) < 0) {
            break;  // the server has closed the connection
        }
        server.turn();
    }
    ::close(client);
    server.turn();
    const auto end = sent.find('\n');
    if (end <= kLongestRequest) {
        PETREL_ASSERT(server.lines.size() == 1 && server.lines.front() == sent.substr(0, end),
                      "{} requests, not the one line", server.lines.size());
    } else {
        PETREL_ASSERT(server.lines.empty(), "a request without its end");
    }
    PETREL_ASSERT(server.connected() == 0, "the connection stays");
    return 0;
}
