#include "codec/command_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "codec/json_shape.hpp"
#include "codec/json_text.hpp"
#include "config/manager_url.hpp"

namespace petrel::codec {
namespace {

using CommandTree = nlohmann::ordered_json;

constexpr std::size_t kDeepestCommand = 16;

struct NoCommand {
    std::string why;
};

CommandTree tree_of(std::string_view text)
{
    if (json_shape(text).depth > kDeepestCommand) {
        throw NoCommand{"it is nested too deeply"};
    }
    auto tree = CommandTree::parse(text, nullptr, false);
    if (!tree.is_object()) {
        throw NoCommand{"it is no JSON object"};
    }
    return tree;
}

const CommandTree& command_member(const CommandTree& object, const char* key)
{
    const auto at = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || at == object.end()) {
        throw NoCommand{fmt::format("it has no {}", key)};
    }
    return *at;
}

std::uint64_t command_number(const CommandTree& object, const char* key)
{
    const auto& value = command_member(object, key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > INT64_MAX) {
        throw NoCommand{fmt::format("{} is no whole number from 0", key)};
    }
    return value.get<std::uint64_t>();
}

Duration command_ms(const CommandTree& object, const char* key)
{
    constexpr std::uint64_t kLongest = 1000ULL * 86'400 * 365;
    return std::chrono::milliseconds{std::min(command_number(object, key), kLongest)};
}

std::string command_text(const CommandTree& object, const char* key)
{
    const auto& value = command_member(object, key);
    if (!value.is_string()) {
        throw NoCommand{fmt::format("{} is no text", key)};
    }
    return value.get<std::string>();
}

const CommandTree& command_list(const CommandTree& object, const char* key)
{
    const auto& value = command_member(object, key);
    if (!value.is_array()) {
        throw NoCommand{fmt::format("{} is no list", key)};
    }
    return value;
}

CommandTree result_tree(const uplink::CommandResult& result)
{
    return {{"id", result.id}, {"answer", CommandTree::parse(result.answer, nullptr, false)}};
}

}  // namespace

std::string command_poll_json(const std::vector<uplink::CommandResult>& results, Duration wait)
{
    auto all = CommandTree::array();
    for (const auto& result : results) {
        all.push_back(result_tree(result));
    }
    return to_line(CommandTree{{"results", std::move(all)}, {"wait_ms", whole_ms(wait)}});
}

Result<PolledCommands> read_commands(std::string_view body)
{
    try {
        const auto tree = tree_of(body);
        PolledCommands polled;
        polled.held = command_ms(tree, "held_ms");
        for (const auto& one : command_list(tree, "commands")) {
            polled.commands.push_back({command_number(one, "id"), command_text(one, "by"),
                                       to_line(command_member(one, "request")), command_ms(one, "within_ms")});
        }
        return polled;
    } catch (const NoCommand& wrong) {
        return tl::unexpected(
            Error{ErrorKind::corrupt, fmt::format("the manager's answer holds no commands: {}", wrong.why)});
    }
}

std::string command_record_json(std::string_view url, const uplink::CommandRecord& record)
{
    auto results = CommandTree::array();
    for (const auto& result : record.results) {
        results.push_back(result_tree(result));
    }
    return to_line(CommandTree{{"manager", url},
                               {"finished", record.finished},
                               {"under_way", record.under_way},
                               {"results", std::move(results)}});
}

Result<uplink::CommandRecord> read_command_record(std::string_view text, std::string_view url)
{
    try {
        const auto tree = tree_of(text);
        uplink::CommandRecord record;
        if (!config::name_same_managers(command_text(tree, "manager"), url)) {
            return record;
        }
        record.finished = command_number(tree, "finished");
        record.under_way = command_number(tree, "under_way");
        for (const auto& one : command_list(tree, "results")) {
            record.results.push_back({command_number(one, "id"), to_line(command_member(one, "answer"))});
        }
        return record;
    } catch (const NoCommand& wrong) {
        return tl::unexpected(Error{ErrorKind::corrupt, fmt::format("not a record of commands: {}", wrong.why)});
    }
}

}  // namespace petrel::codec
