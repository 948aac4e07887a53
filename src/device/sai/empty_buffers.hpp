// Zero-size buffer profiles for the treatment `drop`: a priority group with such a profile accepts no packet and pauses
// no neighbour. The profile and its pool of size zero exist only while a group uses them. On hardware that outlives the
// process, a killed agent therefore leaves such objects behind only at groups in `drop`, where the next agent finds
// them.
//
// The hardware tables are small (some switches have four pools), and other software may create zero-size profiles, too.
// Therefore an object is removed only if this process created it, or adopted it because all its attributes match.
#pragma once

#include <map>
#include <set>

#include "device/sai/library.hpp"

namespace petrel::device::sai {

class EmptyBuffers {
public:
    // Library and notes outlive this object.
    EmptyBuffers(const Library& library, abi::ObjectId switch_id, Notes& notes)
        : library_(library), switch_id_(switch_id), notes_(notes)
    {}
    ~EmptyBuffers() { remove_unused(); }
    EmptyBuffers(const EmptyBuffers&) = delete;
    EmptyBuffers& operator=(const EmptyBuffers&) = delete;

    // Adopts the profile of a queue in `drop` that an earlier process of ours created, if all its attributes match.
    void adopt(abi::ObjectId profile);

    // Whether a zero-size profile can be used: one is adopted, or one is created and removed again. If not, adds a note
    // with the reason.
    bool available();

    // A zero-size profile for a group whose present profile is `now`.
    Result<abi::ObjectId> get(abi::ObjectId now);

    // Call after a group got another profile. Removes the profiles of ours that no group uses any more.
    void changed(abi::ObjectId group, abi::ObjectId profile);

    void remove_unused();

    bool ours(abi::ObjectId profile) const { return own_.contains(profile); }

private:
    struct Own {
        abi::ObjectId pool{};
        std::set<abi::ObjectId> groups{};  // the groups that use it
    };

    Result<abi::ObjectId> create();
    bool remove(abi::ObjectId profile, abi::ObjectId pool);

    const Library& library_;
    abi::ObjectId switch_id_;
    Notes& notes_;
    std::map<abi::ObjectId, Own> own_;  // by profile
};

}  // namespace petrel::device::sai
