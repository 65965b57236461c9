// The leniency and noise of each annotator, compared with others who judged the same images.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/replication/prepare.h"
#include "core/statistics.h"
#include "replication/annotator_ratings.h"

namespace assay::replication {
namespace {

/// Sums over one annotator's answers to images that other annotators judged too.
struct RatedAnswers {
    std::uint64_t annotations = 0, selected = 0;
    double compared = 0, sum = 0, squares = 0, unlike = 0, unlike_squares = 0;
};

Estimate mean_of_answers(double n, double sum, double squares, double lowest) {
    Estimate estimate;
    estimate.unit = Unit::proportion;
    estimate.n = static_cast<std::uint64_t>(n);
    if (n < 1) {
        estimate.undefined = "nobody else judged these images";
        return estimate;
    }
    const double mean = sum / n;
    estimate.value = mean;
    const double variance = n > 1 ? std::max(0.0, squares / n - mean * mean) / (n - 1) : 0;
    if (!(variance > 1e-24)) {
        estimate.note = "no interval: the answers do not vary";
        return estimate;
    }
    estimate.standard_error = std::sqrt(variance);
    estimate.interval =
        symmetric_interval(mean, *estimate.standard_error, 0.95, "t.by_answer", n - 1);
    estimate.interval->low = std::max(estimate.interval->low, lowest);
    estimate.interval->high = std::min(estimate.interval->high, 1.0);
    return estimate;
}

}  // namespace

std::vector<AnnotatorRating> rate_annotators(std::span<const Selections> sets) {
    std::vector<RatedAnswers> sums;
    for (const Selections& set : sets) {
        std::vector<double> annotators(set.images.size(), 0.0), selected = annotators;
        for (const Selection& row : set.rows) {
            if (row.control) continue;
            annotators[row.image] += 1;
            selected[row.image] += row.selected ? 1 : 0;
        }
        for (const Selection& row : set.rows) {
            if (row.control) continue;
            if (row.annotator >= sums.size()) sums.resize(std::size_t{row.annotator} + 1);
            RatedAnswers& own = sums[row.annotator];
            const double answer = row.selected ? 1 : 0;
            ++own.annotations;
            own.selected += row.selected ? 1U : 0U;
            if (annotators[row.image] < 2) continue;
            const double others = (selected[row.image] - answer) / (annotators[row.image] - 1);
            const double unlike = std::abs(answer - others);
            own.compared += 1;
            own.sum += answer - others;
            own.squares += unlike * unlike;
            own.unlike += unlike;
            own.unlike_squares += unlike * unlike;
        }
    }
    std::vector<AnnotatorRating> ratings;
    for (std::size_t w = 0; w < sums.size(); ++w) {
        const RatedAnswers& own = sums[w];
        if (own.annotations == 0) continue;
        ratings.push_back({static_cast<std::uint32_t>(w), own.annotations,
                           static_cast<double>(own.selected) / static_cast<double>(own.annotations),
                           mean_of_answers(own.compared, own.sum, own.squares, -1),
                           mean_of_answers(own.compared, own.unlike, own.unlike_squares, 0)});
    }
    return ratings;
}

void leave_out_annotators(std::span<Selections> sets, const Names& annotators,
                          const std::vector<std::string>& without) {
    std::vector<std::uint8_t> out(annotators.size(), 0);
    for (const std::string& name : without) {
        const std::size_t found = annotators.find(name);
        if (found == annotators.size()) {
            throw Error(ErrorCode::bad_input, fmt::format("no annotator `{}` to skip{}", name,
                                                          suggest(name, annotators.all())));
        }
        out[found] = 1;
    }
    for (Selections& set : sets)
        std::erase_if(set.rows, [&](const Selection& row) { return out[row.annotator] == 1; });
}

}  // namespace assay::replication
