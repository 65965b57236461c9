// What an import finds out and decides before anything is stored.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/progress.h"
#include "assay/store/import.h"
#include "core/parallel.h"
#include "store/kind_check.h"
#include "store/score_source.h"

namespace assay::store {

/// Progress of a step that counts rows, from many threads.
class Stage {
public:
    Stage(std::string_view name, std::uint64_t rows, const ProgressCallback& callback)
        : progress_{.step = name, .total = rows}, callback_(callback) {}
    void add(std::uint64_t rows) {
        throw_if_stopped();
        if (!callback_) return;
        const std::lock_guard guard(mutex_);
        progress_.done += rows;
        callback_(progress_);
    }

private:
    Progress progress_;
    const ProgressCallback& callback_;
    std::mutex mutex_;
};

/// What all rows look like. Cost: one pass over the scores.
KindFacts look_at(const ScoreSource& source, int threads, const ProgressCallback& callback);
/// What the scores are: as told, as the name of the column says, or as all rows look. Throws
/// bad_input where the rows do not tell or contradict it (with options.force: a note), usage.
ScoreKind decide_kind(const ScoreSource& source, const KindFacts& facts,
                      const ImportOptions& options, std::vector<std::string>& notes);
/// The numbers as the store has them: percent as probabilities, logarithms as natural ones.
void apply_scale(ScoreSource& source, ScoreScale scale);
/// Those told, those of the columns, of the data set that is there, ImageNet's where there are
/// 1000, or numbers. Throws bad_input: another number of classes than columns, or other names.
ClassList classes_of(const ScoreSource& source, const ImportOptions& options,
                     const std::optional<Dataset>& existing, std::vector<std::string>& notes);

}  // namespace assay::store
