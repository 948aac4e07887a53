// The files of the uplink in the state folder: manager.acknowledged, and the spool of samples (sample_spool.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/agent_config.hpp"
#include "daemon/sample_spool.hpp"
#include "runner/log_line.hpp"
#include "runner/uplink_memory.hpp"
#include "runtime/file_lock.hpp"

namespace petrel::daemon {

class UplinkFiles final : public runner::UplinkMemory {
public:
    // Fails if another process uses the file of acknowledgements.
    static Result<std::unique_ptr<UplinkFiles>> open(const config::AgentConfig&,
                                                     const std::function<void(const runner::LogLine&)>& log);

    const uplink::Acknowledged& acknowledged() const override { return acknowledged_; }
    Result<void> save(const uplink::Acknowledged&) override;
    Result<bool> append_samples(std::string_view line) override { return samples_.append(line); }
    std::optional<std::string> next_samples() override { return samples_.next(); }
    void samples_sent() override { samples_.sent(); }
    bool has_samples() const override { return !samples_.empty(); }

private:
    UplinkFiles(runtime::HeldFile file, std::string manager_url)
        : file_(std::move(file)), manager_url_(std::move(manager_url)), samples_(file_.folder())
    {}

    runtime::HeldFile file_;
    std::string manager_url_;
    uplink::Acknowledged acknowledged_;
    SampleSpool samples_;
};

}  // namespace petrel::daemon
