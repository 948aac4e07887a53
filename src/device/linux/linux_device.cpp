#include "device/linux/linux_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "link/raw_code.hpp"

namespace petrel::device::linux_nic {

using watchdog::Command;
using watchdog::Field;
using watchdog::Sample;
using watchdog::Treatment;

namespace {

constexpr Duration kCheckEvery = std::chrono::seconds{1};

// The bound of a fight with another program: the longest time between two writes, and the time without a write after
// which the next one is made at once.
constexpr Duration kFirstWait = std::chrono::seconds{1};
constexpr Duration kLongestWait = std::chrono::seconds{10};
constexpr Duration kFightIsOver = std::chrono::minutes{10};

// Whether every counter of sent pause has a time next to it, so that time can replace frames.
bool counts_pause_time(const Vendor& vendor)
{
    const auto complete = [](const auto& counters) {
        const auto counts = [&](Field field) {
            return std::ranges::any_of(counters, [&](const auto& counter) { return counter.field == field; });
        };
        return counts(Field::pause_tx_us) || !counts(Field::pause_tx);
    };
    return complete(vendor.priority_counters) && complete(vendor.port_counters);
}

// The counter of changes: from up, every other change is one to down, and the first is one. An interface that has
// returned counts from zero.
std::uint32_t downs_since(const std::optional<LinkState>& before, const LinkState& now)
{
    if (!before) {
        return 0;
    }
    if (before->index != now.index) {
        return before->up ? 1 : 0;
    }
    return (now.changes - before->changes + (before->up ? 1 : 0)) / 2;
}

// 1, 10, 100 ...: so few notes that they can be logged and shown.
bool is_power_of_ten(unsigned count)
{
    while (count % 10 == 0 && count != 0) {
        count /= 10;
    }
    return count == 1;
}

}  // namespace

LinuxDevice::LinuxDevice(DeviceId id, std::string interface, std::unique_ptr<Kernel> kernel, const TimeSource& clock,
                         NoteSink note)
    : interface_(std::move(interface)), kernel_(std::move(kernel)), clock_(clock), note_(std::move(note))
{
    watchdog::RowInfo row;
    row.target = {{id, 0}, std::nullopt};
    inventory_.rows.push_back(row);
    inventory_.ports.push_back({interface_, {}, {}});
}

Result<std::unique_ptr<LinuxDevice>> LinuxDevice::open(DeviceId id, const std::string& interface,
                                                       std::unique_ptr<Kernel> kernel, const TimeSource& clock,
                                                       const NoteSink& note)
{
    std::unique_ptr<LinuxDevice> device{new LinuxDevice{id, interface, std::move(kernel), clock, note}};
    const auto driver = device->kernel_->driver(interface);
    if (!driver && driver.error().kind != ErrorKind::unsupported) {
        return tl::unexpected(driver.error());
    }
    const auto settings = read_settings(*device->kernel_, interface);
    if (!settings) {
        return tl::unexpected(settings.error());
    }
    device->treatment_.see_usual(*settings);
    device->describe(driver.value_or(""), *settings);
    return device;
}

void LinuxDevice::describe(const std::string& driver, const NicSettings& settings)
{
    vendor_ = find_vendor(driver);
    if (vendor_ != nullptr) {
        reader_.emplace(*vendor_);
        facts_ = opened_with_ = read_facts(*kernel_, interface_, *vendor_);
        facts_read_ = clock_.now().mono;
    }
    capabilities_.fields = bit(Field::pause_tx) | bit(Field::rx_packets);
    if (vendor_ != nullptr && counts_pause_time(*vendor_)) {
        capabilities_.fields |= bit(Field::pause_tx_us);
    }
    capabilities_.survive = bit(Field::rx_packets);  // a muted NIC sends no pause, whatever its pipeline does
    capabilities_.port_wide = bit(Treatment::mute_pause) | bit(Treatment::port_down);
    capabilities_.reads_back = true;
    capabilities_.reads_links = true;
    capabilities_.refresh = facts_.refresh.value_or(Duration{});
    capabilities_.treatments = bit(Treatment::port_down);
    if (settings.pfc || settings.pause) {
        capabilities_.treatments |= bit(Treatment::mute_pause);
    } else {
        note_("its driver can turn neither PFC nor pause off: a storm is only reported, unless the policy has "
              "port_down_if_refused = true");
    }
    if (auto why = monitored_only(driver)) {
        note_(*why);
    }
}

// An agent that watches the NIC arms the device's own stall prevention, and leaves it armed: if the machine crashes, no
// agent runs.
void LinuxDevice::set_watched_rows(std::span<const Slot> rows)
{
    const bool first = !watched_ && !rows.empty();
    watched_ = !rows.empty();
    if (first) {
        arm_prevention();
    }
}

void LinuxDevice::arm_prevention()
{
    const auto before = kernel_->prevention(interface_);
    if (!before || is_armed(*before)) {
        return;
    }
    const auto now = kernel_->set_prevention(interface_, kShortestPrevention).and_then([&] {
        return kernel_->prevention(interface_);
    });
    note_(now ? fmt::format("the NIC's own stall prevention (pfc-prevention-tout) is armed: {}, was {}",
                            prevention_text(*now), prevention_text(*before))
              : "the NIC's own stall prevention (pfc-prevention-tout) cannot be armed: " + now.error().what);
}

int LinuxDevice::receive_notices()
{
    const auto descriptor = kernel_->follow_changes();
    const auto changes = kernel_->take_changes(interface_);
    settings_changed_ = settings_changed_ || changes.settings;
    if (changes.settings) {
        keep_treatment(clock_.now().mono);
    }
    if (changes.link && notices_ != nullptr) {
        if (const auto link = kernel_->link(interface_); link && link_ && link->up != link_->up) {
            notices_->post({link->up ? watchdog::Notice::Kind::link_up : watchdog::Notice::Kind::link_down,
                            inventory_.rows.front().target, clock_.now().mono});
        }
    }
    return descriptor;
}

Result<void> LinuxDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    if (std::ranges::any_of(rows, [](Slot row) { return row.value != 0; })) {
        return tl::unexpected(Error{ErrorKind::invalid, "a network interface has one row"});
    }
    const auto link = kernel_->link(interface_);
    if (!link) {
        return tl::unexpected(link.error());
    }
    follow_link(*link);
    keep_treatment(clock_.now().mono);
    if (vendor_ == nullptr) {
        const auto driver = kernel_->driver(interface_);
        unseen_ = monitored_only(driver ? *driver : "");
        return {};
    }
    follow_facts(clock_.now().mono);
    const auto read = kernel_->counters(interface_);
    if (!read) {
        return tl::unexpected(read.error());
    }
    auto counters = reader_->read(*read);
    unseen_ = monitored_only(*vendor_, facts_);
    if (unseen_) {
        counters.port.known &= ~bit(Field::rx_packets);
    } else {
        unseen_ = monitored_only(*vendor_, counters);
    }
    auto now = sample(counters);
    if (stale(now)) {
        now.read_at = last_->read_at;
    } else {
        stuck_.take(counters.priorities, counters.port[Field::rx_packets], now.read_at);
    }
    last_ = now;
    into.put(now);
    follow_own_detection(counters);
    return {};
}

