#include "decisions/judged_store.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/refuse.h"
#include "decisions/judged_labels.h"
#include "derived/fit_rows.h"
#include "store/label_fit.h"

namespace assay::decisions {

JudgedStore::JudgedStore(const std::filesystem::path& folder, const std::filesystem::path& labels)
    : store_(PredictionStore::open(folder)), reader_(store_) {
    derived::require_full(store_);
    if (store_.spec().kind == ScoreKind::labels || store_.classes() < 2)
        refuse(fmt::format("{}: sets need the scores of two classes or more, but it has {}",
                           folder.string(),
                           store_.classes() < 2 ? "one class" : "labels without scores"));
    if (labels.empty()) {
        require_known_labels(store_, store_.dataset().labels, {});
        return;
    }
    store::LabelFit fit = store::label_fit(labels, store_.dataset());
    if (fit.error) throw Error(*fit.error);
    sets_ = std::move(fit.sets);
    given_ = true;
    require_known_labels(store_, sets_, labels);
}

}  // namespace assay::decisions
