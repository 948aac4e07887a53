// What a poll reads through a library: the states of queues, in bulk if the library supports it, and the counters of
// ports, queues and priority groups. The constructor finds out what can be read by reading it. Later calls allocate
// nothing.
//
// Reading a queue's continuous state consumes it: this class is its only reader. A sample is stamped after its state
// has been read. If the call takes so long that the time of the read is uncertain, the sample proves no pause.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/sai/objects.hpp"

namespace petrel::device::sai {

// A row of the inventory as indices into the list of ports and into the port's queues.
struct RowPlace {
    std::uint16_t port{};
    std::uint16_t queue{};
};

class Reader {
public:
    // All references outlive this object; ports and rows do not change.
    Reader(const Library&, abi::ObjectId switch_id, std::span<const PortObjects>, std::span<const RowPlace>,
           const TimeSource&, Notes&);

    watchdog::Fields fields() const { return fields_; }

    struct Link {
        bool up{true};
        BitRate speed;
    };
    Link link(std::size_t port);

    // First read the states of all rows of a look, then fill the samples one by one (all but slot and epoch).
    void read_states(std::span<const Slot> rows);
    void fill(Slot row, watchdog::Sample&);

    // Why neither the state nor the counters of a row could be read for at least one second; empty if they could.
    std::string why_unreadable(Slot row) const;
    bool all_readable() const { return unreadable_ == 0; }

private:
    // Consecutive failed reads of one object.
    struct Failing {
        abi::Status status{abi::status::success};
        Instant since;
    };
    struct State {
        Instant read_at;
        watchdog::Fields known{};
        watchdog::PauseState pause_state{};
        bool paused_now{};
    };
    struct PortCounters {
        std::uint32_t look{};  // the look in which they were read
        bool known{};
        std::vector<std::uint64_t> values;  // for each queue of the port, one value per entry of port_fields_
    };
    struct Counter {
        watchdog::Field field{};
        abi::StatId id{};
    };

    void find_state_attributes(const QueueObjects&, abi::ObjectId switch_id);
    void find_link_attributes(const PortObjects&);
    void find_counters(const PortObjects&, const QueueObjects&);
    bool reads_in_bulk(const QueueObjects&) const;
    const QueueObjects& queue(Slot row) const { return ports_[rows_[row.value].port].queues[rows_[row.value].queue]; }
    void read_one(Slot row);
    void read_many(std::span<const Slot> rows);
    void take(Slot row, abi::Status, std::span<const abi::Attribute>, Instant before, Instant after);
    void read_port(std::size_t port);
    void follow_status(Failing&, abi::Status);
    std::string why_failing(const Failing&, std::string_view what) const;
    void put(watchdog::Field, std::uint64_t value, watchdog::Sample&);
    void note_slow(Duration, std::string_view what);

    const Library& library_;
    std::span<const PortObjects> ports_;
    std::span<const RowPlace> rows_;
    const TimeSource& clock_;
    Notes& notes_;

    watchdog::Fields fields_{};
    watchdog::Fields counted_{};  // the counters that were ever above zero
    std::vector<abi::AttrId> state_attributes_;
    std::vector<abi::AttrId> link_attributes_;
    std::vector<Counter> queue_counters_;
    std::vector<Counter> group_counters_;
    std::vector<watchdog::Field> port_fields_;
    std::vector<std::vector<abi::StatId>> port_ids_;  // by port, in the order of PortCounters::values
    bool bulk_{};

    std::uint32_t look_{};
    std::vector<State> states_;  // by row
    std::vector<PortCounters> port_counters_;
    std::vector<Failing> failing_rows_;
    std::vector<Failing> failing_ports_;
    std::size_t unreadable_{};  // number of rows and ports whose reads fail
    std::vector<abi::ObjectId> bulk_objects_;
    std::vector<std::uint32_t> bulk_counts_;
    std::vector<abi::Attribute> bulk_attributes_;
    std::vector<abi::Attribute*> bulk_lists_;
    std::vector<abi::Status> bulk_statuses_;
};

}  // namespace petrel::device::sai
