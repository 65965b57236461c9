// Metrics of the columns of scores, class by class, beside the adaptive bins (score_adaptive.h):
// they read the rows again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "evaluate/scored_rows.h"
#include "metric/class_ranks.h"

namespace assay {

class ColumnMetrics {
public:
    /// After every row was scored on all ranks.
    ColumnMetrics(const ScoredRows& rows, StorageFormat storage, const ScoreOptions& options,
                  int threads, Comm& comm)
        : rows_(rows),
          shape_(rows.shape()),
          storage_(storage),
          options_(options),
          threads_(threads),
          comm_(comm) {}

    /// Source::equal_width: the value, its interval and its values without each group. Collective.
    ResampledEstimate equal_width(const MetricRequest& request,
                                  std::span<const std::uint64_t> group_sizes);

    /// Gives a request that leaves it to the scores (by_what_scores_tell) what ranks its items, and
    /// returns why; "" for others. Throws as reading_of().
    std::string read_scores(MetricRequest& request, const RowReader& reader,
                            const LabelSets& labels) const;

    /// Source::ranked: likewise. Its positives and their counts are kept for the next request.
    /// Collective.
    ResampledEstimate ranked(const MetricRequest& request);

private:
    struct Ranked {
        std::uint64_t items = 0;
        ClassPositives positives;
        std::unique_ptr<ClassRanks> ranks;
        std::vector<std::int64_t> counts;
    };
    const Ranked& ranked(const OrderedRows& rows, bool sets, bool stored);
    /// Classes [first, second) are this rank's.
    std::pair<std::uint32_t, std::uint32_t> own_classes() const;
    /// "", or why probabilities of every class are not known.
    std::string lacking() const;

    const ScoredRows& rows_;
    const Shape shape_;
    const StorageFormat storage_;
    const ScoreOptions& options_;
    const int threads_;
    Comm& comm_;
    std::map<std::pair<bool, bool>, Ranked> ranked_;
};

}  // namespace assay
