#include "twin_mpi/mpi_peers.hpp"

#include <mpi.h>

#include <algorithm>
#include <climits>

#include "base/assert.hpp"

namespace petrel::twin_mpi {

namespace {

constexpr int kFrames = 1;  // MPI tag of messages with frames

int bytes(std::size_t size)
{
    PETREL_ASSERT(size <= INT_MAX, "{} bytes are more than one message takes", size);
    return static_cast<int>(size);
}

}  // namespace

MpiPeers::MpiPeers(int& argc, char**& argv)
{
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);  // only one thread of the twin calls MPI
    int count = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count_ = static_cast<unsigned>(count);
    rank_ = static_cast<unsigned>(rank);
    sent_.resize(count_);
    received_.resize(count_);
}

MpiPeers::~MpiPeers() { MPI_Finalize(); }

// One small collective gives all processes the outlook and the number of frames to expect. Frames are sent directly to
// their receiver, so processes without a common link, or without traffic on it, exchange nothing else.
twin::Outlook MpiPeers::exchange(const twin::Outlook& ours, std::span<const std::vector<twin::BorderFrame>> outgoing,
                                 std::vector<twin::BorderFrame>& incoming)
{
    for (unsigned peer = 0; peer != count_; ++peer)
        sent_[peer] = {ours.earliest, ours.done ? 1U : 0U, outgoing[peer].size()};
    MPI_Alltoall(sent_.data(), sizeof(Announcement), MPI_BYTE, received_.data(), sizeof(Announcement), MPI_BYTE,
                 MPI_COMM_WORLD);

    twin::Outlook common{twin::kForever, true};
    std::size_t expected = 0;
    for (const Announcement& announcement : received_) {
        common.earliest = std::min(common.earliest, announcement.earliest);
        common.done = common.done && announcement.done != 0;
        expected += announcement.frames;
    }
    incoming.resize(expected);
    std::vector<MPI_Request> requests;
    twin::BorderFrame* place = incoming.data();
    for (unsigned peer = 0; peer != count_; ++peer) {
        if (const std::size_t frames = received_[peer].frames; frames != 0) {
            MPI_Irecv(place, bytes(frames * sizeof *place), MPI_BYTE, static_cast<int>(peer), kFrames, MPI_COMM_WORLD,
                      &requests.emplace_back());
            place += frames;
        }
        if (const auto& frames = outgoing[peer]; !frames.empty())
            MPI_Isend(frames.data(), bytes(frames.size() * sizeof frames.front()), MPI_BYTE, static_cast<int>(peer),
                      kFrames, MPI_COMM_WORLD, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return common;
}

std::vector<std::string> MpiPeers::gather(std::string_view ours)
{
    const int size = bytes(ours.size());
    std::vector<int> sizes(count_);
    MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> starts(count_);
    std::size_t total = 0;
    for (unsigned peer = 0; peer != count_; ++peer) {
        starts[peer] = bytes(total);
        total += static_cast<std::size_t>(sizes[peer]);
    }
    std::string together(total, '\0');
    MPI_Allgatherv(ours.data(), size, MPI_BYTE, together.data(), sizes.data(), starts.data(), MPI_BYTE, MPI_COMM_WORLD);
    std::vector<std::string> all;
    for (unsigned peer = 0; peer != count_; ++peer)
        all.push_back(together.substr(static_cast<std::size_t>(starts[peer]), static_cast<std::size_t>(sizes[peer])));
    return all;
}

}  // namespace petrel::twin_mpi
