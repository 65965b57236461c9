// Fleiss, "Measuring nominal scale agreement among many annotators", Psychological Bulletin 76
// (1971) 378-382. Krippendorff, "Content Analysis", 2nd edition (2004), chapter 11.
#include <fmt/format.h>

#include <cmath>

#include "annotation/counts.h"
#include "assay/annotation/aggregate.h"
#include "core/statistics.h"

namespace assay {
namespace {

/// The contribution of one question, or the sum over all questions. Most are integers, so that
/// omitting a question is exact.
struct Sums {
    std::uint64_t questions = 0;       ///< questions with at least two answers
    std::vector<std::uint64_t> given;  ///< answers of these questions, by kind
    std::uint64_t answers = 0;
    double agreeing = 0;   ///< sum over questions of the proportion of agreeing pairs
    double differing = 0;  ///< sum over questions of (ordered pairs that differ) / (answers - 1)
};

/// Adds one question with n answers, of which c[k] are answer k.
void describe(std::span<const std::uint32_t> c, std::uint64_t n, double& agreeing,
              double& differing) {
    std::uint64_t same = 0;  // ordered pairs
    for (const std::uint32_t count : c) same += std::uint64_t{count} * (count > 0 ? count - 1 : 0);
    const auto pairs = static_cast<double>(n * (n - 1));
    agreeing = static_cast<double>(same) / pairs;
    differing = (pairs - static_cast<double>(same)) / static_cast<double>(n - 1);
}

std::optional<double> kappa(const Sums& s) {
    if (s.questions == 0) return std::nullopt;
    double chance = 0;
    for (const std::uint64_t n : s.given) {
        const double proportion = static_cast<double>(n) / static_cast<double>(s.answers);
        chance += proportion * proportion;
    }
    if (chance >= 1) return std::nullopt;
    return (s.agreeing / static_cast<double>(s.questions) - chance) / (1 - chance);
}

std::optional<double> alpha(const Sums& s) {
    if (s.questions == 0) return std::nullopt;
    const double n = static_cast<double>(s.answers);
    double expected = n * n;  // ordered pairs of all answers that differ
    for (const std::uint64_t k : s.given)
        expected -= static_cast<double>(k) * static_cast<double>(k);
    if (expected <= 0) return std::nullopt;
    return 1 - (n - 1) * s.differing / expected;
}

template <class Statistic>
Measurement measured(const Votes& votes, const Sums& total, double level, Statistic&& statistic) {
    Measurement out;
    out.n = total.questions;
    out.value = statistic(total);
    if (!out.value) {
        out.undefined = total.questions == 0
                            ? "no question has two answers"
                            : "all answers are the same: agreement by chance is certain";
        return out;
    }
    if (total.questions < 2) {
        out.note = "one question: no interval";
        return out;
    }
    // Delete-one jackknife: each statistic is computed from the totals minus one question.
    AnswerCounts counts(votes);
    std::vector<double> without;
    without.reserve(total.questions);
    Sums rest = total;
    --rest.questions;
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        const std::uint64_t n = votes.of(q).size();
        if (n < 2) continue;
        const auto c = counts.of(q);
        double agreeing = 0, differing = 0;
        describe(c, n, agreeing, differing);
        rest.answers = total.answers - n;
        rest.agreeing = total.agreeing - agreeing;
        rest.differing = total.differing - differing;
        for (std::size_t a = 0; a < c.size(); ++a) rest.given[a] = total.given[a] - c[a];
        const auto value = statistic(rest);
        if (!value) {
            out.note = "undefined without one of the questions: no interval";
            return out;
        }
        without.push_back(*value);
    }
    out.interval = symmetric_interval(*out.value, jackknife_standard_error(without), level,
                                      "jackknife.questions");
    out.interval->high = std::min(1.0, out.interval->high);
    return out;
}

}  // namespace

AnswerAgreement answer_agreement(const Votes& votes, double level) {
    AnswerAgreement out;
    Sums total;
    total.given.assign(votes.answers(), 0);
    AnswerCounts counts(votes);
    std::uint64_t fewest = UINT64_MAX, most = 0;
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        const std::uint64_t n = votes.of(q).size();
        fewest = std::min(fewest, n);
        most = std::max(most, n);
        if (n < 2) {
            ++out.pairless;
            continue;
        }
        const auto c = counts.of(q);
        double agreeing = 0, differing = 0;
        describe(c, n, agreeing, differing);
        ++total.questions;
        total.answers += n;
        total.agreeing += agreeing;
        total.differing += differing;
        for (std::size_t a = 0; a < c.size(); ++a) total.given[a] += c[a];
    }
    out.fleiss_kappa = measured(votes, total, level, [](const Sums& s) { return kappa(s); });
    out.fleiss_kappa.key.metric = "fleiss_kappa";
    out.fleiss_kappa.key.definition =
        fewest == most ? "fleiss_kappa.equal" : "fleiss_kappa.unequal";
    out.fleiss_kappa.left_out = out.pairless;
    if (fewest != most && out.fleiss_kappa.note.empty()) {
        out.fleiss_kappa.note = fmt::format(
            "questions have {} to {} answers: Fleiss' form for unequal numbers, over questions "
            "with two or more",
            fewest, most);
    }
    out.krippendorff_alpha = measured(votes, total, level, [](const Sums& s) { return alpha(s); });
    out.krippendorff_alpha.key.metric = "krippendorff_alpha";
    out.krippendorff_alpha.key.definition = "krippendorff_alpha.nominal";
    out.krippendorff_alpha.left_out = out.pairless;
    return out;
}

}  // namespace assay
