// The predictions of one classifier on a data set with a role.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/quality/role.h"
#include "assay/store/prediction_store.h"
#include "evaluate/truth.h"
#include "quality/ratios.h"

namespace assay::quality {

struct Answers {
    PredictionStore store;
    std::string data = {};                     ///< store::dataset_id_of()
    std::optional<ClassMap> map = {};          ///< the question
    std::vector<std::int32_t> predicted = {};  ///< by item; -1 means no class; may be no_score
    Truth truth = {};
    std::uint64_t n = 0, hits = 0;  ///< items with a single label and a score; correct items
                                    ///< among them
    std::uint64_t unscored = 0;     ///< items with a label but no score

    static constexpr std::int32_t no_score = -2;
    Hits of_all() const { return {hits, n}; }
    bool counts(std::size_t item) const {
        return truth.targets[item] >= 0 && predicted[item] != no_score;
    }
    bool correct(std::size_t item) const { return predicted[item] == truth.targets[item]; }
};

/// Cost: one pass over the predicted classes. Throws the errors of truth_for() and RowReader.
Answers read_answers(PredictionStore store, std::optional<ClassMap> map, int threads);

}  // namespace assay::quality
