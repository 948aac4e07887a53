// Collects the problems of one input text. It keeps at most kMost of them and counts the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace petrel {

// A place in a text; zero = unknown.
struct Place {
    std::uint32_t line{};
    std::uint32_t column{};
    std::shared_ptr<const std::string> file{};  // null: the file of the complaint list
    bool operator==(const Place&) const = default;
};

class ComplaintList {
public:
    static constexpr std::size_t kMost = 100;

    explicit ComplaintList(std::string_view file) : file_(file) {}

    void add(const Place&, std::string_view value, std::string allowed);
    // For a problem that a value and its allowed range do not describe.
    void add_sentence(const Place&, std::string sentence);
    bool empty() const { return complaints_.empty(); }
    std::size_t count() const { return complaints_.size() + more_; }
    bool full() const { return complaints_.size() == kMost; }  // further ones are only counted

    // If complaints were left out, the last one gives their number.
    std::vector<Complaint> take() &&;

private:
    void insert(const Place&, std::string value, std::string allowed);

    std::string file_;
    std::vector<Complaint> complaints_;
    std::size_t more_{};
};

}  // namespace petrel
