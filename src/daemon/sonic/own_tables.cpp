#include "daemon/sonic/own_tables.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "codec/sonic/table_file.hpp"
#include "daemon/log_text.hpp"
#include "daemon/sonic/store_report.hpp"
#include "runtime/atomic_file.hpp"

namespace petrel::daemon {

namespace {

using control::ControlRequest;
using sonic::Change;
using sonic::Db;
using sonic::Hash;
using sonic::TableContent;

// The largest answer to one request, which may name the same key many times.
constexpr std::size_t kLargestAnswer = 4UL * 1024 * 1024;

constexpr std::string_view kPorts = "PORT|";

std::size_t size_of(const Hash& hash)
{
    std::size_t size = 0;
    for (const auto& [field, value] : hash) {
        size += field.size() + value.size();
    }
    return size;
}

Error refused(std::string what) { return {ErrorKind::invalid, std::move(what)}; }

bool is_of_buffers(const Change& change) { return change.key.starts_with(BufferTables::kPrefix); }

// The rows that the file has: those of buffers are the device's.
TableContent without_buffers(TableContent tables)
{
    std::erase_if(tables, [](const auto& row) { return row.first.starts_with(BufferTables::kPrefix); });
    return tables;
}

}  // namespace

Result<std::unique_ptr<OwnTables>> OwnTables::open(const std::filesystem::path& file)
{
    std::error_code denied;  // take() reports it
    std::filesystem::create_directories(file.parent_path(), denied);
    auto held = runtime::HeldFile::take(file);
    if (!held) {
        return tl::unexpected(std::move(held.error()));
    }
    auto found = held->folder().find(held->name(), O_RDONLY);
    if (!found) {
        return tl::unexpected(std::move(found.error()));
    }
    if (!*found) {
        return std::unique_ptr<OwnTables>{new OwnTables{std::move(*held), std::nullopt, {}}};
    }
    const auto text = runtime::read_all(**found, file);
    if (!text) {
        return tl::unexpected(text.error());
    }
    auto config = codec::read_table_file(*text, file.string()).map_error([&](const Error& error) {
        const auto problems = error.complaints.size();
        return Error{
            error.kind,
            fmt::format("{} cannot be read: {}. It lists what is watched: {}remove it to start without any",
                        file.string(),
                        problems == 0 ? error.what : fmt::format("{} problem{}", problems, problems == 1 ? "" : "s"),
                        problems == 0 ? "or " : "repair it, or "),
            false, error.complaints};
    });
    if (!config) {
        return tl::unexpected(std::move(config.error()));
    }
    return std::unique_ptr<OwnTables>{
        new OwnTables{std::move(*held), std::move(*found), without_buffers(std::move(*config))}};
}

OwnTables::OwnTables(runtime::HeldFile held, std::optional<runtime::FileDescriptor> file, TableContent config)
    : held_(std::move(held)),
      file_(std::move(file)),
      store_(std::move(config), [this](const TableContent& next) { return write(next); })
{}

Result<void> OwnTables::write(const TableContent& tables)
{
    const auto text = codec::table_file_text(without_buffers(tables));
    return held_.folder()
        .replace(held_.name(), std::as_bytes(std::span{text}), runtime::kOwnersFile)
        .and_then([&](runtime::FileDescriptor&& file) {
            file_ = std::move(file);
            return held_.folder().sync();
        });
}

Result<void> OwnTables::keep_name(Reply& reply)
{
    if (!file_ || !held_.lost(*file_)) {
        return {};
    }
    return held_.take_again().and_then([&] { return write(store_.config()); }).map([&] {
        reply.lines.push_back({Log::Level::error, "file_lost", {}, {}, file_lost_text(held_.path()), {}});
    });
}

// Performs every step, also if an earlier one fails: a full disk must not keep storms out of the tables and the log.
Nos::Reply OwnTables::exchange(Report report)
{
    store_report(report, tables_, counters_);
    overrides_.set(report.overrides);
    Reply reply;
    show_buffers(report.buffers);
    const auto known = ports_.update(store_, report.queues);
    const auto followed = follow_configuration(reply);
    reply.concern = config_ ? concern(*config_) : "";
    const auto written = tables_.write(store_).and_then([&] { return counters_.write(store_, tables_); }).and_then([&] {
        return overrides_.write(store_);
    });
    reply.counts_every = counters_.every();
    for (const auto& event : report.events) {
        log_.happened(event, tables_, reply.lines);
    }
    const auto kept = keep_name(reply);
    for (const auto& done : {known, followed, written, kept}) {
        if (!done) {
            reply.trouble = done.error().what;
            break;
        }
    }
    return reply;
}

void OwnTables::show_buffers(std::span<const NosBuffers> changed)
{
    if (!changed.empty()) {
        buffers_.update(changed);
        store_.mirror(BufferTables::kPrefix, buffers_.rows());
    }
}

Result<void> OwnTables::follow_configuration(Reply& reply)
{
    if (followed_ == store_.version()) {
        return {};
    }
    return sonic::read_config(store_, sonic::Role::owner, config_).map([&](sonic::Config config) {
        if (!config_ || config.policies != config_->policies) {
            reply.policies = config.policies;
        }
        config_ = std::move(config);
        log_.configured(*config_, tables_, reply.lines);
        tables_.configure(*config_);
        counters_.configure(*config_);
        followed_ = store_.version();
    });
}

Result<Nos::Answer> OwnTables::tables(const ControlRequest& request)
{
    if (request.db >= sonic::kDatabases) {
        return tl::unexpected(refused(fmt::format("no database {}: allowed 0..{}", request.db, sonic::kDatabases - 1)));
    }
    // Refuse until a device has been opened for the first time: a command for all ports would succeed without any port.
    if (const auto ports = store_.keys(Db::config, kPorts); ports && ports->empty()) {
        return tl::unexpected(Error{ErrorKind::unreachable,
                                    "no port is known yet: no device with ports has been opened; see `petrel status`"});
    }
    const auto db = static_cast<Db>(request.db);
    switch (request.command) {
    case ControlRequest::Command::table_keys:
        return store_.keys(db, request.prefix).map([](std::vector<std::string> keys) {
            return Answer{{std::move(keys), {}}, std::nullopt};
        });
    case ControlRequest::Command::table_hashes:
        return hashes(db, request.keys).map([](control::TableReport report) {
            return Answer{std::move(report), std::nullopt};
        });
    default: break;
    }
    if (db != Db::config) {
        return tl::unexpected(refused(fmt::format(
            "database {} is the state of queues, which only the agent writes: change the configuration, database {}",
            request.db, static_cast<int>(Db::config))));
    }
    if (std::ranges::any_of(request.changes, is_of_buffers)) {
        if (request.changes.size() != 1) {
            return tl::unexpected(refused("a buffer profile is changed by a request of its own"));
        }
        return buffers_.threshold(request.changes.front()).map([](Answer::Threshold threshold) {
            return Answer{{}, std::move(threshold)};
        });
    }
    for (const auto& change : request.changes) {
        if (auto possible = ports_.check(store_, change); !possible) {
            return tl::unexpected(std::move(possible.error()));
        }
    }
    return store_.apply(db, request.changes).map([] { return Answer{}; });
}

Result<control::TableReport> OwnTables::hashes(Db db, std::span<const std::string> keys)
{
    if (keys.size() > control::kMostTableKeys) {
        return tl::unexpected(Error{ErrorKind::exhausted,
                                    fmt::format("{} keys at once: at most {}", keys.size(), control::kMostTableKeys)});
    }
    control::TableReport report;
    std::size_t size = 0;
    for (std::size_t i = 0; i != keys.size(); ++i) {
        auto found = store_.hashes(db, keys.subspan(i, 1));
        if (!found) {
            return tl::unexpected(std::move(found.error()));
        }
        size += size_of(found->front());
        if (size > kLargestAnswer) {
            return tl::unexpected(Error{ErrorKind::exhausted, "the answer is too large: request fewer keys at once"});
        }
        report.hashes.push_back(std::move(found->front()));
    }
    return report;
}

}  // namespace petrel::daemon
