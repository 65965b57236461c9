#include "decisions/judged_labels.h"

#include <cstdint>

#include <fmt/format.h>

#include "core/refuse.h"

namespace assay::decisions {

void require_known_labels(const PredictionStore& store, const LabelSets& labels,
                          const std::filesystem::path& file) {
    for (std::size_t row = 0; row < labels.size(); ++row) {
        const auto valid = labels[row];
        if (valid.empty() || valid.back() < static_cast<std::int64_t>(store.classes())) continue;
        refuse(fmt::format(
            "{}: `{}` has the label {}, but the scores of `{}` are of the classes 0 "
            "to {}; correct the labels: assay import --help",
            file.empty() ? store.spec().dataset_name : file.string(), store.dataset().ids[row],
            valid.back(), store.folder().string(), store.classes() - 1));
    }
}

}  // namespace assay::decisions
