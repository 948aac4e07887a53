#include "support/shared_switch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/assert.hpp"
#include "device/plain_device.hpp"
#include "runtime/event_loop.hpp"

namespace petrel::test {

using device::Undo;
using watchdog::Command;
using watchdog::Field;
using watchdog::Treatment;

namespace {

const runtime::SystemClock kMachineClock;

constexpr std::size_t kMostEdges = 1024;
constexpr std::size_t kMostWrites = 4096;
constexpr std::uint32_t kTreated = 0x8000'0000;
constexpr std::uint32_t kDefault = 1;  // written by a restore that does not know the former value
constexpr std::uint64_t kPacketsPerMs = 10;
constexpr Duration kHang = std::chrono::seconds{120};

std::uint32_t word_of(Treatment treatment) { return kTreated | static_cast<std::uint32_t>(treatment); }

// Waits for another value, with a short limit: the condition of the caller may not depend on the switch.
void wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t seen)
{
    const timespec limit{.tv_sec = 0, .tv_nsec = 20'000'000};
    ::syscall(SYS_futex, reinterpret_cast<const std::uint32_t*>(&value), FUTEX_WAIT, seen, &limit, nullptr, 0);
}

}  // namespace

struct SharedSwitch::Memory {
    struct Queue {
        std::atomic<std::uint32_t> edges;  // how many: the pause begins, ends, begins ...
        std::array<std::int64_t, kMostEdges> edge_us;
        std::atomic<std::uint32_t> writes;
        std::array<std::int64_t, kMostWrites> write_us;
        std::array<std::uint32_t, kMostWrites> value;
    };
    std::array<Queue, kPorts> queues;
    std::array<std::atomic<std::uint32_t>, static_cast<std::size_t>(Fault::count_)> faults;
    std::atomic<std::uint64_t> layout;  // a generation, then four bits for each port: its number + 1
    std::atomic<std::uint64_t> opens;
    std::atomic<std::uint64_t> looks;
    std::atomic<std::uint32_t> beat;
};

SharedSwitch::SharedSwitch(const std::filesystem::path& path, SimulatedTime* time)
    : SharedSwitch(path, time, time != nullptr ? time->clock() : kMachineClock)
{}

