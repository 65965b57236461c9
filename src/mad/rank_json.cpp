#include <array>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/mad/rank.h"
#include "mad/rank_tables.h"

namespace assay::mad {
namespace {

using MatrixRows = std::vector<std::vector<std::optional<double>>>;

MatrixRows rows_of(const PairMatrix& matrix, bool diagonal = true) {
    MatrixRows rows(matrix.classifiers());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            rows[i].push_back(i == j && !diagonal ? std::nullopt : std::optional(matrix.at(i, j)));
        }
    }
    return rows;
}

struct RankedPairOf {
    const Ranking* ranking;
    const RankedPair* pair;

    const std::string& name(std::uint32_t place) const { return ranking->classifiers[place].name; }
};
ResultType result_type(ResultOf<RankedPairOf>) {
    using Of = RankedPairOf;
    static constexpr auto rows = describe_result<Of>(
        {.name = "RankedPair"},
        {
            part(
                {.name = "first"},
                [](const Of& o) -> const auto& { return o.name(o.pair->counts.first); }),
            part(
                {.name = "second"},
                [](const Of& o) -> const auto& { return o.name(o.pair->counts.second); }),
            part<&Of::pair, &RankedPair::wanted>({.help = "Images"}),
            part<&Of::pair, &RankedPair::accepted>({}),
            part<&Of::pair, &RankedPair::asked>({}),
            part<&Of::pair, &RankedPair::open>(
                {.help = "Images with a question that is not settled"}),
            part<&Of::pair, &RankedPair::to_replace>({.help = "Images that nobody can judge"}),
            part<&Of::pair, &RankedPair::counts, &PairCounts::n>(
                {.help = "Settled: both + only_first + only_second + neither", .name = "images"}),
            part<&Of::pair, &RankedPair::counts, &PairCounts::both>({}),
            part<&Of::pair, &RankedPair::counts, &PairCounts::only_first>({}),
            part<&Of::pair, &RankedPair::counts, &PairCounts::only_second>({}),
            part<&Of::pair, &RankedPair::counts, &PairCounts::neither>({}),
            part<&Of::pair, &RankedPair::counts, &PairCounts::replaced>({}),
            part<&Of::pair, &RankedPair::combined_gain>(
                {.help = "Proportion of these images on which the worse of the two is correct "
                         "alone: what an ideal combination gains over the better one",
                 .omitted = true}),
        });
    return rows;
}
std::vector<RankedPairOf> pairs_of(const Ranking& ranking) {
    std::vector<RankedPairOf> out;
    for (const RankedPair& pair : ranking.pairs) out.push_back({&ranking, &pair});
    return out;
}

}  // namespace

ResultType result_type(ResultOf<RankedClassifier>) {
    using Of = RankedClassifier;
    static constexpr auto rows = describe_result<Of>(
        {.name = "RankedClassifier",
         .columns = "classifier,component,place=placed*,perron,hodge,score*,rank*,images,correct*,"
                    "accuracy*"},
        {
            part<&Of::name>({.name = "classifier"}),
            part<&Of::place>({.help = "Within its component"}),
            part<&Of::bootstrap_rank>(
                {.help = "Interval of the place, from a bootstrap over images and annotators",
                 .name = "place_interval",
                 .omitted = true}),
            part({.name = "placed", .only_csv = true}, [](const Of& o) { return place_of(o); }),
            part<&Of::component>({}),
            part<&Of::perron>({.help = "Perron's vector: positive, sums to 1"}),
            part<&Of::hodge>({.help = "HodgeRank's score: mean 0 in its component"}),
            part<&Of::score>(
                {.help = "Score from the posterior, for all images of the selected kind"}),
            part<&Of::rank>({.help = "As the score"}),
            part<&Of::images>({.help = "Number of different images of its pairs"}),
            part<&Of::correct>(
                {.help = "Proportion of these that are correct; says nothing about other images"}),
            part<&Of::accuracy>({.help = "Accuracy on all images, from the control sample"}),
        });
    return rows;
}

ResultType result_type(ResultOf<RankOptions>) {
    using Of = RankOptions;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadRankOptions"},
        {
            part<&Of::votes>({.script = R"("majority" | "dawid-skene")"}),
            part<&Of::ratios, &RatioOptions::alpha>({.help = "Added to counts of correct images"}),
            part<&Of::k>({.help = "Only the first of each pair's places; 0: all"}),
            part<&Of::bootstraps>({.help = "0: none"}),
            part<&Of::posterior, &PosteriorOptions::draws>({}),
            part<&Of::posterior, &PosteriorOptions::level>({.help = "Of the credible intervals"}),
            part<&Of::posterior, &PosteriorOptions::spread>({}),
            part<&Of::posterior, &PosteriorOptions::tau>({}),
            part<&Of::stop_at>({}),
            part<&Of::without>({.help = "Classifiers that were excluded on request"}),
            part<&Of::posterior, &PosteriorOptions::seed>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<AblationRow>) {
    using Of = AblationRow;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AblationRow", .help = "The ranking by the first k places of each pair"},
        {
            part<&Of::k>({}),
            part<&Of::images>({.help = "Of all pairs"}),
            part<&Of::srcc>(
                {.help =
                     "Correlation with the ranking from all images; undefined across components"}),
            part<&Of::kendall>({}),
            part<&Of::places>({.help = "By classifier"}),
        });
    return rows;
}

