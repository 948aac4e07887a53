// The values that one pass over a line finds are those of the JSON library's tree of it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/assert.hpp"
#include "codec/event_values.hpp"
#include "codec/json_shape.hpp"

namespace {

using nlohmann::json;
using petrel::codec::EventValues;
using Key = EventValues::Key;
using Kind = EventValues::Value::Kind;

constexpr std::array<std::pair<const char*, Key>, 12> kOfLine{{{"seq", Key::seq},
                                                               {"time_us", Key::time_us},
                                                               {"event", Key::event},
                                                               {"device", Key::device},
                                                               {"port", Key::port},
                                                               {"queue", Key::queue},
                                                               {"policy", Key::policy},
                                                               {"reason", Key::reason},
                                                               {"action", Key::action},
                                                               {"by", Key::by},
                                                               {"link", Key::link},
                                                               {"evidence", Key::evidence}}};
constexpr std::array<std::pair<const char*, Key>, 6> kOfLink{{{"number", Key::number},
                                                              {"ldr", Key::ldr},
                                                              {"nldr", Key::nldr},
                                                              {"cause", Key::cause},
                                                              {"list", Key::list},
                                                              {"code", Key::code}}};
constexpr std::array<std::pair<const char*, Key>, 4> kOfEvidence{
    {{"criterion", Key::criterion}, {"proven_us", Key::proven_us}, {"limit_us", Key::limit_us}, {"looks", Key::looks}}};

// Null: absent.
const json* member(const json* object, const char* key)
{
    if (object == nullptr || !object->is_object()) {
        return nullptr;
    }
    const auto at = object->find(key);
    return at == object->end() ? nullptr : &*at;
}

Kind kind_of(const json* value)
{
    return value == nullptr              ? Kind::absent
           : value->is_null()            ? Kind::null
           : value->is_string()          ? Kind::text
           : value->is_number_unsigned() ? Kind::natural
           : value->is_number_integer()  ? Kind::negative
           : value->is_object()          ? Kind::object
           : value->is_array()           ? Kind::list
                                         : Kind::other;
}

void expect_same(const json* tree, const EventValues::Value& value, Key key)
{
    const auto kind = kind_of(tree);
    PETREL_ASSERT(value.kind == kind, "another kind");
    PETREL_ASSERT(value.text == (kind == Kind::text ? tree->get<std::string>() : std::string{}), "another text");
    if (kind == Kind::natural) {
        PETREL_ASSERT(value.number == tree->get<std::uint64_t>(), "another number");
    } else if (kind == Kind::negative) {
        PETREL_ASSERT(static_cast<std::int64_t>(value.number) == tree->get<std::int64_t>(), "another negative number");
    } else if (kind == Kind::list && key == Key::looks) {
        PETREL_ASSERT(value.number == tree->size(), "another number of looks");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const EventValues values{text};
    const auto tree = json::parse(text, nullptr, false);
    PETREL_ASSERT(values.is_object() == tree.is_object(), "an object for one of the two");
    PETREL_ASSERT(values.depth() == petrel::codec::json_shape(text).depth, "another depth");
    if (!tree.is_object()) {
        return 0;
    }
    for (const auto& [name, key] : kOfLine) {
        expect_same(member(&tree, name), values.at(key), key);
    }
    for (const auto& [name, key] : kOfLink) {
        expect_same(member(member(&tree, "link"), name), values.at(key), key);
    }
    for (const auto& [name, key] : kOfEvidence) {
        expect_same(member(member(&tree, "evidence"), name), values.at(key), key);
    }
    return 0;
}
