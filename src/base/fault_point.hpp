// Places in product code that may misbehave within their contract: late, early, in parts, in another order. The swarm
// decides from its seed which of them do. Without PETREL_FAULT_POINTS, as in every build that ships, nothing of this is
// compiled. It is the only code for tests below src/.
//
//   if (PETREL_FAULT_POINT(8)) {         // true once in eight times, in a run of the swarm
//   PETREL_FAULT_POINTS_FROM(seed);      // from here to the end of the block, in this thread
#pragma once

#ifdef PETREL_FAULT_POINTS

#include <cstdint>

namespace petrel::fault_points {

class Source {
public:
    explicit Source(std::uint64_t seed) : state_(seed), outer_(current) { current = this; }
    ~Source() { current = outer_; }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;

    static bool fires(std::uint64_t once_in) { return current != nullptr && current->next() % once_in == 0; }

private:
    // SplitMix64.
    std::uint64_t next()
    {
        state_ += 0x9e3779b97f4a7c15ULL;
        auto z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31U);
    }

    static inline thread_local Source* current = nullptr;  // none: no fault point of this thread fires

    std::uint64_t state_;
    Source* outer_;
};

}  // namespace petrel::fault_points

#define PETREL_FAULT_POINT(once_in) ::petrel::fault_points::Source::fires(once_in)
#define PETREL_FAULT_POINTS_FROM(seed)                                                                                 \
    const ::petrel::fault_points::Source petrel_fault_points { seed }

#else

#define PETREL_FAULT_POINT(once_in) false
#define PETREL_FAULT_POINTS_FROM(seed) static_cast<void>(seed)

#endif
