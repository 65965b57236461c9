#include "decisions/judged_store.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/refuse.h"
#include "decisions/judged_labels.h"
#include "store/full_rows.h"

namespace assay::decisions {

JudgedStore::JudgedStore(const std::filesystem::path& folder, const GivenLabels& labels,
                         const std::filesystem::path& file)
    : store_(PredictionStore::open(folder)), reader_(store_) {
    store::require_full(store_);
    if (store_.spec().kind == ScoreKind::labels || store_.classes() < 2)
        refuse(fmt::format("{}: sets need the scores of two classes or more, but it has {}",
                           folder.string(),
                           store_.classes() < 2 ? "one class" : "labels without scores"));
    std::optional<LabelSets> given = labels.measure_for({}, store_).label_sets;
    if (!given) {
        require_known_labels(store_, store_.dataset().labels, {});
        return;
    }
    sets_ = std::move(*given);
    given_ = true;
    require_known_labels(store_, sets_, file);
}

}  // namespace assay::decisions
