#include "metric/score_reading.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/metric/metric.h"

namespace assay {
namespace {

/// The means over rows with labels.
struct ReadRows {
    double rows = 0;
    double labels = 0;
    double classes_found = 0;  ///< sum of the sigmoids of logits
    double sum_to_one = 0;     ///< for probabilities: the proportion of rows that sum to one
};

ReadRows read_some(const RowReader& reader, const LabelSets& labels) {
    constexpr std::uint64_t most = 256;
    const std::uint64_t all = reader.store().rows(), step = std::max<std::uint64_t>(1, all / most);
    const bool logits = reader.store().spec().kind == ScoreKind::logits;
    std::vector<float> buffer;
    ReadRows read;
    for (std::uint64_t row = 0; row < all; row += step) {
        const auto set = labels[static_cast<std::size_t>(row)];
        if (set.empty() || reader.status(row) != RowStatus::ok) continue;
        double sum = 0;
        for (const float score : reader.scores(row, buffer)) {
            const auto z = static_cast<double>(score);
            sum += logits ? 1 / (1 + std::exp(-z)) : z;
        }
        read.rows += 1;
        read.labels += static_cast<double>(set.size());
        read.classes_found += sum;
        read.sum_to_one += std::abs(sum - 1) <= 1e-2 ? 1 : 0;
    }
    for (double* mean : {&read.labels, &read.classes_found, &read.sum_to_one})
        *mean /= std::max(1.0, read.rows);
    return read;
}

}  // namespace

HeadReading head_of(const RowReader& reader, const LabelSets& labels) {
    const ScoreKind kind = reader.store().spec().kind;
    if (kind == ScoreKind::log_probabilities || kind == ScoreKind::labels)
        return {ScoreHead::softmax, ""};
    const ReadRows read = read_some(reader, labels);
    if (read.rows == 0) return {ScoreHead::unknown, ""};
    if (kind == ScoreKind::probabilities)
        return {read.sum_to_one > 0.5 ? ScoreHead::softmax : ScoreHead::sigmoids, ""};
    // The logits of a softmax are near 0 on average, so that sigmoids would predict half of the
    // classes.
    const bool far_more = read.classes_found > 3 * read.labels &&
                          read.classes_found > 0.25 * reader.store().classes();
    return {far_more ? ScoreHead::softmax : ScoreHead::either,
            fmt::format("sigmoids would find {:.1f} labels per image, the data set has {:.1f}",
                        read.classes_found, read.labels)};
}

ScoreReading reading_of(const RowReader& reader, const LabelSets& labels, std::string_view metric) {
    const StoreSpec& spec = reader.store().spec();
    const HeadReading read = head_of(reader, labels);
    const bool softmax = read.head == ScoreHead::softmax;
    if (read.head == ScoreHead::unknown ||
        (softmax && spec.kind != ScoreKind::logits && spec.kind != ScoreKind::probabilities))
        return {by_probability, ""};
    if (spec.kind == ScoreKind::probabilities) {
        if (softmax)
            return {by_probability, "ranked by log-odds: the probabilities of a row sum to 1"};
        return {by_stored_score,
                "ranked by the stored probabilities, one sigmoid for each class: they do not sum "
                "to 1"};
    }
    if (softmax)
        return {by_probability, fmt::format("ranked by the softmax's log-odds: {}", read.found)};
    throw Error(ErrorCode::usage,
                fmt::format("{0}: the logits of {1} may belong to one softmax or to one sigmoid "
                            "per class ({2}); use {0}:{3}={4} (softmax) or {0}:{3}={5} (sigmoids)",
                            metric, spec.model_name, read.found, ranked_by, by_probability,
                            by_stored_score));
}

}  // namespace assay
