#include "lab/uplink_in_twin.hpp"

#include <utility>

namespace petrel::lab {

void TwinChannel::send(std::string report, Then then)
{
    then_ = std::move(then);
    number_ = carry_(std::move(report));
}

void TwinChannel::cancel() { receive(number_, {0, {}, "no answer in time", {}}); }

void TwinChannel::receive(std::uint64_t number, const runner::ManagerAnswer& answer)
{
    if (then_ && number == number_) {
        loop_.post([then = std::exchange(then_, {}), answer] { then(answer); });
    }
}

Result<void> DiskUplinkMemory::save(const uplink::Acknowledged& acknowledged)
{
    if (disk_.full) {
        return tl::unexpected(disk_full("cannot write what the manager has acknowledged"));
    }
    disk_.acknowledged = acknowledged;
    return {};
}

Result<bool> DiskUplinkMemory::append_samples(std::string_view line)
{
    if (disk_.full) {
        return tl::unexpected(disk_full("cannot write samples"));
    }
    disk_.samples.emplace_back(line);
    return false;
}

std::optional<std::string> DiskUplinkMemory::next_samples()
{
    return disk_.samples.empty() ? std::nullopt : std::optional{disk_.samples.front()};
}

}  // namespace petrel::lab
