// The servers behind the URL of a manager, or behind those of a group of managers.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/manager_url.hpp"
#include "http_client/client.hpp"

namespace petrel::daemon {

inline Result<std::vector<http_client::Endpoint>> manager_endpoints(std::string_view urls,
                                                                    const std::filesystem::path& ca_file,
                                                                    const std::filesystem::path& certificate_file = {})
{
    return config::parse_manager_urls(urls).map([&](const std::vector<config::ManagerUrl>& all) {
        std::vector<http_client::Endpoint> endpoints;
        for (const auto& url : all) {
            endpoints.push_back({url.tls, url.host, url.port, ca_file, certificate_file});
        }
        return endpoints;
    });
}

}  // namespace petrel::daemon
