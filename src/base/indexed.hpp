// Vectors and spans whose index is an Id (ids.hpp): an Id of another kind does not compile.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace petrel {

template <class Index, class T>
class IndexedVector {
public:
    explicit IndexedVector(std::size_t size) : items_(size) {}

    typename std::vector<T>::reference operator[](Index i) { return items_[i.value]; }
    typename std::vector<T>::const_reference operator[](Index i) const { return items_[i.value]; }
    std::size_t size() const { return items_.size(); }

private:
    std::vector<T> items_;
};

// A span also accepts a plain number, for loops over all its elements.
template <class Index, class T>
class IndexedSpan : public std::span<T> {
public:
    using std::span<T>::span;
    IndexedSpan(std::span<T> items) : std::span<T>(items) {}

    using std::span<T>::operator[];
    T& operator[](Index i) const { return (*this)[i.value]; }
};

}  // namespace petrel
