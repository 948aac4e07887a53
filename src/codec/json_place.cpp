#include "codec/json_place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codec/json_shape.hpp"

namespace petrel::codec {

namespace {

Place place_of(std::string_view text, std::size_t at)
{
    const auto before = text.substr(0, at);
    const auto line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto characters = std::ranges::count_if(
        before.substr(line_begin), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; });
    return {static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1),
            static_cast<std::uint32_t>(characters + 1)};
}

// Walks through a text that is JSON.
class Walk {
public:
    explicit Walk(std::string_view text) : text_(text) { skip_blanks(); }

    std::size_t at() const { return at_; }

    // Goes to the member or element. False: there is none, and the position is not defined.
    bool enter(const std::string& step)
    {
        const bool object = now() == '{';
        if (!object && now() != '[') {
            return false;
        }
        ++at_;
        for (std::size_t index = 0;; ++index) {
            skip_blanks();
            if (now() == '}' || now() == ']') {
                return false;
            }
            auto name = std::to_string(index);
            if (object) {
                const auto begin = at_;
                skip_value();
                const auto key = nlohmann::json::parse(text_.substr(begin, at_ - begin), nullptr, false);
                name = key.is_string() ? key.get<std::string>() : std::string{};
                skip_blanks();
                ++at_;  // the colon
                skip_blanks();
            }
            if (name == step) {
                return true;
            }
            skip_value();
            skip_blanks();
            at_ += now() == ',' ? 1U : 0U;
        }
    }

private:
    char now() const { return at_ < text_.size() ? text_[at_] : ']'; }

    void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

    void skip_string()
    {
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            at_ += text_[at_] == '\\' ? 1U : 0U;
        }
        ++at_;
    }

    void skip_value()
    {
        if (now() == '"') {
            return skip_string();
        }
        if (now() != '{' && now() != '[') {
            at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
            return;
        }
        for (std::size_t depth = 0; at_ < text_.size();) {
            const char c = now();
            if (c == '"') {
                skip_string();
                continue;
            }
            ++at_;
            depth += c == '{' || c == '[' ? 1U : 0U;
            depth -= c == '}' || c == ']' ? 1U : 0U;
            if (depth == 0) {
                return;
            }
        }
    }

    std::string_view text_;
    std::size_t at_{};
};

}  // namespace

Place json_place(std::string_view text, const JsonPath& path)
{
    Walk walk{text};
    auto found = walk.at();
    for (const auto& step : path) {
        if (!walk.enter(step)) {
            break;
        }
        found = walk.at();
    }
    return place_of(text, found);
}

Place json_place(std::string_view text, const JsonPath& path, const ComplaintList& complaints)
{
    return complaints.full() ? Place{} : json_place(text, path);
}

nlohmann::json parse_json(std::string_view text, std::size_t deepest, ComplaintList& complaints)
{
    if (json_shape(text).depth > deepest) {
        complaints.add({}, {}, fmt::format("JSON with at most {} levels of objects and lists", deepest));
        return nlohmann::json(nlohmann::json::value_t::discarded);
    }
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        constexpr std::string_view kBegin = "syntax error";
        const std::string_view what = error.what();
        const auto begin = what.find(kBegin);
        complaints.add(place_of(text, std::min(error.byte == 0 ? 0 : error.byte - 1, text.size())), {},
                       fmt::format("JSON ({})", what.substr(begin == what.npos ? 0 : begin)));
    } catch (const nlohmann::json::exception& error) {  // such as a number that is too large
        complaints.add({}, {}, fmt::format("JSON ({})", error.what()));
    }
    return nlohmann::json(nlohmann::json::value_t::discarded);
}

}  // namespace petrel::codec
