// SONiC on a switch with several ASICs: each has its own databases, configuration and device. The policies of an ASIC
// apply only to its device, because two ASICs may have ports of the same name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "config/policy_file.hpp"
#include "daemon/nos.hpp"
#include "device/device.hpp"

namespace petrel::daemon {

class SeveralAsics final : public Nos {
public:
    explicit SeveralAsics(const device::TimeSource& clock) : clock_(clock) {}  // the clock outlives it

    void add(std::string device, std::unique_ptr<Nos>);

    std::string_view name() const override { return "SONiC"; }

    // Returns the policies of all ASICs. The first ones wait until each ASIC has answered, at most kFirstWait, so that
    // an ASIC whose databases cannot be reached does not delay the others.
    Reply exchange(Report) override;
    Result<void> leave() override;

    static constexpr Duration kFirstWait = std::chrono::seconds{5};

private:
    struct Asic {
        std::string device;
        std::unique_ptr<Nos> nos;
        std::optional<config::PolicyFile> policies;  // the last ones of this ASIC
    };

    static Report part_of(const Report&, const std::string& device);
    bool may_begin();
    config::PolicyFile policies_of_all() const;

    const device::TimeSource& clock_;
    std::vector<Asic> asics_;
    std::optional<Instant> waiting_since_;
    bool begun_{};
};

}  // namespace petrel::daemon
