#include "codec/exec/exec_message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/exec/exec_request.hpp"
#include "codec/json_shape.hpp"
#include "codec/json_text.hpp"

namespace petrel::codec {

namespace {

using watchdog::Capabilities;
using watchdog::Field;
using watchdog::Inventory;
using watchdog::Notice;
using watchdog::PauseState;
using watchdog::Treatment;

constexpr std::size_t kDeepest = 6;  // nested objects and lists
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestText = 1024;
constexpr std::uint64_t kMostNumber = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMostEpoch = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostDurationUs = 3'600'000'000;         // an hour
constexpr std::uint64_t kMostInstantUs = 9'000'000'000'000'000;  // the nanoseconds still fit in 64 bits
constexpr std::uint64_t kMostSpeed = 100'000'000'000'000;        // 100 Tb/s
constexpr std::uint64_t kLeastAnswerMs = 10;
constexpr std::uint64_t kMostAnswerMs = 60'000;
constexpr std::uint64_t kUsualAnswerMs = 2'000;

template <class Value, std::size_t n>
using Words = std::array<std::pair<std::string_view, Value>, n>;

constexpr Words<PauseState, 3> kPauseStates{{{"not_paused", PauseState::not_paused},
                                             {"paused", PauseState::paused},
                                             {"not_continuous", PauseState::not_continuous}}};
constexpr Words<Notice::Kind, 4> kNoticeKinds{{{"detected", Notice::Kind::detected},
                                               {"recovered", Notice::Kind::recovered},
                                               {"link_up", Notice::Kind::link_up},
                                               {"link_down", Notice::Kind::link_down}}};
constexpr Words<ErrorKind, 4> kFailures{{{"unreachable", ErrorKind::unreachable},
                                         {"unsupported", ErrorKind::unsupported},
                                         {"denied", ErrorKind::denied},
                                         {"timed_out", ErrorKind::timed_out}}};

// Thrown by the readers below, and caught in ExecMessage.
struct Refusal {
    std::string what;
};

// A value of the line and its place in it: "samples[3].tx_packets". A Part refers to the one it was taken from, which
// must outlive it.
class Part {
public:
    explicit Part(const nlohmann::json& root) : value_(root) {}

    [[noreturn]] void refuse(std::string_view allowed) const
    {
        throw Refusal{fmt::format("{} is {}: allowed {}", place(), excerpt(to_line(value_)), allowed)};
    }

    std::optional<Part> find(std::string_view key) const
    {
        const auto at = object().find(key);
        return at == value_.end() ? std::nullopt : std::optional{Part{*at, this, key, 0}};
    }
    Part get(std::string_view key) const
    {
        if (auto found = find(key)) {
            return *found;
        }
        throw Refusal{fmt::format("{} has no {}: it is required", place(), key)};
    }
    // Refuses all other keys.
    const Part& only(std::initializer_list<std::string_view> keys) const
    {
        for (const auto& [key, value] : object().items()) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
                refuse_key(key, std::vector<std::string_view>{keys});
            }
        }
        return *this;
    }
    [[noreturn]] void refuse_key(std::string_view key, const std::vector<std::string_view>& known) const
    {
        throw Refusal{
            fmt::format("{} has the key '{}': allowed a known key, {}", place(), excerpt(key), instead_of(key, known))};
    }

    template <class Use>
    void each(std::size_t most, Use use) const
    {
        if (!value_.is_array() || value_.size() > most) {
            refuse(fmt::format("a list of at most {}", most));
        }
        std::size_t index = 0;
        for (const auto& element : value_) {
            use(Part{element, this, {}, index++});
        }
    }

    std::uint64_t number(std::uint64_t most, std::uint64_t least = 0) const
    {
        const bool whole = value_.is_number_unsigned();
        if (!whole || value_.get<std::uint64_t>() > most || value_.get<std::uint64_t>() < least) {
            refuse(fmt::format("a whole number, {}..{}", least, most));
        }
        return value_.get<std::uint64_t>();
    }
    Duration duration_us() const
    {
        return std::chrono::microseconds{static_cast<std::int64_t>(number(kMostDurationUs))};
    }
    // Of the machine's monotonic clock, not later than `latest`.
    Instant instant_us(Instant latest) const
    {
        const auto at = instant_from_us(static_cast<std::int64_t>(number(kMostInstantUs)));
        if (at > latest) {
            refuse(fmt::format("a time of the monotonic clock that is not in the future, up to {}", whole_us(latest)));
        }
        return at;
    }
    bool flag() const
    {
        if (!value_.is_boolean()) {
            refuse("true or false");
        }
        return value_.get<bool>();
    }
    const std::string& text(std::size_t most) const
    {
        if (!value_.is_string() || value_.get_ref<const std::string&>().size() > most) {
            refuse(fmt::format("a string of at most {} bytes", most));
        }
        return value_.get_ref<const std::string&>();
    }
    const std::string& name() const
    {
        const auto& given = text(kLongestName);
        if (given.empty() || !printable(given)) {
            refuse("a name of printable characters");
        }
        return given;
    }

