// The buffer pools and profiles that the priority groups and queues of the ports use. SAI has no list of them and no
// names: they are called profile0, profile1, ... and pool0, pool1, ... in the order in which they are found. A name
// belongs to its object until the device is closed. The profiles of `drop` (empty_buffers.hpp) are left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/buffers.hpp"
#include "device/sai/treater.hpp"

namespace petrel::device::sai {

class BufferObjects {
public:
    // Library, ports and treater outlive this object.
    BufferObjects(const Library& library, std::span<const PortObjects> ports, const Treater& treater)
        : library_(library), ports_(ports), treater_(treater)
    {}

    Buffers read();

    // Fails, too, if the library then shows another value.
    Result<void> set_dynamic_threshold(const std::string& name, int exponent);

private:
    void find();
    void add(abi::ObjectId profile);
    BufferProfile profile(std::size_t number);
    BufferPool pool(std::size_t number) const;
    std::string pool_name(abi::ObjectId pool);

    const Library& library_;
    std::span<const PortObjects> ports_;
    const Treater& treater_;
    std::vector<abi::ObjectId> profiles_;  // by number
    std::vector<abi::ObjectId> pools_;     // by number
};

}  // namespace petrel::device::sai
