// A packet-level twin of a lossless fabric. Give it a topology, profiles and flows; it runs them in simulated time, to
// the same result to the bit whatever the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "topology/topology.hpp"
#include "twin/config.hpp"
#include "twin/drops.hpp"

namespace petrel::twin {

struct Setup {
    topology::Topology topology;
    std::vector<SwitchProfile> switch_profiles{1};
    std::vector<NicProfile> nic_profiles{1};
    std::vector<std::uint16_t> profile_of;  // by node, into the list of its kind; missing = 0
    std::vector<Flow> flows;
    Dcqcn dcqcn;
    std::uint32_t overhead_bytes{20};  // preamble and gap of every frame
    std::uint64_t seed{1};
    unsigned threads{1};
    Ps window{kForever};  // for tests: results do not depend on it
};

struct Totals {
    std::uint64_t packet_hops{};  // frames delivered over a link: data, ACK, PFC
    std::uint64_t events{};
    std::uint64_t windows{};
    std::uint64_t injected{};   // frames hosts sent (pause frames are the link's own and not counted)
    std::uint64_t delivered{};  // frames hosts took
    std::uint64_t in_flight{};  // on links, in queues, in port buffers
    DropCounts drops;
    Ps last_ack{};
    std::uint64_t digest{};
};

class Twin {
public:
    static Result<std::unique_ptr<Twin>> build(Setup);
    ~Twin();

    void run_until(Ps end);
    void run_until_flows_finish(Ps limit);
    Ps now() const;

    Totals totals() const;  // asserts that no frame was lost sight of

private:
    struct Parts;
    explicit Twin(std::unique_ptr<Parts>);
    std::unique_ptr<Parts> parts_;
};

}  // namespace petrel::twin
