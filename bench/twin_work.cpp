#include "twin_work.hpp"

#include <fstream>

#include "base/assert.hpp"
#include "topology/generators.hpp"

namespace petrel::bench {

namespace {

// One line per flow: source, destination, packets.
TwinWork from_file(std::string name)
{
    std::ifstream file{PETREL_BENCH_WORK "/" + name + ".flows"};
    TwinWork work{std::move(name), 8, {}};
    std::uint32_t src = 0;
    std::uint32_t dst = 0;
    std::uint64_t packets = 0;
    while (file >> src >> dst >> packets)
        work.flows.push_back({.src = twin::NodeId{src}, .dst = twin::NodeId{dst}, .packets = packets});
    PETREL_ASSERT(file.eof() && !work.flows.empty(), "no flows in {}", PETREL_BENCH_WORK);
    return work;
}

}  // namespace

TwinWork perm128() { return from_file("perm128"); }
TwinWork incast64() { return from_file("incast64"); }

TwinWork perm1024()
{
    constexpr std::uint32_t kHosts = 1024;
    TwinWork work{"perm1024", 16, {}};
    for (std::uint32_t host = 0; host != kHosts; ++host) {
        const std::uint32_t to = (5 * host + kHosts / 2 + 7) % kHosts;  // all different, and no host sends to itself
        work.flows.push_back({.src = twin::NodeId{host}, .dst = twin::NodeId{to}, .packets = 1000});
    }
    return work;
}

TwinWork frozen()
{
    TwinWork work = incast64();
    work.name = "frozen";
    work.frozen = true;
    return work;
}

twin::Setup setup_of(const TwinWork& work, unsigned threads)
{
    const topology::LinkShape links{BitRate{100'000'000'000}, topology::Delay{1'000'000}};
    twin::Setup setup;
    setup.topology = topology::fat_tree(work.k, links, links).value();
    setup.flows = work.flows;
    setup.overhead_bytes = 0;
    setup.threads = threads;
    auto& profile = setup.switch_profiles.front();
    profile.buffer_bytes = std::uint64_t{12} << 20U;
    for (auto& group : profile.groups)
        group.reserved_bytes = 0;
    profile.groups[3] = {.lossless = true,
                         .reserved_bytes = 4096,
                         .limit = {.alpha_exponent = -3},
                         .headroom_bytes = 37'500,
                         .xon_offset_bytes = 3072};
    return setup;
}

}  // namespace petrel::bench
