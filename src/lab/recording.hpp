// A run as curves, for reports: at a fixed interval it records what the switches' lossless queues, the links, the
// traffic and the tiers of the fabric did since the last time. It only reads, so it does not change the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/experiment.hpp"

namespace petrel::lab {

// Everything below has one value for each interval of the recording.

struct QueueTrack {
    topology::End port;
    std::uint8_t priority{};
    std::vector<twin::Ps> paused;
    std::vector<std::uint32_t> bytes;  // waiting at the interval's end
};

struct LinkTrack {  // one direction of a link
    topology::End from;
    topology::End to;
    std::vector<twin::Ps> paused;  // time in which `from` might not send; the worst of its priorities
};

struct TrafficTrack {
    std::string name;
    std::vector<std::uint64_t> sent_bytes;  // without retransmissions
    std::vector<std::uint64_t> delivered_bytes;
};

struct TierTrack {
    std::uint8_t tier{};  // 0 = hosts
    std::uint32_t nodes{};
    std::vector<std::uint32_t> held;      // nodes with a queue that was paused throughout the interval
    std::vector<std::uint32_t> standing;  // those of them that had something to send and sent nothing at all
};

struct RecordedRun {
    std::vector<twin::Ps> times;     // the ends of the intervals; the first begins with the run
    std::vector<QueueTrack> queues;  // that were paused or had events; those with events first, then the most paused
    std::size_t queues_left_out{};
    std::vector<LinkTrack> links;  // that were paused, the most paused first
    std::size_t links_left_out{};
    std::vector<TrafficTrack> traffic;
    std::vector<twin::DropCounts> drops;
    std::vector<TierTrack> tiers;

    twin::Ps interval(std::size_t i) const { return times[i] - (i == 0 ? 0 : times[i - 1]); }
};

class Recording {
public:
    // Must be made before the experiment runs. The experiment must outlive the recording. A fabric with very many
    // queues is recorded less often.
    Recording(Experiment&, twin::Ps end, std::uint32_t samples = 200);
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    RecordedRun take() const;

private:
    // The sending side of a port, for one priority.
    struct Row {
        topology::End port;
        std::uint8_t priority{};
        twin::Ps paused_for{};  // up to the last look
        std::vector<twin::Ps> paused;
        std::vector<std::uint32_t> bytes;
    };
    struct Sending {  // of a node, at the last look
        std::uint64_t sent{};
        bool had_work{};
    };

    void add_rows(const topology::End& port, std::uint8_t priorities);
    void look();
    void look_at_rows();
    void look_at_traffic();
    void look_at_nodes();
    std::vector<Sending> sending() const;
    std::vector<LinkTrack> link_tracks() const;

    Experiment& experiment_;
    std::vector<Row> rows_;
    std::vector<Sending> sending_;
    std::vector<std::uint64_t> sent_;  // by flow, the maximum of all looks: after a loss, a flow's count goes back
    std::vector<std::uint64_t> delivered_;
    twin::DropCounts dropped_;
    RecordedRun run_;
};

}  // namespace petrel::lab
