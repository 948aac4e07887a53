// Three real servers of NATS, a cluster on loopback.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "support/nats_server.hpp"

namespace petrel::test {

class NatsCluster {
public:
    static constexpr std::size_t kNodes = 3;

    NatsCluster()
    {
        const auto ports = free_ports<2 * kNodes>();
        std::string routes;
        for (std::size_t i = 0; i != kNodes; ++i) {
            routes += fmt::format("{}nats://127.0.0.1:{}", i == 0 ? "" : ", ", ports.at(kNodes + i));
        }
        for (std::size_t i = 0; i != kNodes; ++i) {
            nodes_.at(i) = std::make_unique<NatsServer>(
                fmt::format("server_name: node{}\nmax_payload: 8MB\n"
                            "cluster {{ name: petrel, listen: 127.0.0.1:{}, routes: [{}] }}",
                            i, ports.at(kNodes + i), routes),
                ports.at(i));
            urls_ += (i == 0 ? "" : ",") + nodes_.at(i)->url();
        }
    }

    const std::string& urls() const { return urls_; }

private:
    std::string urls_;
    std::array<std::unique_ptr<NatsServer>, kNodes> nodes_;
};

}  // namespace petrel::test
