#include "group/lease.hpp"

#include <utility>

namespace petrel::group {

void Lease::seen(std::uint64_t revision, std::string holder, Instant at)
{
    if (revision != revision_ || !renewed_) {
        unchanged_since_ = at;
        renewed_ = at;
    }
    unchanged_since_ = unchanged_since_.value_or(at);
    revision_ = revision;
    holder_ = std::move(holder);
}

std::optional<std::uint64_t> Lease::bid(Instant now) const
{
    if (!unchanged_since_) {
        return std::nullopt;
    }
    const bool free = holder_.empty() || mine() || now - *unchanged_since_ >= kLife;
    return free ? std::optional{revision_} : std::nullopt;
}

}  // namespace petrel::group
