// Where the demo is shown: lines of the story, and below them, on a terminal, how the fabric is at this moment, drawn
// over and over in the same place. The cursor stays visible and below all of it at every moment at which the program
// may be interrupted.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"

namespace petrel::cli {

class DemoScreen {
public:
    explicit DemoScreen(bool live);  // asks for the lower part, which needs a terminal

    void say(const std::string& text);   // ends with the end of a line
    void show(const std::string& text);  // replaces what was shown last; lines of less than 80 columns
    void keep();                         // what is shown stays, and is a part of the story

    bool live() const { return live_; }
    bool somebody_listens() const { return !gone_ && !error_; }
    const std::optional<Error>& error() const { return error_; }

private:
    std::string over_the_last() const;
    void write(const std::string& text);

    bool live_{};
    std::string shown_;
    bool gone_{};
    std::optional<Error> error_;
};

}  // namespace petrel::cli
