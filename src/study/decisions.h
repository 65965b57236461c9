// The decisions in a study, each with its time and reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/database.h"

namespace assay::study {

/// In the order of the words in the column decision.kind.
enum class DecisionKind : std::uint8_t {
    created,
    setting,
    added,
    removed,
    restored,
    excluded,
    replaced,   ///< people could not judge it for a pair of classifiers
    duplicate,  ///< nearly the same as another image in the pair's list
    control,
    gold,
    blocked,
    unblocked,
    asked,  ///< a round of questions
};
std::string_view name_of(DecisionKind);

/// Returns its id. `reason` is "" if the kind says everything. Bytes that are no text are written
/// as escapes, because file names may have any.
std::int64_t decide(Database& database, DecisionKind kind, std::string_view subject,
                    std::string_view value, std::string_view reason);

}  // namespace assay::study
