// Random choices that depend on the seed alone. The distributions of the standard library differ between
// implementations, so they are not used.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>

namespace petrel::swarm {

class Chance {
public:
    explicit Chance(std::uint64_t seed) : random_(seed) {}

    std::int64_t between(std::int64_t least, std::int64_t most)  // both included
    {
        return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
    }
    bool percent(int share) { return between(0, 99) < share; }

    template <class T>
    T pick(std::initializer_list<T> choices)
    {
        return choices.begin()[between(0, static_cast<std::int64_t>(choices.size()) - 1)];
    }

private:
    std::mt19937_64 random_;
};

}  // namespace petrel::swarm
