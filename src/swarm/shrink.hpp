// Makes a failing scenario small: removes tables and keys and rounds numbers, one after the other, as long as it still
// fails. What it tries depends on the draft alone, so a shrunk scenario can be found again.
#pragma once

#include <functional>

#include "swarm/draft.hpp"

namespace petrel::swarm {

// `fails` is false for a draft that is not a scenario. At most `most_tries` drafts are tried.
Draft shrink(Draft, const std::function<bool(const Draft&)>& fails, unsigned most_tries);

}  // namespace petrel::swarm