SharedSwitch::SharedSwitch(const std::filesystem::path& path, SimulatedTime* time, const device::TimeSource& clock)
    : time_(time), clock_(clock)
{
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    // A new file contains zeros, which is a switch at rest.
    if (fd < 0 || ::ftruncate(fd, sizeof(Memory)) < 0) {
        throw std::runtime_error("no switch at " + path.string());
    }
    void* memory = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (memory == MAP_FAILED) {
        throw std::runtime_error("no switch at " + path.string());
    }
    memory_ = static_cast<Memory*>(memory);
    std::uint64_t nothing = 0;
    memory_->layout.compare_exchange_strong(nothing, 0x1'4321);
}

SharedSwitch::~SharedSwitch() { ::munmap(memory_, sizeof(Memory)); }

void SharedSwitch::happened() const
{
    ++memory_->beat;
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&memory_->beat), FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

bool SharedSwitch::wait_until(const std::function<bool()>& is_so) const
{
    if (time_ != nullptr) {
        return time_->run_until(is_so);
    }
    for (const auto hang = now() + kHang; now() < hang;) {
        const std::uint32_t seen = memory_->beat;
        if (is_so()) {
            return true;
        }
        wait_for_change(memory_->beat, seen);
    }
    return false;
}

// ------------------------------------------------------------------------------------------------ the world

void SharedSwitch::storm(std::uint16_t port)
{
    auto& queue = memory_->queues.at(port);
    const std::uint32_t n = queue.edges;
    if (n % 2 == 0) {
        queue.edge_us.at(n) = whole_us(now());
        queue.edges = n + 1;
    }
    happened();
}

void SharedSwitch::calm(std::uint16_t port)
{
    auto& queue = memory_->queues.at(port);
    const std::uint32_t n = queue.edges;
    if (n % 2 == 1) {
        queue.edge_us.at(n) = whole_us(now());
        queue.edges = n + 1;
    }
    happened();
}

// The times at which its pause began, ended, began ...
std::vector<Instant> SharedSwitch::edges(std::uint16_t port, Instant until) const
{
    const auto& queue = memory_->queues.at(port);
    std::vector<Instant> edges;
    for (std::uint32_t i = 0, n = queue.edges; i < n && queue.edge_us[i] <= whole_us(until); ++i) {
        edges.push_back(instant_from_us(queue.edge_us[i]));
    }
    return edges;
}

bool SharedSwitch::in_storm(std::uint16_t port, Instant at) const { return edges(port, at).size() % 2 == 1; }

SharedSwitch::Stretch SharedSwitch::last_stretch(std::uint16_t port, Instant at, bool paused) const
{
    auto ends = edges(port, at);
    if ((ends.size() % 2 == 1) == paused) {
        ends.push_back(at);  // it still lasts
    }
    ends.insert(ends.begin(), {Instant{}, Instant{}});  // initially a pause of length zero, then quiet
    return {ends[ends.size() - 2], ends.back()};
}

std::uint64_t SharedSwitch::pause_us(std::uint16_t port, Instant now) const
{
    const auto& queue = memory_->queues.at(port);
    std::int64_t paused = 0;
    for (std::uint32_t i = 0, n = queue.edges; i < n; i += 2) {
        paused += (i + 1 < n ? queue.edge_us[i + 1] : std::max(whole_us(now), queue.edge_us[i])) - queue.edge_us[i];
    }
    return static_cast<std::uint64_t>(paused);
}

std::uint64_t SharedSwitch::pauses_ended(std::uint16_t port) const { return memory_->queues.at(port).edges / 2; }

void SharedSwitch::set(Fault fault, bool on)
{
    memory_->faults.at(static_cast<std::size_t>(fault)) = on ? 1 : 0;
    happened();
}

bool SharedSwitch::is(Fault fault) const { return memory_->faults.at(static_cast<std::size_t>(fault)) != 0; }

void SharedSwitch::have_ports(const std::vector<std::uint16_t>& ports)
{
    std::uint64_t layout = (memory_->layout >> 16U) + 1;
    for (auto port = ports.rbegin(); port != ports.rend(); ++port) {
        layout = (layout << 4U) | (std::uint64_t{*port} + 1);
    }
    layout = layout << (4 * (kPorts - ports.size()));
    memory_->layout = layout;
    happened();
}

std::vector<std::uint16_t> SharedSwitch::ports() const
{
    std::vector<std::uint16_t> ports;
    for (std::uint64_t i = 0, layout = memory_->layout; i < kPorts; ++i, layout >>= 4U) {
        if ((layout & 0xfU) != 0) {
            ports.push_back(static_cast<std::uint16_t>((layout & 0xfU) - 1));
        }
    }
    return ports;
}

// ------------------------------------------------------------------------------------------------ what was done

Treatment SharedSwitch::treatment_in(std::uint32_t value)
{
    return (value & kTreated) == 0 ? Treatment::none : static_cast<Treatment>(value & 0xffU);
}

std::vector<SharedSwitch::Write> SharedSwitch::writes(std::uint16_t port) const
{
    const auto& queue = memory_->queues.at(port);
    std::vector<Write> all;
    for (std::uint32_t i = 0, n = queue.writes; i < n; ++i) {
        all.push_back({instant_from_us(queue.write_us[i]), queue.value[i]});
    }
    return all;
}

std::uint32_t SharedSwitch::configuration(std::uint16_t port) const
{
    const auto& queue = memory_->queues.at(port);
    const std::uint32_t n = queue.writes;
    return n == 0 ? kConfigured + port : queue.value[n - 1];
}

Treatment SharedSwitch::in_force(std::uint16_t port) const { return treatment_in(configuration(port)); }

std::uint64_t SharedSwitch::opens() const { return memory_->opens; }
std::uint64_t SharedSwitch::looks() const { return memory_->looks; }

void SharedSwitch::write(std::uint16_t port, std::uint32_t value)
{
    auto& queue = memory_->queues.at(port);
    const std::uint32_t n = queue.writes;
    queue.write_us.at(n) = whole_us(now());
    queue.value.at(n) = value;
    queue.writes = n + 1;
    happened();
}

// A treated queue drops all its packets.
std::uint64_t SharedSwitch::dropped(std::uint16_t port, Instant now) const
{
    const auto all = writes(port);
    Duration treated{};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto until = i + 1 < all.size() ? all[i + 1].at : std::max(now, all[i].at);
        treated += treatment_in(all[i].value) == Treatment::none ? Duration{} : until - all[i].at;
    }
    return static_cast<std::uint64_t>(whole_ms(treated)) * kPacketsPerMs;
}

// ------------------------------------------------------------------------------------------------ the agent's side

class SharedSwitchDevice final : public device::PlainDevice {
public:
    SharedSwitchDevice(const std::filesystem::path& path, DeviceId id, const device::TimeSource& clock,
                       std::function<void()> hang)
        : switch_(path, nullptr, clock), id_(id), clock_(clock), hang_(std::move(hang))
    {
        capabilities_.fields = bit(Field::paused_now) | bit(Field::pause_us) | bit(Field::on2off) |
                               bit(Field::tx_drops) | bit(Field::occupancy);
        capabilities_.survive = capabilities_.fields;
        capabilities_.treatments = bit(Treatment::drop) | bit(Treatment::ignore_pause);
        capabilities_.reads_back = true;
        read_inventory();
    }

    const watchdog::Inventory& inventory() const override { return inventory_; }
    const watchdog::Capabilities& capabilities() const override { return capabilities_; }
    void listen(device::NoticeSink&) override {}

    Result<void> look(std::span<const Slot> rows, watchdog::Intake& into) override
    {
        hang_while(Fault::looks_hang);
        if (switch_.is(Fault::gone) || switch_.is(Fault::looks_fail)) {
            return tl::unexpected(Error{ErrorKind::unreachable, "the switch does not answer"});
        }
        const auto before = inventory_.generation;
        read_inventory();
        if (inventory_.generation != before) {
            return {};  // the rows differ from those that were requested
        }
        if (rows.empty()) {
            for (std::uint32_t row = 0; row < inventory_.rows.size(); ++row) {
                put(row, into);
            }
        }
        for (const auto row : rows) {
            if (row.value < inventory_.rows.size()) {
                put(row.value, into);
            }
        }
        ++switch_.memory_->looks;
        switch_.happened();
        return {};
    }

