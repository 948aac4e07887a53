#include "swarm/shrink.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>

namespace petrel::swarm {

namespace {

// Simpler forms of a value, the simplest first: its first number rounded to one digit, to two digits, or halved.
std::vector<std::string> simpler(const std::string& value)
{
    const auto first = value.find_first_of("0123456789");
    if (first == std::string::npos || (first > 0 && std::isalpha(static_cast<unsigned char>(value[first - 1])) != 0)) {
        return {};  // no number, or the number of a name: h3
    }
    const auto end = std::min(value.find_first_not_of("0123456789", first), value.size());
    std::uint64_t number{};
    if (std::from_chars(value.data() + first, value.data() + end, number).ec != std::errc{}) {
        return {};
    }
    std::uint64_t digit = 1;
    while (number / digit >= 10) {
        digit *= 10;
    }
    std::vector<std::string> forms;
    for (const auto simple :
         {number / digit * digit,
          number / std::max<std::uint64_t>(digit / 10, 1) * std::max<std::uint64_t>(digit / 10, 1), number / 2}) {
        if (simple < number) {
            forms.push_back(value.substr(0, first) + std::to_string(simple) + value.substr(end));
        }
    }
    return forms;
}

class Shrinking {
public:
    Shrinking(Draft draft, const std::function<bool(const Draft&)>& fails, unsigned most_tries)
        : smallest_(std::move(draft)), fails_(fails), tries_left_(most_tries)
    {}

    Draft shrink()
    {
        for (bool smaller = true; smaller && tries_left_ > 0;) {
            smaller = remove_tables();
            smaller = remove_keys() || smaller;
            smaller = simplify_values() || smaller;
        }
        return std::move(smallest_);
    }

private:
    // Keeps the candidate if it still fails.
    bool keep(Draft candidate)
    {
        if (tries_left_ == 0) {
            return false;
        }
        --tries_left_;
        if (!fails_(candidate)) {
            return false;
        }
        smallest_ = std::move(candidate);
        return true;
    }

    // Removes as many tables at once as possible: first half of them, at last one.
    bool remove_tables()
    {
        bool removed = false;
        for (auto many = smallest_.tables.size() / 2; many > 0; many /= 2) {
            for (std::size_t first = smallest_.tables.size(); first-- > 0;) {
                if (first + many > smallest_.tables.size()) {
                    continue;
                }
                auto candidate = smallest_;
                const auto from = candidate.tables.begin() + static_cast<std::ptrdiff_t>(first);
                candidate.tables.erase(from, from + static_cast<std::ptrdiff_t>(many));
                removed = keep(std::move(candidate)) || removed;
            }
        }
        return removed;
    }

    bool remove_keys()
    {
        bool removed = false;
        for (std::size_t t = 0; t < smallest_.tables.size(); ++t) {
            for (auto key = smallest_.tables[t].keys.size(); key-- > 0;) {
                auto candidate = smallest_;
                auto& keys = candidate.tables[t].keys;
                keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(key));
                removed = keep(std::move(candidate)) || removed;
            }
        }
        return removed;
    }

    bool simplify_values()
    {
        bool simplified = false;
        for (std::size_t t = 0; t < smallest_.tables.size(); ++t) {
            for (std::size_t key = 0; key < smallest_.tables[t].keys.size(); ++key) {
                for (auto& form : simpler(smallest_.tables[t].keys[key].value)) {
                    auto candidate = smallest_;
                    candidate.tables[t].keys[key].value = std::move(form);
                    if (keep(std::move(candidate))) {
                        simplified = true;
                        break;
                    }
                }
            }
        }
        return simplified;
    }

    Draft smallest_;
    const std::function<bool(const Draft&)>& fails_;
    unsigned tries_left_;
};

}  // namespace

Draft shrink(Draft draft, const std::function<bool(const Draft&)>& fails, unsigned most_tries)
{
    return Shrinking{std::move(draft), fails, most_tries}.shrink();
}

}  // namespace petrel::swarm
