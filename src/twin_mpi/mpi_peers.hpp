// The processes of one mpirun as peers of a twin. The only code that uses MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "twin/peers.hpp"

namespace petrel::twin_mpi {

// The process takes part in the MPI run while this object exists; create only one per process. MPI ends all processes
// if one of them fails, so the functions return no errors.
class MpiPeers final : public twin::Peers {
public:
    MpiPeers(int& argc, char**& argv);
    ~MpiPeers() override;
    MpiPeers(const MpiPeers&) = delete;
    MpiPeers& operator=(const MpiPeers&) = delete;

    unsigned count() const override { return count_; }
    unsigned rank() const override { return rank_; }
    twin::Outlook exchange(const twin::Outlook& ours, std::span<const std::vector<twin::BorderFrame>> outgoing,
                           std::vector<twin::BorderFrame>& incoming) override;
    std::vector<std::string> gather(std::string_view ours) override;

private:
    // The message that a process sends to each other process before the frames.
    struct Announcement {
        twin::Ps earliest;
        std::uint64_t done;
        std::uint64_t frames;
    };

    unsigned count_{};
    unsigned rank_{};
    std::vector<Announcement> sent_;      // one for each process
    std::vector<Announcement> received_;  // one from each process
};

}  // namespace petrel::twin_mpi