    Result<Undo> prepare(const Command& command) override
    {
        return check(command.target).map([&] {
            Undo undo;
            const auto value = switch_.configuration(port_of(command.target));
            std::memcpy(undo.bytes.data(), &value, sizeof value);
            undo.size = sizeof value;
            return undo;
        });
    }

    Result<void> apply(const Command& command, const Undo& undo) override
    {
        hang_while(Fault::writes_hang);
        if (switch_.is(Fault::writes_refused)) {
            return tl::unexpected(Error{ErrorKind::denied, "the switch refuses"});
        }
        if (switch_.is(Fault::writes_fail)) {
            return tl::unexpected(Error{ErrorKind::unreachable, "the write failed"});
        }
        return check(command.target).map([&] {
            switch_.write(port_of(command.target),
                          command.want == Treatment::none ? word_before(undo) : word_of(command.want));
        });
    }

    Result<Treatment> read_back(const Target& target) override
    {
        if (!target.priority) {
            return Treatment::none;  // there are no port-wide treatments
        }
        return check(target).map(
            [&] { return switch_.is(Fault::read_back_lies) ? Treatment::none : switch_.in_force(port_of(target)); });
    }

private:
    using Fault = SharedSwitch::Fault;

    void hang_while(Fault fault) const
    {
        if (hang_ && switch_.is(fault)) {
            hang_();
        }
        switch_.wait_until([&] { return !switch_.is(fault); });
    }

    void read_inventory()
    {
        const auto generation = static_cast<std::uint32_t>(switch_.memory_->layout >> 16U);
        if (generation == inventory_.generation) {
            return;
        }
        inventory_ = {};
        inventory_.generation = generation;
        ports_ = switch_.ports();
        for (std::uint16_t index = 0; index < ports_.size(); ++index) {
            inventory_.ports.push_back({fmt::format("Ethernet{}", ports_[index]), "", std::nullopt});
            inventory_.rows.push_back({{{id_, index}, SharedSwitch::kPriority}, BitRate{100'000'000'000}, true});
        }
    }

    std::uint16_t port_of(const Target& target) const { return ports_.at(target.port.index); }

    Result<void> check(const Target& target) const
    {
        if (switch_.is(Fault::gone)) {
            return tl::unexpected(Error{ErrorKind::unreachable, "the switch is gone"});
        }
        if (target.port.index >= ports_.size() || target.priority != SharedSwitch::kPriority) {
            return tl::unexpected(Error{ErrorKind::invalid, "no such queue"});
        }
        return {};
    }

    void put(std::uint32_t row, watchdog::Intake& into)
    {
        const auto port = ports_.at(row);
        watchdog::Sample sample;
        sample.slot = Slot{row};
        sample.read_at = instant_from_us(whole_us(clock_.now().mono));
        sample.known = capabilities_.fields;
        sample.epoch = 1;
        sample.paused_now = switch_.in_storm(port, sample.read_at);
        sample[Field::pause_us] = switch_.pause_us(port, sample.read_at);
        sample[Field::on2off] = switch_.pauses_ended(port);
        sample[Field::tx_drops] = switch_.dropped(port, sample.read_at);
        sample[Field::occupancy] = sample.paused_now ? 4096 : 0;
        into.put(sample);
    }

    static std::uint32_t word_before(const Undo& undo)
    {
        std::uint32_t value = kTreated;
        if (undo.size == sizeof value) {
            std::memcpy(&value, undo.bytes.data(), sizeof value);
        }
        return (value & kTreated) == 0 ? value : kDefault;
    }

    SharedSwitch switch_;
    DeviceId id_;
    const device::TimeSource& clock_;
    std::function<void()> hang_;
    watchdog::Capabilities capabilities_;
    watchdog::Inventory inventory_;
    std::vector<std::uint16_t> ports_;  // port of the switch, by PortId::index
};

Result<std::vector<config::DeviceEntry>> SharedSwitchDriver::expand(const config::DeviceEntry& entry)
{
    auto named = entry;
    if (named.name.empty()) {
        named.name = std::filesystem::path{entry.driver}.stem().string();
    }
    return std::vector{named};
}

Result<std::unique_ptr<device::Device>> SharedSwitchDriver::open(const config::DeviceEntry& entry, DeviceId id,
                                                                 const device::TimeSource& clock, NoteSink)
{
    const auto path = entry.driver.substr(entry.driver.find(':') + 1);
    const SharedSwitch shared{path};
    ++shared.memory_->opens;
    shared.happened();
    if (shared.is(SharedSwitch::Fault::gone)) {
        return tl::unexpected(Error{ErrorKind::unreachable, "the switch is gone"});
    }
    return std::make_unique<SharedSwitchDevice>(path, id, clock, hang_);
}

}  // namespace petrel::test
