#include "derived/fit_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/random.h"
#include "core/refuse.h"
#include "store/full_rows.h"

namespace assay::derived {

void read_logits(const RowReader& reader, std::uint64_t row, std::vector<float>& buffer,
                 std::span<double> out) {
    const std::span<const float> scores = reader.scores(row, buffer);
    const bool chances = reader.store().spec().kind == ScoreKind::probabilities;
    double most = -INFINITY;
    for (std::size_t c = 0; c < out.size(); ++c) {
        const auto score = static_cast<double>(scores[c]);
        out[c] = !chances ? score : score > 0 ? std::log(score) : -INFINITY;
        most = std::max(most, out[c]);
    }
    // A class with probability 0 stays below all others, but gets a finite number.
    constexpr double impossible = -std::numeric_limits<double>::infinity();
    double least = most + least_logit;
    for (const double logit : out) {
        if (logit > impossible) least = std::min(least, logit);
    }
    for (double& logit : out) logit = std::max(logit, least);
}

bool is_of_fit(std::string_view id, double proportion, std::uint64_t seed) {
    return RandomStream(seed, fmt::format("calibration part of {}", id)).uniform() < proportion;
}

std::vector<std::uint64_t> rows_of_fit(const RowReader& reader, bool all,
                                       const CalibrateOptions& options) {
    const PredictionStore& store = reader.store();
    const Dataset& dataset = store.dataset();
    std::vector<std::uint64_t> rows;
    for (std::uint64_t row = 0; row < store.rows(); ++row) {
        const auto item = static_cast<std::size_t>(row);
        if (reader.status(row) != RowStatus::ok || dataset.single_label(item) < 0) continue;
        if (all || is_of_fit(dataset.ids[item], options.split, options.seed)) rows.push_back(row);
    }
    return rows;
}

ScalingRows scaling_rows(const RowReader& reader, const std::vector<std::uint64_t>& rows,
                         Scaling method) {
    const PredictionStore& store = reader.store();
    if (rows.empty())
        refuse(fmt::format("`{}` has no item to fit on with scores and a single label",
                           store.folder().string()));
    if (method != Scaling::temperature) {
        std::vector<bool> there(store.classes());
        for (const std::uint64_t row : rows)
            there[static_cast<std::size_t>(
                store.dataset().single_label(static_cast<std::size_t>(row)))] = true;
        const auto none = std::ranges::find(there, false);
        if (none != there.end()) {
            const auto cls = static_cast<std::size_t>(none - there.begin());
            const ClassList& names = store.dataset().classes;
            refuse(fmt::format(
                "class {}{} has no item among the {} that are fitted ({} of {} classes have none): "
                "its scaling is unknown. Use --method temperature, or fit on more items",
                cls, names.empty() ? "" : fmt::format(" (`{}`)", names.name(cls)), rows.size(),
                std::ranges::count(there, false), store.classes()));
        }
    }
    if (store.spec().kind == ScoreKind::probabilities) {
        // A softmax of what does not sum to 1 has another loss than the stored values.
        std::vector<float> buffer;
        std::vector<double> unused(store.classes());
        for (const std::uint64_t row : rows) store::read_probabilities(reader, row, buffer, unused);
    }
    ScalingRows out;
    out.items = rows.size();
    out.classes = store.classes();
    out.read = [&reader, &rows](std::uint64_t item, std::span<double> logits) {
        thread_local std::vector<float> buffer;
        const std::uint64_t row = rows[static_cast<std::size_t>(item)];
        read_logits(reader, row, buffer, logits);
        return reader.store().dataset().single_label(static_cast<std::size_t>(row));
    };
    return out;
}

}  // namespace assay::derived
