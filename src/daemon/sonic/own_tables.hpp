// SONiC's tables without SONiC: the agent keeps them itself. `pfcwd` and similar commands read and write them over the
// control socket. The policies that these commands configure are kept in a file. The ports are those of the devices.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "control/report.hpp"
#include "control/request.hpp"
#include "daemon/nos.hpp"
#include "daemon/sonic/buffer_tables.hpp"
#include "daemon/sonic/device_ports.hpp"
#include "daemon/sonic/sonic_log.hpp"
#include "runtime/file_lock.hpp"
#include "sonic/policy_overrides.hpp"
#include "sonic/port_counters.hpp"
#include "sonic/queue_tables.hpp"
#include "sonic/table_store.hpp"

namespace petrel::daemon {

class OwnTables final : public Nos {
public:
    // A missing file counts as empty. A file that cannot be read, or that another agent holds, is an error.
    static Result<std::unique_ptr<OwnTables>> open(const std::filesystem::path&);

    std::string_view name() const override { return "pfcwd"; }
    Reply exchange(Report) override;
    Result<void> leave() override { return {}; }
    Result<Answer> tables(const control::ControlRequest&) override;

private:
    OwnTables(runtime::HeldFile, std::optional<runtime::FileDescriptor>, sonic::TableContent config);

    Result<void> write(const sonic::TableContent&);
    Result<void> keep_name(Reply&);
    void show_buffers(std::span<const NosBuffers>);
    Result<void> follow_configuration(Reply&);
    Result<control::TableReport> hashes(sonic::Db, std::span<const std::string> keys);

    runtime::HeldFile held_;
    std::optional<runtime::FileDescriptor> file_;  // none until the file exists
    sonic::TableStore store_;
    sonic::QueueTables tables_;
    sonic::PortCounters counters_;
    DevicePorts ports_;
    BufferTables buffers_;
    sonic::PolicyOverrides overrides_;
    SonicLog log_{sonic::Role::owner, SonicLog::Thresholds::of_device};
    std::optional<std::uint64_t> followed_;  // version of the store
    std::optional<sonic::Config> config_;    // the configuration in that version
};

}  // namespace petrel::daemon
