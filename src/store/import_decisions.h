// Detects and decides properties of an import before anything is stored.
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

/// Progress of a step that counts rows, callable from many threads.
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

/// Collects facts about all rows. Cost: one pass over the scores.
KindFacts look_at(const ScoreSource& source, int threads, const ProgressCallback& callback);
/// The kind of the scores: as given, by the column's name, or from all rows. Throws bad_input if
/// the rows do not determine or contradict the kind (a note with options.force). Also throws usage.
ScoreKind decide_kind(const ScoreSource& source, const KindFacts& facts,
                      const ImportOptions& options, std::vector<std::string>& notes);
/// Converts the numbers to the store's scale: percent to probabilities, other logarithms to natural
/// ones.
void apply_scale(ScoreSource& source, ScoreScale scale);
/// The classes: those given, or those of the columns or the existing data set, ImageNet's for 1000
/// classes, or numbers. Throws bad_input if their number or names differ from those of the columns.
ClassList classes_of(const ScoreSource& source, const ImportOptions& options,
                     const std::optional<Dataset>& existing, std::vector<std::string>& notes);

}  // namespace assay::store
