// The lines of a text that have content. Skips a byte order mark, carriage returns, blank lines and # comments.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/complaint_list.hpp"

namespace petrel::codec {

struct Line {
    std::string_view text;  // without its newline
    std::uint32_t number{};

    // `at` points into text, or to its end. Columns count characters, not bytes.
    Place place(const char* at) const;
    // The beginning of the word that ends right before `at`; `at` itself if there is none.
    const char* word_begin(const char* at) const;
};

class TextLines {
public:
    explicit TextLines(std::string_view text);
    std::optional<Line> next();

private:
    std::string_view rest_;
    std::uint32_t number_{};
};

std::string_view trimmed(std::string_view);  // without leading and trailing blanks and tabs

}  // namespace petrel::codec
