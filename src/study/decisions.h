// What was decided in a study, each with its time and reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/database.h"

namespace assay::study {

/// In the order of the words of the column decision.kind.
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

/// Its id. `reason`: "" where there is nothing to say beyond the kind. Bytes that are no text are
/// written as escapes: names of files may have any.
std::int64_t decide(Database& database, DecisionKind kind, std::string_view subject,
                    std::string_view value, std::string_view reason);

}  // namespace assay::study
