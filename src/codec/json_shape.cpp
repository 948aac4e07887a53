#include "codec/json_shape.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace petrel::codec {

namespace {

class ShapeReader final : public nlohmann::json_sax<nlohmann::json> {
public:
    JsonShape take() { return std::move(shape_); }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return open(); }
    bool start_array(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& key) override
    {
        if (depth_ == 1 && !keys_.insert(key).second) {
            shape_.repeated = key;
        }
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

private:
    bool open()
    {
        shape_.depth = std::max(shape_.depth, ++depth_);
        return true;
    }
    bool close()
    {
        --depth_;
        return true;
    }

    JsonShape shape_;
    std::size_t depth_{};
    std::set<std::string> keys_;
};

}  // namespace

JsonShape json_shape(std::string_view text)
{
    ShapeReader reader;
    nlohmann::json::sax_parse(text, &reader);
    return reader.take();
}

}  // namespace petrel::codec
