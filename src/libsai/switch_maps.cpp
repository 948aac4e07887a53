// The queue and the priority group of each priority, as SAI's QoS maps. A traffic class equals a priority here.
#include <algorithm>

#include "libsai/switch.hpp"

namespace petrel::libsai {

using sai::QosMapType;

namespace {

bool by_class(QosMapType type) { return type == QosMapType::tc_to_queue || type == QosMapType::tc_to_priority_group; }

bool to_queue(QosMapType type) { return type == QosMapType::tc_to_queue || type == QosMapType::pfc_priority_to_queue; }

}  // namespace

void Switch::set_up_maps()
{
    for (const auto type : {QosMapType::tc_to_queue, QosMapType::tc_to_priority_group,
                            QosMapType::pfc_priority_to_priority_group, QosMapType::pfc_priority_to_queue}) {
        QosMap map{type, {}};
        for (std::uint8_t from = 0; from != kPriorities; ++from) {
            sai::QosEntry entry{};
            (by_class(type) ? entry.key.tc : entry.key.prio) = from;
            (to_queue(type) ? entry.value.queue_index : entry.value.pg) =
                to_queue(type) ? view_.profile().queue_of_priority[from] : view_.profile().group_of_priority[from];
            map.entries.push_back(entry);
        }
        for (auto& port : ports) {
            port.maps[type] = next_number;
        }
        qos_maps[next_number++] = std::move(map);
    }
}

bool Switch::holds(const QosMap& map) const
{
    return std::all_of(map.entries.begin(), map.entries.end(), [&](const sai::QosEntry& entry) {
        const auto from = by_class(map.type) ? entry.key.tc : entry.key.prio;
        return from < kPriorities &&
               (to_queue(map.type) ? entry.value.queue_index == view_.profile().queue_of_priority[from]
                                   : entry.value.pg == view_.profile().group_of_priority[from]);
    });
}

}  // namespace petrel::libsai
