// The requests of operators and agents about commands: takes orders, holds the requests of agents until there is a
// command, and answers only with what is stored. All calls are made in the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "codec/manager/fleet_json.hpp"
#include "fleet/command.hpp"
#include "http/exchange.hpp"
#include "manager/manager.hpp"

namespace petrel::api {

class CommandDesk {
public:
    // `store`: commits soon, then calls stored() or not_stored().
    CommandDesk(manager::Manager& manager, std::vector<fleet::AgentPlace> places, std::function<void()> store)
        : manager_(manager), places_(std::move(places)), store_(std::move(store))
    {}

    void order(const fleet::Order&, const std::string& by, Now, http::Reply);
    void poll(const std::string& agent, const codec::CommandPoll&, Now, http::Reply);
    void tick(Now);  // once a second

    void stored(Now);
    void not_stored(const Error&);
    void end(const Error&);  // this manager leads no more

private:
    struct Ordered {
        std::uint64_t id{};
        http::Reply reply;
    };
    struct Poll {
        http::Reply reply;
        Instant since;
        Instant until;
        bool has_results{};  // they are not stored yet
    };

    void advance(Now);

    manager::Manager& manager_;
    std::vector<fleet::AgentPlace> places_;
    std::function<void()> store_;
    std::vector<Ordered> ordered_;
    std::map<std::string, Poll> polls_;  // by agent
};

}  // namespace petrel::api
