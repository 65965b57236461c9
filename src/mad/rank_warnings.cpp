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
/// Of fewer independent images probabilities of .80 to .95 are right in about .77.
constexpr double few_in_effect = 10;

/// "3 pairs have no image (a and b, a and c, ...): `what`".
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
        out.warnings.push_back(fmt::format(
            "{} of {} questions are open: the ranking is of what is settled, and may change; {} "
            "takes further answers in",
            count_text(out.open), count_text(out.questions),
            command_for(competition, "mad answers", " FILE")));
    // A label that another pair had asked about is settled at once, and such labels are correct
    // more often than those that nobody else predicts.
    warn_of_pairs(
        out, [](const RankedPair& pair) { return pair.open > 0 && pair.counts.n() > 0; },
        "whose settled images are no random part of those asked about, so that they may lean until "
        "the others are settled");
    // Of classifiers that are the same everywhere no image is selected: one warning is enough.
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
            fmt::format("of {} pairs {} have been looked at for images; {} does the others",
                        m * (m - 1) / 2, in.pairs.size(), command_for(competition, "mad select")));
    if (out.effective_images < few_in_effect)
        out.warnings.push_back(
            fmt::format("{:.1f} images in effect carry the ranking; its probabilities are rough",
                        out.effective_images));
    const bool places_left =
        std::any_of(out.pairs.begin(), out.pairs.end(),
                    [](const RankedPair& pair) { return pair.asked < pair.accepted; });
    if (in.most_shared_first && places_left)
        out.warnings.emplace_back(
            "images were asked most shared first, which is no random part of the lists");
    if (out.all_but_equal > .5)
        out.warnings.emplace_back(
            "the classifiers may be all but equal; the expected Kendall correlation may be too "
            "high");
    if (out.components > 1)
        out.warnings.push_back(fmt::format(
            "the classifiers fall into {} groups which no chain of pairs with images joins: places "
            "are within each group, and say nothing across",
            out.components));
    std::uint64_t unclear = 0;
    for (const RankedPair& pair : out.pairs) unclear += pair.to_replace;
    if (unclear > 0)
        out.warnings.push_back(fmt::format("{} selected {} nobody can judge; {} replaces {}",
                                           count_text(unclear), unclear == 1 ? "image" : "images",
                                           command_for(competition, "mad select"),
                                           unclear == 1 ? "it" : "them"));
    if (out.annotators == 1)
        out.warnings.emplace_back(
            "all answers are one annotator's: no interval says what others would have answered");
    for (std::string& finding : findings_of(check_annotators(competition)))
        out.warnings.push_back(std::move(finding));
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = i + 1; j < m; ++j) {
            if (!same(i, j)) continue;
            out.warnings.push_back(
                fmt::format("{} and {} make the same prediction for every image: one of them adds "
                            "no information, and their own pair has no image",
                            shortened(in.classifiers[i].name), shortened(in.classifiers[j].name)));
        }
    }
}

}  // namespace assay::mad
