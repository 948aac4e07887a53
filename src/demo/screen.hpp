// The output of the demo: the lines of the story and, on a terminal, the state of the fabric below them, redrawn in
// place. Whenever the program may be interrupted, the cursor is visible and below the output.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"

namespace petrel::demo {

class Screen {
public:
    explicit Screen(bool live);  // requests the lower part, which needs a terminal

    void print(const std::string& text);  // text ends with a newline
    void show(const std::string& text);   // replaces the lower part; lines of less than 80 columns
    void keep();                          // makes the lower part a part of the story

    bool live() const { return live_; }
    bool has_reader() const { return !gone_ && !error_; }
    const std::optional<Error>& error() const { return error_; }

private:
    std::string erase_status() const;
    void write(const std::string& text);

    bool live_{};
    std::string shown_;
    bool gone_{};
    std::optional<Error> error_;
};

}  // namespace petrel::demo
