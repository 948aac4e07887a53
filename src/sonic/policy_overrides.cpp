#include "sonic/policy_overrides.hpp"

namespace petrel::sonic {

Result<void> PolicyOverrides::write(Store& store)
{
    if (written_) {
        return {};
    }
    const Change change{Change::Kind::replace, kOverridesKey, by_port_};
    return store.apply(Db::state, {&change, 1}).map([&] { written_ = true; });
}

Result<void> PolicyOverrides::retire(Store& store)
{
    if (by_port_.empty()) {
        return {};
    }
    set({});
    return write(store);
}

}  // namespace petrel::sonic
