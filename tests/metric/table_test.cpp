// Tests over the table of metrics, so every new row is checked, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/error.h"
#include "assay/metric/metric.h"
#include "core/random.h"
#include "message_of.h"
#include "metric/other_names.h"
#include "metric/pass.h"
#include "metric/real_sum.h"

namespace assay {
namespace {

// The metric with all parameters at their defaults. A metric with several values needs a choice.
MetricRequest request_of(const MetricFacts& facts) {
    MetricRequest request = parse_metric(facts.name);
    return request.every_count() ? parse_metric(std::string(facts.name) + ":g=2") : request;
}

MetricContext context_of(const MetricFacts& facts) {
    MetricContext context;
    context.shape.classes = facts.name.starts_with("binary_") ? 2 : 5;
    context.shape.most_labels = 5;
    context.shape.no_cues = "";
    context.parameters = request_of(facts).parameters;
    return context;
}

TEST(MetricNames, ThoseOfOtherLibrariesAreKnown) {
    const std::vector<std::pair<std::string, std::string>> known = {
        {"accuracy", "top1"},
        {"Accuracy", "top1"},
        {"acc", "top1"},
        {"acc5", "top5"},
        {"top-5", "top5"},
        {"log_loss", "nll"},
        {"cross-entropy", "nll"},
        {"mcc", "matthews"},
        {"roc_auc", "auroc"},
        {"balanced_accuracy", "balanced"},
        {"cohen_kappa", "kappa"},
        {"mAP", "mean_average_precision"},
        {"LRAP", "label_ranking_average_precision"},
        {"label_ranking_loss", "ranking_loss"},
        {"subset_accuracy", "exact_match"}};
    for (const auto& [theirs, ours] : known)
        EXPECT_EQ(parse_metric(theirs), parse_metric(ours)) << theirs;
    EXPECT_EQ(parse_metric("expected_calibration_error:bins=10"), parse_metric("ece:bins=10"));
    EXPECT_EQ(parse_metric("sensitivity"), parse_metric("recall:average=binary"));
    EXPECT_EQ(parse_metric("binary_f1"), parse_metric("f1:average=binary"));
    EXPECT_EQ(parse_metric("binary-auroc"), parse_metric("auroc:average=binary"));
    // These names are not accepted, because scikit-learn's defaults for these are for two classes
    // and mean another quantity.
    for (const std::string other : {"f1_score", "precision_score", "brier_score_loss"})
        EXPECT_THAT(message_of([&] { parse_metric(other); }, ErrorCode::usage),
                    testing::HasSubstr("unknown metric"));
}

TEST(MetricNames, WhatIsMeantComesBeforeWhatLooksAlike) {
    const std::vector<std::pair<std::string, std::string>> near = {
        {"confusion", "--confusion"},
        {"Confusion-Matrix", "--confusion"},
        {"f1_score", "`f1`"},
        {"f1_score", "`binary_f1`"},
        {"error", "`top1`"},
        {"loss", "`nll`"},
        {"mce", "--reliability"},
        {"calibration", "`ece`"},
        {"worst-group-accuracy", "--subgroup"},
        {"worst_class", "--per-class"},
        {"hamming", "`hamming_loss`"},
        {"f1_micro", "`multilabel_f1`"},
        {"fpr95", "--ood"}};
    for (const auto& [word, meant] : near)
        EXPECT_THAT(message_of([&, &word = word] { parse_metric(word); }, ErrorCode::usage),
                    testing::HasSubstr(meant));
    for (const auto& [theirs, ours] : std::vector<std::pair<std::string, std::string>>{
             {"ECE", "ece"}, {"NLL", "nll"}, {"top-1", "top1"}, {"acc@5", "top5"}})
        EXPECT_EQ(parse_metric(theirs), parse_metric(ours)) << theirs;
    EXPECT_THAT(message_of([&] { parse_metric("brierr"); }, ErrorCode::usage),
                testing::HasSubstr("did you mean `brier`?"));
    // A misspelt name of another library, which is accepted if it is spelt correctly.
    EXPECT_THAT(message_of([&] { parse_metric("accurracy"); }, ErrorCode::usage),
                testing::HasSubstr("did you mean `accuracy`?"));
    EXPECT_THAT(message_of([&] { parse_metric("zzzzzzzzzzzz"); }, ErrorCode::usage),
                testing::HasSubstr("; known: top1"));
}

TEST(MetricNames, OurOwnStayOurs) {
    for (const std::string& name : metric_names()) EXPECT_EQ(own_metric_name(name), name);
}

std::vector<RowFacts> some_rows(std::size_t n, std::uint64_t seed) {
    RandomStream random(seed, "rows");
    std::vector<RowFacts> rows(n);
    for (std::size_t i = 0; i < n; ++i) {
        RowFacts& row = rows[i];
        row.item = i;
        row.group = static_cast<std::uint16_t>(i % group_count);
        row.target = static_cast<std::int32_t>(random.below(5));
        row.rank = static_cast<std::int32_t>(random.below(5));
        row.predicted = row.rank == 0 ? row.target : (row.target + 1) % 5;
        // The label sets have 1 to 5 labels in turn. Metrics of single labels have one target.
        row.valid = static_cast<std::uint32_t>(1 + i % 5);
        row.hits = static_cast<std::int32_t>(random.below(row.valid + 1));
        row.in_set = row.rank == 0;
        row.target_known = true;
        row.confidence = static_cast<float>(0.2 + 0.8 * random.uniform());
        row.target_probability =
            row.rank == 0 ? row.confidence : static_cast<float>(0.19 * random.uniform() + 0.001);
        row.log_target = std::log(static_cast<double>(row.target_probability));
        row.square_sum = row.confidence * row.confidence;
        // Every prediction follows one of two cues.
        row.shape_cue = row.target;
        row.texture_cue = (row.target + 1) % 5;
    }
    return rows;
}

TEST(Table, NamesAndFacts) {
    std::set<std::string_view> names;
    for (const auto& facts : metric_table()) {
        EXPECT_TRUE(names.insert(facts.name).second) << facts.name;
        EXPECT_FALSE(facts.title.empty()) << facts.name;
        EXPECT_FALSE(facts.formula.empty()) << facts.name;
        EXPECT_FALSE(facts.origin.empty()) << facts.name;
        EXPECT_NE(facts.needs, 0U) << facts.name;
        EXPECT_LT(facts.low, facts.high) << facts.name;
        EXPECT_NE(facts.definition, nullptr) << facts.name;
        EXPECT_EQ(facts.accumulate != nullptr, facts.pass == nullptr) << facts.name;
        EXPECT_EQ(facts.value != nullptr, facts.pass == nullptr) << facts.name;
        for (const auto& p : facts.parameters) {
            EXPECT_NO_THROW(parse_metric(std::string(facts.name) + ":" + std::string(p.name) + "=" +
                                         std::string(p.fallback)));
        }
    }
}

bool has_parameter(const MetricFacts& facts, std::string_view name) {
    return std::any_of(facts.parameters.begin(), facts.parameters.end(),
                       [name](const ParameterFacts& p) { return p.name == name; });
}

TEST(Table, FactsFitTogether) {
    for (const auto& facts : metric_table()) {
        if (facts.unit == Unit::proportion) {
            EXPECT_GE(facts.low, -1) << facts.name;
            EXPECT_LE(facts.high, 1) << facts.name;
        }
        // In a name with a number, the number is the value of its last parameter.
        EXPECT_TRUE(facts.name.ends_with(facts.numbered_by)) << facts.name;
        EXPECT_TRUE(facts.numbered_by.empty() || has_parameter(facts, facts.numbered_by))
            << facts.name;
        EXPECT_EQ(facts.by_labels_per_image, has_parameter(facts, "g")) << facts.name;
        // The paired tests read these parameters and fields of a row.
        const bool sets = (facts.needs & static_cast<unsigned>(Needs::label_sets)) != 0;
        EXPECT_TRUE(facts.paired != PairedTest::mcnemar_top_k ||
                    (!sets && has_parameter(facts, "k")))
            << facts.name;
        EXPECT_TRUE(facts.paired != PairedTest::mcnemar_in_set || sets) << facts.name;
        EXPECT_EQ(facts.paired == PairedTest::agreement, has_parameter(facts, "agreement"))
            << facts.name;
        // If labels are drawn from the probabilities, calibration errors are 0 on average, so lower
        // is better.
        if (facts.calibrated_null) {
            EXPECT_TRUE(facts.needs & static_cast<unsigned>(Needs::probabilities)) << facts.name;
            EXPECT_FALSE(facts.higher_is_better) << facts.name;
        }
        EXPECT_FALSE(facts.null_replaces_note && !facts.calibrated_null) << facts.name;
        for (const MetricRequest& part : pass_of({&facts, {}}).parts())
            EXPECT_EQ(part.facts->calibrated_null, facts.calibrated_null) << facts.name;
    }
}

TEST(Table, EveryVariantIsShownOnceAndHasItsName) {
    for (const auto& facts : metric_table()) {
        std::set<std::string> texts;
        for (const Parameters& variant : facts.variants) {
            MetricRequest request = request_of(facts);
            for (const auto& [name, value] : variant) {
                ASSERT_TRUE(has_parameter(facts, name)) << facts.name;
                request.parameters[name] = value;
            }
            EXPECT_EQ(parse_metric(request.text()), request);
            EXPECT_EQ(&metric_named(request.name()), &facts);
            EXPECT_TRUE(texts.insert(request.text()).second) << request.text();
        }
        EXPECT_FALSE(texts.empty()) << facts.name;
    }
    EXPECT_EQ(parse_metric("topk:k=7").name(), "top7");
    EXPECT_EQ(parse_metric("ece:bins=20").name(), "ece");
    const auto names = metric_names();
    EXPECT_EQ((std::vector<std::string>{names.begin(), names.begin() + 4}),
              (std::vector<std::string>{"top1", "top5", "topk", "real"}));
}

TEST(Requests, WhatIsShownByDefault) {
    std::vector<std::string> texts;
    for (const auto& request : default_metrics()) texts.push_back(request.text());
    EXPECT_EQ(texts, (std::vector<std::string>{"top1", "top5", "balanced", "nll", "brier",
                                               "confidence", "overconfidence", "ece", "ace",
                                               "ace:variant=top_label", "calibration_error",
                                               "class_balance", "class_balance:spread=between"}));
    const std::vector<int> k{3};
    texts.clear();
    for (const auto& request : default_metrics(k, 20, "right_closed"))
        texts.push_back(request.text());
    EXPECT_EQ(texts,
              (std::vector<std::string>{
                  "top3", "balanced", "nll", "brier", "confidence", "overconfidence",
                  "ece:bins=20,edges=right_closed", "ace:bins=20", "ace:bins=20,variant=top_label",
                  "calibration_error", "class_balance", "class_balance:spread=between"}));
}

TEST(Requests, TheLabelsPerImageThatAMetricIsAbout) {
    EXPECT_EQ(parse_metric("asma:subgroups=2,4-6").labels_per_image(),
              (std::vector<int>{2, 4, 5, 6}));
    EXPECT_EQ(parse_metric("subgroup_accuracy:g=3").labels_per_image(), std::vector<int>{3});
    EXPECT_EQ(parse_metric("variable_topk").labels_per_image(), std::nullopt);
    EXPECT_EQ(parse_metric("subgroup_accuracy").labels_per_image(), std::nullopt);
}

TEST(Table, ThePageOfDefinitionsIsUpToDate) {
    std::ifstream file(std::filesystem::path(ASSAY_SOURCE_DIR) / "docs/definitions.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(page == metric_table_markdown())
        << "run: assay list metrics --markdown -o docs/definitions.md";
}

/// The cells of each row of the first table of a page.
std::vector<std::vector<std::string>> first_table_of(const std::filesystem::path& page) {
    std::ifstream file(page);
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("| ")) {
            if (!rows.empty() && line.empty()) break;
            continue;
        }
        std::vector<std::string> cells;
        for (std::size_t begin = 2, end = 0; end != std::string::npos; begin = end + 2) {
            end = line.find(" |", begin);
            if (end != std::string::npos) cells.push_back(line.substr(begin, end - begin));
        }
        rows.push_back(std::move(cells));
    }
    return rows;
}

TEST(Table, EveryIntervalSaysHowOftenItHolds) {
    const auto rows = first_table_of(std::filesystem::path(ASSAY_SOURCE_DIR) / "docs/intervals.md");
    ASSERT_GT(rows.size(), 20U);
    for (const auto& cells : rows) {
        ASSERT_GE(cells.size(), 3U) << cells.front();
        EXPECT_FALSE(cells[1].empty() || cells[2].empty()) << cells.front();
    }
    for (const auto& row : metric_table_json()) {
        const std::string name = "`" + row.at("name").get<std::string>() + "`";
        EXPECT_TRUE(std::ranges::any_of(
            rows, [&](const auto& cells) { return cells[0].find(name) != std::string::npos; }))
            << "docs/intervals.md has no row for " << name;
    }
}

TEST(Table, DefinitionsAreDistinct) {
    std::set<std::string> ids;
    for (const auto& row : metric_table_json()) {
        for (const auto& id : row.at("definitions"))
            EXPECT_TRUE(ids.insert(id.get<std::string>()).second) << id;
    }
    EXPECT_TRUE(ids.contains("ece.l1.left_closed"));
    EXPECT_TRUE(ids.contains("ace.class_wise"));
    EXPECT_TRUE(ids.contains("class_balance.between"));
}

TEST(Table, TheEmptyStateIsUndefinedWithAReason) {
    for (const auto& facts : metric_table()) {
        if (facts.pass) continue;
        const auto context = context_of(facts);
        const auto accumulator = facts.accumulate(context);
        const Estimate value =
            facts.value(context, std::vector<std::int64_t>(accumulator->slots()));
        EXPECT_FALSE(value.value) << facts.name;
        EXPECT_FALSE(value.undefined.empty()) << facts.name;
        EXPECT_EQ(value.n, 0U) << facts.name;
    }
}

TEST(Table, ValuesLieInTheirRangeAndMergingIsAdding) {
    const auto rows = some_rows(1000, 1);
    std::vector<std::uint64_t> sizes(group_count);
    for (const auto& row : rows) ++sizes[row.group];
    for (const auto& facts : metric_table()) {
        if (facts.pass) continue;
        const auto context = context_of(facts);
        const auto accumulator = facts.accumulate(context);
        std::vector<std::int64_t> whole(accumulator->slots() * group_count), first = whole,
                                                                             second = whole;
        accumulator->update(whole, rows);
        accumulator->update(second, std::span(rows).subspan(333));  // the other order of both
        accumulator->update(first, std::span(rows).first(333));
        for (std::size_t k = 0; k < first.size(); ++k) first[k] += second[k];
        EXPECT_EQ(first, whole) << facts.name;

        const ResampledEstimate e =
            estimate(request_of(facts), context.shape, *accumulator, whole, sizes, {0.95, 200, 3});
        ASSERT_TRUE(e.value) << facts.name << ": " << e.undefined;
        EXPECT_GE(*e.value, facts.low) << facts.name;
        EXPECT_LE(*e.value, facts.high) << facts.name;
        EXPECT_TRUE(std::isfinite(*e.value)) << facts.name;
        EXPECT_EQ(e.unit, facts.unit) << facts.name;
        EXPECT_EQ(e.n, facts.by_labels_per_image ? 200U : 1000U) << facts.name;
        EXPECT_EQ(e.without.size(), group_count) << facts.name;
        EXPECT_EQ(e.replicates.size(), facts.uncertainty == Uncertainty::bootstrap ? 200U : 0U)
            << facts.name;
        EXPECT_EQ(e.interval.has_value(), facts.uncertainty == Uncertainty::closed_form)
            << facts.name;
    }
}

TEST(Table, LeavingAGroupOutIsNeverHavingSeenIt) {
    const auto rows = some_rows(300, 2);
    std::vector<std::uint64_t> sizes(group_count);
    std::vector<RowFacts> rest;
    for (const auto& row : rows) {
        ++sizes[row.group];
        if (row.group != 7) rest.push_back(row);
    }
    for (const auto& facts : metric_table()) {
        if (facts.pass) continue;
        const auto context = context_of(facts);
        const auto accumulator = facts.accumulate(context);
        std::vector<std::int64_t> all(accumulator->slots() * group_count), part = all;
        accumulator->update(all, rows);
        accumulator->update(part, rest);
        const auto request = request_of(facts);
        const ResampledEstimate whole =
            estimate(request, context.shape, *accumulator, all, sizes, {0.95, 0, 1});
        const ResampledEstimate without =
            estimate(request, context.shape, *accumulator, part, sizes, {0.95, 0, 1});
        EXPECT_EQ(whole.without[7], *without.value) << facts.name;
    }
}

TEST(Requests, TextRoundTrip) {
    for (const char* text :
         {"top1", "top5", "real", "ece", "ece:bins=20", "ece:norm=l2,edges=right_closed",
          "ace:variant=top_label", "asma", "asma:agreement=jaccard", "asma:subgroups=2-4,6,9",
          "asma:subgroups=1,2,absent=skipped", "subgroup_accuracy:g=3"}) {
        EXPECT_EQ(parse_metric(text).text(), text);
        EXPECT_EQ(parse_metric(parse_metric(text).text()), parse_metric(text));
    }
    EXPECT_EQ(parse_metric("topk:k=5").text(), "top5");
    EXPECT_EQ(parse_metric("ece").definition(), "ece.l1.left_closed");
    EXPECT_EQ(parse_metric("top7").definition(), "topk.lower_index");
    EXPECT_EQ(parse_metric("asma:subgroups=9,2,3,4-4,6,3").text(), "asma:subgroups=2-4,6,9");
    EXPECT_EQ(parse_metric("asma:subgroups=2,3,absent=skipped,agreement=hamming").text(),
              "asma:agreement=hamming,subgroups=2,3,absent=skipped");
    EXPECT_EQ(parse_metric("asma:subgroups=1-5").text(), "asma");
}

TEST(Requests, ADefinitionIdIsAName) {
    EXPECT_EQ(parse_metric("asma.jaccard"), parse_metric("asma:agreement=jaccard"));
    EXPECT_EQ(parse_metric("asma.hamming:subgroups=2-4"),
              parse_metric("asma:agreement=hamming,subgroups=2-4"));
    EXPECT_EQ(parse_metric("ece.l1.right_closed"), parse_metric("ece:edges=right_closed"));
    EXPECT_EQ(parse_metric("real.in_set"), parse_metric("real"));
    EXPECT_THROW(parse_metric("asma.jacard"), Error);
    EXPECT_THROW(parse_metric("topk.lower_index"), Error);  // the metric does not have k
}

TEST(Requests, DefaultsWithAndWithoutLabelSets) {
    const auto names = [](bool sets, bool single = true, bool cues = false) {
        std::set<std::string_view> list;
        for (const auto& request : default_metrics({}, 0, "", sets, single, cues))
            list.insert(request.facts->name);
        return list;
    };
    EXPECT_FALSE(names(false).contains("real"));
    EXPECT_FALSE(names(false).contains("asma"));
    EXPECT_FALSE(names(true).contains("shape_bias"));
    EXPECT_TRUE(names(false, true, true).contains("shape_bias"));
    for (const char* name : {"real", "asma", "variable_topk", "subgroup_accuracy", "topk", "ece"})
        EXPECT_TRUE(names(true).contains(name)) << name;
    // Composites never have a single label, so metrics that need one are not shown.
    EXPECT_EQ(names(true, false),
              (std::set<std::string_view>{"real", "variable_topk", "asma", "subgroup_accuracy"}));
}

TEST(Requests, ErrorsSayWhatIsAllowed) {
    const auto message = [](const char* text) -> std::string {
        return message_of([&] { parse_metric(text); }, ErrorCode::usage);
    };
    EXPECT_NE(message("ecee").find("`ece`"), std::string::npos);
    EXPECT_NE(message("ece:bins=0").find("1 to 100"), std::string::npos);
    EXPECT_NE(message("ece:bins=15x").find("1 to 100"), std::string::npos);
    EXPECT_NE(message("ece:edge=left_closed").find("edges"), std::string::npos);
    EXPECT_NE(message("ece:edges=rigth_closed").find("right_closed"), std::string::npos);
    EXPECT_NE(message("nll:bins=3").find("no parameters"), std::string::npos);
    EXPECT_NE(message("ece:").find("colon"), std::string::npos);
    EXPECT_NE(message("ece:bins").find("parameter=value"), std::string::npos);
    EXPECT_NE(message("top101").find("1 to 100"), std::string::npos);
    for (const char* text : {"asma:subgroups=0-5", "asma:subgroups=5-1", "asma:subgroups=",
                             "asma:subgroups=1-65", "asma:subgroups=1-", "asma:subgroups=two"}) {
        EXPECT_NE(message(text).find("1 to 64"), std::string::npos)
            << text << ": " << message(text);
    }
    EXPECT_NE(message("asma:subgroups=1,,2").find("parameter=value"), std::string::npos);
    EXPECT_NE(message("subgroup_accuracy:g=65").find("0 to 64"), std::string::npos);
    EXPECT_NE(message("asma:absent=skip").find("skipped"), std::string::npos);
}

// Confidences are on an edge and next to it. If 1 of 2 rows were correct, the rule would have no
// effect. So every row is correct, and the gap is 1 - confidence.
double ece_of(const std::string& text, const std::vector<float>& confidences) {
    const auto request = parse_metric(text);
    MetricContext context{{.classes = 2}, request.parameters, 0.95};
    const auto accumulator = request.facts->accumulate(context);
    std::vector<std::int64_t> state(accumulator->slots() * group_count);
    for (const float c : confidences) {
        RowFacts row;
        row.target = row.predicted = 0;
        row.confidence = c;
        // All rows are in group 0, whose state is then that of all items.
        accumulator->update(state, {&row, 1});
    }
    return *request.facts->value(context, std::span(state).first(accumulator->slots())).value;
}

TEST(Ece, TheEdgeRules) {
    // Two bins with the edge .5, and correct items at .5 and .9. With left_closed, .5 is in the bin
    // of .9. The l1 norm is |1 - .7| = .3 in both cases, so the test uses the max norm: .3
    // if both are together, and max(.5, .1) = .5 if they are apart.
    EXPECT_NEAR(ece_of("ece:bins=2,norm=max,edges=left_closed", {0.5F, 0.9F}), 0.3, 1e-7);
    EXPECT_NEAR(ece_of("ece:bins=2,norm=max,edges=right_closed", {0.5F, 0.9F}), 0.5, 1e-7);
    // 1 has its own bin unless bins are merged. Apart, the value is max(.4, 0), and together .2.
    EXPECT_NEAR(ece_of("ece:bins=2,norm=max", {0.6F, 1.0F}), 0.4, 1e-7);
    EXPECT_NEAR(ece_of("ece:bins=2,norm=max,edges=left_closed_merged", {0.6F, 1.0F}), 0.2, 1e-7);
    EXPECT_NEAR(ece_of("ece:bins=2,norm=l2,edges=right_closed", {0.5F, 0.9F}),
                std::sqrt((0.25 + 0.01) / 2), 1e-7);
    EXPECT_NEAR(ece_of("ece:bins=1", {0.0F}), 1, 1e-12);
}

TEST(RealSum, IsExactAndSigned) {
    std::int64_t sum[2] = {0, 0};
    for (int i = 0; i < 1000; ++i) add_real(sum, 0.1);
    for (int i = 0; i < 999; ++i) add_real(sum, -0.1);
    EXPECT_NEAR(real_of(sum), 0.1, 1e-12);
    std::int64_t large[2] = {0, 0};
    add_real(large, -2000.0 - 0x1p-40);
    EXPECT_EQ(real_of(large), -2000.0 - 0x1p-40);
}

TEST(Groups, PlacesAreAPermutation) {
    for (const std::uint64_t items : {1U, 2U, 127U, 128U, 129U, 2048U, 2049U, 5000U}) {
        for (std::uint64_t s = 0; s * group_stretch < items; ++s) {
            const auto places = group_places(s, items);
            const std::uint64_t here =
                std::min<std::uint64_t>(group_stretch, items - s * group_stretch);
            EXPECT_EQ(places.size(), (here + group_count - 1) / group_count * group_count);
            const std::set<std::uint16_t> distinct(places.begin(), places.end());
            EXPECT_EQ(distinct.size(), places.size());
            EXPECT_LT(*distinct.rbegin(), places.size());
        }
    }
}

}  // namespace
}  // namespace assay
