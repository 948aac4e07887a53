// The buffer pools and profiles that the priority groups and queues of the ports use. SAI has no list of them and no
// names: they are called profile0, profile1, ... and pool0, pool1, ... in the order in which they are found. A name
// belongs to its object until the device is closed, also when ports come and go. Left out are the profiles of `drop`
// (empty_buffers.hpp), and those that the library does not have any more.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/buffers.hpp"
#include "device/sai/treater.hpp"

namespace petrel::device::sai {

// The objects that were found so far; the number of a name is the index.
struct NamedBuffers {
    std::vector<abi::ObjectId> profiles;
    std::vector<abi::ObjectId> pools;
};

class BufferObjects {
public:
    // All references outlive this object; ports do not change.
    BufferObjects(const Library& library, std::span<const PortObjects> ports, const Treater& treater,
                  NamedBuffers& named)
        : library_(library), ports_(ports), treater_(treater), profiles_(named.profiles), pools_(named.pools)
    {}

    Buffers read();

    // Fails, too, if the library then shows another value.
    Result<void> set_dynamic_threshold(const std::string& name, int exponent);

private:
    void find();
    void add(abi::ObjectId profile);
    bool exists(std::size_t number) const;
    BufferProfile profile(std::size_t number);
    BufferPool pool(std::size_t number) const;
    std::string pool_name(abi::ObjectId pool);

    const Library& library_;
    std::span<const PortObjects> ports_;
    const Treater& treater_;
    std::vector<abi::ObjectId>& profiles_;
    std::vector<abi::ObjectId>& pools_;
};

}  // namespace petrel::device::sai
