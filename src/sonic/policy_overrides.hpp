// The ports whose policy is in the agent's file and not in PFC_WD, with that policy as text. The agent keeps them in
// STATE_DB while it runs; pfcwd shows them below its table.
#pragma once

#include "sonic/store.hpp"

namespace petrel::sonic {

inline const std::string kOverridesKey = "PETREL_PFC_WD|policies";

class PolicyOverrides {
public:
    void set(const Hash& by_port)
    {
        written_ = written_ && by_port == by_port_;
        by_port_ = by_port;
    }
    void start_over() { written_ = false; }  // the database may be older than what was written
    Result<void> write(Store&);
    Result<void> retire(Store&);  // the agent stops

private:
    Hash by_port_;
    bool written_{};
};

}  // namespace petrel::sonic
