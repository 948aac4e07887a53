// The tables that an agent keeps itself (agent.nos = "own"), accessed by control requests. With it pfcwd and the other
// SONiC tools work without SONiC.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "control/report.hpp"
#include "control/request.hpp"
#include "sonic/store.hpp"

namespace petrel::cli {

class AgentStore final : public sonic::Store {
public:
    // Sends a request to the agent and returns its answer.
    using Send = std::function<Result<std::string>(const control::ControlRequest&)>;

    explicit AgentStore(Send send) : send_(std::move(send)) {}

    Result<std::vector<std::string>> keys(sonic::Db, std::string_view prefix) override;
    Result<std::vector<sonic::Hash>> hashes(sonic::Db, std::span<const std::string> keys) override;
    Result<bool> is_set(sonic::Db, const std::string& key) override;
    Result<void> apply(sonic::Db, std::span<const sonic::Change>) override;

private:
    Result<control::TableReport> send(const control::ControlRequest&) const;

    Send send_;
};

}  // namespace petrel::cli
