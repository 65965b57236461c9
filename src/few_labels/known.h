// Answers that were known before a study began: those of a competition.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "assay/few_labels/estimate.h"
#include "few_labels/design.h"
#include "few_labels/pool.h"

namespace assay::few_labels {

struct KnownLabel {
    std::int32_t label = 0;
    KnownOutcome outcome = KnownOutcome::no;
};
/// By row of the data set.
using KnownAnswers = std::map<std::uint64_t, std::vector<KnownLabel>>;

std::filesystem::path settled_file(const std::filesystem::path& study);

/// Throws bad_input, beginning with `source`, if there are none, if none is about an image of the
/// pool, or if a label is no class of the pool.
KnownAnswers known_answers(const std::vector<KnownAnswer>& answers, const std::string& source,
                           const Pool& pool);
/// csv with item, label and answer.
std::string settled_csv(const KnownAnswers& known, const Pool& pool);
/// Reads the answers of a study, which may be none. Throws bad_input if the file was changed.
KnownAnswers read_known(const std::filesystem::path& study, const Design& design, const Pool& pool);

/// The images of the pool for which each label that a founder predicts has an answer, ascending.
std::vector<std::uint64_t> settled_rows(const KnownAnswers& known, const Pool& pool);

/// The known answer about a label of an image, or null.
const KnownLabel* find_known(const KnownAnswers& known, std::uint64_t row, std::int32_t label);

}  // namespace assay::few_labels
