#include "cli/agent/watch_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/complaint_text.hpp"

namespace petrel::cli {
namespace {

using control::ControlRequest;
using control::QueueReport;

constexpr std::string_view kUp = "\x1b[A";
constexpr std::string_view kDown = "\x1b[B";
constexpr std::string_view kEscape = "\x1b";
constexpr std::string_view kBackspace = "\x7f";

// What the keys do. Where it is too narrow, the one with the largest number goes first.
struct KeyHelp {
    std::string_view text;
    unsigned dispensable{};
};
constexpr std::array kKeyHelp{KeyHelp{"up/down select", 6}, KeyHelp{"Enter explain", 1}, KeyHelp{"h hold", 3},
                              KeyHelp{"r release", 2},      KeyHelp{"/ filter", 4},      KeyHelp{"a all queues", 5},
                              KeyHelp{"q end", 0}};

std::string key_help(std::size_t width)
{
    for (unsigned most = kKeyHelp.size();; --most) {
        std::vector<std::string_view> shown;
        for (const auto& [text, dispensable] : kKeyHelp) {
            if (dispensable <= most) {
                shown.push_back(text);
            }
        }
        auto line = fmt::format("{}", fmt::join(shown, ", "));
        if (line.size() <= width || most == 0) {
            return line;
        }
    }
}

// The line, or its first words and a mark.
std::string shortened_line(std::string_view line, std::size_t width)
{
    constexpr std::string_view kMore = " …";
    if (shown_width(line) <= width) {
        return std::string{line};
    }
    const auto first = wrapped(line, width - std::min(width, shown_width(kMore)));
    return first.substr(0, first.find('\n')).append(kMore);
}

std::string queue_of(const QueueReport& queue)
{
    return queue.priority ? fmt::format("{}:{}", queue.port, *queue.priority) : queue.port;
}

std::string full_name(const QueueReport& queue) { return fmt::format("{}:{}", queue.device, queue_of(queue)); }

ControlRequest request_about(ControlRequest::Command command, const QueueReport& queue)
{
    ControlRequest request;
    request.command = command;
    request.device = queue.device;
    request.queue = queue_of(queue);
    return request;
}

std::size_t lines_in(std::string_view text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

// The first lines of a text.
std::string_view cut(std::string_view text, std::size_t lines)
{
    std::size_t end = 0;
    for (std::size_t i = 0; i != lines && end != text.size(); ++i) {
        end = std::min(text.find('\n', end), text.size() - 1) + 1;
    }
    return text.substr(0, end);
}

// The time of day is enough for what happened just now.
std::string short_event(std::string_view line)
{
    constexpr std::size_t kTime = 11;  // "2026-03-09T07:05:01.000042+00:00"
    constexpr std::size_t kSeconds = 8;
    constexpr std::size_t kStamp = 32;
    const auto text = reports::event_text(line, kAnyWidth);
    return text.size() > kStamp && text[kTime - 1] == 'T' ? text.substr(kTime, kSeconds) + text.substr(kStamp) : text;
}

}  // namespace

std::vector<std::string> keys_in(std::string_view bytes)
{
    std::vector<std::string> keys;
    while (!bytes.empty()) {
        std::size_t size = 1;
        if (bytes.size() > 2 && bytes.front() == '\x1b' && (bytes[1] == '[' || bytes[1] == 'O')) {
            const auto end = std::ranges::find_if(bytes.substr(2), [](char c) { return c >= '@' && c <= '~'; });
            size = std::min(static_cast<std::size_t>(end - bytes.begin()) + 1, bytes.size());
        } else {
            while (size < bytes.size() && (static_cast<unsigned char>(bytes[size]) & 0xC0U) == 0x80U) {
                ++size;  // the rest of a character
            }
        }
        keys.emplace_back(bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    return keys;
}

void WatchScreen::show(WatchAnswers answers)
{
    answers_ = std::move(answers);
    reports::sort_worst_first(answers_->queues);
    choose_visible();
}

WatchScreen::Wanted WatchScreen::press(std::string_view key)
{
    switch (mode_) {
    case Mode::table: return press_in_table(key);
    case Mode::filter: return press_in_filter(key);
    case Mode::confirm: {
        mode_ = Mode::table;
        text_.clear();
        auto request = std::exchange(waiting_, std::nullopt);
        return {false, key == "y" ? std::move(request) : std::nullopt};
    }
    case Mode::text:
        if (key == kUp || key == "k") {
            scrolled_ -= std::min<std::size_t>(scrolled_, 1);
            return {};
        }
        if (key == kDown || key == "j") {
            scrolled_ = std::min(scrolled_ + 1, lines_in(text_));
            return {};
        }
        mode_ = Mode::table;
        text_.clear();
        return {key == "q", {}};
    }
    return {};
}

void WatchScreen::answered(std::string text)
{
    mode_ = lines_in(text) > 1 ? Mode::text : Mode::table;
    scrolled_ = 0;
    text_ = std::move(text);
}

WatchScreen::Wanted WatchScreen::press_in_table(std::string_view key)
{
    text_.clear();
    if (key == "q") {
        return {true, {}};
    }
    if (key == kUp || key == "k") {
        move(-1);
    } else if (key == kDown || key == "j") {
        move(1);
    } else if (key == "/") {
        mode_ = Mode::filter;
    } else if (key == "a") {
        all_ = !all_;
    } else if (key == "\r" || key == "\n" || key == "e") {
        const auto* queue = selected();
        return queue == nullptr ? Wanted{} : Wanted{false, request_about(ControlRequest::Command::explain, *queue)};
    } else if (key == "h") {
        return order(ControlRequest::Command::hold);
    } else if (key == "r") {
        return order(ControlRequest::Command::release);
    }
    return {};
}

WatchScreen::Wanted WatchScreen::press_in_filter(std::string_view key)
{
    if (key == "\r" || key == "\n") {
        mode_ = Mode::table;
    } else if (key == kEscape) {
        filter_.clear();
        mode_ = Mode::table;
    } else if (key == kBackspace || key == "\b") {
        filter_ = filter_.substr(0, filter_.size() - std::min<std::size_t>(1, filter_.size()));
    } else if (printable(key)) {
        filter_ += key;
    }
    choose_visible();
    return {};
}

// An order changes the traffic of a queue, so the operator confirms it.
WatchScreen::Wanted WatchScreen::order(ControlRequest::Command command)
{
    if (const auto* queue = selected()) {
        waiting_ = request_about(command, *queue);
        waiting_->note = "petrel watch";
        mode_ = Mode::confirm;
        text_ = fmt::format("{} {}? y: yes, any other key: no", name(command), escaped(selected_));
    }
    return {};
}

const QueueReport* WatchScreen::selected()
{
    const auto queues = visible();
    const auto at = std::ranges::find(queues, selected_, [](const auto* queue) { return full_name(*queue); });
    if (at == queues.end()) {
        text_ = all_ ? "no queue is selected" : "no queue is selected; a shows all queues";
        return nullptr;
    }
    return *at;
}

void WatchScreen::move(int by)
{
    const auto queues = visible();
    const auto at = std::ranges::find(queues, selected_, [](const auto* queue) { return full_name(*queue); });
    if (at == queues.end()) {
        return;
    }
    const auto last = static_cast<std::ptrdiff_t>(queues.size()) - 1;
    const auto to = std::clamp<std::ptrdiff_t>(at - queues.begin() + by, 0, last);
    selected_ = full_name(*queues[static_cast<std::size_t>(to)]);
}

// A queue that left the table leaves the selection to the worst one.
void WatchScreen::choose_visible()
{
    const auto queues = visible();
    const auto at = std::ranges::find(queues, selected_, [](const auto* queue) { return full_name(*queue); });
    if (at == queues.end()) {
        selected_ = queues.empty() ? std::string{} : full_name(*queues.front());
    }
}

std::vector<const QueueReport*> WatchScreen::visible() const
{
    std::vector<const QueueReport*> queues;
    if (answers_) {
        for (const auto& queue : answers_->queues) {
            if (passes(full_name(queue))) {
                queues.push_back(&queue);
            }
        }
    }
    return queues;
}

std::string WatchScreen::last_line(std::size_t width) const
{
    if (mode_ == Mode::filter) {
        return shortened_line(fmt::format("filter: {}_   Enter keeps it, Esc ends it", escaped(filter_)), width);
    }
    const auto said = text_.substr(0, text_.find('\n'));
    if (!said.empty()) {
        return shortened_line(said, width);
    }
    const auto filter = filter_.empty() ? std::string{} : fmt::format("[{}] ", escaped(filter_));
    return filter + key_help(width - std::min(width, shown_width(filter)));
}

// A page of which a part may be above or below the screen.
std::string WatchScreen::text_page(const reports::Screen& screen) const
{
    const auto room = screen.lines - 1;
    const auto all = lines_in(text_);
    const auto above = std::min(scrolled_, all - std::min(all, room));
    const std::string shown{cut(std::string_view{text_}.substr(cut(text_, above).size()), room)};
    const auto* keys = all > room ? "up/down scroll, any other key: back, q end" : "any key: back, q end";
    return shown + std::string(room - lines_in(shown), '\n') + shortened_line(keys, screen.width);
}

std::string WatchScreen::page(const reports::Screen& screen, const Paint& paint) const
{
    if (!answers_ || screen.lines < 2) {
        return {};
    }
    if (mode_ == Mode::text) {
        return text_page(screen);
    }
    constexpr std::size_t kShareOfHead = 3;  // one of so many
    constexpr std::size_t kLeastEvents = 8;  // if the screen is high enough
    auto text = std::string{cut(reports::watch_head(answers_->status, screen.width, paint),
                                std::max<std::size_t>(1, screen.lines / kShareOfHead))};
    const auto used = lines_in(text) + std::min(kLeastEvents, screen.lines / 4) + 1;
    add_table(text, used < screen.lines ? screen.lines - used : 0, screen.width);
    add_events(text, screen.lines - std::min(screen.lines, lines_in(text) + 1), screen.width);
    return text + last_line(screen.width);
}

void WatchScreen::add_table(std::string& text, std::size_t lines, std::size_t width) const
{
    constexpr std::size_t kTableHead = 3;
    const auto queues = visible();
    if (queues.empty()) {
        text += lines == 0 ? "" : answers_->queues.empty() ? reports::kNoStorm : "no queue passes the filter\n";
        return;
    }
    if (lines < kTableHead + 2) {
        return;
    }
    const auto rows = std::min(queues.size(), lines - kTableHead - 1);
    const auto at = std::ranges::find(queues, selected_, [](const auto* queue) { return full_name(*queue); });
    const auto selected = static_cast<std::size_t>(at - queues.begin());
    const auto first = std::min(selected < rows ? 0 : selected - rows + 1, queues.size() - rows);
    std::vector<QueueReport> shown;
    for (std::size_t i = first; i != first + rows; ++i) {
        shown.push_back(*queues[i]);
    }
    constexpr std::string_view kNot = "  ";
    constexpr std::string_view kHere = "> ";
    const auto table = reports::queue_lines(shown, width > kNot.size() ? width - kNot.size() : width);
    std::size_t line = 0;
    for (std::string_view rest{table}; !rest.empty(); ++line) {
        const auto end = rest.find('\n') + 1;
        text += line == kTableHead + selected - first ? kHere : kNot;
        text += rest.substr(0, end);
        rest.remove_prefix(end);
    }
    if (rows < queues.size()) {
        text += fmt::format("  {} of {} queues\n", rows, queues.size());
    }
}

void WatchScreen::add_events(std::string& text, std::size_t lines, std::size_t width) const
{
    std::vector<std::string> shown;
    for (const auto& event : answers_->events) {
        auto line = short_event(event);
        if (passes(line)) {
            shown.push_back(shortened_line(std::string_view{line}.substr(0, line.find('\n')), width) + '\n');
        }
    }
    const auto first = shown.size() - std::min(shown.size(), lines);
    text += std::string(lines - (shown.size() - first), '\n');
    for (auto i = first; i != shown.size(); ++i) {
        text += shown[i];
    }
}

}  // namespace petrel::cli
