// Images that a report shows with models' predictions: those on which models disagree, and examples
// of slices and of the most frequent confusions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "assay/evaluate/score.h"
#include "assay/report/document.h"
#include "assay/slices/slices.h"
#include "report/described_report.h"
#include "report/measured.h"
#include "report/store_groups.h"

namespace assay {

/// An image of a data set, and the models for which it is shown.
struct WantedItem {
    std::uint64_t row = 0;
    std::set<std::size_t> stores;  ///< stores of the group
};

/// Rows for `report`'s most frequent confusions, at most `examples` per confusion, in the order of
/// the confusions; at most `most` in total. Cost: a pass over the predicted classes of the store.
std::vector<std::uint64_t> confusion_examples(const PredictionStore& store,
                                              const ScoreOptions& options,
                                              const ScoreReport& report, std::size_t confusions,
                                              std::size_t examples, std::size_t most, int threads);

struct GroupItems {
    std::vector<WantedItem> wanted;  ///< disagreements and the others alternate
    std::vector<ReportItem> shown;
    bool cut = false;  ///< there are more images
};
/// At most `most` images: the disagreements, of each pair in turn, up to a half; examples of
/// slices, of each model in turn, up to three quarters; examples of the confusions of the best
/// models; disagreements again. Classes are those of the evaluated predictions. `slices`: may be
/// nullptr.
GroupItems items_of_group(const StoreGroup& group, const ScoreResult& scores,
                          const BestOfGroup& best, const slices::SliceResult* slices,
                          const ReportOptions& options, std::size_t most);

}  // namespace assay
