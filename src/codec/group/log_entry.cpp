#include "codec/group/log_entry.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/event_reader.hpp"
#include "codec/json_text.hpp"
#include "codec/manager/fleet_json.hpp"
#include "codec/manager/report_reader.hpp"

namespace petrel::codec {

namespace {

using manager::Batch;
using nlohmann::json;
using MessageKind = fabric::Message::Kind;

constexpr int kVersion = 1;

// Thrown by the reader below and caught in the same file.
struct BadEntry : std::runtime_error {
    BadEntry(ErrorKind of, const std::string& why) : std::runtime_error(why), kind(of) {}
    ErrorKind kind;
};

[[noreturn]] void refuse(const std::string& why) { throw BadEntry{ErrorKind::corrupt, why}; }

class EntryWriter {
public:
    explicit EntryWriter(const LogEntry& entry)
        : number_(entry.number), by_(entry.by), first_(entry.begins_with_file), now_us_(wall_us(entry.batch.now))
    {
        begin();
    }

    template <class... Fields>
    void record(const char* kind, const Fields&... fields)
    {
        if (text_.size() >= kFullEntryBytes) {
            end();
            begin();
        }
        text_ += to_line(json::array({kind, fields...}));
        text_ += '\n';
    }
    void line(std::string_view text)
    {
        text_ += text;
        text_ += '\n';
    }
    std::vector<std::string> take()
    {
        end();
        return std::move(entries_);
    }

private:
    void begin() { text_ = to_line(json::array({"entry", kVersion, number_, by_, now_us_, first_})) + '\n'; }
    void end()
    {
        entries_.push_back(std::move(text_));
        ++number_;
        first_ = false;
    }

    std::uint64_t number_;
    const std::string& by_;
    bool first_;
    std::int64_t now_us_;
    std::string text_;
    std::vector<std::string> entries_;
};

void write_message(EntryWriter& to, const manager::TakenMessage& taken)
{
    const auto& message = taken.message;
    to.record("message", message.source.device, fabric::name(message.source.channel), message.position.epoch,
              message.position.number, taken.cursor, static_cast<int>(message.kind), message.port,
              message.priority ? json(message.priority->value) : json(), message.cause, wall_us(message.at),
              wall_us(message.observed_at), message.text);
    to.line(taken.event);
}

void write_orders(EntryWriter& to, const Batch& batch)
{
    for (const auto& row : batch.rollouts) {
        to.record("rollout", row.id, wall_us(row.at), row.by, row.what, row.request, plan_json(row.plan),
                  whole_us(row.within), static_cast<int>(row.state), row.why);
    }
    for (const auto& row : batch.commands) {
        to.record("command", row.id, row.rollout, row.agent, wall_us(row.deadline), static_cast<int>(row.state),
                  row.answer, wall_us(row.ended));
    }
}

// The fields of a record, one after the other.
class Record {
public:
    explicit Record(std::string_view line) : fields_(json::parse(line, nullptr, false))
    {
        if (!fields_.is_array() || fields_.empty() || !fields_[0].is_string()) {
            refuse(fmt::format("'{}' is no record", excerpt(line)));
        }
    }

    const std::string& kind() const { return fields_[0].get_ref<const std::string&>(); }

    const json& next()
    {
        if (at_ == fields_.size()) {
            refuse(fmt::format("a record '{}' with {} fields", excerpt(kind()), fields_.size() - 1));
        }
        return fields_[at_++];
    }
    std::string text()
    {
        const auto& field = next();
        require(field.is_string(), field, "a text");
        return field.get<std::string>();
    }
    std::uint64_t count(std::uint64_t most = UINT64_MAX)
    {
        const auto& field = next();
        require(field.is_number_unsigned() && field.get<std::uint64_t>() <= most, field, fmt::format("0..{}", most));
        return field.get<std::uint64_t>();
    }
    std::int64_t number()
    {
        const auto& field = next();
        require(field.is_number_integer() && (!field.is_number_unsigned() || field.get<std::uint64_t>() <= INT64_MAX),
                field, "a whole number");
        return field.get<std::int64_t>();
    }
    template <class Word>
    Word word(Word last)  // the number of one of several words
    {
        return static_cast<Word>(count(static_cast<std::uint64_t>(last)));
    }
    Priority priority() { return Priority{static_cast<std::uint8_t>(count(kPriorities - 1))}; }
    WallTime time() { return WallTime{std::chrono::microseconds{number()}}; }
    bool skip_null()
    {
        const bool null = at_ < fields_.size() && fields_[at_].is_null();
        at_ += null ? 1 : 0;
        return null;
    }
    void end() const
    {
        if (at_ != fields_.size()) {
            refuse(fmt::format("a record '{}' with {} fields", excerpt(kind()), fields_.size() - 1));
        }
    }

private:
    void require(bool good, const json& field, const std::string& allowed) const
    {
        if (!good) {
            refuse(fmt::format("record '{}', field {}: {}: allowed {}", excerpt(kind()), at_ - 1,
                               excerpt(field.dump(-1, ' ', false, json::error_handler_t::replace)), allowed));
        }
    }

    json fields_;
    std::size_t at_{1};
};

class EntryReader {
public:
    explicit EntryReader(std::string_view text) : rest_(text) {}

    LogEntry read()
    {
        Record head{line()};
        if (head.kind() != "entry") {
            refuse(fmt::format("the first record is '{}'", excerpt(head.kind())));
        }
        if (const auto version = head.count(); version != kVersion) {
            throw BadEntry{ErrorKind::unsupported, fmt::format("its version is {}: allowed {}", version, kVersion)};
        }
        entry_.number = head.count();
        entry_.by = head.text();
        entry_.batch.now = head.time();
        entry_.begins_with_file = head.next() == true;
        head.end();
        while (!rest_.empty()) {
            Record record{line()};
            read(record);
            record.end();
        }
        return std::move(entry_);
    }

private:
    std::string_view line()
    {
        const auto end = rest_.find('\n');
        if (end == rest_.npos) {
            refuse("a line without an end");
        }
        const auto found = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        return found;
    }

