// The screen of `petrel watch` on a terminal: the state of the agent, a table of queues with a selection, the last
// events, and what the keys do. It has no I/O: answers of the agent and keys go in, pages and requests come out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/report.hpp"
#include "control/request.hpp"
#include "reports/agent/control_text.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {

struct WatchAnswers {
    control::StatusReport status;
    std::vector<control::QueueReport> queues;
    std::vector<std::string> events;  // lines of docs/events.md, oldest first
};

// The keys that a terminal has sent at once: characters, and whole sequences such as "\x1b[A".
std::vector<std::string> keys_in(std::string_view bytes);

class WatchScreen {
public:
    void show(WatchAnswers);

    // What a key asks the program to do. A request goes to the agent, and its answer to answered().
    struct Wanted {
        bool end{};
        std::optional<control::ControlRequest> request{};
    };
    Wanted press(std::string_view key);  // a character, or the sequence of a key such as "\x1b[A"
    void answered(std::string text);     // one line, or a page

    bool all_queues() const { return all_; }
    std::string page(const reports::Screen&, const Paint&) const;

private:
    enum class Mode : unsigned char { table, filter, confirm, text };

    Wanted press_in_table(std::string_view key);
    Wanted press_in_filter(std::string_view key);
    Wanted order(control::ControlRequest::Command);
    void move(int by);
    const control::QueueReport* selected();  // none: the last line says so
    void choose_visible();
    bool passes(std::string_view text) const { return text.find(filter_) != std::string_view::npos; }
    std::vector<const control::QueueReport*> visible() const;
    std::string last_line(std::size_t width) const;
    void add_table(std::string& text, std::size_t lines, std::size_t width) const;
    void add_events(std::string& text, std::size_t lines, std::size_t width) const;
    std::string text_page(const reports::Screen&) const;

    std::optional<WatchAnswers> answers_;
    Mode mode_{};
    bool all_{};
    std::string filter_;
    std::string selected_;                            // the queue, by its name; rows move
    std::string text_;                                // the page of Mode::text, or the line below the table
    std::size_t scrolled_{};                          // lines of that page that are above the screen
    std::optional<control::ControlRequest> waiting_;  // for the operator's yes
};

}  // namespace petrel::cli
