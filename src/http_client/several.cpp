#include <atomic>
#include <utility>

#include "http_client/client.hpp"

namespace petrel::http_client {
namespace {

constexpr int kTryAnother = 503;

class ClientOfSeveral final : public Client {
public:
    explicit ClientOfSeveral(std::vector<std::unique_ptr<Client>> servers) : servers_(std::move(servers)) {}

    Result<Response> send(const Request& request) override
    {
        return in_turn(request, [&](Client& server) { return server.send(request); });
    }

    Result<Response> receive(const Request& request, const Take& take) override
    {
        bool taken = false;
        return in_turn(request, [&](Client& server) {
            auto response = server.receive(request, [&](std::string_view bytes) {
                taken = true;
                return take(bytes);
            });
            cancelled_ = cancelled_ || taken;  // no other server goes on where this one ended
            return response;
        });
    }

    void cancel() override
    {
        cancelled_ = true;
        servers_[current_]->cancel();
    }

private:
    template <class Ask>
    Result<Response> in_turn(const Request& request, const Ask& ask)
    {
        cancelled_ = false;
        for (std::size_t asked = 1;; ++asked) {
            auto response = ask(*servers_[current_]);
            if (response && response->status != kTryAnother) {
                return response;
            }
            current_ = (current_ + 1) % servers_.size();
            if (asked == servers_.size() || cancelled_ || request.once) {
                return response;
            }
        }
    }

    std::vector<std::unique_ptr<Client>> servers_;
    std::atomic<std::size_t> current_{};
    std::atomic<bool> cancelled_{};
};

}  // namespace

std::unique_ptr<Client> make_client_of_several(std::vector<std::unique_ptr<Client>> servers)
{
    return servers.size() == 1 ? std::move(servers.front()) : std::make_unique<ClientOfSeveral>(std::move(servers));
}

std::unique_ptr<Client> make_client_of_several(const std::vector<Endpoint>& endpoints)
{
    std::vector<std::unique_ptr<Client>> servers;
    for (const auto& endpoint : endpoints) {
        servers.push_back(make_client(endpoint));
    }
    return make_client_of_several(std::move(servers));
}

}  // namespace petrel::http_client
