// Images that a report shows with what models predict for them: those that models disagree on, and
// examples of the most frequent confusions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/evaluate/compare.h"
#include "assay/evaluate/score.h"
#include "assay/report/document.h"
#include "report/store_groups.h"

namespace assay {

/// An image of a data set, and the models because of which it is shown.
struct WantedItem {
    std::uint64_t row = 0;
    std::set<std::size_t> stores;  ///< of the group
};

/// Rows of `report`'s most frequent confusions, `examples` of each at most, by the confusions'
/// order; at most `most` in all. Cost: a pass over the predicted classes of the store.
std::vector<std::uint64_t> confusion_examples(const PredictionStore& store,
                                              const ScoreOptions& options,
                                              const ScoreReport& report, std::size_t confusions,
                                              std::size_t examples, std::size_t most, int threads);

struct GroupItems {
    std::vector<WantedItem> wanted;                  ///< in the order in which they were found
    nlohmann::json shown = nlohmann::json::array();  ///< ShownItem of web/src/report/document.ts
    bool cut = false;                                ///< there are more
};
/// At most `most` images: the disagreements first, of each pair in turn, then the confusions, model
/// by model. Classes are those that predictions are looked at in.
GroupItems items_of_group(const StoreGroup& group, const ScoreResult& scores,
                          const std::optional<CompareResult>& comparison,
                          const ReportOptions& options, std::size_t most);

}  // namespace assay
