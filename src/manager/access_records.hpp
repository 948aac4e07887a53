// What the manager stores about the certificates of agents.
#pragma once

#include <string>

#include "base/time.hpp"

namespace petrel::manager {

// Permission to get one certificate for an agent, with a token of which only the digest is known. It is used up by the
// first key: that key may ask again, because the answer may have been lost.
struct Invitation {
    std::string digest;
    std::string agent;
    WallTime until;
    std::string key;  // digest of the key that used it; empty: none
    bool operator==(const Invitation&) const = default;
};

// Certificates of the agent that begin no later than this are refused.
struct Revocation {
    std::string agent;
    WallTime at;
    bool operator==(const Revocation&) const = default;
};

}  // namespace petrel::manager
