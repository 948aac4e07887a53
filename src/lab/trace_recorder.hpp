// Records what the switches of a twin could tell about their lossless queues, at a steady pace, as a trace that
// `petrel replay` reads: a run of the lab becomes a recording like any other.
#pragma once

#include <string>
#include <vector>

#include "twin/twin.hpp"

namespace petrel::lab {

class TraceRecorder {
public:
    // From now on, every so often. Stays where it is made and outlives the runs of the twin.
    TraceRecorder(twin::Twin&, twin::Ps every);
    TraceRecorder(const TraceRecorder&) = delete;
    TraceRecorder& operator=(const TraceRecorder&) = delete;

    std::string csv() const;

private:
    struct Switch {
        twin::NodeId id;
        std::vector<std::string> looks;  // by their number: one each period
    };

    void look(Switch&, twin::Ps now);
    std::string rows(twin::NodeId, twin::Ps now) const;

    twin::Twin& twin_;
    twin::Ps every_;
    std::vector<Switch> switches_;
};

}  // namespace petrel::lab
