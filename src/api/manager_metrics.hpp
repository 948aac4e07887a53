// The manager's metrics, in Prometheus' text format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "api/group_member.hpp"
#include "base/time.hpp"
#include "manager/manager.hpp"

namespace petrel::api {

struct ServiceCounts {
    std::uint64_t reports{};
    std::uint64_t events{};
    std::uint64_t failures{};
    std::uint64_t refused{};
    std::size_t viewers{};
    std::uint64_t logs_taken{};
    std::uint64_t logs_other{};
    std::uint64_t logs_refused{};
    std::optional<GroupMember::Status> group{};  // none: this manager is alone
};

std::string manager_metrics(const manager::Manager&, Now, const ServiceCounts&);

}  // namespace petrel::api
