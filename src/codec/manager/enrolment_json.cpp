#include "codec/manager/enrolment_json.hpp"

#include <nlohmann/json.hpp>

#include "codec/json_text.hpp"
#include "codec/manager/json_values.hpp"

namespace petrel::codec {

namespace {

constexpr std::uint64_t kMostHours = 24UL * 30;

template <class Read>
auto read_object(std::string_view text, const Read& read) -> Result<decltype(read(nlohmann::json{}))>
{
    try {
        return read(bounded_object(text));
    } catch (const BadValue& why) {
        return tl::unexpected(Error{ErrorKind::invalid, why.what()});
    }
}

std::string text_in(const nlohmann::json& object, const char* key)
{
    const auto* value = value_at(object, key);
    if (value == nullptr || !value->is_string()) {
        refuse_value(key, value, "a text");
    }
    return value->get<std::string>();
}

}  // namespace

Result<std::chrono::hours> read_invitation(std::string_view body)
{
    return read_object(body, [](const nlohmann::json& object) {
        for (const auto& [key, value] : object.items()) {
            if (key != "hours") {
                refuse_value(key.c_str(), &value, "no key but hours");
            }
        }
        const auto hours = count_at(object, "hours");
        if (hours == 0 || hours > kMostHours) {
            refuse_value("hours", value_at(object, "hours"), fmt::format("1..{}", kMostHours));
        }
        return std::chrono::hours{static_cast<std::int64_t>(hours)};
    });
}

std::string invitation_request_json(std::chrono::hours life)
{
    return to_line(nlohmann::ordered_json{{"hours", life.count()}});
}

std::string invitation_json(std::string_view agent, std::string_view token, WallTime until)
{
    return to_line(nlohmann::ordered_json{{"agent", agent}, {"token", token}, {"until_us", wall_us(until)}});
}

Result<std::string> read_invitation_token(std::string_view answer)
{
    return read_object(answer, [](const nlohmann::json& object) { return text_in(object, "token"); });
}

std::string certificate_json(std::string_view certificate, WallTime until)
{
    return to_line(nlohmann::ordered_json{{"certificate", certificate}, {"until_us", wall_us(until)}});
}

Result<std::string> read_certificate_answer(std::string_view answer)
{
    return read_object(answer, [](const nlohmann::json& object) { return text_in(object, "certificate"); });
}

std::string revocation_json(std::string_view agent, WallTime at)
{
    return to_line(nlohmann::ordered_json{{"agent", agent}, {"revoked_us", wall_us(at)}});
}

}  // namespace petrel::codec
