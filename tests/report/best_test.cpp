// Compares the best models of each column, and those that do not differ from them, with a slow
// implementation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "made_document.h"

namespace assay {
namespace {

using nlohmann::json;

/// Whether the label has the highest score (the first one of equals), for each item.
std::vector<bool> hits_of(const Made& made) {
    std::vector<bool> hits;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        std::size_t best = 0;
        for (std::size_t c = 1; c < made.classes; ++c)
            if (made.scores[i * made.classes + c] > made.scores[i * made.classes + best]) best = c;
        hits.push_back(static_cast<std::int32_t>(best) == made.labels[i][0]);
    }
    return hits;
}

/// The exact two-sided test: twice the smaller tail of b heads in b + c throws, by summation.
double exact_mcnemar(int b, int c) {
    const int n = b + c, few = std::min(b, c);
    double tail = 0;
    for (int k = 0; k <= few; ++k)
        tail += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) -
                         n * std::log(2.0));
    return std::min(1.0, 2 * tail);
}

/// Holm's correction multiplies the smallest p by their number, the next by one less, and so on. No
/// value is below the previous one.
std::vector<double> slow_holm(const std::vector<double>& p) {
    std::vector<std::size_t> order(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto i, auto j) { return p[i] < p[j]; });
    std::vector<double> adjusted(p.size());
    double before = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
        before = std::max(before, std::min(1.0, p[order[k]] * static_cast<double>(p.size() - k)));
        adjusted[order[k]] = before;
    }
    return adjusted;
}

const json& column_of(const json& document, const std::string& metric) {
    for (const json& column : document.at("best"))
        if (column.at("metric") == metric) return column;
    throw std::runtime_error("no column " + metric);
}

TEST(BestOfAColumn, IsWhatASlowDecisionSaysOfTop1) {
    for (const std::uint64_t seed : {1U, 20U, 40U, 60U}) {
        Scratch folder;
        std::map<std::string, std::vector<bool>> hits;
        for (std::size_t m = 0; m < 6; ++m) {
            const Made made = made_up(300, 4, seed + m, 0.8 + 0.1 * static_cast<double>(m));
            const std::string name(1, static_cast<char>('a' + m));
            save(folder, made, name);
            hits[name] = hits_of(made);
        }
        std::string best;
        for (const auto& [name, own] : hits)
            if (best.empty() || std::count(own.begin(), own.end(), true) >
                                    std::count(hits[best].begin(), hits[best].end(), true))
                best = name;
        std::vector<std::string> others;
        std::vector<double> p;
        for (const auto& [name, own] : hits) {
            if (name == best) continue;
            int b = 0, c = 0;
            for (std::size_t i = 0; i < own.size(); ++i) {
                b += hits[best][i] && !own[i] ? 1 : 0;
                c += !hits[best][i] && own[i] ? 1 : 0;
            }
            others.push_back(name);
            p.push_back(exact_mcnemar(b, c));
        }
        const std::vector<double> adjusted = slow_holm(p);
        std::vector<std::string> alike;
        for (std::size_t i = 0; i < others.size(); ++i)
            if (adjusted[i] >= 0.05) alike.push_back(others[i]);

        const json document = document_of(report_options({folder / "runs"})).json;
        const json& column = column_of(document, "top1");
        EXPECT_EQ(column["best"], best);
        EXPECT_EQ(column["alike"], alike) << "seed " << seed;
        EXPECT_EQ(column["untested"], json::array());
        EXPECT_EQ(column["level"], 0.95);
    }
}

TEST(BestOfAColumn, EachColumnHasTheVerdictsOfComparingWithItsOwnBest) {
    Scratch folder;
    // Models with more skill are worse calibrated, so each column has another best model.
    for (int m = 0; m < 4; ++m) {
        Made made = made_up(300, 4, 5 + static_cast<std::uint64_t>(m), 1 + 0.1 * m);
        for (float& score : made.scores) score *= static_cast<float>(1 + 2 * m);
        save(folder, made, std::string(1, static_cast<char>('a' + m)));
    }
    const ReportOptions options = report_options({folder / "runs"});
    const json document = document_of(options).json;
    std::set<std::string> best;
    for (const json& column : document["best"]) {
        best.insert(column["best"]);
        CompareRunsOptions compare;
        compare.baseline = folder / "runs" / "val" / column["best"].get<std::string>();
        compare.candidates = {folder / "runs" / "val"};
        compare.measure = options.measure;
        std::vector<std::string> alike;
        for (const PairReport& pair : compare_runs(compare, *self_comm()).pairs)
            for (const PairedMetric& m : pair.metrics)
                if (m.candidate.key.definition == column["definition"] &&
                    m.candidate.key.metric == column["metric"] && m.verdict != Verdict::worse)
                    alike.push_back(pair.candidate);
        EXPECT_EQ(column["alike"], alike) << column;
    }
    EXPECT_GT(best.size(), 1U);
}

