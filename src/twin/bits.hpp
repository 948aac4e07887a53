// Small masks: a bit for each queue, priority or port.
#pragma once

#include <bit>
#include <cstdint>

namespace petrel::twin {

constexpr std::uint8_t mask_of(std::uint8_t index) { return static_cast<std::uint8_t>(1U << index); }

template <class Mask, class Visit>
void for_each_bit(Mask mask, Visit visit)
{
    for (; mask != 0; mask &= static_cast<Mask>(mask - 1))
        visit(static_cast<std::uint8_t>(std::countr_zero(mask)));
}

}  // namespace petrel::twin
