// The lines of a text that say something: a byte order mark, carriage returns, blank lines and # comments are passed
// over.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/complaint_list.hpp"

namespace petrel::codec {

struct Line {
    std::string_view text;  // without its end
    std::uint32_t number{};

    // `at` points into text, or to its end. Columns count characters, not bytes.
    Place place(const char* at) const;
    // Where the letters begin that stand right before `at`; `at` itself if there are none.
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

std::string_view trimmed(std::string_view);  // without blanks and tabs around it

}  // namespace petrel::codec
