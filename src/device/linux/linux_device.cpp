#include "device/linux/linux_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "device/undo_fields.hpp"

namespace petrel::device::linux_nic {

using watchdog::Command;
using watchdog::Field;
using watchdog::Sample;
using watchdog::Treatment;

namespace {

constexpr Duration kCheckEvery = std::chrono::seconds{1};

struct UndoFields {
    std::uint8_t has_pfc{};
    std::uint8_t enabled{};
    std::uint8_t has_pause{};
    std::uint8_t autoneg{};
    std::uint8_t receives{};
    std::uint8_t sends{};
};

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

template <class T>
Result<std::optional<T>> if_supported(const Result<T>& read)
{
    if (!read && read.error().kind == ErrorKind::unsupported) {
        return std::optional<T>{};
    }
    return read.map([](const T& value) { return std::optional<T>{value}; });
}

}  // namespace

LinuxDevice::LinuxDevice(DeviceId id, std::string interface, std::unique_ptr<Kernel> kernel, const TimeSource& clock)
    : interface_(std::move(interface)), kernel_(std::move(kernel)), clock_(clock)
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
    std::unique_ptr<LinuxDevice> device{new LinuxDevice{id, interface, std::move(kernel), clock}};
    const auto driver = if_supported(device->kernel_->driver(interface));
    if (!driver) {
        return tl::unexpected(driver.error());
    }
    const auto settings = device->read_settings();
    if (!settings) {
        return tl::unexpected(settings.error());
    }
    device->usual_ = *settings;
    device->describe(driver->value_or(""), note);
    return device;
}

void LinuxDevice::describe(const std::string& driver, const NoteSink& note)
{
    vendor_ = find_vendor(driver);
    if (vendor_ != nullptr) {
        reader_.emplace(*vendor_);
    }
    capabilities_.fields = bit(Field::pause_tx) | bit(Field::rx_packets);
    if (vendor_ != nullptr && counts_pause_time(*vendor_)) {
        capabilities_.fields |= bit(Field::pause_tx_us);
    }
    capabilities_.survive = bit(Field::rx_packets);  // a muted NIC sends no pause, whatever its pipeline does
    capabilities_.port_wide = bit(Treatment::mute_pause);
    capabilities_.reads_back = true;
    capabilities_.refresh = vendor_ != nullptr ? vendor_->refresh.value_or(Duration{}) : Duration{};
    if (usual_.supported()) {
        capabilities_.treatments = bit(Treatment::mute_pause);
    } else {
        note("its driver can turn neither PFC nor pause off: a storm is only reported");
    }
    if (auto why = monitored_only(driver)) {
        note(*why);
    }
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
    if (vendor_ == nullptr) {
        const auto driver = kernel_->driver(interface_);
        unseen_ = monitored_only(driver ? *driver : "");
        return {};
    }
    const auto read = kernel_->counters(interface_);
    if (!read) {
        return tl::unexpected(read.error());
    }
    const auto counters = reader_->read(*read);
    unseen_ = monitored_only(*vendor_, counters);
    auto now = sample(counters);
    if (stale(now)) {
        now.read_at = last_->read_at;
    }
    last_ = now;
    into.put(now);
    check_treatment(clock_.now().mono);
    return {};
}

// A link that changed, or an interface that came back, starts a new epoch. The speed may be another one.
void LinuxDevice::follow_link(const LinkState& link)
{
    if (link_ == link) {
        return;
    }
    link_ = link;
    ++epoch_;
    pause_sent_ = {};
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
        sample[Field::rx_packets] = counters.port[Field::rx_packets];
    }
    sample.known &= capabilities_.fields;
    return sample;
}

// A driver that refreshes its counters by a timer shows old ones in between: they are not a new sample. Counters that
// stay the same for longer are those of an idle NIC.
bool LinuxDevice::stale(const Sample& now) const
{
    return last_ && now.epoch == last_->epoch && now.known == last_->known && now.raw == last_->raw &&
           now.read_at - last_->read_at < 2 * capabilities_.refresh;
}

