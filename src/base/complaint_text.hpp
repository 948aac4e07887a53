// The text of a complaint, and the suggestion for a misspelt word. All parsers of outside text and the command line use
// it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace petrel {

// "trace.csv:3:12: value '9': allowed 0..7 or empty". Parts that are zero or empty are left out; if `allowed` is empty,
// the value is a plain sentence. The text may be shown on a terminal: it is escaped(), and a value is an excerpt().
std::string to_text(const Complaint&);

std::string to_text(std::span<const Complaint>, std::string_view between);

// All complaints as one error, one per line.
template <class T>
Result<T> to_result(Parsed<T> parsed)
{
    return std::move(parsed).map_error([](std::vector<Complaint> all) {
        return Error{ErrorKind::invalid, to_text(all, "\n"), false, std::move(all)};
    });
}

// Whether a text can be shown on a terminal unchanged: UTF-8 without control characters (of ASCII or Latin-1), line
// separators, changes of the writing direction and invisible characters.
bool printable(std::string_view);

// The text with every byte that is not printable() as \xNN.
std::string escaped(std::string_view);

// A line of JSON with every character that is not printable() as \uNNNN. The input must be UTF-8.
std::string json_escaped(std::string_view json);

// A text of at most `most` bytes is returned unchanged; a longer one is cut: "abc… and 212 more bytes".
std::string shortened(std::string_view, std::size_t most);
// The same if the caller has only the beginning; `whole` is the size of the whole text.
std::string cut_text(std::string_view begin, std::size_t whole);

// An outside value as part of a message: escaped, and cut to a length that is enough to recognise it.
inline constexpr std::size_t kLongestExcerpt = 256;
std::string excerpt(std::string_view);

// The candidate that is most similar to `word`; empty if none is close.
std::string nearest(std::string_view word, std::span<const std::string_view> candidates);

// Whether one slip of the hand makes `word` of `right`: a letter more, less or replaced, or two letters swapped, but
// not the first. (`name` is no slip of `xname`.)
bool is_slip(std::string_view word, std::string_view right);

// Text for `allowed` after an unknown word: the nearest candidate or, if none is close, the first 32 candidates.
std::string instead_of(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace petrel
