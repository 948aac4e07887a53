// Register fields as an Undo, and back: for adapters whose Undo is a plain struct of integers.
#pragma once

#include <cstring>
#include <type_traits>

#include "device/device.hpp"

namespace petrel::device {

template <class Fields>
Undo to_undo(const Fields& fields)
{
    static_assert(std::is_trivially_copyable_v<Fields> && sizeof(Fields) <= sizeof(Undo::bytes));
    Undo undo;
    undo.size = sizeof(Fields);
    std::memcpy(undo.bytes.data(), &fields, sizeof(Fields));
    return undo;
}

template <class Fields>
Result<Fields> from_undo(const Undo& undo)
{
    if (undo.size != sizeof(Fields)) {
        return tl::unexpected(Error{ErrorKind::corrupt, "the overwritten values are unknown: the journal's entry is of "
                                                        "another kind"});
    }
    Fields fields;
    std::memcpy(&fields, undo.bytes.data(), sizeof(Fields));
    return fields;
}

}  // namespace petrel::device
