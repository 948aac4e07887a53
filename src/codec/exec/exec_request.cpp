#include "codec/exec/exec_request.hpp"

#include <nlohmann/json.hpp>

#include "codec/json_text.hpp"

namespace petrel::codec {

namespace {

using ExecJson = nlohmann::ordered_json;

ExecJson request(std::uint64_t id, std::string_view call) { return {{"id", id}, {"call", call}}; }

}  // namespace

std::string exec_hello(std::uint64_t id)
{
    auto json = request(id, "hello");
    json["protocol"] = kExecProtocol;
    return to_line(json);
}

std::string exec_look(std::uint64_t id, const ExecNames& names, std::span<const Slot> rows)
{
    auto json = request(id, "look");
    for (const auto row : rows) {
        json["rows"].push_back(names.name(row));
    }
    return to_line(json);
}

std::string exec_prepare(std::uint64_t id, std::string_view target, watchdog::Treatment want)
{
    auto json = request(id, "prepare");
    json["target"] = target;
    json["want"] = name(want);
    return to_line(json);
}

std::string exec_apply(std::uint64_t id, std::string_view target, watchdog::Treatment want, const device::Undo& undo)
{
    auto json = request(id, "apply");
    json["target"] = target;
    json["want"] = name(want);
    json["undo"] = std::string{reinterpret_cast<const char*>(undo.bytes.data()), undo.size};
    return to_line(json);
}

std::string exec_read_back(std::uint64_t id, std::string_view target)
{
    auto json = request(id, "read_back");
    json["target"] = target;
    return to_line(json);
}

std::string exec_watch_by_itself(std::uint64_t id, const ExecNames& names, std::span<const device::DelegatedRow> rows)
{
    auto json = request(id, "watch_by_itself");
    json["rows"] = ExecJson::array();
    for (const auto& row : rows) {
        json["rows"].push_back({{"row", names.name(row.row)},
                                {"detect_us", whole_us(row.detect)},
                                {"restore_us", whole_us(row.restore)},
                                {"action", name(row.action)},
                                {"tolerance_percent", row.interval_tolerance},
                                {"clip", row.clip}});
    }
    return to_line(json);
}

std::string exec_links(std::uint64_t id) { return to_line(request(id, "links")); }

std::string exec_close(std::uint64_t id) { return to_line(request(id, "close")); }

}  // namespace petrel::codec
