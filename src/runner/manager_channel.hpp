// How reports reach the manager and its answers come back. In the service it sends HTTP requests, in the lab a
// simulated network loses, doubles and delays them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/time.hpp"

namespace petrel::runner {

struct ManagerAnswer {
    static constexpr int kGood = 200;

    int status{};  // of HTTP; 0: there is no answer
    std::string body;
    std::string why;  // there is no answer
    std::optional<Duration> retry_after;

    bool good() const { return status == kGood; }
};

// Contract: all calls are made in the loop, and the answer arrives there, never inside the call. One request at a time.
// The destructor drops the answer of the request under way.
class ManagerChannel {
public:
    using Then = std::function<void(const ManagerAnswer&)>;

    virtual ~ManagerChannel() = default;

    virtual void send(std::string report, Then) = 0;
    virtual void cancel() = 0;  // the request under way ends soon, without an answer
};

}  // namespace petrel::runner
