// The document of a report has the same values as the commands on the same stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "assay/error.h"
#include "assay/quality/table.h"
#include "assay/report.h"
#include "assay/report/page.h"
#include "assay/robustness/corrupted_accuracy.h"
#include "core/file.h"
#include "made_document.h"
#include "message_of.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReportDocument, ScoresAreThoseOfScore) {
    Scratch folder;
    save_models(folder, {"a", "b", "c"});
    save_models(folder, {"a", "b"}, "other");
    const ReportOptions options = report_options({folder / "runs"});
    const json document = document_of(options).json;
    const std::vector<json> scores = results_of(document, "assay.scores/2");
    ASSERT_EQ(scores.size(), 2U);
    ScoreRunsOptions score;
    score.paths = {folder / "runs" / "other"};
    score.measure = options.measure;
    score.confusions = options.confusions;
    score.reliability = true;
    const ScoreShown shown{.per_class = true, .confusions = score.confusions, .reliability = true};
    // The data set with the most models is first.
    EXPECT_TRUE(scores[1] == to_json(score_runs(score, *self_comm()), shown));
    score.paths = {folder / "runs" / "val"};
    EXPECT_TRUE(scores[0] == to_json(score_runs(score, *self_comm()), shown));
}

TEST(ReportDocument, ComparisonsAreThoseOfCompareWithTheBestAsBaseline) {
    Scratch folder;
    save_models(folder, {"a", "b", "c"});
    const ReportOptions options = report_options({folder / "runs"});
    const json document = document_of(options).json;
    const std::vector<json> compared = results_of(document, "assay.comparisons/2");
    ASSERT_EQ(compared.size(), 1U);
    CompareRunsOptions compare;
    compare.baseline = folder / "runs" / "val" / "c";
    compare.candidates = {folder / "runs" / "val"};
    compare.measure = options.measure;
    compare.disagreements = options.disagreements;
    EXPECT_EQ(compared[0], to_json(compare_runs(compare, *self_comm())));
}

TEST(ReportDocument, TheSameBytesForAnyThreads) {
    Scratch folder;
    save_models(folder, {"a", "b", "c"});
    save_models(folder, {"a", "b"}, "val_fog_1");
    ReportOptions options = report_options({folder / "runs"});
    options.threads = 1;
    const std::string one = page_of(document_of(options).json);
    options.threads = 4;
    EXPECT_EQ(page_of(document_of(options).json), one);
    EXPECT_EQ(page_of(document_of(options).json), one);
}

TEST(ReportDocument, NamesakesAreToldApartByTheirFolders) {
    Scratch folder;
    save_models(folder, {"a", "b"});
    save_models(folder, {"a"}, "val", "old");  // the items are the same
    Made other = made_up(50, 3, 1);
    save(folder, other, "a", StorageFormat::full_f32, 100, false, "others");
    const json document =
        document_of(report_options({folder / "runs", folder / "old", folder / "others"})).json;
    const std::vector<json> scores = results_of(document, "assay.scores/2");
    ASSERT_EQ(scores.size(), 2U);
    using Name = std::pair<std::string, std::string>;
    const auto name_of = [](const json& one) {
        return Name(one.at("dataset").get<std::string>(), one.at("model").get<std::string>());
    };
    std::set<Name> names;
    for (const json& result : scores)
        for (const json& store : result["stores"]) names.insert(name_of(store));
    EXPECT_THAT(names, ElementsAre(std::pair("others/val", "a"), std::pair("runs/val", "b"),
                                   std::pair("runs/val", "old/val/a"),
                                   std::pair("runs/val", "runs/val/a")));
    for (const json& m : scores[1]["measurements"]) EXPECT_TRUE(names.contains(name_of(m))) << m;
    for (const json& store : document["provenance"]["stores"])
        EXPECT_TRUE(names.contains(name_of(store))) << store;
}

TEST(ReportDocument, EstimatesOfClassesAreBoundedAndTheRestIsSaid) {
    Scratch folder;
    save_models(folder, {"a", "b", "c"});
    ReportOptions options = report_options({folder / "runs"});
    options.class_estimates = 9;  // four plots of each model
    const json document = document_of(options).json;
    const json stores = result_of(document, "assay.scores/2")["stores"];
    EXPECT_TRUE(stores[0].contains("per_class"));
    EXPECT_TRUE(stores[1].contains("per_class"));
    EXPECT_FALSE(stores[2].contains("per_class"));
    EXPECT_THAT(document["left_out"].dump(), HasSubstr("of 1 of the 3 models on val"));
}

TEST(ReportDocument, CorruptedVersionsHaveTheirAccuracyAlone) {
    Scratch folder;
    save_models(folder, {"a", "b"});
    save_models(folder, {"a", "b"}, "val_fog_1");
    save_models(folder, {"a", "b"}, "val_fog_3");
    const json document = document_of(report_options({folder / "runs"})).json;
    EXPECT_EQ(results_of(document, "assay.scores/2").size(), 1U);
    const std::vector<json> corrupted = results_of(document, "assay.corrupted_accuracy/1");
    ASSERT_EQ(corrupted.size(), 1U);
    const CorruptedAccuracyResult measured = measure_corrupted(
        {.paths = {(folder / "runs").string()}, .clean = "val", .level = 0.95, .threads = 0});
    EXPECT_EQ(corrupted[0], report_of(measured).result);
    EXPECT_EQ(document["provenance"]["stores"].size(), 6U);
    EXPECT_THAT(document["left_out"].dump(), HasSubstr("2 corrupted versions of val"));
}

