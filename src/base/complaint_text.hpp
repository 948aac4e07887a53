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
// anything allowed is a plain sentence. The text may end up on a terminal: it is escaped(), and a value is an
// excerpt().
std::string to_text(const Complaint&);

std::string to_text(std::span<const Complaint>, std::string_view between);

// All of them as one error, a line each.
template <class T>
Result<T> in_one(Parsed<T> parsed)
{
    return std::move(parsed).map_error(
        [](const std::vector<Complaint>& all) { return Error{ErrorKind::invalid, to_text(all, "\n")}; });
}

// Whether a text can be shown on a terminal as it is: UTF-8 without control characters (of ASCII or Latin-1), line
// separators and changes of the writing direction.
bool printable(std::string_view);

// The text with every byte that is not printable() as \xNN.
std::string escaped(std::string_view);

// A line of JSON with every character that is not printable() as \uNNNN. It has to be UTF-8.
std::string json_escaped(std::string_view json);

// A text of at most `most` bytes as it is; a longer one is cut there: "abc… and 212 more bytes".
std::string shortened(std::string_view, std::size_t most);
// The same where only the beginning is at hand: `whole` is the size of all of it.
std::string cut_text(std::string_view begin, std::size_t whole);

// A value from outside as part of a message: escaped, and no longer than a reader needs to recognise it.
inline constexpr std::size_t kLongestExcerpt = 256;
std::string excerpt(std::string_view);

// The candidate that `word` was probably meant to be; empty if none is close.
std::string nearest(std::string_view word, std::span<const std::string_view> candidates);

// What to allow instead of an unknown word: the nearest one or, if none is close, all of them (up to a point).
std::string instead_of(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace petrel