void LinuxDevice::follow_facts(Instant now)
{
    if (now - facts_read_ >= kCheckEvery) {
        facts_read_ = now;
        facts_ = read_facts(*kernel_, interface_, *vendor_);
    }
}

// A link that changed, or an interface that came back, starts a new epoch. The speed may be another one.
void LinuxDevice::follow_link(const LinkState& link)
{
    if (link_ == link) {
        return;
    }
    const bool returned = link_ && link_->index != link.index;
    link_ = link;
    ++epoch_;
    pause_sent_ = {};
    stuck_.reset();
    if (returned) {  // the driver was loaded again, with its own defaults
        storms_.reset();
        settings_changed_ = true;
        if (watched_) {
            arm_prevention();
        }
    }
    const auto speed = kernel_->speed(interface_).value_or(BitRate{});
    if (auto& row = inventory_.rows.front(); row.speed != speed) {
        row.speed = speed;
        ++inventory_.generation;
    }
}

Sample LinuxDevice::sample(const NicCounters& counters)
{
    std::vector<Sample> sources;
    std::uint32_t which = 0;
    const auto add = [&](const Sample& source, unsigned number) {
        if (has(source.known, Field::pause_tx)) {
            sources.push_back(source);
            which |= 1U << number;
        }
    };
    for (unsigned priority = 0; priority != counters.priorities.size(); ++priority) {
        add(counters.priorities[priority], priority);
    }
    add(counters.port, kPriorities);
    if (which != pause_sources_) {
        pause_sources_ = which;
        ++epoch_;
        pause_sent_ = {};
        stuck_.reset();
    }
    Sample sample;
    sample.read_at = clock_.now().mono;
    sample.epoch = link_ && link_->up ? epoch_ : 0;
    if (!sources.empty()) {
        pause_sent_.combine(sources, sample);
    }
    sample.known &= ~bit(Field::rx_packets);
    if (has(counters.port.known, Field::rx_packets)) {
        sample.known |= bit(Field::rx_packets);
        sample[Field::rx_packets] = counters.port[Field::rx_packets] + elsewhere_received_;
        sample[Field::rx_packets] += received_elsewhere(sample);
    }
    sample.known &= capabilities_.fields;
    return sample;
}

