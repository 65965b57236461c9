#include "assay/quality/merge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "message_of.h"

namespace assay::quality {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

QualityTable csv_table(std::string_view text, const char* source) {
    return parse_quality_table(text, source);
}
MergeResult merged(const std::vector<QualityTable>& tables, const MergeOptions& options = {}) {
    return merge_tables(tables, options);
}
std::string refused_merge(const std::vector<QualityTable>& tables,
                          const MergeOptions& options = {}) {
    return message_of([&] { merge_tables(tables, options); });
}

const std::string first_csv =
    "model,model_hash,recipe,accuracy,accuracy_se,params\n"
    "r,11,old,.5,.01,25\n"
    "v,22,,.6,,86\n";

TEST(Merge, RowsAreAddedAndCompleted) {
    const MergeResult result =
        merged({csv_table(first_csv, "a.csv"),
                csv_table("model,source,model_hash,accuracy,accuracy_n,c_robustness\n"
                          "r,timm,,.5,100,.4\nnew,own,,.7,,\n",
                          "b.csv"),
                csv_table("model,recipe\\u,accuracy\nv,,.6\n", "c.csv")});
    const QualityTable& table = result.table;
    EXPECT_THAT(table.tags, ElementsAre("recipe", "source", "recipe\\u"));
    ASSERT_EQ(table.models.size(), 3U);
    const QualityModel& r = table.models[0];
    EXPECT_EQ(r.file_hash, "11");
    EXPECT_THAT(r.tags, ElementsAre("old", "timm", ""));
    EXPECT_EQ(r.cell(Dimension::accuracy).standard_error, .01);
    EXPECT_EQ(r.cell(Dimension::accuracy).n, 100U);
    EXPECT_EQ(r.cell(Dimension::c_robustness).value, .4);
    EXPECT_EQ(r.cell(Dimension::parameters).value, 25);
    EXPECT_EQ(table.models[2].name, "new");
    EXPECT_EQ(result.added, 1U);
    EXPECT_EQ(result.completed, 1U);
    EXPECT_EQ(result.equal, 1U);
}

TEST(Merge, TagsThatNoTableCanHaveAreRefused) {
    const auto with_tags = [](char first, int count, const char* source) {
        std::string head = "model", row = "m";
        for (int t = 0; t < count; ++t) {
            head += fmt::format(",{}{}", first, t);
            row += ",x";
        }
        return csv_table(head + ",accuracy\n" + row + ",.5\n", source);
    };
    const MergeResult most = merged({with_tags('a', 200, "a.csv"), with_tags('b', 56, "b.csv")});
    EXPECT_EQ(parse_quality_table(write_quality_csv(most.table), "both").tags.size(), 256U);
    EXPECT_THAT(refused_merge({with_tags('a', 200, "a.csv"), with_tags('b', 57, "b.csv")}),
                AllOf(HasSubstr("b.csv: with its tag `b56`"), HasSubstr("more than 256 tags")));
}

TEST(Merge, TheSameTableTwiceIsItself) {
    const QualityTable table = csv_table(first_csv, "a.csv");
    const MergeResult result = merged({table, table});
    EXPECT_EQ(write_quality_csv(result.table), write_quality_csv(table));
    EXPECT_EQ(result.equal, 2U);
    const MergeResult own = merged({csv_table(first_csv + "v,22,,.6,,86\n", "a.csv")});
    EXPECT_EQ(write_quality_csv(own.table), write_quality_csv(table));
}

TEST(Merge, SharesComeFromJsonAndStay) {
    const QualityTable with = parse_quality_table(
        R"({"schema": "assay.quality/1", "models": [{"name": "r", "dimensions": {"accuracy":
            {"value": 0.5, "standard_error": 0.05, "shares": [{"data": "v", "parts": [0.05]}]}}}]})",
        "a.json");
    const QualityTable without = csv_table("model,accuracy,accuracy_se\nr,.5,.05\n", "a.csv");
    for (const auto& tables : {std::vector{with, without}, std::vector{without, with}}) {
        const QualityCell cell = merged(tables).table.models[0].cell(Dimension::accuracy);
        ASSERT_EQ(cell.shares.size(), 1U);
        EXPECT_EQ(cell.shares[0].parts[0], .05);
    }
}

