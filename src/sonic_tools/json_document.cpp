#include "sonic_tools/json_document.hpp"

#include <fmt/format.h>

#include "codec/flat_json.hpp"

namespace petrel::sonic_tools {
namespace {

std::string object(const Members& members)
{
    std::vector<std::pair<std::string_view, std::string_view>> views;
    for (const auto& [key, value] : members) {
        views.emplace_back(key, value);
    }
    return codec::flat_json(views);
}

}  // namespace

std::string json_document(const Members& head, std::string_view list, const std::vector<Members>& rows)
{
    std::vector<std::string> objects;
    for (const auto& row : rows) {
        objects.push_back(object(row));
    }
    auto opening = object(head);
    opening.pop_back();  // its brace
    return fmt::format("{}{}\"{}\":[{}]}}\n", opening, head.empty() ? "" : ",", list, fmt::join(objects, ","));
}

}  // namespace petrel::sonic_tools
