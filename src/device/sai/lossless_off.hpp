// Lossless mode off for a whole port: PFC is off in both directions, and the queues and priority groups of the port's
// lossless priorities drop.
//
//   PFC masks | queues of lossless priorities | shows as
//   any       | none treated                  | none, or ignore_pause while this process is not done with the port
//   zero      | all in drop                   | lossless_off
//   otherwise                                 | ignore_pause: half done, or half undone
//
// The mask of received pause is written first and restored last. So a process that dies in between leaves treated
// queues only on ports whose mask is zero, where the next process takes them for a part of lossless_off. If it dies
// before it treats the first queue, the port looks like one without PFC, and the journal has the mask. Queues of a port
// without PFC are not treated, because they are never paused.
//
// While the port is treated, treatments of its queues wait: they take effect when lossless mode is back.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>

#include "device/sai/treater.hpp"

namespace petrel::device::sai {

// All settings that lossless_off writes. The values from before are the Undo.
struct PortSettings {
    std::uint8_t pfc{};     // the mask of received pause, or of both directions
    std::uint8_t pfc_tx{};  // the mask of sent pause; equal to `pfc` if the port has one mask
    std::uint8_t unused[6]{};
    std::array<QueueSettings, kPriorities> queues{};  // by priority

    std::uint8_t lossless() const { return pfc | pfc_tx; }
};

class LosslessOff {
public:
    // Finds the ports that an earlier process has left treated. Library, ports and treater outlive this object.
    LosslessOff(const Library&, std::span<PortObjects>, Treater&);

    bool possible() const { return possible_ && has(treater_.treatments(), watchdog::Treatment::drop); }
    bool treats(const PortObjects& port) const { return treated_.contains(port.port); }

    // The priorities whose pause the port honours and sends, or honours if it sends none, as the library shows them
    // now. Of a treated port or queue: those of before. All priorities if the library does not show the masks.
    std::uint8_t lossless(const PortObjects&) const;

    // Other software may change the mask of an untreated port. A queue that it masks out is not treated.
    void follow_mask(PortObjects&) const;

    Result<PortSettings> before(const PortObjects&);
    Result<void> switch_off(PortObjects&, const PortSettings& before);
    Result<void> restore(PortObjects&, const PortSettings& before);
    Result<watchdog::Treatment> shown(const PortObjects&);
    PortSettings usual(const PortObjects&) const;

    // For a queue of a treated port: remembers the treatment that the queue has after the port is restored.
    void postpone(const PortObjects&, const QueueObjects&, watchdog::Treatment want, const QueueSettings& before);
    watchdog::Treatment postponed(const PortObjects&, const QueueObjects&) const;

private:
    struct Own {
        watchdog::Treatment want{};
        QueueSettings before;
    };
    struct Treated {
        std::uint8_t lossless{};            // its lossless priorities; 0 = not known: those whose queues are treated
        std::map<std::uint8_t, Own> own{};  // treatments of its queues, by priority
        bool under_way{};                   // this process has written to the port
    };
    struct Treatments {  // priorities
        std::uint8_t any{};
        std::uint8_t drop{};
    };
    struct Masks {
        std::uint8_t received{};
        std::uint8_t sent{};
    };

    Result<Masks> masks(const PortObjects&) const;
    Result<std::uint8_t> mask(const PortObjects&, abi::AttrId) const;
    Result<void> set_mask(const PortObjects&, abi::AttrId, std::uint8_t) const;
    Result<void> try_to_switch_off(const PortObjects&, const PortSettings& before);
    Result<void> restore_queues(const PortObjects&, const PortSettings& before, const Treated&);
    Result<void> note_own_treatments(const PortObjects&, const PortSettings& before, Treated&);
    Treatments treatments_of_queues(const PortObjects&);
    std::uint8_t usual_mask() const;

    const Library& library_;
    std::span<PortObjects> ports_;
    Treater& treater_;
    bool possible_{};
    std::map<abi::ObjectId, Treated> treated_;  // by port
};

}  // namespace petrel::device::sai
