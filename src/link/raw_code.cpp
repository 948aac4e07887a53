#include "link/raw_code.hpp"

#include <fmt/format.h>

#include "link/taxonomy.hpp"

namespace petrel::link {

std::optional<std::uint8_t> list_named(std::string_view name)
{
    for (std::uint8_t list = 0; list < vocabularies().size(); ++list) {
        if (list_name(list) == name) {
            return list;
        }
    }
    return std::nullopt;
}

std::string list_name(std::uint8_t list)
{
    const auto& known = vocabularies()[list];
    return fmt::format("{}.{}", known.vendor, known.list);
}

}  // namespace petrel::link