// One attack has no effect on the best model, and one increases its accuracy. Neither counts
// as a model.
TEST(BestOfAColumn, CountsNoStoresOfAttacks) {
    Scratch folder;
    save_models(folder, {"a", "b", "c"});
    const json before = document_of(report_options({folder / "runs"})).json;
    for (const char* model : {"a", "b", "c"}) {
        Made made = made_up(240, 4, 80, 3);
        made.provenance = R"({"model": {}, "scored_by": {"attack": "noise"}})";
        for (const char* eps : {"1_255", "2_255", "4_255"})
            save(folder, made, fmt::format("{}@noise-linf-{}", model, eps));
    }
    const json after = document_of(report_options({folder / "runs"})).json;
    json own = json::array(), attacked = json::array();
    for (const json& column : after["best"])
        (column["dataset"] == "val" ? own : attacked).push_back(column);
    EXPECT_EQ(own, before["best"]);
    EXPECT_EQ(attacked.size(), 3 * own.size());
    for (const json& column : attacked) {
        EXPECT_THAT(column["dataset"].get<std::string>(),
                    testing::StartsWith("val under noise-linf-"));
        EXPECT_EQ(column["alike"].size() + column["untested"].size(), 2U);  // as good as the best
    }
    // The same holds for their comparisons.
    const auto pairs = [](const json& document) {
        return result_of(document, "assay.comparisons/2")["pairs"];
    };
    EXPECT_EQ(pairs(after), pairs(before));
    EXPECT_EQ(after["items"], before["items"]);
    const auto scores = results_of(after, "assay.scores/2");
    ASSERT_EQ(scores.size(), 4U);
    EXPECT_EQ(scores[0], results_of(before, "assay.scores/2")[0]);
    EXPECT_EQ(scores[1]["stores"][0]["model"], "a");
    EXPECT_EQ(scores[1]["stores"][0]["dataset"], "val under noise-linf-1_255");
}

TEST(BestOfAColumn, CountsNoSmoothedModels) {
    Scratch folder;
    save_models(folder, {"a", "b"});
    const json before = document_of(report_options({folder / "runs"})).json;
    Made made = made_up(240, 4, 80, 3);
    for (const char* purpose : {"samples", "selection"}) {
        made.provenance = fmt::format(
            R"({{"model": {{}}, "scored_by": {{"smoothed": {{"of": "a", "sigma": 0.25, "copies": 100,
                "seed": 0, "purpose": "certify.{}"}}}}}})",
            purpose);
        save(folder, made, fmt::format("a@smoothed-0.25-100-{}", purpose));
    }
    const auto scores =
        results_of(document_of(report_options({folder / "runs"})).json, "assay.scores/2");
    ASSERT_EQ(scores.size(), 3U);
    EXPECT_EQ(scores[0], results_of(before, "assay.scores/2")[0]);
    for (const std::size_t i : {1U, 2U}) EXPECT_EQ(scores[i]["stores"][0]["model"], "a");
    EXPECT_EQ(scores[1]["stores"][0]["dataset"], "val smoothed (sigma 0.25, 100 copies)");
    EXPECT_EQ(scores[2]["stores"][0]["dataset"], "val smoothed (sigma 0.25, 100 selection copies)");
}

TEST(BestOfAColumn, HasNoneWhereNeitherDirectionIsBetter) {
    Scratch folder;
    save_models(folder, {"a", "b"});
    const json document = document_of(report_options({folder / "runs"})).json;
    for (const json& column : document["best"]) EXPECT_NE(column["metric"], "confidence");
    EXPECT_EQ(document["best"].size(), 4U);
}

TEST(BestOfAColumn, NamesModelsThatCannotBeTested) {
    Scratch folder;
    Made made = made_up(120, 4, 1);
    made.images = "xxh128:00000000000000000000000000000001";
    save(folder, made, "a");
    save(folder, made, "b");
    made.images = "xxh128:00000000000000000000000000000002";
    save(folder, made, "c");
    const json document = document_of(report_options({folder / "runs"})).json;
    const json& column = column_of(document, "top1");
    EXPECT_EQ(column["best"], "a");  // the first one of equals
    EXPECT_EQ(column["alike"], json::array({"b"}));
    ASSERT_EQ(column["untested"].size(), 1U);
    EXPECT_EQ(column["untested"][0]["model"], "c");
    EXPECT_THAT(column["untested"][0]["why"].get<std::string>(),
                testing::HasSubstr("different images"));
    EXPECT_THAT(document["left_out"].dump(), testing::HasSubstr("not compared on val"));
}

TEST(BestOfAColumn, OfOneModelIsThatModel) {
    Scratch folder;
    save_models(folder, {"a"});
    const json document = document_of(report_options({folder / "runs"})).json;
    EXPECT_EQ(column_of(document, "nll")["best"], "a");
    EXPECT_EQ(column_of(document, "nll")["alike"], json::array());
    EXPECT_TRUE(results_of(document, "assay.comparisons/2").empty());
}

}  // namespace
}  // namespace assay
