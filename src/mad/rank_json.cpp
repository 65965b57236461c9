#include "mad/rank_json.h"

namespace assay::mad {
namespace {

using nlohmann::json;

json matrix_json(const PairMatrix& matrix, bool diagonal) {
    json rows = json::array();
    for (std::size_t i = 0; i < matrix.classifiers(); ++i) {
        json row = json::array();
        for (std::size_t j = 0; j < matrix.classifiers(); ++j) {
            if (i == j && !diagonal)
                row.push_back(nullptr);
            else
                row.push_back(matrix.at(i, j));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

json classifiers_json(const Ranking& ranking) {
    json out = json::array();
    for (const RankedClassifier& one : ranking.classifiers) {
        json row = {{"classifier", one.name},
                    {"place", one.place},
                    {"component", one.component},
                    {"perron", one.perron},
                    {"hodge", one.hodge},
                    {"score", to_json(one.score)},
                    {"rank", to_json(one.rank)},
                    {"images", one.images},
                    {"correct", to_json(one.correct)},
                    {"accuracy", to_json(one.accuracy)}};
        if (one.bootstrap_rank) row["place_interval"] = to_json(*one.bootstrap_rank);
        out.push_back(std::move(row));
    }
    return out;
}

json pairs_json(const Ranking& ranking) {
    json out = json::array();
    for (const RankedPair& pair : ranking.pairs) {
        const PairCounts& c = pair.counts;
        out.push_back({{"first", ranking.classifiers[c.first].name},
                       {"second", ranking.classifiers[c.second].name},
                       {"wanted", pair.wanted},
                       {"accepted", pair.accepted},
                       {"asked", pair.asked},
                       {"open", pair.open},
                       {"to_replace", pair.to_replace},
                       {"images", c.n()},
                       {"both", c.both},
                       {"only_first", c.only_first},
                       {"only_second", c.only_second},
                       {"neither", c.neither},
                       {"replaced", c.replaced}});
    }
    return out;
}

json options_json(const RankOptions& options) {
    return {{"votes", name_of(options.votes)},
            {"alpha", options.ratios.alpha},
            {"k", options.k},
            {"bootstraps", options.bootstraps},
            {"draws", options.posterior.draws},
            {"level", options.posterior.level},
            {"spread", options.posterior.spread},
            {"tau", options.posterior.tau},
            {"stop_at", options.stop_at},
            {"without", options.without},
            {"seed", options.posterior.seed}};
}

}  // namespace

nlohmann::json ranking_json(const Ranking& ranking) {
    json ablation = json::array(), comparisons = json::array();
    for (const AblationRow& row : ranking.ablation)
        ablation.push_back({{"k", row.k},
                            {"images", row.images},
                            {"srcc", to_json(row.srcc)},
                            {"kendall", to_json(row.kendall)},
                            {"places", row.places}});
    for (const Comparison& one : ranking.comparisons)
        comparisons.push_back({{"with", one.with},
                               {"classifiers", one.classifiers},
                               {"srcc", to_json(one.srcc)},
                               {"kendall", to_json(one.kendall)}});
    return {
        {"schema", "assay.mad_ranking/1"},
        {"competition", ranking.settings.name},
        {"options", options_json(ranking.options)},
        {"placed_by", name_of(ranking.placed_by)},
        {"components", ranking.components},
        {"classifiers", classifiers_json(ranking)},
        {"pairs", pairs_json(ranking)},
        {"cases", {{"I", ranking.cases[0]}, {"II", ranking.cases[1]}, {"III", ranking.cases[2]}}},
        {"replaced", ranking.replaced},
        {"aggressiveness", matrix_json(ranking.aggressiveness, false)},
        {"log_ratios", matrix_json(ranking.log_ratios, true)},
        {"better", matrix_json(ranking.better, true)},
        {"eigenvalue", ranking.eigenvalue},
        {"consistency_index", ranking.consistency_index},
        {"cyclicity", ranking.cyclicity},
        {"error", ranking.error},
        {"expected_tau", ranking.expected_tau},
        {"list_error", ranking.list_error},
        {"list_tau", ranking.list_tau},
        {"enough", ranking.enough},
        {"ablation", ablation},
        {"comparisons", comparisons},
        {"control", ranking.control},
        {"questions", ranking.questions},
        {"settled", ranking.settled},
        {"open", ranking.open},
        {"answers", ranking.answers},
        {"annotators", ranking.annotators},
        {"saved", ranking.saved},
        {"needed_without_sharing", ranking.needed_without_sharing},
        {"answers_per_question", ranking.answers_per_question},
    };
}

}  // namespace assay::mad
