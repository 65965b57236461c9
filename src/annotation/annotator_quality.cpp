#include <algorithm>
#include <cmath>

#include "annotation/counts.h"
#include "assay/annotation/aggregate.h"
#include "assay/error.h"
#include "core/statistics.h"

namespace assay {
namespace {

/// Sums over an annotator's questions, where x of the m other answers were the same.
struct Pairs {
    std::uint64_t questions = 0, x = 0, m = 0, xx = 0, xm = 0, mm = 0;
};

Measurement agreement_of(const Pairs& p, double level) {
    Measurement out;
    out.unit = Unit::proportion;
    out.key = {.metric = "agreement",
               .definition = "annotator_agreement.pairs",
               .parameters = {},
               .model = {},
               .dataset = {},
               .subgroup = {},
               .cls = {}};
    out.n = p.m;
    if (p.m == 0) {
        out.undefined = "nobody else answered this annotator's questions";
        return out;
    }
    const auto real = [](std::uint64_t n) { return static_cast<double>(n); };
    const double value = real(p.x) / real(p.m);
    out.value = value;
    if (p.questions < 2) {
        out.note = "one question: no interval";
        return out;
    }
    // A ratio of sums over questions; its variance comes from the residuals x - value m.
    const double residuals =
        std::max(0.0, real(p.xx) - 2 * value * real(p.xm) + value * value * real(p.mm));
    const double n = real(p.questions), error = std::sqrt(n / (n - 1) * residuals) / real(p.m);
    out.interval = symmetric_interval(value, error, level, "ratio.questions");
    out.interval->low = std::max(0.0, out.interval->low);
    out.interval->high = std::min(1.0, out.interval->high);
    if (error == 0)
        out.note = "the value is the same for every question: the interval is too narrow";
    return out;
}

Measurement accuracy_of(double correct, std::uint64_t answers, double level) {
    Measurement out;
    out.unit = Unit::proportion;
    out.key = {.metric = "accuracy",
               .definition = "annotator_accuracy.expected",
               .parameters = {},
               .model = {},
               .dataset = {},
               .subgroup = {},
               .cls = {}};
    out.n = answers;
    if (answers == 0) {
        out.undefined = "no answer";
        return out;
    }
    const double value = std::clamp(correct / static_cast<double>(answers), 0.0, 1.0);
    out.value = value;
    out.interval = wilson_of_mean(value, answers, level);
    out.note = "given the posteriors of the questions";
    return out;
}

}  // namespace

std::vector<AnnotatorQuality> annotator_quality(const Votes& votes, std::span<const double> yes,
                                                double smoothing, const DawidSkene* fitted,
                                                double level) {
    if (yes.size() != votes.questions())
        throw Error(ErrorCode::internal, "the posteriors belong to different questions");
    const std::size_t annotators = votes.annotators.size(), answers = votes.answers();
    std::vector<AnnotatorQuality> out(annotators);
    std::vector<Pairs> pairs(annotators);
    std::vector<double> correct(annotators, 0);
    std::vector<double> expected(fitted == nullptr ? annotators * 2 * answers : 0, 0);
    for (AnnotatorQuality& annotator : out) annotator.given.assign(answers, 0);

    AnswerCounts counts(votes);
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        const auto c = counts.of(q);
        const std::uint64_t others = votes.of(q).size() - 1;  // not used without answers
        for (const std::uint32_t code : votes.of(q)) {
            const std::size_t r = code / answers, a = code % answers;
            const double worth = votes.scale.worth(a);
            if (fitted == nullptr) {
                expected[(r * 2) * answers + a] += 1 - yes[q];
                expected[(r * 2 + 1) * answers + a] += yes[q];
            }
            // Answers of no that follow from another class do not count separately.
            if (votes.which_class && a + 1 != answers) continue;
            ++out[r].given[a];
            ++out[r].answers;
            correct[r] += worth * yes[q] + (1 - worth) * (1 - yes[q]);
            if (others == 0) continue;
            const std::uint64_t same = c[a] - 1;
            Pairs& p = pairs[r];
            ++p.questions;
            p.x += same;
            p.m += others;
            p.xx += same * same;
            p.xm += same * others;
            p.mm += others * others;
        }
    }
    const std::size_t latents = fitted == nullptr ? 2 : fitted->latents;
    for (std::size_t r = 0; r < annotators; ++r) {
        out[r].accuracy = accuracy_of(correct[r], out[r].answers, level);
        out[r].agreement = agreement_of(pairs[r], level);
        for (std::size_t l = 0; l < latents; ++l) {
            const std::size_t row = (r * latents + l) * answers;
            double sum = 0;
            for (std::size_t a = 0; fitted == nullptr && a < answers; ++a)
                sum += expected[row + a] + smoothing;
            for (std::size_t a = 0; a < answers; ++a) {
                out[r].confusion.push_back(fitted == nullptr ? (expected[row + a] + smoothing) / sum
                                                             : fitted->confusion[row + a]);
            }
        }
    }
    return out;
}

}  // namespace assay
