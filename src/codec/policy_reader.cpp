#include "codec/policy_reader.hpp"

#include "codec/policy_sections.hpp"

namespace petrel::codec {

Parsed<config::PolicyFile> read_policy_file(std::string_view text, std::string_view file)
{
    TomlText toml{file};
    config::PolicyFile result;
    toml.parse(text, [&](const toml::table& top) {
        result = {};
        result.file = file;
        toml.only(top, PolicySections::kKeys);
        PolicySections{toml, result}.read(top);
        if (!top.contains("policy")) {
            toml.complaints().add({}, {}, std::string{PolicySections::kNoPolicy});
        }
    });
    if (!toml.complaints().empty()) {
        return tl::make_unexpected(std::move(toml.complaints()).take());
    }
    return result;
}

}  // namespace petrel::codec
