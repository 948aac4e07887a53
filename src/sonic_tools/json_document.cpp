#include "sonic_tools/json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
    std::transform(rows.begin(), rows.end(), std::back_inserter(objects), object);
    auto opening = object(head);
    opening.pop_back();  // the closing brace
    return fmt::format("{}{}\"{}\":[{}]}}\n", opening, head.empty() ? "" : ",", list, fmt::join(objects, ","));
}

}  // namespace petrel::sonic_tools
