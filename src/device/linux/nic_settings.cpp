#include "device/linux/nic_settings.hpp"

#include <fmt/format.h>

#include "device/undo_fields.hpp"

namespace petrel::device::linux_nic {

using watchdog::Treatment;

namespace {

struct UndoFields {
    std::uint8_t has_pfc{};
    std::uint8_t pfc{};
    std::uint8_t muted{};
    std::uint8_t has_pause{};
    std::uint8_t autoneg{};
    std::uint8_t receives{};
    std::uint8_t sends{};
    std::uint8_t enabled{};
    std::uint8_t closes{};
};

template <class T>
Result<std::optional<T>> if_supported(const Result<T>& read)
{
    if (!read && read.error().kind == ErrorKind::unsupported) {
        return std::optional<T>{};
    }
    return read.map([](const T& value) { return std::optional<T>{value}; });
}

Result<void> write_differences(Kernel& kernel, const std::string& interface, const NicSettings& now,
                               const NicSettings& wanted)
{
    Result<void> written;
    if (wanted.enabled != now.enabled) {
        written = kernel.set_enabled(interface, wanted.enabled);
    }
    if (written && wanted.pfc && now.pfc && wanted.pfc->enabled != now.pfc->enabled) {
        auto pfc = *now.pfc;
        pfc.enabled = wanted.pfc->enabled;
        written = kernel.set_pfc(interface, pfc);
    }
    if (written && wanted.pause && now.pause && *wanted.pause != *now.pause) {
        written = kernel.set_pause(interface, *wanted.pause);
    }
    return written;
}

std::string difference(const NicSettings& now, const NicSettings& wanted)
{
    if (wanted.enabled != now.enabled) {
        return fmt::format("the interface is still {}", now.enabled ? "up" : "down");
    }
    if (wanted.pfc && now.pfc && wanted.pfc->enabled != now.pfc->enabled) {
        return fmt::format("PFC is 0x{:02x} instead of 0x{:02x}", now.pfc->enabled, wanted.pfc->enabled);
    }
    if (wanted.pause && now.pause && wanted.pause->sends != now.pause->sends) {
        return fmt::format("pause of the link is still {}", now.pause->sends ? "on" : "off");
    }
    return {};
}

}  // namespace

Result<NicSettings> read_settings(Kernel& kernel, const std::string& interface)
{
    return kernel.link(interface).and_then([&](const LinkState& link) {
        return if_supported(kernel.pfc(interface)).and_then([&](const std::optional<Pfc>& pfc) {
            return if_supported(kernel.pause(interface)).map([&](const std::optional<LinkPause>& pause) {
                return NicSettings{pfc, pause, link.enabled};
            });
        });
    });
}

Result<void> write_settings(Kernel& kernel, const std::string& interface, const NicSettings& now,
                            const NicSettings& wanted)
{
    return write_differences(kernel, interface, now, wanted)
        .and_then([&] { return read_settings(kernel, interface); })
        .and_then([&](const NicSettings& shown) -> Result<void> {
            if (const auto ignored = difference(shown, wanted); !ignored.empty()) {
                return tl::unexpected(
                    Error{ErrorKind::unsupported, fmt::format("interface '{}': the driver reports success, but {}; its "
                                                              "firmware or another program may decide",
                                                              interface, ignored)});
            }
            return {};
        });
}

Undo NicTreatment::to_undo(Treatment want, std::uint8_t stuck) const
{
    UndoFields fields;
    if (usual_.pfc) {
        const auto on = static_cast<std::uint8_t>(usual_.pfc->enabled & stuck);
        fields.has_pfc = 1;
        fields.pfc = usual_.pfc->enabled;
        fields.muted = on != 0 ? on : 0xff;
    }
    if (usual_.pause) {
        fields.has_pause = 1;
        fields.autoneg = usual_.pause->autoneg ? 1 : 0;
        fields.receives = usual_.pause->receives ? 1 : 0;
        fields.sends = usual_.pause->sends ? 1 : 0;
    }
    fields.enabled = usual_.enabled ? 1 : 0;
    fields.closes = want == Treatment::port_down ? 1 : 0;
    return device::to_undo(fields);
}

Result<void> NicTreatment::command(Treatment want, const Undo& undo)
{
    if (undo.size != 0) {
        const auto fields = from_undo<UndoFields>(undo);
        if (!fields) {
            return tl::unexpected(fields.error());
        }
        usual_ = {};
        if (fields->has_pfc != 0) {
            usual_.pfc = Pfc{.enabled = fields->pfc};
        }
        if (fields->has_pause != 0) {
            usual_.pause = LinkPause{fields->autoneg != 0, fields->receives != 0, fields->sends != 0};
        }
        usual_.enabled = fields->enabled != 0;
        muted_ = fields->muted;
        closed_ = fields->closes != 0 || want_ == Treatment::port_down;
    }
    closed_ = closed_ || want == Treatment::port_down;
    want_ = want;
    return {};
}

NicSettings NicTreatment::wanted(const NicSettings& now) const
{
    auto wanted = now;
    if (want_ == Treatment::mute_pause && now.pfc) {
        wanted.pfc->enabled = static_cast<std::uint8_t>(now.pfc->enabled & ~muted_);
    }
    if (want_ == Treatment::mute_pause && now.pause) {
        wanted.pause->sends = false;
    }
    if (want_ == Treatment::none && usual_.pfc && now.pfc) {
        wanted.pfc->enabled = usual_.pfc->enabled;
    }
    if (want_ == Treatment::none && usual_.pause && now.pause) {
        wanted.pause = usual_.pause;
    }
    wanted.enabled = want_ != Treatment::port_down && (closed_ ? usual_.enabled : now.enabled);
    return wanted;
}

Treatment NicTreatment::shown_by(const NicSettings& now) const
{
    if (closed_ && usual_.enabled && !now.enabled) {
        return Treatment::port_down;
    }
    const auto mask = want_ == Treatment::mute_pause ? muted_ : std::uint8_t{0xff};
    const bool off = !(now.pfc && (now.pfc->enabled & mask) != 0) && !(now.pause && now.pause->sends);
    if (off && (want_ == Treatment::mute_pause || usual_.may_pause())) {
        return Treatment::mute_pause;
    }
    const bool pfc_off = usual_.pfc && now.pfc && (usual_.pfc->enabled & ~now.pfc->enabled & mask) != 0;
    const bool pause_off = usual_.pause && now.pause && usual_.pause->sends && !now.pause->sends;
    return pfc_off || pause_off ? Treatment::ignore_pause : Treatment::none;
}

}  // namespace petrel::device::linux_nic
