// Collects the problems of one outside text: all of them, but a million bad lines do not become a million complaints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace petrel::codec {

// Where something stands in a text; zero = not known.
struct Place {
    std::uint32_t line{};
    std::uint32_t column{};
    bool operator==(const Place&) const = default;
};

class ComplaintList {
public:
    static constexpr std::size_t kMost = 100;

    explicit ComplaintList(std::string_view file) : file_(file) {}

    void add(Place, std::string_view value, std::string allowed);
    void say(Place, std::string sentence);  // where a value and what is allowed do not tell it
    bool empty() const { return complaints_.empty(); }
    std::size_t count() const { return complaints_.size() + more_; }

    // Ends with a line that says how many more there were, if there were.
    std::vector<Complaint> take() &&;

private:
    void insert(Place, std::string value, std::string allowed);

    std::string file_;
    std::vector<Complaint> complaints_;
    std::size_t more_{};
};

}  // namespace petrel::codec
