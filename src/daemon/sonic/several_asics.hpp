// SONiC on a switch with several ASICs: each has databases, a configuration and a device of its own. What one of them
// configures counts for its device alone, for two ASICs may have ports of the same name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "daemon/nos.hpp"

namespace petrel::daemon {

class SeveralAsics final : public Nos {
public:
    void add(std::string device, std::unique_ptr<Nos>);

    std::string_view name() const override { return "SONiC"; }

    // Policies are those of all ASICs. The first ones wait until each has answered, or for kFirstWait: an ASIC whose
    // databases are away does not hold up the others.
    Heard exchange(Told) override;
    Result<void> leave() override;

    static constexpr Duration kFirstWait = std::chrono::seconds{5};

private:
    struct Asic {
        std::string device;
        std::unique_ptr<Nos> nos;
        std::optional<codec::PolicyFile> policies;  // as it last configured them
    };

    static Told part_of(const Told&, const std::string& device);
    bool may_begin();
    codec::PolicyFile policies_of_all() const;

    std::vector<Asic> asics_;
    std::optional<Instant> waiting_since_;
    bool begun_{};
};

}  // namespace petrel::daemon