    template <class Value, std::size_t n>
    Value word(const Words<Value, n>& words) const
    {
        std::vector<std::string_view> known;
        for (const auto& [text, value] : words) {
            if (value_.is_string() && value_.get_ref<const std::string&>() == text) {
                return value;
            }
            known.push_back(text);
        }
        refuse(fmt::format("one of {}", fmt::join(known, ", ")));
    }
    // A Field or a Treatment, by its name.
    template <class Enum>
    Enum named(std::optional<Enum> (*from_name)(std::string_view)) const
    {
        const auto found = value_.is_string() ? from_name(value_.get_ref<const std::string&>()) : std::nullopt;
        if (found) {
            return *found;
        }
        std::vector<std::string_view> known;
        for (auto one = Enum{}; one != Enum::count_; one = static_cast<Enum>(static_cast<unsigned>(one) + 1)) {
            known.push_back(watchdog::name(one));
        }
        refuse("a known name, " + instead_of(value_.is_string() ? value_.get<std::string>() : "", known));
    }
    Treatment treatment() const { return named(watchdog::treatment_from_name); }

    const nlohmann::json& object() const
    {
        if (!value_.is_object()) {
            refuse("an object");
        }
        return value_;
    }

private:
    Part(const nlohmann::json& value, const Part* parent, std::string_view key, std::size_t index)
        : value_(value), parent_(parent), key_(key), index_(index)
    {}

    std::string place() const
    {
        if (parent_ == nullptr) {
            return "the line";
        }
        const auto above = parent_->parent_ == nullptr ? "" : parent_->place();
        return key_.empty() ? fmt::format("{}[{}]", above, index_)
                            : fmt::format("{}{}{}", above, above.empty() ? "" : ".", key_);
    }

    const nlohmann::json& value_;
    const Part* parent_{};
    std::string_view key_;  // empty: an element of a list
    std::size_t index_{};
};

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
    part.only({"fields", "survive", "treatments", "port_wide", "reads_back", "detects_itself", "refresh_us",
               "stamp_uncertainty_us"});
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
    offered.refresh = part.get("refresh_us").duration_us();
    offered.stamp_uncertainty = part.get("stamp_uncertainty_us").duration_us();
    return offered;
}

void read_port(const Part& part, DeviceId device, Inventory& into)
{
    part.only({"name", "xname", "number", "speed_bps", "host_facing", "priorities", "port_row"});
    PortNames names;
    names.name = part.get("name").name();
    if (const auto xname = part.find("xname")) {
        names.xname = xname->name();
    }
    if (const auto number = part.find("number")) {
        names.number = static_cast<std::uint32_t>(number->number(kMostEpoch));
    }
    watchdog::RowInfo row;
    row.target.port = {device, static_cast<std::uint16_t>(into.ports.size())};
    row.speed.bps = part.get("speed_bps").number(kMostSpeed);
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
    case Field::pause_timeout: into[field] = value.number(std::numeric_limits<std::uint32_t>::max()); break;
    default: into[field] = value.number(kMostNumber); break;
    }
    into.known |= bit(field);
}

watchdog::Sample read_sample(const Part& part, Slot row, watchdog::Fields fields, Instant received)
{
    watchdog::Sample sample;
    sample.slot = row;
    sample.read_at = received;
    sample.epoch = static_cast<std::uint32_t>(part.get("epoch").number(kMostEpoch));
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

// Calls the reader, and makes its refusal an error.
template <class Read>
auto guarded(Read read) -> Result<decltype(read())>
{
    try {
        if constexpr (std::is_void_v<decltype(read())>) {
            read();
            return {};
        } else {
            return read();
        }
    } catch (const Refusal& refusal) {
        return tl::unexpected(Error{ErrorKind::corrupt, refusal.what});
    }
}

std::pair<ExecMessage::Kind, std::uint64_t> kind_of(const Part& line)
{
    if (const auto id = line.find("id")) {
        return {ExecMessage::Kind::answer, id->number(kMostNumber)};
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

struct ExecMessage::Tree {
    nlohmann::json json;

    // Calls the reader with the line of an answer, unless the answer is the helper's own error.
    template <class Read>
    auto answer(Read read) const
    {
        using Value = decltype(read(Part{json}));
        return guarded([this] { return failure(); }).and_then([&](const std::optional<Error>& error) -> Result<Value> {
            return error ? tl::unexpected(*error) : guarded([&] { return read(Part{json}); });
        });
    }

    std::optional<Error> failure() const
    {
        const Part line{json};
        const auto error = line.find("error");
        if (!error) {
            return std::nullopt;
        }
        line.only({"id", "error", "kind"});
        const auto kind = line.find("kind");
        return Error{kind ? kind->word(kFailures) : ErrorKind::unreachable, escaped(error->text(kLongestText))};
    }
};

ExecMessage::ExecMessage(std::unique_ptr<Tree> tree, Kind kind, std::uint64_t id)
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
    auto tree = std::make_unique<Tree>(Tree{nlohmann::json::parse(line, nullptr, false)});
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
        // The version comes first: another version may have other keys.
        if (const auto protocol = line.get("protocol"); protocol.number(kMostNumber) != kExecProtocol) {
            protocol.refuse(fmt::format("{}", kExecProtocol));
        }
        line.only({"id", "protocol", "name", "answer_within_ms", "treated_by_others", "capabilities", "inventory"});
        ExecHello hello;
        hello.name = line.get("name").name();
        const auto within = line.find("answer_within_ms");
        const auto ms = within ? within->number(kMostAnswerMs, kLeastAnswerMs) : kUsualAnswerMs;
        hello.answer_within = std::chrono::milliseconds{static_cast<std::int64_t>(ms)};
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
                samples.unreadable.push_back({names.name(row), escaped(why->text(kLongestText))});
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
    return guarded([&] { return escaped(Part{tree_->json}.only({"note"}).get("note").text(kLongestText)); });
}

}  // namespace petrel::codec