void LinuxDevice::check_treatment(Instant now)
{
    if (!muted_ || now - checked_ < kCheckEvery) {
        return;
    }
    checked_ = now;
    const auto settings = read_settings();
    changed_by_others_ = settings && shown_by(*settings) != Treatment::mute_pause;
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

Result<LinuxDevice::Settings> LinuxDevice::read_settings()
{
    return if_supported(kernel_->pfc(interface_)).and_then([&](const std::optional<Pfc>& pfc) {
        return if_supported(kernel_->pause(interface_)).map([&](const std::optional<LinkPause>& pause) {
            return Settings{pfc, pause};
        });
    });
}

Treatment LinuxDevice::shown_by(const Settings& now) const
{
    if (!now.on() && (muted_ || usual_.on())) {
        return Treatment::mute_pause;
    }
    const bool pfc_off = usual_.pfc && now.pfc && (usual_.pfc->enabled & ~now.pfc->enabled) != 0;
    const bool pause_off = usual_.pause && now.pause && usual_.pause->sends && !now.pause->sends;
    return pfc_off || pause_off ? Treatment::ignore_pause : Treatment::none;
}

// If the interface is treated, fully or partly, the settings now are our own: the Undo holds the usual ones.
Result<Undo> LinuxDevice::prepare(const Command& command)
{
    return check(command).and_then([&] { return read_settings(); }).map([&](const Settings& now) {
        const auto& before = shown_by(now) == Treatment::none ? now : usual_;
        UndoFields fields;
        if (before.pfc) {
            fields.has_pfc = 1;
            fields.enabled = before.pfc->enabled;
        }
        if (before.pause) {
            fields.has_pause = 1;
            fields.autoneg = before.pause->autoneg ? 1 : 0;
            fields.receives = before.pause->receives ? 1 : 0;
            fields.sends = before.pause->sends ? 1 : 0;
        }
        return to_undo(fields);
    });
}

Result<void> LinuxDevice::apply(const Command& command, const Undo& undo)
{
    if (auto sound = check(command); !sound) {
        return sound;
    }
    if (undo.size != 0) {
        const auto fields = from_undo<UndoFields>(undo);
        if (!fields) {
            return tl::unexpected(fields.error());
        }
        usual_ = {};
        if (fields->has_pfc != 0) {
            usual_.pfc = Pfc{.enabled = fields->enabled};
        }
        if (fields->has_pause != 0) {
            usual_.pause = LinkPause{fields->autoneg != 0, fields->receives != 0, fields->sends != 0};
        }
    }
    muted_ = command.want == Treatment::mute_pause;
    auto wanted = usual_;
    if (muted_ && wanted.pfc) {
        wanted.pfc->enabled = 0;
    }
    if (muted_ && wanted.pause) {
        wanted.pause->sends = false;
    }
    checked_ = clock_.now().mono;
    return write(wanted);
}

// Writes only what differs: on some NICs each write interrupts the link. If one of the writes fails, the other is still
// done.
Result<void> LinuxDevice::write(const Settings& wanted)
{
    return read_settings().and_then([&](const Settings& now) {
        Result<void> written;
        if (wanted.pfc && now.pfc && wanted.pfc->enabled != now.pfc->enabled) {
            auto pfc = *now.pfc;
            pfc.enabled = wanted.pfc->enabled;
            written = kernel_->set_pfc(interface_, pfc);
        }
        if (wanted.pause && now.pause && *wanted.pause != *now.pause) {
            auto paused = kernel_->set_pause(interface_, *wanted.pause);
            written = written ? paused : written;
        }
        return written;
    });
}

Result<Treatment> LinuxDevice::read_back(const Target& target)
{
    return check(target).and_then([&] { return read_settings(); }).map([&](const Settings& now) {
        return shown_by(now);
    });
}

}  // namespace petrel::device::linux_nic