// A NIC that seems to receive nothing may still receive for RDMA, and a bond may have one RDMA device for all its
// ports. So the counters of RDMA, and those of the bond's other members, are read while the NIC pauses its switch and
// its other counters stand still. What they grew since they were last read counts as received.
std::uint64_t LinuxDevice::received_elsewhere(const Sample& now)
{
    const bool suspect = last_ && now.epoch == last_->epoch && now[Field::rx_packets] == (*last_)[Field::rx_packets] &&
                         now[Field::pause_tx] != (*last_)[Field::pause_tx];
    if (!suspect || vendor_->rdma_progress.empty()) {
        return 0;
    }
    std::uint64_t sum = 0;
    for (const auto& counter : kernel_->rdma_counters(interface_)) {
        if (std::ranges::find(vendor_->rdma_progress, counter.name) != vendor_->rdma_progress.end()) {
            sum += counter.value;
        }
    }
    for (const auto& member : facts_.sharing.bonded) {
        sum += received_by(member);
    }
    const auto before = std::exchange(elsewhere_seen_, sum).value_or(sum);
    const auto grown = sum > before ? sum - before : 0;
    elsewhere_received_ += grown;
    return grown;
}

std::uint64_t LinuxDevice::received_by(const std::string& bonded)
{
    if (kernel_->driver(bonded) != std::string{vendor_->driver}) {
        return 0;
    }
    return kernel_->counters(bonded)
        .map([&](std::span<const Counter> read) {
            const auto counters = CounterReader{*vendor_}.read(read);
            return has(counters.port.known, Field::rx_packets) ? counters.port[Field::rx_packets] : 0;
        })
        .value_or(0);
}

// A driver that refreshes its counters by a timer shows old ones in between: they are not a new sample. Counters that
// stay the same for longer are those of an idle NIC.
bool LinuxDevice::stale(const Sample& now) const
{
    return last_ && now.epoch == last_->epoch && now.known == last_->known && now.raw == last_->raw &&
           now.read_at - last_->read_at < 2 * capabilities_.refresh;
}

// The NIC has found a stall itself and has stopped its pause, for as long as the stall lasts: the other counters may
// never show it.
void LinuxDevice::follow_own_detection(const NicCounters& counters)
{
    const auto before = std::exchange(storms_, counters.storms);
    if (watched_ && notices_ != nullptr && before && storms_ && *storms_ > *before && !counters.storms_guessed) {
        notices_->post({watchdog::Notice::Kind::detected, inventory_.rows.front().target, clock_.now().mono});
    }
}

void LinuxDevice::keep_treatment(Instant now)
{
    const auto others = treatment_.want() == Treatment::mute_pause
                            ? static_cast<std::uint8_t>(stuck_.priorities(kAlsoStuckAfter) & ~treatment_.muted())
                            : std::uint8_t{};
    const bool due = settings_changed_ || others != 0 || now - checked_ >= kCheckEvery;
    if (at_rest_ || treatment_.want() == Treatment::none || !due) {
        return;
    }
    checked_ = now;
    settings_changed_ = false;
    const auto settings = read_settings(*kernel_, interface_);
    if (!settings) {
        return;
    }
    if (settings->pfc && (settings->pfc->enabled & others) != 0) {
        treatment_.mute_all();
        note_("another priority of the latched NIC pauses, and nothing is received: PFC goes off for all priorities");
        lost_treatment_ = !write_settings(*kernel_, interface_, *settings, treatment_.wanted(*settings));
    } else if (const auto wanted = treatment_.wanted(*settings); wanted != *settings) {
        write_again(*settings, wanted, now);
    }
}

