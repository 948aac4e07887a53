// The treatments of a queue through a library, and how they are recognised.
//
//   recovery (PFC_DLR_INIT) | packet action | group's buffers | shows as
//   off                     | any           | its own         | none, or ignore_pause if its pause is masked out
//   on                      | forward       | any             | ignore_pause
//   on                      | drop          | its own         | drop_egress
//   on                      | drop          | none at all     | drop
//   off                     | any           | none at all     | ignore_pause: half done, or half undone
//
// The packet action belongs to the queue, or to the switch if queues have none; then it is the same for all queues. If
// there is no recovery, or it has no effect, only the port's PFC mask is left, which can only forward. Group's buffers
// "none at all" means a zero-size profile (empty_buffers.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "device/device.hpp"
#include "device/sai/empty_buffers.hpp"
#include "device/sai/objects.hpp"

namespace petrel::device::sai {

// All settings that a treatment writes. The values from before are the Undo.
struct QueueSettings {
    abi::ObjectId group_profile{};
    std::int32_t action{};
    std::uint8_t recovering{};
    std::uint8_t honours_pause{};
    std::uint8_t unused[2]{};
    bool operator==(const QueueSettings&) const = default;
};

class Treater {
public:
    // Tests which settings the first queue accepts; all queues are alike. Library, ports and notes outlive this object.
    Treater(const Library&, abi::ObjectId switch_id, std::span<const PortObjects>, Notes&);

    watchdog::Treatments treatments() const;
    bool recovers() const { return recovers_; }  // received pause is still seen during a treatment

    Result<QueueSettings> read(const PortObjects&, const QueueObjects&);
    Result<void> write(const PortObjects&, const QueueObjects&, watchdog::Treatment want, const QueueSettings& before);
    watchdog::Treatment shown_by(const PortObjects&, const QueueObjects&, const QueueSettings&);
    QueueSettings usual(const PortObjects&, const QueueObjects&) const;
    // The priorities of the port whose pause this process has masked out.
    std::uint8_t masked_out(const PortObjects& port) const
    {
        const auto at = masked_out_.find(port.port);
        return at == masked_out_.end() ? std::uint8_t{0} : at->second;
    }
    bool owns_profile(abi::ObjectId profile) const { return empty_buffers_.ours(profile); }

    // Sets what a recovery does that the library starts by itself. If the packet action belongs to the switch, all
    // recoveries do the same, and no treatment may change it while they run.
    Result<void> delegate_recovery(const QueueObjects&, watchdog::Treatment);
    void forget_own_recoveries() { own_action_.reset(); }

private:
    enum class ActionOf : std::uint8_t { none, whole_switch, queue };

    bool takes(const Objects&, abi::ObjectId, abi::AttrId, const abi::Value& fallback) const;
    void find_recovery(const QueueObjects&);
    void find_mask(const PortObjects&);
    bool all_have_groups() const;
    void learn_profiles();
    void adopt_buffers(std::span<const std::pair<const PortObjects*, const QueueObjects*>> without_room);
    bool is_empty(abi::ObjectId profile);
    abi::ObjectId known_or_usual(abi::ObjectId profile, Priority) const;

    QueueSettings wanted(const QueueObjects&, watchdog::Treatment, const QueueSettings& before) const;
    Result<void> write(const PortObjects&, const QueueObjects&, const QueueSettings& now, const QueueSettings& set);
    Result<void> set_action(const QueueObjects&, std::int32_t action);
    Result<void> set_recovery(const QueueObjects&, bool on);
    Result<void> set_group(const QueueObjects&, abi::ObjectId profile);
    Result<void> set_honours_pause(const PortObjects&, const QueueObjects&, bool on);
    std::size_t others_recovering(const QueueObjects&) const;
    bool forwards_by_recovery() const { return recovers_ && action_of_ != ActionOf::none; }

    const Library& library_;
    abi::ObjectId switch_id_;
    std::span<const PortObjects> ports_;
    Notes& notes_;
    bool recovers_{};
    bool masks_{};
    ActionOf action_of_{};
    std::optional<std::int32_t> own_action_;  // the action of recoveries that the library starts
    EmptyBuffers empty_buffers_;
    bool drops_at_ingress_{};                 // zero-size profiles are available
    std::map<abi::ObjectId, bool> profiles_;  // of other software, seen so far: whether the pool has size zero
    std::map<std::uint8_t, abi::ObjectId> usual_profile_;  // by priority
    std::map<abi::ObjectId, std::uint8_t> masked_out_;     // by port
};

}  // namespace petrel::device::sai