ResultType result_type(ResultOf<ComparedRank>) {
    using Of = ComparedRank;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadComparedRank",
         .help = "A classifier in two orders; ranks are among the compared classifiers"},
        {
            part<&Of::classifier>({}),
            part<&Of::rank>({.help = "By the competition"}),
            part<&Of::other>({.help = "Rank in the other order"}),
            part<&Of::moved>({.help = "other - rank: above 0 if it ranks better here"}),
        });
    return rows;
}

ResultType result_type(ResultOf<Comparison>) {
    using Of = Comparison;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadComparison", .help = "The ranking compared with another order"},
        {
            part<&Of::with>({.help = "A file, or the accuracy by the control sample"}),
            part<&Of::classifiers>({}),
            part<&Of::srcc>({}),
            part<&Of::kendall>({}),
            part<&Of::ranks>(
                {.help = "The best of the competition first; empty if groups are compared",
                 .omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<Ranking>) {
    using Of = Ranking;
    static constexpr std::array<std::string_view, 3> cases = {"I", "II", "III"};
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadRanking",
         .help = "The ranking of a competition's classifiers by people's answers",
         .schema = "assay.mad_ranking/1"},
        {
            part<&Of::settings, &CompetitionSettings::name>({.name = "competition"}),
            part<&Of::options>({}),
            part<&Of::placed_by>({.script = R"("perron" | "hodge" | "posterior")"}),
            part<&Of::components>({.help = "Groups of classifiers that no chain of pairs joins"}),
            part<&Of::classifiers>({.help = "Classifiers in the order of the competition"}),
            part({.name = "pairs"}, [](const Of& o) { return pairs_of(o); }),
            part({.help = "Images of all pairs by case: both labels correct, one, or none",
                  .name = "cases",
                  .keys = cases},
                 [](const Of& o) { return std::to_array(o.cases); }),
            part<&Of::replaced>({}),
            part({.help = "Rows and columns as the classifiers; null on the diagonal",
                  .name = "aggressiveness"},
                 [](const Of& o) { return rows_of(o.aggressiveness, false); }),
            part({.name = "log_ratios"}, [](const Of& o) { return rows_of(o.log_ratios); }),
            part({.help = "Probability that a row's classifier is better", .name = "better"},
                 [](const Of& o) { return rows_of(o.better); }),
            part<&Of::eigenvalue>({}),
            part<&Of::consistency_index>(
                {.help = "0: every ratio follows from a score of each classifier"}),
            part<&Of::cyclicity>({.help = "Circular part of the log ratios"}),
            part<&Of::error>({.help = "Mean probability of a pair in the wrong order"}),
            part<&Of::expected_tau>(
                {.help =
                     "Kendall correlation with the ranking on all images of the selected kind"}),
            part<&Of::list_error>({}),
            part<&Of::list_tau>({.help = "Correlation with the ranking from all selected images"}),
            part<&Of::images>({.help = "Number of different images whose questions are settled"}),
            part<&Of::places>({.help = "Places of pairs on these images"}),
            part<&Of::effective_images>(
                {.help = "Number of independent images with the same uncertainty"}),
            part<&Of::spread>({.help = "Mean standard deviation of the classifiers' strengths"}),
            part<&Of::enough>({.help = "`list_tau` reaches `options.stop_at`"}),
            part<&Of::ablation>({}),
            part<&Of::comparisons>({}),
            part<&Of::tags>({.help = "Tags of the answers, or of --tags", .omitted = true}),
            part<&Of::control>({.help = "Images of the control sample"}),
            part<&Of::questions>({.help = "Different ones"}),
            part<&Of::settled>({}),
            part<&Of::open>({.help = "Wanted questions that are not settled"}),
            part<&Of::answers>({.help = "That count"}),
            part<&Of::annotators>({}),
            part<&Of::saved>({.help = "Questions that places share"}),
            part<&Of::needed_without_sharing>({}),
            part<&Of::answers_per_question>({.help = "Answers to settled questions, without gold"}),
        });
    return rows;
}

}  // namespace assay::mad