TEST(Merge, ContradictionsAreRefusedWithBothSides) {
    const QualityTable first = csv_table(first_csv, "a.csv");
    const auto against = [&](const char* text) {
        return refused_merge({first, csv_table(text, "b.csv")});
    };
    EXPECT_THAT(against("model,accuracy\nr,.51\n"),
                AllOf(HasSubstr("`r`: accuracy is 0.5 (error 0.01) in a.csv but 0.51 in b.csv"),
                      HasSubstr("different names"), HasSubstr("--replace NOTE")));
    EXPECT_THAT(against("model,accuracy,accuracy_se\nr,.5,.02\n"),
                HasSubstr("accuracy (standard error) is 0.01 in a.csv but 0.02 in b.csv"));
    EXPECT_THAT(against("model,accuracy,accuracy_definition\nr,.5,V2\n"),
                HasSubstr("accuracy (definition) is published in a.csv but V2 in b.csv"));
    EXPECT_THAT(against("model,model_hash,accuracy\nr,99,.5\n"),
                HasSubstr("file hash is 11 in a.csv but 99 in b.csv"));
    EXPECT_THAT(against("model,recipe,accuracy\nr,new,.5\n"),
                HasSubstr("recipe is old in a.csv but new in b.csv"));
    // The table that a value comes from, after several merges.
    EXPECT_THAT(refused_merge({csv_table("model,c_rob,accuracy\nr,.4,\n", "0.csv"), first,
                               csv_table("model,accuracy\nr,.51\n", "b.csv")}),
                HasSubstr("in a.csv but 0.51 in b.csv"));
}

TEST(Merge, ReplacedCellsLeaveANote) {
    MergeOptions options;
    options.replace = "measured again";
    const QualityTable first = csv_table(first_csv, "a.csv");
    const MergeResult cells =
        merged({first, csv_table("model,accuracy\nr,.51\n", "b.csv")}, options);
    const QualityModel& r = cells.table.models[0];
    EXPECT_EQ(r.cell(Dimension::accuracy).value, .51);
    EXPECT_FALSE(r.cell(Dimension::accuracy).standard_error);  // it was that of the other value
    EXPECT_EQ(r.cell(Dimension::parameters).value, 25);
    EXPECT_EQ(r.note, "measured again (was: accuracy 0.5 (error 0.01))");
    EXPECT_EQ(cells.replaced, 1U);
    // The model has another file, so no earlier value remains.
    const MergeResult file =
        merged({first, csv_table("model,model_hash,c_rob\nr,99,.4\n", "b.csv")}, options);
    EXPECT_FALSE(file.table.models[0].cell(Dimension::accuracy).value);
    EXPECT_FALSE(file.table.models[0].cell(Dimension::parameters).value);
    EXPECT_EQ(file.table.models[0].note,
              "measured again (was: file hash 11, accuracy 0.5 (error 0.01), parameters 25)");
    options.replace = " ";
    EXPECT_THAT(message_of([&] { merge_tables({first}, options); }, ErrorCode::usage),
                HasSubstr("it is empty"));
}

TEST(Merge, KeysTellRowsApart) {
    const QualityTable twice = csv_table("model,recipe,accuracy\nr,old,.5\nr,new,.6\n", "a.csv");
    EXPECT_THAT(refused_merge({twice}), AllOf(HasSubstr("a.csv has `r` 2 times (rows 1, 2)"),
                                              HasSubstr("recipe"), HasSubstr("rename them")));
    MergeOptions options;
    options.key = {"Recipe"};
    const MergeResult result =
        merged({twice, csv_table("model,recipe,c_rob\nr,new,.3\nr,third,.2\n", "b.csv")}, options);
    ASSERT_EQ(result.table.models.size(), 3U);
    EXPECT_EQ(result.table.models[1].cell(Dimension::c_robustness).value, .3);
    options.key = {"training"};
    EXPECT_THAT(message_of([&] { merge_tables({twice}, options); }, ErrorCode::usage),
                HasSubstr("no table has the tag `training` of the key; there are recipe"));
    EXPECT_THAT(refused_merge({csv_table("model,accuracy\nr,.5\nr,.6\n", "c.csv")}),
                HasSubstr("c.csv has `r` 2 times (rows 1, 2); rename them"));
}

TEST(Merge, ThePublishedTableMayRepeatNames) {
    const QualityTable mine = csv_table("model,accuracy\nmine,.5\n", "a.csv");
    const MergeResult result = merged({mine, published_models()});
    EXPECT_EQ(result.table.models.size(), 327U);
    // The same is done with a table from a file.
    const QualityTable read = parse_quality_table(write_quality_csv(result.table), "all.csv");
    const MergeResult again = merged({read, published_models(), mine});
    EXPECT_EQ(write_quality_csv(again.table), write_quality_csv(read));
    EXPECT_EQ(again.equal, 327U);
    const QualityTable known = csv_table("model,accuracy\nResNet50,.5\n", "a.csv");
    for (const auto& tables :
         {std::vector{known, published_models()}, std::vector{published_models(), known}}) {
        EXPECT_THAT(refused_merge(tables),
                    HasSubstr("`ResNet50` of a.csv matches several rows of the published"));
    }
}

TEST(Merge, TheReportIsATable) {
    const MergeResult result =
        merged({csv_table(first_csv, "a.csv"), csv_table("model,accuracy\nx,.7\n", "b.csv")});
    const Report report = report_of(result);
    EXPECT_EQ(render(report, ReportFormat::csv), write_quality_csv(result.table));
    EXPECT_EQ(render(report, ReportFormat::json), write_quality_json(result.table));
    EXPECT_THAT(render(report, ReportFormat::text), HasSubstr("Rows after the first table: 1 new"));
}

}  // namespace
}  // namespace assay::quality
