#include "codec/event_values.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

namespace petrel::codec {

namespace {

using Key = EventValues::Key;
using Kind = EventValues::Value::Kind;

constexpr std::array<std::string_view, static_cast<std::size_t>(Key::count_)> kKeys{
    "seq",    "time_us", "event",     "device",    "port",     "queue", "policy", "reason",
    "action", "by",      "link",      "evidence",  "number",   "ldr",   "nldr",   "cause",
    "list",   "code",    "criterion", "proven_us", "limit_us", "looks"};

struct KeyRange {
    Key first;
    Key end;
};
constexpr KeyRange kOfLine{Key::seq, Key::number};
constexpr KeyRange kOfLink{Key::number, Key::criterion};
constexpr KeyRange kOfEvidence{Key::criterion, Key::count_};
constexpr KeyRange kNone{Key::count_, Key::count_};

// Key::count_: none of these.
Key key_among(const KeyRange& range, std::string_view name)
{
    auto key = static_cast<std::size_t>(range.first);
    while (key != static_cast<std::size_t>(range.end) && kKeys.at(key) != name) {
        ++key;
    }
    return key == static_cast<std::size_t>(range.end) ? Key::count_ : static_cast<Key>(key);
}

}  // namespace

// Called by the JSON library for each part of the text. `false` would end the pass.
class EventValues::Scan {
public:
    explicit Scan(EventValues& into) : into_(into) {}

    bool null() { return take(Kind::null); }
    bool boolean(bool) { return take(Kind::other); }
    bool number_integer(std::int64_t number) { return take(Kind::negative, static_cast<std::uint64_t>(number)); }
    bool number_unsigned(std::uint64_t number) { return take(Kind::natural, number); }
    bool number_float(double, const std::string&) { return take(Kind::other); }
    bool binary(nlohmann::json::binary_t&) { return take(Kind::other); }
    bool string(const std::string& text)
    {
        if (auto* value = take_value(Kind::text, 0)) {
            value->text = text;
        }
        return true;
    }
    bool start_object(std::size_t) { return open(Kind::object); }
    bool end_object() { return close(); }
    bool start_array(std::size_t) { return open(Kind::list); }
    bool end_array() { return close(); }
    bool key(const std::string& name)
    {
        key_ = key_among(level_ == 1 ? kOfLine : level_ == 2 ? inner_ : kNone, name);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) { return false; }

private:
    static constexpr std::size_t kLevelOfLooks = 3;

    bool take(Kind kind, std::uint64_t number = 0)
    {
        take_value(kind, number);
        return true;
    }

    // Null: the value has no key of ours.
    Value* take_value(Kind kind, std::uint64_t number)
    {
        if (counts_looks_ && level_ == kLevelOfLooks) {
            ++value_of(Key::looks).number;
        }
        const auto key = std::exchange(key_, Key::count_);
        if (key == Key::count_) {
            return nullptr;
        }
        auto& value = value_of(key);
        value = {kind, number, {}};
        if (level_ == 1) {
            inner_ = kind != Kind::object   ? kNone
                     : key == Key::link     ? kOfLink
                     : key == Key::evidence ? kOfEvidence
                                            : kNone;
            for (auto inner = inner_.first; inner != inner_.end;
                 inner = static_cast<Key>(static_cast<int>(inner) + 1)) {
                value_of(inner) = {};
            }
        }
        counts_looks_ = key == Key::looks && kind == Kind::list;
        return &value;
    }

    bool open(Kind kind)
    {
        into_.is_object_ = into_.is_object_ || (level_ == 0 && kind == Kind::object);
        if (level_ == 1 && key_ == Key::count_) {
            inner_ = kNone;
        }
        take(kind);
        into_.depth_ = std::max(into_.depth_, ++level_);
        return true;
    }

    bool close()
    {
        --level_;
        counts_looks_ = counts_looks_ && level_ >= kLevelOfLooks;
        return true;
    }

    Value& value_of(Key key) { return into_.values_.at(static_cast<std::size_t>(key)); }

    EventValues& into_;
    std::size_t level_{};
    Key key_{Key::count_};  // of the next value
    KeyRange inner_{kNone};
    bool counts_looks_{};
};

EventValues::EventValues(std::string_view line)
{
    Scan scan{*this};
    is_object_ = nlohmann::json::sax_parse(line, &scan) && is_object_;
}

}  // namespace petrel::codec