void LinuxDevice::write_again(const NicSettings& now, const NicSettings& wanted, Instant at)
{
    if (at < next_write_) {
        settings_changed_ = true;
        return;
    }
    if (next_write_ == Instant::min() || at - next_write_ > kFightIsOver) {
        rewrites_ = 0;
    }
    next_write_ = at + std::min(kFirstWait * (1 << std::min(rewrites_, 4U)), kLongestWait);
    ++rewrites_;
    ++rewritten_;
    lost_treatment_ = !write_settings(*kernel_, interface_, now, wanted);
    if (is_power_of_ten(rewritten_)) {
        note_(fmt::format("another program, or a reload of the driver, has undone the treatment of the latched NIC {} "
                          "({} so far): it is written again, at most once in {} s",
                          rewritten_ == 1 ? "once" : "repeatedly", rewritten_,
                          std::chrono::duration_cast<std::chrono::seconds>(kLongestWait).count()));
    }
}

std::vector<UnseenQueue> LinuxDevice::unseen_queues() const
{
    return watched_ && unseen_ ? std::vector{UnseenQueue{interface_, *unseen_}} : std::vector<UnseenQueue>{};
}

Result<void> LinuxDevice::check(const Target& target) const
{
    if (target != inventory_.rows.front().target) {
        return tl::unexpected(Error{ErrorKind::invalid, "a network interface is treated as a whole port"});
    }
    return {};
}

Result<void> LinuxDevice::check(const Command& command) const
{
    if (command.want != Treatment::none && !has(capabilities_.treatments, command.want)) {
        return tl::unexpected(
            Error{ErrorKind::unsupported, fmt::format("interface '{}' cannot do {}", interface_, name(command.want))});
    }
    return check(command.target);
}

// Before the first treatment, the settings now are the usual ones.
Result<Undo> LinuxDevice::prepare(const Command& command)
{
    return check(command)
        .and_then([&] { return read_settings(*kernel_, interface_); })
        .map([&](const NicSettings& now) {
            if (at_rest_) {
                treatment_.see_usual(now);
            }
            return treatment_.to_undo(command.want, stuck_.priorities(Duration{}));
        });
}

// A treatment that the driver refuses leaves nothing behind: the next rung, or the next try, begins with the settings
// before.
Result<void> LinuxDevice::apply(const Command& command, const Undo& undo)
{
    const auto before = treatment_;
    if (auto sound = check(command).and_then([&] { return treatment_.command(command.want, undo); }); !sound) {
        return sound;
    }
    const auto now = read_settings(*kernel_, interface_);
    if (!now) {
        return tl::unexpected(now.error());
    }
    at_rest_ = false;
    checked_ = clock_.now().mono;
    auto written = write_settings(*kernel_, interface_, *now, treatment_.wanted(*now));
    stuck_.reset();
    const bool refused =
        !written && (written.error().kind == ErrorKind::unsupported || written.error().kind == ErrorKind::denied);
    if (refused && command.want != Treatment::none) {
        treatment_ = before;
        (void)read_settings(*kernel_, interface_).and_then([&](const NicSettings& left) {
            return left == *now ? Result<void>{} : write_settings(*kernel_, interface_, left, *now);
        });
    }
    return written;
}

Result<Treatment> LinuxDevice::read_back(const Target& target)
{
    return check(target).and_then([&] { return read_settings(*kernel_, interface_); }).map([&](const NicSettings& now) {
        const auto shown = treatment_.shown_by(now);
        at_rest_ = treatment_.want() == Treatment::none && shown == Treatment::none;
        return shown;
    });
}

Result<std::vector<link::LinkSample>> LinuxDevice::read_links()
{
    static const auto kReasons = link::list_named("ethtool.ext").value();
    return kernel_->link(interface_).map([&](const LinkState& now) {
        link::LinkSample sample{interface_, now.up, !now.enabled, downs_since(reported_link_, now), {}, {}};
        if (!now.up) {
            if (const auto why = kernel_->link_reason(interface_); why && *why) {
                sample.code = link::RawCode{kReasons, std::uint64_t{(*why)->state} << 8U | (*why)->detail};
            }
        }
        reported_link_ = now;
        return std::vector{sample};
    });
}

}  // namespace petrel::device::linux_nic
