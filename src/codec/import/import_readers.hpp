// The readers of single formats, for import_trace.cpp. Each adds readings, and complaints about its file.
#pragma once

#include <set>
#include <string>

#include "base/complaint_list.hpp"
#include "codec/import/counter_names.hpp"
#include "codec/import/import_trace.hpp"
#include "codec/import/recording.hpp"

namespace petrel::codec {

struct Import {
    const ImportRequest& request;
    CounterMap map{};
    Recording recording{};
    std::set<std::string> left_out{};  // names of counters without a meaning
    std::vector<std::string> notes{};
};

void read_prometheus(const ImportFile&, Import&, ComplaintList&);
void read_sonic_dump(const ImportFile&, Import&, ComplaintList&);
void read_ethtool_snapshots(const ImportFile&, Import&, ComplaintList&);
void read_mapped_csv(const ImportFile&, Import&, ComplaintList&);

// "3", "Ethernet0:3", "prio3": the last digit.
std::optional<std::uint8_t> priority_in(std::string_view text);

}  // namespace petrel::codec
