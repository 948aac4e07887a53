#include "daemon/runners.hpp"

#include <utility>

#include "config/policy_bind.hpp"
#include "runtime/file_memory.hpp"
#include "runtime/link_file.hpp"

namespace petrel::daemon {

namespace {

class DriverSource final : public runner::DeviceSource {
public:
    DriverSource(Driver& driver, config::DeviceEntry entry, DeviceId id, const device::TimeSource& clock)
        : driver_(driver), entry_(std::move(entry)), id_(id), clock_(clock)
    {}

    const device::TimeSource& clock() const override { return clock_; }
    Result<std::unique_ptr<device::Device>> open(NoteSink report) override
    {
        return driver_.open(entry_, id_, clock_, std::move(report));
    }
    Result<void> put_back() override
    {
        return driver_.put_back(entry_).map([](Driver::PutBack) {});
    }
    bool journal_is_complete() const override { return driver_.journal_is_complete(); }

private:
    Driver& driver_;
    config::DeviceEntry entry_;
    DeviceId id_;
    const device::TimeSource& clock_;
};

}  // namespace

watchdog::PolicyBook FilePolicies::bind(watchdog::Inventory& inventory, std::string_view device) const
{
    return config::bind_device(file_, inventory, device);
}

bool FilePolicies::same_as(const runner::Policies& other) const
{
    const auto* file = dynamic_cast<const FilePolicies*>(&other);
    return file != nullptr && file->file_ == file_;
}

Result<std::unique_ptr<DeviceRunner>> make_runner(runner::Loop& loop, RunnerHost& host, RunnerSetup setup,
                                                  std::shared_ptr<const runner::Policies> policies)
{
    auto memory = runtime::FileMemory::open(setup.state_dir, setup.entry.name, setup.history_events);
    if (!memory) {
        return tl::unexpected(std::move(memory.error()));
    }
    auto links = runtime::LinkFile::open(setup.state_dir / (setup.entry.name + ".links"));
    if (!links) {
        return tl::unexpected(std::move(links.error()));
    }
    DeviceRunner::Setup parts{.name = setup.entry.name,
                              .driver = setup.entry.driver,
                              .hang_after = setup.hang_after,
                              .fault_hook = std::move(setup.fault_hook),
                              .source = nullptr,
                              .memory = std::move(*memory),
                              .worker = std::move(setup.worker),
                              .links = std::move(*links)};
    parts.source = std::make_unique<DriverSource>(*setup.driver, std::move(setup.entry), setup.id, *setup.clock);
    return std::make_unique<DeviceRunner>(loop, host, std::move(parts), std::move(policies));
}

}  // namespace petrel::daemon
