// How a complaint reads, and what to suggest for a misspelt word: shared by every reader of outside text and the
// command line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace petrel {

// "trace.csv:3:12: value '9': allowed 0..7 or empty". Parts that are zero or empty are left out; a value without
// anything allowed is a plain sentence. Control characters are shown as \xNN: the text may end up on a terminal.
std::string to_text(const Complaint&);

std::string to_text(std::span<const Complaint>, std::string_view between);

// All of them as one error, a line each.
template <class T>
Result<T> in_one(Parsed<T> parsed)
{
    return std::move(parsed).map_error(
        [](const std::vector<Complaint>& all) { return Error{ErrorKind::invalid, to_text(all, "\n")}; });
}

// Control characters as \xNN.
std::string escaped(std::string_view);

// Whether a text can be shown on a terminal as it is: no control characters, of ASCII or (as UTF-8) of Latin-1.
bool printable(std::string_view);

// The candidate that `word` was probably meant to be; empty if none is close.
std::string nearest(std::string_view word, std::span<const std::string_view> candidates);

// What to allow instead of an unknown word: the nearest one or, if none is close, all of them (up to a point).
std::string instead_of(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace petrel
