#include "mad/rank_warnings.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/report.h"
#include "core/text.h"
#include "mad/annotator_check.h"
#include "mad/predict_alike.h"

namespace assay::mad {
namespace {

constexpr std::size_t most_pairs_named = 3;
/// With fewer independent images, probabilities of .80 to .95 are right in about .77 of cases.
constexpr double few_in_effect = 10;

/// Formats "3 pairs have no image (a and b, a and c, ...): `what`".
template <class Has>
void warn_of_pairs(Ranking& out, const Has& has, std::string_view what) {
    std::size_t found = 0;
    std::string names;
    for (const RankedPair& pair : out.pairs) {
        if (!has(pair)) continue;
        if (++found <= most_pairs_named)
            names += fmt::format("{}{}", names.empty() ? "" : "; ", pair_name(out, pair));
    }
    if (found == 0) return;
    if (found > most_pairs_named) names += fmt::format("; and {} more", found - most_pairs_named);
    out.warnings.push_back(
        fmt::format("{} {} {} ({})", found, found == 1 ? "pair" : "pairs", what, names));
}

}  // namespace

std::string pair_name(const Ranking& ranking, const RankedPair& pair) {
    return fmt::format("{} and {}", shortened(ranking.classifiers[pair.counts.first].name),
                       shortened(ranking.classifiers[pair.counts.second].name));
}

void add_rank_warnings(const Competition& competition, const RankInput& in, Ranking& out) {
    if (out.open > 0)
        out.warnings.push_back(
            fmt::format("{} of {} questions are open, so the ranking may change; to import further "
                        "answers, run {}",
                        count_text(out.open), count_text(out.questions),
                        command_for(competition, "mad answers", " FILE")));
    // A label with an answer from another pair is settled immediately. Such labels are more often
    // correct than labels that only one classifier predicts.
    warn_of_pairs(
        out, [](const RankedPair& pair) { return pair.open > 0 && pair.counts.n() > 0; },
        "whose settled images are not a random part of their images, so the ranking may be biased "
        "until the others are settled");
    // For identical classifiers no image is selected, and one warning is enough.
    const auto same = [&](std::size_t a, std::size_t b) {
        return predict_alike(in.classifiers[a], in.classifiers[b]);
    };
    warn_of_pairs(
        out,
        [&](const RankedPair& pair) {
            return pair.counts.n() == 0 && !same(pair.counts.first, pair.counts.second);
        },
        "without a settled image");
    const std::size_t m = in.numbers.size();
    if (in.pairs.size() < m * (m - 1) / 2)
        out.warnings.push_back(
            fmt::format("images were searched for {1} of {0} pairs; for the others, run {2}",
                        m * (m - 1) / 2, in.pairs.size(), command_for(competition, "mad select")));
    if (out.effective_images < few_in_effect)
        out.warnings.push_back(
            fmt::format("the ranking has an effective sample size of only {:.1f} images, so its "
                        "probabilities are rough",
                        out.effective_images));
    const bool places_left =
        std::any_of(out.pairs.begin(), out.pairs.end(),
                    [](const RankedPair& pair) { return pair.asked < pair.accepted; });
    if (in.most_shared_first && places_left)
        out.warnings.emplace_back(
            "the most shared images were asked first, which is not a random part of the lists");
    if (out.all_but_equal > .5)
        out.warnings.emplace_back(
            "the classifiers may be almost equal; the expected Kendall correlation may be too "
            "high");
    if (out.components > 1)
        out.warnings.push_back(
            fmt::format("the classifiers form {} groups without common pairs: places are within "
                        "each group and cannot be compared across groups",
                        out.components));
    std::uint64_t unclear = 0;
    for (const RankedPair& pair : out.pairs) unclear += pair.to_replace;
    if (unclear > 0)
        out.warnings.push_back(fmt::format("{} selected {} nobody can judge; run {} to replace {}",
                                           count_text(unclear), unclear == 1 ? "image" : "images",
                                           command_for(competition, "mad select"),
                                           unclear == 1 ? "it" : "them"));
    if (out.annotators == 1)
        out.warnings.emplace_back(
            "all answers come from one annotator, so no interval covers what others would have "
            "answered");
    for (std::string& finding : findings_of(check_annotators(competition)))
        out.warnings.push_back(std::move(finding));
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = i + 1; j < m; ++j) {
            if (!same(i, j)) continue;
            out.warnings.push_back(
                fmt::format("{} and {} make the same prediction for every image: one of them adds "
                            "no information, and their pair has no image",
                            shortened(in.classifiers[i].name), shortened(in.classifiers[j].name)));
        }
    }
}

}  // namespace assay::mad
