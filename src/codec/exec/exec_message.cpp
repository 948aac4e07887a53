#include "codec/exec/exec_message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/exec/exec_line.hpp"
#include "codec/json_shape.hpp"
#include "link/raw_code.hpp"

namespace petrel::codec {

namespace {

using exec_line::guarded;
using exec_line::Part;
using exec_line::Refusal;
using exec_line::Words;
using watchdog::Capabilities;
using watchdog::Field;
using watchdog::Inventory;
using watchdog::Notice;
using watchdog::PauseState;
using watchdog::Treatment;

constexpr std::size_t kDeepest = 6;  // nested objects and lists

constexpr Words<PauseState, 3> kPauseStates{{{"not_paused", PauseState::not_paused},
                                             {"paused", PauseState::paused},
                                             {"not_continuous", PauseState::not_continuous}}};
constexpr Words<Notice::Kind, 4> kNoticeKinds{{{"detected", Notice::Kind::detected},
                                               {"recovered", Notice::Kind::recovered},
                                               {"link_up", Notice::Kind::link_up},
                                               {"link_down", Notice::Kind::link_down}}};

// A set of fields or treatments, within `allowed`.
template <class Enum>
std::uint32_t read_set(const Part& list, std::optional<Enum> (*from_name)(std::string_view), std::uint32_t allowed,
                       std::string_view why)
{
    std::uint32_t set = 0;
    list.each(static_cast<std::size_t>(Enum::count_), [&](const Part& element) {
        const auto one = element.named(from_name);
        if (!has(allowed, one)) {
            element.refuse(why);
        }
        set |= bit(one);
    });
    return set;
}

Capabilities read_capabilities(const Part& part)
{
    part.only({"fields", "survive", "treatments", "port_wide", "reads_back", "detects_itself", "reads_links",
               "refresh_us", "stamp_uncertainty_us"});
    constexpr auto kAll = ~std::uint32_t{};
    Capabilities offered;
    const auto fields = part.get("fields");
    offered.fields = read_set(fields, watchdog::field_from_name, kAll, "");
    if (offered.fields == 0) {
        fields.refuse("at least one field");
    }
    offered.survive = read_set(part.get("survive"), watchdog::field_from_name, offered.fields, "one of `fields`");
    offered.treatments = read_set(part.get("treatments"), watchdog::treatment_from_name, kAll & ~bit(Treatment::none),
                                  "a treatment other than none: every device restores");
    offered.port_wide =
        read_set(part.get("port_wide"), watchdog::treatment_from_name, offered.treatments, "one of `treatments`");
    offered.reads_back = part.get("reads_back").flag();
    offered.detects_itself = part.get("detects_itself").flag();
    const auto links = part.find("reads_links");
    offered.reads_links = links && links->flag();
    offered.refresh = part.get("refresh_us").duration_us();
    offered.stamp_uncertainty = part.get("stamp_uncertainty_us").duration_us();
    return offered;
}

void read_port(const Part& part, DeviceId device, Inventory& into)
{
    part.only({"name", "xname", "number", "speed_bps", "host_facing", "priorities", "port_row"});
    auto names = exec_line::read_port_names(part);
    watchdog::RowInfo row;
    row.target.port = {device, static_cast<std::uint16_t>(into.ports.size())};
    row.speed.bps = part.get("speed_bps").number(exec_line::kMostSpeed);
    row.host_facing = part.get("host_facing").flag();
    into.ports.push_back(std::move(names));
    if (const auto port_row = part.find("port_row"); port_row && port_row->flag()) {
        into.rows.push_back(row);
    }
    unsigned seen = 0;
    part.get("priorities").each(kPriorities, [&](const Part& element) {
        const auto priority = element.number(kPriorities - 1);
        if ((seen >> priority & 1U) != 0) {
            element.refuse("each priority once");
        }
        seen |= 1U << priority;
        row.target.priority = Priority{static_cast<std::uint8_t>(priority)};
        into.rows.push_back(row);
    });
}

Inventory read_inventory(const Part& part, DeviceId device)
{
    part.only({"ports"});
    Inventory inventory;
    const auto ports = part.get("ports");
    ports.each(kMostExecPorts, [&](const Part& port) { read_port(port, device, inventory); });
    if (const ExecNames names{inventory}; !names.ambiguous().empty()) {
        throw Refusal{fmt::format("the name '{}' stands for two ports or queues: allowed is each name once",
                                  excerpt(names.ambiguous()))};
    }
    return inventory;
}

std::vector<std::string_view> sample_keys()
{
    std::vector<std::string_view> keys{"row", "epoch", "at_us", "unreadable"};
    for (std::size_t f = 0; f != watchdog::kFields; ++f) {
        keys.push_back(watchdog::name(static_cast<Field>(f)));
    }
    return keys;
}

void read_field(const Part& part, std::string_view key, Field field, watchdog::Sample& into)
{
    const auto value = part.get(key);
    switch (field) {
    case Field::pause_state: into.pause_state = value.word(kPauseStates); break;
    case Field::paused_now: into.paused_now = value.flag(); break;
    case Field::pause_timeout: into[field] = value.number(exec_line::kMostNumber32); break;
    default: into[field] = value.number(exec_line::kMostNumber); break;
    }
    into.known |= bit(field);
}

watchdog::Sample read_sample(const Part& part, Slot row, watchdog::Fields fields, Instant received)
{
    watchdog::Sample sample;
    sample.slot = row;
    sample.read_at = received;
    sample.epoch = static_cast<std::uint32_t>(part.get("epoch").number(exec_line::kMostNumber32));
    for (const auto& [key, value] : part.object().items()) {
        if (key == "at_us") {
            sample.read_at = part.get(key).instant_us(received);
        } else if (const auto field = watchdog::field_from_name(key)) {
            if (!has(fields, *field)) {
                part.get(key).refuse("the fields that the capabilities list");
            }
            read_field(part, key, *field, sample);
        } else if (key != "row" && key != "epoch") {
            part.refuse_key(key, sample_keys());
        }
    }
    return sample;
}

Slot read_row(const Part& part, const ExecNames& names)
{
    const auto given = part.get("row");
    const auto row = names.row(given.name());
    if (!row) {
        given.refuse("a row of the inventory");
    }
    return *row;
}

device::TimerShown read_timer(const Part& part, std::string_view programmed, std::string_view observed)
{
    const auto read = [&](std::string_view key) {
        const auto value = part.find(key);
        return value ? std::optional{value->duration_us()} : std::nullopt;
    };
    return {read(programmed), read(observed)};
}

device::Delegated read_delegated(const Part& part, const ExecNames& names)
{
    part.only({"row", "on", "detect_us", "observed_detect_us", "restore_us", "observed_restore_us"});
    device::Delegated watched;
    watched.row = read_row(part, names);
    watched.on = part.get("on").flag();
    watched.detect = read_timer(part, "detect_us", "observed_detect_us");
    watched.restore = read_timer(part, "restore_us", "observed_restore_us");
    return watched;
}

// A code and its list, or none of them.
std::optional<link::RawCode> read_link_code(const Part& part)
{
    const auto list = part.find("list");
    if (!list && !part.find("code")) {
        return std::nullopt;
    }
    const auto known = link::list_named(part.get("list").name());
    if (!known) {
        list->refuse("a list of codes, as sai.port_error");
    }
    return link::RawCode{*known, part.get("code").number(exec_line::kMostNumber)};
}

link::LinkSample read_link(const Part& part)
{
    part.only({"port", "up", "downs", "disabled", "list", "code", "neighbor_reason"});
    link::LinkSample seen;
    seen.port = part.get("port").name();
    seen.up = part.get("up").flag();
    if (const auto downs = part.find("downs")) {
        seen.downs = static_cast<std::uint32_t>(downs->number(exec_line::kMostNumber32));
    }
    if (const auto disabled = part.find("disabled")) {
        seen.disabled = disabled->flag();
    }
    seen.code = read_link_code(part);
    if (const auto reason = part.find("neighbor_reason")) {
        seen.nldr = static_cast<std::uint8_t>(reason->number(std::numeric_limits<std::uint8_t>::max()));
    }
    return seen;
}

std::pair<ExecMessage::Kind, std::uint64_t> kind_of(const Part& line)
{
    if (const auto id = line.find("id")) {
        return {ExecMessage::Kind::answer, id->number(exec_line::kMostNumber)};
    }
    constexpr Words<ExecMessage::Kind, 3> kOthers{{{"notice", ExecMessage::Kind::notice},
                                                   {"inventory", ExecMessage::Kind::inventory},
                                                   {"note", ExecMessage::Kind::note}}};
    for (const auto& [key, kind] : kOthers) {
        if (line.find(key)) {
            return {kind, 0};
        }
    }
    line.refuse("an answer (id) or one of notice, inventory, note");
}

}  // namespace

ExecMessage::ExecMessage(std::unique_ptr<ExecTree> tree, Kind kind, std::uint64_t id)
    : tree_(std::move(tree)), kind_(kind), id_(id)
{}
ExecMessage::~ExecMessage() = default;
ExecMessage::ExecMessage(ExecMessage&&) noexcept = default;
ExecMessage& ExecMessage::operator=(ExecMessage&&) noexcept = default;

Result<ExecMessage> ExecMessage::parse(std::string_view line)
{
    const auto refuse = [&](std::string_view allowed) {
        return tl::unexpected(
            Error{ErrorKind::corrupt, fmt::format("the line is '{}': allowed {}", excerpt(line), allowed)});
    };
    if (line.size() > kLongestExecLine) {
        return refuse(fmt::format("at most {} bytes", kLongestExecLine));
    }
    const auto shape = json_shape(line);
    if (shape.depth > kDeepest) {
        return refuse(fmt::format("at most {} nested objects and lists", kDeepest));
    }
    if (shape.repeated) {
        return refuse(fmt::format("the key '{}' once", excerpt(*shape.repeated)));
    }
    auto tree = std::make_unique<ExecTree>(ExecTree{nlohmann::json::parse(line, nullptr, false)});
    if (!tree->json.is_object()) {
        return refuse("one JSON object a line");
    }
    return guarded([&] { return kind_of(Part{tree->json}); }).map([&](const auto& found) {
        return ExecMessage{std::move(tree), found.first, found.second};
    });
}

bool ExecMessage::is_error() const { return tree_->json.contains("error"); }

Result<ExecHello> ExecMessage::hello(DeviceId device) const
{
    return tree_->answer([&](const Part& line) {
        exec_line::check_protocol(line);
        line.only({"id", "protocol", "name", "answer_within_ms", "treated_by_others", "capabilities", "inventory"});
        ExecHello hello;
        hello.name = line.get("name").name();
        hello.answer_within = exec_line::read_answer_within(line);
        const auto others = line.find("treated_by_others");
        hello.treated_by_others = others && others->flag();
        hello.capabilities = read_capabilities(line.get("capabilities"));
        hello.inventory = read_inventory(line.get("inventory"), device);
        return hello;
    });
}

Result<ExecSamples> ExecMessage::samples(const ExecNames& names, watchdog::Fields fields, Instant received) const
{
    return tree_->answer([&](const Part& line) {
        line.only({"id", "samples"});
        ExecSamples samples;
        std::set<Slot> seen;
        line.get("samples").each(kMostExecPorts * (kPriorities + 1), [&](const Part& part) {
            const auto row = read_row(part, names);
            if (!seen.insert(row).second) {
                part.get("row").refuse("each row once");
            }
            if (const auto why = part.find("unreadable")) {
                part.only({"row", "unreadable"});
                samples.unreadable.push_back({names.name(row), escaped(why->text(exec_line::kLongestText))});
            } else {
                samples.read.push_back(read_sample(part, row, fields, received));
            }
        });
        return samples;
    });
}

Result<device::Undo> ExecMessage::undo() const
{
    return tree_->answer([](const Part& line) {
        line.only({"id", "undo"});
        device::Undo undo;
        const auto& text = line.get("undo").text(undo.bytes.size());
        std::ranges::transform(text, undo.bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
        undo.size = static_cast<decltype(undo.size)>(text.size());
        return undo;
    });
}

Result<Treatment> ExecMessage::treatment() const
{
    return tree_->answer([](const Part& line) { return line.only({"id", "treatment"}).get("treatment").treatment(); });
}

Result<std::vector<device::Delegated>> ExecMessage::delegated(const ExecNames& names,
                                                              std::span<const device::DelegatedRow> wanted) const
{
    return tree_->answer([&](const Part& line) {
        line.only({"id", "rows"});
        std::vector<device::Delegated> rows;
        const auto list = line.get("rows");
        list.each(kMostExecPorts * (kPriorities + 1),
                  [&](const Part& part) { rows.push_back(read_delegated(part, names)); });
        if (!std::ranges::equal(rows, wanted, {}, &device::Delegated::row, &device::DelegatedRow::row)) {
            list.refuse("the rows of the request, in its order");
        }
        return rows;
    });
}

Result<std::vector<link::LinkSample>> ExecMessage::links(const std::function<bool(std::string_view)>& is_port) const
{
    return tree_->answer([&](const Part& line) {
        line.only({"id", "links"});
        std::vector<link::LinkSample> links;
        std::set<std::string> seen;
        line.get("links").each(kMostExecPorts, [&](const Part& part) {
            links.push_back(read_link(part));
            if (!is_port(links.back().port)) {
                part.get("port").refuse("a port of the inventory");
            }
            if (!seen.insert(links.back().port).second) {
                part.get("port").refuse("each port once");
            }
        });
        return links;
    });
}

Result<void> ExecMessage::done() const
{
    return tree_
        ->answer([](const Part& line) {
            line.only({"id"});
            return true;
        })
        .map([](bool) {});
}

Result<ExecNotice> ExecMessage::notice(Instant received) const
{
    return guarded([&] {
        const Part line{tree_->json};
        line.only({"notice", "target", "at_us", "action", "interval_us"});
        ExecNotice notice{line.get("notice").word(kNoticeKinds), line.get("target").name(), received, {}, {}};
        if (const auto at = line.find("at_us")) {
            notice.at = at->instant_us(received);
        }
        if (const auto action = line.find("action")) {
            notice.action = action->treatment();
        }
        if (const auto interval = line.find("interval_us")) {
            notice.interval = interval->duration_us();
        }
        return notice;
    });
}

Result<Inventory> ExecMessage::inventory(DeviceId device) const
{
    return guarded([&] {
        const Part line{tree_->json};
        return read_inventory(line.only({"inventory"}).get("inventory"), device);
    });
}

Result<std::string> ExecMessage::note() const
{
    return guarded([&] { return escaped(Part{tree_->json}.only({"note"}).get("note").text(exec_line::kLongestText)); });
}

}  // namespace petrel::codec
