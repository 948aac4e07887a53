// Buffer profiles without room, for the treatment `drop`: a priority group that has one takes nothing in and pauses no
// neighbour. Such a profile and its pool of size zero exist only while a group uses them. On hardware that outlives the
// process, a killed agent therefore leaves objects behind only at groups in `drop`, where the next agent finds them.
//
// The tables are small (some switches have four pools), and other software may have made profiles without room. So an
// object is removed only if this process has created it or has adopted it by all its attributes.
#pragma once

#include <map>
#include <set>

#include "device/sai/library.hpp"

namespace petrel::device::sai {

class EmptyBuffers {
public:
    // Library and notes outlive it.
    EmptyBuffers(const Library& library, abi::ObjectId switch_id, Notes& notes)
        : library_(library), switch_id_(switch_id), notes_(notes)
    {}
    ~EmptyBuffers() { remove_unused(); }
    EmptyBuffers(const EmptyBuffers&) = delete;
    EmptyBuffers& operator=(const EmptyBuffers&) = delete;

    // The profile of a queue in `drop`: from an earlier process of ours, if it has exactly the attributes that ours
    // have.
    void adopt(abi::ObjectId profile);

    // Whether one can be had: one is adopted, or one is created and removed again. If not, a note says why.
    bool available();

    // One to give to a group that has `now`.
    Result<abi::ObjectId> get(abi::ObjectId now);

    // A group has got another profile. What no group uses any more is removed.
    void changed(abi::ObjectId group, abi::ObjectId profile);

    void remove_unused();

    bool ours(abi::ObjectId profile) const { return own_.contains(profile); }

private:
    struct Own {
        abi::ObjectId pool{};
        std::set<abi::ObjectId> groups{};  // that use it
    };

    Result<abi::ObjectId> create();
    bool remove(abi::ObjectId profile, abi::ObjectId pool);

    const Library& library_;
    abi::ObjectId switch_id_;
    Notes& notes_;
    std::map<abi::ObjectId, Own> own_;  // by profile
};

}  // namespace petrel::device::sai