TEST(ReportDocument, APilotBesideTheWholeLeavesCorruptedVersionsTheirPlace) {
    Scratch folder;
    for (const char* name : {"val", "val-sample50", "fog_1"}) save_models(folder, {"a"}, name);
    const json document = document_of(report_options({folder / "runs"})).json;
    const std::vector<json> corrupted = results_of(document, "assay.corrupted_accuracy/1");
    ASSERT_EQ(corrupted.size(), 1U);
    EXPECT_EQ(corrupted[0].at("clean"), "val");
    EXPECT_EQ(corrupted[0].at("models").at(0).at("versions").size(), 1U);
}

TEST(ReportDocument, CorruptedVersionsOfUnknownImagesAreMeasuredAsTheyAre) {
    Scratch folder;
    for (const char* name : {"one", "two", "fog_1"}) save_models(folder, {"a"}, name);
    ReportOptions options = report_options({folder / "runs"});
    const json document = document_of(options).json;
    EXPECT_EQ(results_of(document, "assay.scores/2").size(), 3U);
    EXPECT_THAT(document["left_out"].dump(), HasSubstr("--clean"));
    options.clean = "one";
    EXPECT_EQ(results_of(document_of(options).json, "assay.corrupted_accuracy/1").size(), 1U);
    options.clean = "none";
    EXPECT_THAT(message_of([&] { document_of(options); }, ErrorCode::usage), HasSubstr("none"));
}

TEST(ReportDocument, LabelsOfOneDataSetLeaveTheOthersTheirOwn) {
    Scratch folder;
    save_models(folder, {"a", "b"});
    Made small = made_up(30, 4, 2);
    small.dataset = "small";
    save(folder, small, "a");
    std::string sets = "[";
    for (int i = 0; i < 30; ++i) sets += (i == 0 ? "[" : ", [") + std::to_string(i % 4) + "]";
    write_file_atomically(folder / "sets.json", sets + "]");
    ReportOptions options = report_options({folder / "runs"});
    options.measure.labels = {(folder / "sets.json").string()};
    options.measure.metrics = {"top1,real"};
    const ReportDocument document = document_of(options);
    EXPECT_FALSE(document.partial);
    EXPECT_EQ(document.json["left_out"],
              json({"Slices of small are not searched: they need 80 images."}));
    EXPECT_THAT(document.notes, testing::Contains(HasSubstr("sets.json")));
    EXPECT_EQ(results_of(document.json, "assay.scores/2").size(), 2U);
    options.paths = {folder / "runs" / "val"};
    EXPECT_THAT(message_of([&] { document_of(options); }), HasSubstr("sets.json"));
}

TEST(ReportDocument, MissingShardsMakeItPartial) {
    Scratch folder;
    save_models(folder, {"a"});
    EXPECT_FALSE(document_of(report_options({folder / "runs"})).partial);
    save(folder, made_up(240, 4, 3), "b", StorageFormat::full_f32, 100, true);
    const ReportDocument document = document_of(report_options({folder / "runs"}));
    EXPECT_TRUE(document.partial);
    EXPECT_EQ(document.json["provenance"]["stores"][1]["missing"], 1);
}

TEST(ReportDocument, TablesOfQualityAreScoredAsTheCommandDoes) {
    Scratch folder;
    write_file_atomically(folder / "quality.csv",
                          quality::write_quality_csv(quality::published_models()));
    const json document = document_of(report_options({folder / "quality.csv"})).json;
    for (const char* schema : {"assay.quality/1", "assay.quality_score/1",
                               "assay.quality_correlate/1", "assay.quality_choose/1"})
        EXPECT_EQ(results_of(document, schema).size(), 1U) << schema;
    EXPECT_EQ(result_of(document, "assay.quality/1")["models"].size(), 326U);
    EXPECT_EQ(document["provenance"]["files"][0]["schema"], "csv");
    EXPECT_EQ(document_of(report_options({"published"})).json["results"].size(), 4U);
}

TEST(ReportDocument, TagsAreWhatTheTableSays) {
    Scratch folder;
    save_models(folder, {"a"});
    write_file_atomically(folder / "tags.csv", "model,family,year\na,resnet,2015\n__proto__,,1\n");
    ReportOptions options = report_options({folder / "runs"});
    options.tags = folder / "tags.csv";
    const json tags = document_of(options).json["tags"];
    EXPECT_EQ(tags, json::parse(R"({"names": ["family", "year"], "models":
        {"a": {"family": "resnet", "year": "2015"}, "__proto__": {"year": "1"}}})"));
    write_file_atomically(folder / "tags.csv", "model,family\na,x\na,y\n");
    EXPECT_THAT(message_of([&] { document_of(options); }),
                testing::AllOf(HasSubstr("tags.csv line 3"), HasSubstr("appears twice")));
    write_file_atomically(folder / "tags.csv", "model,family\na,\xff\n");
    EXPECT_THAT(message_of([&] { document_of(options); }), HasSubstr("not UTF-8"));
}

TEST(ReportDocument, DefinitionsAreOfTheMetricsThatOccur) {
    Scratch folder;
    save_models(folder, {"a"});
    std::set<std::string> names, occur;
    const json document = document_of(report_options({folder / "runs"})).json;
    for (const json& one : document["definitions"]) {
        names.insert(one["definition"]);
        EXPECT_NE(one["meaning"], "");
    }
    const json scores = result_of(document, "assay.scores/2");
    for (const json& m : scores["measurements"]) occur.insert(m["definition"]);
    EXPECT_EQ(names, occur);
}

}  // namespace
}  // namespace assay
