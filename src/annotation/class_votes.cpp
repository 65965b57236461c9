// Which-class votes: the class with the most votes, and how well annotators agree on it.
#include <algorithm>
#include <limits>

#include "assay/annotation/aggregate.h"
#include "assay/error.h"

namespace assay {

std::vector<char> most_voted(const Votes& votes, std::span<const double> yes, std::uint64_t& ties,
                             double rounding) {
    if (yes.size() != votes.questions())
        throw Error(ErrorCode::internal, "the proportions belong to other questions");
    const auto item_of = [&](std::size_t q) { return votes.question_item[q]; };
    const auto counts = [&](std::size_t q) { return !votes.of(q).empty() && yes[q] > 0; };
    std::vector<double> highest(votes.items.size(), 0);
    for (std::size_t q = 0; q < yes.size(); ++q)
        if (counts(q)) highest[item_of(q)] = std::max(highest[item_of(q)], yes[q]);
    const auto is_highest = [&](std::size_t q) {
        return counts(q) && yes[q] >= highest[item_of(q)] - rounding;
    };
    std::vector<std::uint32_t> reached(votes.items.size(), 0);
    for (std::size_t q = 0; q < yes.size(); ++q) reached[item_of(q)] += is_highest(q) ? 1 : 0;
    std::vector<char> most(yes.size(), 0);
    for (std::size_t q = 0; q < yes.size(); ++q)
        most[q] = is_highest(q) && reached[item_of(q)] == 1 ? 1 : 0;
    ties = static_cast<std::uint64_t>(
        std::ranges::count_if(reached, [](std::uint32_t n) { return n > 1; }));
    return most;
}

AnswerAgreement class_agreement(const Votes& votes, double level) {
    constexpr std::uint64_t most_work = 4'000'000'000;
    const std::uint64_t classes = votes.labels.size();
    if (classes * votes.annotators.size() > std::numeric_limits<std::uint32_t>::max() ||
        classes * votes.items.size() > most_work) {
        AnswerAgreement none;
        none.fleiss_kappa.key.metric = "fleiss_kappa";
        none.fleiss_kappa.key.definition = "fleiss_kappa.unequal";
        none.krippendorff_alpha.key.metric = "krippendorff_alpha";
        none.krippendorff_alpha.key.definition = "krippendorff_alpha.nominal";
        none.fleiss_kappa.undefined = none.krippendorff_alpha.undefined =
            "too many classes, annotators and images";
        return none;
    }
    // Each image is a question whose answers are the classes.
    Votes by_class;
    by_class.scale.names.assign(std::max<std::size_t>(2, classes), "");
    by_class.annotators = votes.annotators;
    by_class.begin.assign(votes.items.size() + 1, 0);
    by_class.question_item.resize(votes.items.size());
    const auto answers = static_cast<std::uint32_t>(votes.answers()),
               names = static_cast<std::uint32_t>(by_class.scale.names.size());
    const auto chosen = [&](std::uint32_t code) { return code % answers == answers - 1; };
    for (std::size_t q = 0; q < votes.questions(); ++q)
        for (const std::uint32_t code : votes.of(q))
            if (chosen(code)) ++by_class.begin[votes.question_item[q] + 1];
    for (std::size_t i = 0; i < votes.items.size(); ++i) by_class.begin[i + 1] += by_class.begin[i];
    by_class.codes.resize(by_class.begin.back());
    std::vector<std::uint64_t> next = by_class.begin;
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        for (const std::uint32_t code : votes.of(q)) {
            if (!chosen(code)) continue;
            by_class.codes[next[votes.question_item[q]]++] =
                code / answers * names + votes.question_label[q];
        }
    }
    return answer_agreement(by_class, level);
}

}  // namespace assay
