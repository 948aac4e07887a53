#include "sonic_tools/natural_order.hpp"

#include <algorithm>

namespace petrel::sonic_tools {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes the number at the beginning of the text and returns it without leading zeros, so that a longer one is
// greater.
std::string_view take_number(std::string_view& text)
{
    const auto end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
    auto number = text.substr(0, end);
    text.remove_prefix(end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
}

}  // namespace

bool naturally_before(std::string_view a, std::string_view b)
{
    const auto whole_a = a;
    const auto whole_b = b;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const auto number_a = take_number(a);
            const auto number_b = take_number(b);
            if (number_a.size() != number_b.size()) {
                return number_a.size() < number_b.size();
            }
            if (number_a != number_b) {
                return number_a < number_b;
            }
        } else if (is_digit(a.front()) != is_digit(b.front())) {
            return is_digit(a.front());  // the name with the shorter text before its number comes first
        } else if (a.front() != b.front()) {
            return a.front() < b.front();
        } else {
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
    }
    return a.empty() != b.empty() ? a.empty() : whole_a < whole_b;  // "01" and "1" are equal numbers, but two names
}

}  // namespace petrel::sonic_tools
