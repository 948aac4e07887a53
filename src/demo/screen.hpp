// The output of the demo: the lines of the story, wrapped to the terminal, and the state of the fabric below them,
// redrawn in place. Whenever the program may be interrupted, the cursor is visible and below the output.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace petrel::demo {

class Screen {
public:
    explicit Screen(bool live);  // requests the lower part, which needs a terminal

    // Text ends with a newline. The second line of a wrapped one is indented by `hanging` columns more.
    void print(const std::string& text, std::size_t hanging = 4);
    void show(const std::string& text);  // replaces the lower part; lines of less than 80 columns
    void keep();                         // makes the lower part a part of the story

    std::size_t width() const { return width_; }

    bool live() const { return live_; }
    bool has_reader() const { return !gone_ && !error_; }
    const std::optional<Error>& error() const { return error_; }

private:
    std::string erase_status() const;
    void write(const std::string& text);

    bool live_{};
    std::size_t width_;
    std::string shown_;
    bool gone_{};
    std::optional<Error> error_;
};

}  // namespace petrel::demo
