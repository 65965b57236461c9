#include "assay/annotation/comparison.h"

#include <algorithm>
#include <numeric>

#include "annotation/item_finder.h"
#include "assay/error.h"
#include "core/statistics.h"

namespace assay {
namespace {

constexpr const char* nothing_compared = "no question is about an item and a class that both have";
constexpr const char* nothing_kept = "no label is kept";
constexpr const char* nothing_accepted = "the reference accepts no label";

/// Entries are sorted by item and class. Questions with the same meaning have been pooled.
struct Place {
    std::int64_t item;
    std::int32_t cls;
    std::uint32_t question;
    bool operator<(const Place& other) const {
        return std::pair(item, cls) < std::pair(other.item, other.cls);
    }
};

/// The questions with a reference, item by item: question numbers, and the start of each item.
struct ByItem {
    std::vector<std::uint32_t> questions;
    std::vector<std::size_t> begin;
};

ByItem by_item(const BuiltLabelSets& built, const ReferenceDecisions& reference) {
    ByItem out;
    for (std::uint32_t q = 0; q < reference.of_question.size(); ++q) {
        if (reference.of_question[q] >= 0) out.questions.push_back(q);
    }
    const auto item = [&](std::uint32_t q) { return built.item_of_question[q]; };
    std::ranges::stable_sort(out.questions, {}, item);
    for (std::size_t i = 0; i < out.questions.size(); ++i) {
        if (i == 0 || item(out.questions[i]) != item(out.questions[i - 1])) out.begin.push_back(i);
    }
    out.begin.push_back(out.questions.size());
    return out;
}

}  // namespace

ReferenceDecisions reference_of(const BuiltLabelSets& built, const LabelSets& sets) {
    if (sets.size() != built.sets.size())
        throw Error(ErrorCode::internal, "the label sets belong to different items");
    ReferenceDecisions out;
    out.of_question.assign(built.item_of_question.size(), -1);
    std::vector<std::uint32_t> asked(sets.size(), 0);  // labels of the set with a question
    for (std::size_t q = 0; q < out.of_question.size(); ++q) {
        if (built.item_of_question[q] < 0 || built.class_of_question[q] < 0) continue;
        const auto item = static_cast<std::size_t>(built.item_of_question[q]);
        if (built.annotated[item] == 0) continue;
        const bool accepts = sets.contains(item, built.class_of_question[q]);
        out.of_question[q] = accepts ? 1 : 0;
        asked[item] += accepts ? 1 : 0;
    }
    for (std::size_t i = 0; i < sets.size(); ++i)
        out.beyond.push_back(asked[i] < sets[i].size() ? 1 : 0);
    return out;
}

ReferenceDecisions reference_of(const BuiltLabelSets& built, const Votes& experts,
                                const Dataset& dataset, const ClassList& classes) {
    const VoteMeanings meanings = meanings_among(dataset, classes, experts);
    const std::vector<double> worth = vote_proportions(experts);
    std::uint64_t ties = 0;
    const std::vector<char> most =
        experts.which_class ? most_voted(experts, worth, ties) : std::vector<char>();
    const auto accepts = [&](std::uint32_t q) {
        return experts.which_class ? most[q] != 0 : worth[q] > 0.5;
    };
    std::vector<Place> known;
    // An annotator who names one class of an image rejects all others, asked or not.
    std::vector<char> named(built.sets.size(), 0);
    ReferenceDecisions out;
    out.of_question.assign(built.item_of_question.size(), -1);
    out.beyond.assign(built.sets.size(), 0);
    for (std::uint32_t q = 0; q < experts.questions(); ++q) {
        const std::int64_t item = meanings.items[experts.question_item[q]],
                           cls = meanings.labels[experts.question_label[q]];
        if (item < 0 || experts.of(q).empty()) continue;
        if (cls >= 0) known.push_back({item, static_cast<std::int32_t>(cls), q});
        if (!experts.which_class) continue;
        named[static_cast<std::size_t>(item)] = 1;
        if (accepts(q)) out.beyond[static_cast<std::size_t>(item)] = 1;  // if nobody asked about it
    }
    std::ranges::sort(known, std::less<>());
    for (std::size_t q = 0; q < out.of_question.size(); ++q) {
        const Place place{built.item_of_question[q], built.class_of_question[q], 0};
        if (place.item < 0 || place.cls < 0 ||
            built.annotated[static_cast<std::size_t>(place.item)] == 0)
            continue;
        const auto item = static_cast<std::size_t>(place.item);
        const auto found = std::ranges::lower_bound(known, place, std::less<>());
        if (found == known.end() || place < *found) {
            if (named[item] != 0) out.of_question[q] = 0;
            continue;
        }
        out.of_question[q] = accepts(found->question) ? 1 : 0;
        if (out.of_question[q] == 1) out.beyond[item] = 0;
    }
    return out;
}

LabelSetComparison compare_label_sets(const BuiltLabelSets& built,
                                      const ReferenceDecisions& reference, double level) {
    LabelSetComparison out;
    const auto keeps = [&](std::size_t q) {
        return built.sets.contains(static_cast<std::size_t>(built.item_of_question[q]),
                                   built.class_of_question[q]);
    };
    for (std::size_t q = 0; q < reference.of_question.size(); ++q) {
        if (reference.of_question[q] < 0) continue;
        const bool one = keeps(q), two = reference.of_question[q] == 1;
        ++(one && two ? out.both_accept
           : one      ? out.only_first
           : two      ? out.only_second
                      : out.both_reject);
    }
    const ByItem items = by_item(built, reference);
    out.items = items.begin.size() - 1;
    for (std::size_t i = 0; i < out.items; ++i) {
        const auto first = items.questions.begin() + static_cast<std::ptrdiff_t>(items.begin[i]),
                   last = items.questions.begin() + static_cast<std::ptrdiff_t>(items.begin[i + 1]);
        const auto item = static_cast<std::size_t>(built.item_of_question[*first]);
        const bool same = reference.beyond[item] == 0 && std::all_of(first, last, [&](auto q) {
                              return keeps(q) == (reference.of_question[q] == 1);
                          });
        out.same_set += same ? 1 : 0;
    }
    const std::uint64_t alike = out.both_accept + out.both_reject,
                        n = alike + out.only_first + out.only_second;
    static_cast<Estimate&>(out.agreement) = wilson_proportion(alike, n, level, nothing_compared);
    out.agreement.key.metric = "agreement";
    out.agreement.key.definition = "label_decisions.alike";
    out.precision = wilson_proportion(out.both_accept, out.both_accept + out.only_first, level,
                                      n == 0 ? nothing_compared : nothing_kept);
    out.recall = wilson_proportion(out.both_accept, out.both_accept + out.only_second, level,
                                   n == 0 ? nothing_compared : nothing_accepted);
    return out;
}

LabelSetComparison compare_label_sets(const BuiltLabelSets& built, const LabelSets& second,
                                      double level) {
    return compare_label_sets(built, reference_of(built, second), level);
}

ThresholdCurve threshold_curve(const Votes& votes, std::span<const double> yes,
                               const BuiltLabelSets& built, const ReferenceDecisions& reference,
                               std::span<const char> most) {
    ThresholdCurve out;
    const auto never_kept = [&](std::uint32_t q) {
        return votes.of(q).empty() || (!most.empty() && most[q] == 0);
    };
    std::vector<std::uint32_t> order;  // answered questions with a reference, by descending
                                       // certainty
    for (std::uint32_t q = 0; q < reference.of_question.size(); ++q) {
        if (reference.of_question[q] < 0) continue;
        ++out.questions;
        out.accepted += reference.of_question[q] == 1 ? 1 : 0;
        if (!never_kept(q)) order.push_back(q);
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t q) { return yes[q]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double value = yes[order[i]];
        if (i == 0 || value != out.points.back().threshold) {
            ThresholdPoint next;  // counts continue from the previous threshold
            if (i > 0) next = out.points.back();
            next.threshold = value;
            next.same_set = 0;
            out.points.push_back(next);
        }
        ++out.points.back().kept;
        out.points.back().both_accept += reference.of_question[order[i]] == 1 ? 1 : 0;
    }
    for (ThresholdPoint& p : out.points) {
        const std::uint64_t only_kept = p.kept - p.both_accept,
                            only_reference = out.accepted - p.both_accept;
        p.alike = out.questions - only_kept - only_reference;
    }
    // An item's set equals the reference's over at most one range of thresholds. The range begins
    // at the threshold that keeps the last of its accepted labels. It ends before the threshold
    // that keeps its first rejected label.
    const ByItem items = by_item(built, reference);
    out.items = items.begin.size() - 1;
    std::vector<std::int64_t> change(out.points.size() + 1, 0);
    const auto point_of = [&](double value) {  // the highest threshold that keeps the label
        return static_cast<std::size_t>(std::ranges::lower_bound(out.points, value,
                                                                 std::greater<>(),
                                                                 &ThresholdPoint::threshold) -
                                        out.points.begin());
    };
    for (std::size_t i = 0; i + 1 < items.begin.size(); ++i) {
        std::size_t from = 0, to = out.points.size();
        for (std::size_t k = items.begin[i]; k < items.begin[i + 1]; ++k) {
            const std::uint32_t q = items.questions[k];
            const bool accepts = reference.of_question[q] == 1;
            const std::size_t kept_from = never_kept(q) ? out.points.size() : point_of(yes[q]);
            if (accepts) {
                from = std::max(from, kept_from);
            } else {
                to = std::min(to, kept_from);
            }
        }
        const auto item =
            static_cast<std::size_t>(built.item_of_question[items.questions[items.begin[i]]]);
        if (reference.beyond[item] != 0 || from >= to) continue;
        ++change[from];
        --change[to];
    }
    std::int64_t same = 0;
    for (std::size_t p = 0; p < out.points.size(); ++p) {
        same += change[p];
        out.points[p].same_set = static_cast<std::uint64_t>(same);
    }
    return out;
}

Estimate ThresholdCurve::precision(const ThresholdPoint& p, double level) const {
    return wilson_proportion(p.both_accept, p.kept, level, nothing_kept);
}
Estimate ThresholdCurve::recall(const ThresholdPoint& p, double level) const {
    return wilson_proportion(p.both_accept, accepted, level, nothing_accepted);
}
Estimate ThresholdCurve::agreement(const ThresholdPoint& p, double level) const {
    return wilson_proportion(p.alike, questions, level, nothing_compared);
}
Estimate ThresholdCurve::same_sets(const ThresholdPoint& p, double level) const {
    return wilson_proportion(p.same_set, items, level, nothing_compared);
}

const ThresholdPoint* ThresholdCurve::at(double threshold) const {
    const auto below = std::ranges::find_if(
        points, [&](const ThresholdPoint& p) { return p.threshold < threshold; });
    return below == points.begin() ? nullptr : &*(below - 1);
}

namespace {

const ThresholdPoint* highest(const std::vector<ThresholdPoint>& points,
                              std::uint64_t ThresholdPoint::*count) {
    const ThresholdPoint* best = nullptr;
    for (const ThresholdPoint& p : points) {
        if (best == nullptr || p.*count > best->*count) best = &p;
    }
    return best;
}

}  // namespace

const ThresholdPoint* ThresholdCurve::best_agreement() const {
    return highest(points, &ThresholdPoint::alike);
}
const ThresholdPoint* ThresholdCurve::best_sets() const {
    return highest(points, &ThresholdPoint::same_set);
}

}  // namespace assay
