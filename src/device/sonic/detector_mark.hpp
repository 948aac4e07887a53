// A mark in STATE_DB names the agent that decides for a switch. Two detectors on the same databases would undo each
// other's work. A mark that is not renewed expires after 5 s. A mark whose process is dead is taken over at once.
#pragma once

#include <string>

#include "device/sonic/databases.hpp"

namespace petrel::device::sonic {

class DetectorMark {
public:
    DetectorMark();

    // Sets or renews the mark. Denied, with the name of the other agent, while another agent holds it.
    Result<void> hold(db::RedisStore&);
    Result<void> give_up(db::RedisStore&);
    bool held() const { return held_; }  // when it was last set, renewed or given up

private:
    std::string mine_;
    bool held_{};
};

}  // namespace petrel::device::sonic
