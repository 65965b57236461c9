// What was decided in a competition, each with its time and reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/database.h"

namespace assay::mad {

enum class DecisionKind : std::uint8_t {
    created,
    setting,
    added,
    removed,
    restored,
    excluded,
    replaced,   ///< people could not judge it, for a pair of classifiers
    duplicate,  ///< nearly the same as another one of the pair's list
    control,
    gold,
    blocked,
    unblocked,
    asked,  ///< a round of questions
};
std::string_view name_of(DecisionKind);

/// "2026-11-23T01:02:03Z".
std::string utc_now();
/// Its id. `reason`: "" where there is nothing to say beyond the kind.
std::int64_t decide(Database& database, DecisionKind kind, std::string_view subject,
                    std::string_view value, std::string_view reason);

}  // namespace assay::mad