    void read(Record& record)
    {
        auto& batch = entry_.batch;
        const auto& kind = record.kind();
        if (kind == "message") {
            read_message(record);
        } else if (kind == "heard") {
            auto device = record.text();
            batch.heard[std::move(device)] = record.time();
        } else if (kind == "agent") {
            batch.agents.push_back({record.text(), record.text(), record.text(), record.time()});
        } else if (kind == "device") {
            auto agent = record.text();
            auto state = read_device_state(line());
            if (!state) {
                refuse(state.error().what);
            }
            batch.devices.push_back({std::move(agent), std::move(*state)});
        } else if (kind == "sample") {
            fabric::PortName port{record.text(), record.text()};
            batch.samples.push_back(
                {std::move(port), record.priority(), record.time(), record.count(), record.count(), record.count()});
        } else if (kind == "audit") {
            batch.audit.push_back({record.time(), record.text(), record.text(), record.text(), record.text()});
        } else if (kind == "invitation") {
            batch.invitations.push_back({record.text(), record.text(), record.time(), record.text()});
        } else if (kind == "revocation") {
            batch.revocations.push_back({record.text(), record.time()});
        } else {
            read_order(record);
        }
    }

    static fleet::RolloutPlan plan(const std::string& text)
    {
        auto read = read_plan(text);
        if (!read) {
            refuse(read.error().what);
        }
        return std::move(*read);
    }

    void read_order(Record& record)
    {
        if (record.kind() == "rollout") {
            entry_.batch.rollouts.push_back({record.count(), record.time(), record.text(), record.text(), record.text(),
                                             false, plan(record.text()),
                                             std::chrono::microseconds{record.count(kLongestUs)},
                                             record.word(fleet::Rollout::State::stopped), record.text()});
        } else if (record.kind() == "command") {
            entry_.batch.commands.push_back({record.count(), record.count(), record.text(), record.time(),
                                             record.word(fleet::CommandState::expired), record.text(), record.time()});
        } else {
            throw BadEntry{ErrorKind::unsupported, fmt::format("a record '{}'", excerpt(record.kind()))};
        }
    }

    void read_message(Record& record)
    {
        manager::TakenMessage taken;
        auto& message = taken.message;
        message.source.device = record.text();
        const auto channel = record.text();
        const auto known = fabric::channel_from_name(channel);
        if (!known) {
            throw BadEntry{ErrorKind::unsupported, fmt::format("a message of the channel '{}'", excerpt(channel))};
        }
        message.source.channel = *known;
        message.position.epoch = record.count();
        message.position.number = record.count();
        taken.cursor = record.number();
        message.kind = record.word(MessageKind::other);
        message.port = record.text();
        if (!record.skip_null()) {
            message.priority = record.priority();
        }
        message.cause = static_cast<link::Canonical>(record.count(UINT16_MAX));
        message.at = record.time();
        message.observed_at = record.time();
        message.text = record.text();
        taken.event = line();
        const auto event = read_event(taken.event);
        if (!event) {
            refuse(event.error().what);
        }
        const bool link = message.kind == MessageKind::link_down || message.kind == MessageKind::link_up;
        message.link = link && event->known ? event->known->link : std::nullopt;
        entry_.batch.messages.push_back(std::move(taken));
    }

    static constexpr std::uint64_t kLongestUs = INT64_MAX / 1000;

    std::string_view rest_;
    LogEntry entry_;
};

}  // namespace

std::vector<std::string> log_entries(const LogEntry& entry)
{
    EntryWriter to{entry};
    const auto& batch = entry.batch;
    for (const auto& taken : batch.messages) {
        write_message(to, taken);
    }
    for (const auto& [device, at] : batch.heard) {
        to.record("heard", device, wall_us(at));
    }
    for (const auto& row : batch.agents) {
        to.record("agent", row.agent, row.boot, row.version, wall_us(row.since));
    }
    for (const auto& row : batch.devices) {
        to.record("device", row.agent);
        to.line(device_state_json(row.state));
    }
    for (const auto& row : batch.samples) {
        to.record("sample", row.port.device, row.port.port, row.queue.value, wall_us(row.at), row.paused_us,
                  row.tx_packets, row.rx_pfc);
    }
    for (const auto& row : batch.audit) {
        to.record("audit", wall_us(row.at), row.who, row.what, row.on, row.result);
    }
    write_orders(to, batch);
    for (const auto& row : batch.invitations) {
        to.record("invitation", row.digest, row.agent, wall_us(row.until), row.key);
    }
    for (const auto& row : batch.revocations) {
        to.record("revocation", row.agent, wall_us(row.at));
    }
    return to.take();
}

Result<LogEntry> read_log_entry(std::string_view text)
{
    try {
        return EntryReader{text}.read();
    } catch (const BadEntry& why) {
        return tl::unexpected(Error{why.kind, why.what()});
    }
}

std::string leader_record(const LeaderRecord& record)
{
    return to_line(json{{"manager", record.manager}, {"url", record.url}});
}

LeaderRecord read_leader_record(std::string_view text)
{
    const auto object = json::parse(text, nullptr, false);
    const auto word = [&](const char* key) {
        const auto found = object.is_object() ? object.find(key) : object.end();
        const bool is_word = object.is_object() && found != object.end() && found->is_string();
        return is_word && printable(found->get_ref<const std::string&>()) ? found->get<std::string>() : std::string{};
    };
    return {word("manager"), word("url")};
}

}  // namespace petrel::codec
