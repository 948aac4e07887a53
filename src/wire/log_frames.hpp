// Cuts the bytes of a TCP connection into log lines (RFC 6587). A sender ends each line with a line feed, or writes its
// length before it: "93 <11>1 2019-...". Both may alternate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace petrel::wire {

inline constexpr std::size_t kLongestLogLine = 8192;

class LogFrames {
public:
    // The lines that these bytes complete, without their ends. Longer lines than kLongestLogLine are skipped.
    std::vector<std::string> feed(std::string_view bytes);

    std::uint64_t skipped() const { return skipped_; }
    std::size_t waiting() const { return bytes_.size(); }  // bytes of a line that has not ended

private:
    bool next(std::vector<std::string>& lines);
    bool next_counted(std::size_t digits, std::vector<std::string>& lines);
    bool next_ended(std::vector<std::string>& lines);

    std::string bytes_;
    std::size_t skip_{};       // bytes that remain of a counted line that is too long
    bool skip_to_end_{};       // a line without a length is too long: its line feed has not arrived
    std::uint64_t skipped_{};  // lines
};

}  // namespace petrel::wire
