#include "mad/rank_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "containers/csv.h"
#include "core/file.h"
#include "core/finite_number.h"
#include "core/rank_correlation.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"

namespace assay::mad {
namespace {

constexpr std::size_t least_in_common = 3;

double number_in(const CsvReader& csv, std::size_t column, const std::string& name) {
    const std::optional<double> value = finite_number(trimmed(csv[column]));
    if (!value)
        throw csv.error(fmt::format("{} is `{}`; allowed: a number", name, shortened(csv[column])));
    return *value;
}

/// Larger numbers are better on both sides.
void correlate(const std::vector<double>& places, const std::vector<std::size_t>& members,
               const OtherScores& scores, std::optional<double>& rho, std::optional<double>& tau) {
    std::vector<double> x, y;
    for (const std::size_t i : members) {
        x.push_back(-places[i]);
        y.push_back(*scores[i]);
    }
    rho = spearman_rho(x, y);
    tau = kendall_tau_b(x, y);
}

void add_interval(Estimate& estimate, std::vector<double> replicates, double level) {
    if (!estimate.value || replicates.size() < 2) return;
    Interval interval = percentile_interval(std::move(replicates), level, "bootstrap.percentile");
    interval.low = std::min(interval.low, *estimate.value);
    interval.high = std::max(interval.high, *estimate.value);
    estimate.interval = interval;
}

/// A line of the file with both numbers.
struct ScoreAndRank {
    std::string name;
    double score = 0, rank = 0;
};

/// It is not clear which of the two counts, so they must agree.
void check_same_order(const std::vector<ScoreAndRank>& lines, const std::string& file) {
    for (std::size_t a = 0; a < lines.size(); ++a) {
        for (std::size_t b = a + 1; b < lines.size(); ++b) {
            const double by_score = lines[a].score - lines[b].score,
                         by_rank = lines[b].rank - lines[a].rank;
            if (!(by_score > 0 && by_rank < 0) && !(by_score < 0 && by_rank > 0)) continue;
            refuse(
                fmt::format("{}: its ranks and its scores order `{}` and `{}` differently (rank "
                            "{:g} and {:g}, score {:g} and {:g}). Keep one of the columns, or give "
                            "smaller ranks larger scores",
                            file, shortened(lines[a].name), shortened(lines[b].name), lines[a].rank,
                            lines[b].rank, lines[a].score, lines[b].score));
        }
    }
}

}  // namespace

OtherScores read_other_scores(const std::filesystem::path& file,
                              const std::vector<std::string>& names,
                              std::vector<std::string>& unknown) {
    const std::string text = read_text(file, 1ULL << 26);
    CsvReader csv(text, file.string());
    const std::size_t model = csv.column({"model", "name", "classifier"});
    const std::optional<std::size_t> rank = csv.find_column({"rank", "place"});
    const std::optional<std::size_t> score = csv.find_column({"score", "accuracy"});
    if (!rank && !score)
        refuse(fmt::format("{}: no column is named score, accuracy or rank", file.string()));
    OtherScores scores(names.size());
    std::size_t known = 0;
    std::vector<ScoreAndRank> both;
    while (csv.next()) {
        const std::string name(trimmed(csv[model]));
        const double value =
            score ? number_in(csv, *score, "the score") : -number_in(csv, *rank, "the rank");
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            unknown.push_back(name);
            continue;
        }
        auto& place = scores[static_cast<std::size_t>(found - names.begin())];
        if (place) throw csv.error(fmt::format("model `{}` appears twice", shortened(name)));
        place = value;
        ++known;
        if (score && rank) both.push_back({name, value, number_in(csv, *rank, "the rank")});
    }
    check_same_order(both, file.string());
    if (known < least_in_common) {
        std::string list;
        for (const std::string& name : names)
            list += fmt::format("{}`{}`", list.empty() ? "" : ", ", shortened(name));
        refuse(fmt::format(
            "{}: it has {} of the ranked classifiers; at least {} are needed; their names are {}",
            file.string(), known, least_in_common, list));
    }
    return scores;
}

Comparison compare_places(std::string with, const std::vector<double>& places,
                          const OtherScores& scores,
                          const std::vector<std::vector<double>>& replicates, double level) {
    Comparison out;
    out.with = std::move(with);
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (scores[i]) members.push_back(i);
    out.classifiers = static_cast<std::uint32_t>(members.size());
    correlate(places, members, scores, out.srcc.value, out.kendall.value);
    std::vector<double> rhos, taus;
    for (const std::vector<double>& replicate : replicates) {
        std::optional<double> rho, tau;
        correlate(replicate, members, scores, rho, tau);
        if (rho) rhos.push_back(*rho);
        if (tau) taus.push_back(*tau);
    }
    for (Estimate* estimate : {&out.srcc, &out.kendall}) {
        estimate->n = members.size();
        if (!estimate->value)
            estimate->undefined = members.size() < 2
                                      ? "a correlation needs two classifiers with both numbers"
                                      : "all have the same place or number";
    }
    add_interval(out.srcc, std::move(rhos), level);
    add_interval(out.kendall, std::move(taus), level);
    return out;
}

std::vector<ComparedRank> compared_ranks(const std::vector<RankedClassifier>& classifiers,
                                         const OtherScores& scores) {
    std::vector<double> own, other;
    std::vector<ComparedRank> out;
    for (std::size_t i = 0; i < classifiers.size(); ++i) {
        if (!scores[i]) continue;
        own.push_back(-classifiers[i].place);
        other.push_back(*scores[i]);
        out.push_back({.classifier = classifiers[i].name});
    }
    const std::vector<double> ranks = places_of(own), others = places_of(other);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].rank = ranks[i];
        out[i].other = others[i];
        out[i].moved = others[i] - ranks[i];
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const ComparedRank& a, const ComparedRank& b) { return a.rank < b.rank; });
    return out;
}

}  // namespace assay::mad
