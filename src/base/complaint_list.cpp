#include "base/complaint_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace petrel {

namespace {

constexpr std::size_t kLongestValue = 60;

// Shortens a value, which may be as long as the file, so that the user still recognises it. Cuts between two
// characters.
std::string recognisable(std::string_view value)
{
    if (value.size() <= kLongestValue) {
        return std::string{value};
    }
    auto end = kLongestValue;
    while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xc0U) == 0x80U) {
        --end;
    }
    return fmt::format("{}...", value.substr(0, end));
}

}  // namespace

void ComplaintList::add(const Place& at, std::string_view value, std::string allowed)
{
    insert(at, recognisable(value), std::move(allowed));
}

void ComplaintList::add_sentence(const Place& at, std::string sentence) { insert(at, std::move(sentence), {}); }

void ComplaintList::insert(const Place& at, std::string value, std::string allowed)
{
    if (complaints_.size() == kMost) {
        ++more_;
        return;
    }
    Complaint complaint{at.file ? *at.file : file_, at.line, at.column, std::move(value), std::move(allowed)};
    // Readers visit a text in their own order; complaints are sorted by their place in it. Those of another file
    // follow.
    const auto order = [this](const Complaint& one) { return std::tuple{one.file != file_, one.line, one.column}; };
    const auto later = std::ranges::upper_bound(complaints_, order(complaint), {}, order);
    complaints_.insert(later, std::move(complaint));
}

std::vector<Complaint> ComplaintList::take() &&
{
    if (more_ != 0) {
        complaints_.push_back({file_, 0, 0, fmt::format("and {} more problem{}", more_, more_ == 1 ? "" : "s"), {}});
    }
    return std::move(complaints_);
}

}  // namespace petrel
