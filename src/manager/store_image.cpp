// A store without a file, for scenarios of the lab. Its content as bytes survives the process that used it.
#include <cstring>
#include <new>

#include "manager/store.hpp"
#include "manager/store_guard.hpp"

namespace petrel::manager {

namespace {

constexpr auto kInMemory = ":memory:";

void load(SQLite::Database& database, std::span<const std::byte> image)
{
    auto* bytes = static_cast<unsigned char*>(sqlite3_malloc64(image.size()));
    if (bytes == nullptr) {
        throw std::bad_alloc{};
    }
    std::memcpy(bytes, image.data(), image.size());
    const auto size = static_cast<sqlite3_int64>(image.size());
    const auto code = sqlite3_deserialize(database.getHandle(), "main", bytes, size, size,
                                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    if (code != SQLITE_OK) {
        throw SQLite::Exception{database.getHandle(), code};
    }
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open_image(std::span<const std::byte> image)
{
    return open(kInMemory, [&] {
        auto database = std::make_unique<SQLite::Database>(kInMemory, SQLite::OPEN_READWRITE);
        if (!image.empty()) {
            load(*database, image);
        }
        return database;
    });
}

Result<std::vector<std::byte>> Store::image() const
{
    sqlite3_int64 size = 0;
    auto* bytes = sqlite3_serialize(database_->getHandle(), "main", &size, 0);
    if (bytes == nullptr) {
        return tl::unexpected(Error{ErrorKind::exhausted, "the manager's store is too large for the memory"});
    }
    const auto* first = reinterpret_cast<const std::byte*>(bytes);
    std::vector<std::byte> image{first, first + size};
    sqlite3_free(bytes);
    return image;
}

}  // namespace petrel::manager
