// Compares measured accuracies with published ones.
#include "assay/evaluate/published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "assay/error.h"
#include "core/file.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* timm =
    "model,img_size,top1,top1_err,top5,top5_err,param_count,crop_pct,interpolation\n"
    "big.a_in1k,448,90.056,9.944,99.054,0.946,\"1,013.01\",1.000,bicubic\n"
    "net.a1_in1k,288,75.000,25.000,95.112,4.888,25.56,1.000,bicubic\n"
    "net.a1_in1k,224,62.500,37.500,95.000,5.000,25.56,0.950,bicubic\n";

ScoreReport scored(const std::string& model, const std::string& metric, double value, double low,
                   double high) {
    ScoreReport report;
    report.model = model;
    report.dataset = "val";
    Measurement m;
    m.value = value;
    m.unit = Unit::proportion;
    m.n = 100;
    m.interval = Interval{low, high, 0.95, "wilson"};
    const MetricRequest request = parse_metric(metric);
    m.key = {metric, request.definition(), request.parameters, model, "val", "", ""};
    report.measurements = {m};
    return report;
}

TEST(Published, TimmsTablesAsTheyAre) {
    const PublishedTable table = parse_published(timm, "results.csv");
    EXPECT_THAT(table.metrics, ElementsAre("top1", "top5"));
    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(table.rows[2].model, "net.a1_in1k");
    EXPECT_EQ(table.rows[2].setting, "img_size 224, crop_pct 0.950, interpolation bicubic");
    EXPECT_THAT(table.rows[2].values, ElementsAre(0.625, 0.95));
    // A table has proportions for another metric. Its other columns are not read.
    EXPECT_THAT(parse_published("model,top1\na,0.75\nb,1\n", "x").rows[0].values,
                ElementsAre(0.75));
    const PublishedTable real = parse_published(timm, "results.csv", "real");
    EXPECT_THAT(real.metrics, ElementsAre("real"));
    EXPECT_THAT(real.rows[0].values, ElementsAre(0.90056));
}

TEST(Published, EachSettingOfAModelIsBesideIt) {
    std::vector<std::string> warnings;
    const std::vector<ScoreReport> reports = {scored("net.a1_in1k", "top1", 0.65, 0.55, 0.7),
                                              scored("net", "top1", 0.65, 0.55, 0.7),
                                              scored("other", "top1", 0.65, 0.55, 0.7)};
    const auto values = beside_published(reports, parse_published(timm, "results.csv"), warnings);
    ASSERT_EQ(values.size(), 2U);
    EXPECT_EQ(values[0].published, 0.75);
    EXPECT_EQ(place_of_published(values[0]), "above");   // between 0.75 and 0.55 to 0.7
    EXPECT_EQ(place_of_published(values[1]), "inside");  // the value is 0.625
    PublishedValue low = values[1];
    low.published = 0.5;
    EXPECT_EQ(place_of_published(low), "below");
    low.published = 0.549996;  // the value is rounded to 55.000 in a table
    EXPECT_EQ(place_of_published(low), "inside");
    low.measured.interval.reset();
    EXPECT_EQ(place_of_published(low), "");
    EXPECT_THAT(
        warnings,
        ElementsAre(
            AllOf(
                HasSubstr(
                    "results.csv has no model `net`; 1 in the table begin like it: `net.a1_in1k`;"),
                HasSubstr("--name")),
            "results.csv has no model `other`"));
    const auto tables = published_tables(values);
    ASSERT_EQ(tables.size(), 1U);
    EXPECT_EQ(tables[0].rows.size(), 2U);
}

TEST(Published, WhatCannotBeComparedIsSaid) {
    std::vector<std::string> warnings;
    const PublishedTable table = parse_published(timm, "results.csv");
    const std::vector<ScoreReport> other = {scored("other", "top1", 0.65, 0.55, 0.7)};
    EXPECT_THAT(message_of([&] { beside_published(other, table, warnings); }, ErrorCode::usage),
                HasSubstr("it has none of the scored models"));
    const std::vector<ScoreReport> real = {scored("net.a1_in1k", "real", 0.65, 0.55, 0.7)};
    EXPECT_THAT(message_of([&] { beside_published(real, table, warnings); }, ErrorCode::usage),
                HasSubstr("results.csv has top1, top5, but none of these was measured"));
    EXPECT_EQ(beside_published(real, parse_published(timm, "results.csv", "real"), warnings).size(),
              2U);

    const auto refused = [](const char* text) {
        return message_of([&] { parse_published(text, "x.csv"); });
    };
    EXPECT_THAT(refused("name,top1\na,1\n"), HasSubstr("model"));
    EXPECT_THAT(refused("model,parameters\na,1\n"), HasSubstr("no column is named as a metric"));
    const std::vector<ScoreReport> scored_net = {scored("net", "top1", 0.7, 0.6, 0.8)};
    EXPECT_EQ(
        beside_published(scored_net, parse_published("model,accuracy\nnet,75\n", "x.csv"), warnings)
            .at(0)
            .published,
        0.75);
    EXPECT_THAT(refused("model,nll\na,1\n"), HasSubstr("no column is named as a metric"));
    EXPECT_THAT(refused("model,top1\n"), HasSubstr("no model in the table"));
    for (const char* cell : {"", "x", "-1", "100.5", "nan", "inf", "1e3", "7%"})
        EXPECT_THAT(refused((std::string("model,top1\na,") + cell + "\n").c_str()),
                    AllOf(HasSubstr("x.csv line 2"), HasSubstr("a number from 0 to 100")))
            << cell;
    EXPECT_THAT(refused("model,top1\n,1\n"), HasSubstr("without a model's name"));
    EXPECT_THAT(refused("model,top1\na,1\na,2\n"),
                HasSubstr("x.csv line 3: the model `a` appears twice"));
    EXPECT_THAT(refused("model,img_size,top1\na,224,1\na,224,2\n"),
                HasSubstr("the model `a` appears twice with img_size 224"));
}

TEST(Published, AFileMayBeOfAnotherMetric) {
    const Scratch folder;
    const std::string plain = folder / "a.csv", sign = folder / "a=b.csv";
    for (const std::string& file : {plain, sign}) write_file_atomically(file, timm);
    EXPECT_THAT(read_published(plain).metrics, ElementsAre("top1", "top5"));
    EXPECT_THAT(read_published("real=" + plain).metrics, ElementsAre("real"));
    EXPECT_THAT(read_published(sign).metrics, ElementsAre("top1", "top5"));
    EXPECT_THAT(message_of([&] { read_published("reel=" + plain); }, ErrorCode::usage),
                HasSubstr("`real`"));
    EXPECT_THAT(message_of([&] { read_published(folder / "absent.csv"); }),
                HasSubstr("absent.csv"));
    // The tables that timm publishes, if they are in the shared data next to the source tree.
    if (shared_data().empty()) GTEST_SKIP() << "no data beside the checkout";
    for (const auto& file : std::filesystem::directory_iterator(shared_data() / "timm_results")) {
        const PublishedTable table = read_published(file.path().string());
        EXPECT_EQ(table.rows.size(), 1556U) << file.path();
        EXPECT_THAT(table.metrics, ElementsAre("top1", "top5"));
    }
}

}  // namespace
}  // namespace assay
