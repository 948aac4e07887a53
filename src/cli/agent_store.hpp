// The tables that an agent keeps itself (agent.nos = "own"), accessed over its control socket. With it pfcwd and the
// other SONiC tools work without SONiC.
#pragma once

#include <filesystem>
#include <utility>

#include "codec/control_report.hpp"
#include "sonic/store.hpp"

namespace petrel::cli {

class AgentStore final : public sonic::Store {
public:
    explicit AgentStore(std::filesystem::path socket) : socket_(std::move(socket)) {}

    Result<std::vector<std::string>> keys(sonic::Db, std::string_view prefix) override;
    Result<std::vector<sonic::Hash>> hashes(sonic::Db, std::span<const std::string> keys) override;
    Result<bool> is_set(sonic::Db, const std::string& key) override;
    Result<void> apply(sonic::Db, std::span<const sonic::Change>) override;

private:
    Result<codec::TableReport> ask(const codec::ControlRequest&) const;

    std::filesystem::path socket_;
};

}  // namespace petrel::cli
