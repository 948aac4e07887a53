// Who decides for a switch: a mark in STATE_DB. Two detectors on the same databases would undo each other's work, and
// neither would see why. A mark that is not renewed expires; one whose process is seen to be dead is taken over at
// once.
#pragma once

#include <string>

#include "device/sonic/databases.hpp"

namespace petrel::device::sonic {

class DetectorMark {
public:
    DetectorMark();

    // Ours from now on, or for longer. Denied, with the name of the other, while there is another one.
    Result<void> hold(db::RedisStore&);
    Result<void> give_up(db::RedisStore&);
    bool held() const { return held_; }  // as far as was seen

private:
    std::string mine_;
    bool held_{};
};

}  // namespace petrel::device::sonic
