// Records the counters of the twin's lossless switch queues at a fixed interval, as a trace that `petrel replay` reads.
#pragma once

#include <string>
#include <vector>

#include "twin/twin.hpp"

namespace petrel::lab {

class TraceRecorder {
public:
    // Records every `every` from now on. The object must not move and must outlive the runs of the twin.
    TraceRecorder(twin::Twin&, twin::Ps every);
    TraceRecorder(const TraceRecorder&) = delete;
    TraceRecorder& operator=(const TraceRecorder&) = delete;

    std::string csv() const;

private:
    struct Switch {
        twin::NodeId id;
        std::vector<std::string> looks;  // one for each interval
    };

    void look(Switch&, twin::Ps now);
    std::string rows(twin::NodeId, twin::Ps now) const;

    twin::Twin& twin_;
    twin::Ps every_;
    std::vector<Switch> switches_;
};

}  // namespace petrel::lab
