// The reports of predict, import, check, verify, list and show as text, CSV and JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/check.h"
#include "assay/evaluate/listing.h"
#include "assay/evaluate/predict.h"
#include "assay/evaluate/show.h"
#include "assay/store/import.h"
#include "assay/store/verify.h"
#include "saved_scores.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string csv(const Report& report) {
    return render(report, ReportFormat::csv);
}
std::string text(const Report& report) {
    return render(report, ReportFormat::text);
}

PredictResult predicted(const std::string& model, const std::string& dataset) {
    PredictResult result;
    result.model = model;
    result.dataset = dataset;
    result.store = "runs/" + dataset + "/" + model;
    result.rows = 1200;
    result.predicted = 1200;
    return result;
}

TEST(PredictReport, NothingAndOneStore) {
    EXPECT_EQ(report_of(std::span<const PredictResult>()).result.at("stores").size(), 0U);
    const std::vector<PredictResult> one = {predicted("net", "val")};
    const Report report = report_of(one);
    EXPECT_FALSE(report.partial);
    EXPECT_EQ(report.result.at("schema"), "assay.predict/1");
    EXPECT_EQ(
        csv(report),
        "model,dataset,rows,computed,without_score,store\nnet,val,1200,1200,0,runs/val/net\n");
    EXPECT_THAT(text(report), HasSubstr("net    val        1,200         1,200"));
}

TEST(PredictReport, RowsWithoutAScoreMakeItPartial) {
    std::vector<PredictResult> results = {predicted("net", "val"), predicted("other", "val")};
    results[1].bad_rows = 3;
    results[1].first_error = "a.png: damaged";
    results[0].halved = 2;
    const Report report = report_of(results);
    EXPECT_TRUE(report.partial);
    EXPECT_THAT(report.warnings,
                ElementsAre(HasSubstr("net: memory was short, so batches were halved 2 times"),
                            "other on val: 3 of 1,200 rows have no score; the first: a.png: "
                            "damaged"));
    EXPECT_EQ(report.result.at("stores").at(1).at("first_error"), "a.png: damaged");
}

TEST(PredictReport, HowAModelsFileWasRunIsToldOnce) {
    std::vector<PredictResult> results = {predicted("net", "v1"), predicted("net", "v2")};
    for (PredictResult& r : results) r.notes = {"the model takes bytes"};
    const Report report = report_of(results);
    EXPECT_THAT(std::get<Table>(report.sections.at(0).blocks.at(0)).notes,
                ElementsAre("net: the model takes bytes."));
    EXPECT_EQ(report.result.at("stores").at(1).at("notes").at(0), "the model takes bytes");
}

TEST(PredictReport, ManyStoresAreShownByDataSet) {
    std::vector<PredictResult> results;
    for (const char* dataset : {"v1", "v2"}) {
        for (int i = 0; i < 7; ++i) results.push_back(predicted("m" + std::to_string(i), dataset));
    }
    results[8].bad_rows = 5;
    const Report report = report_of(results);
    const auto& table = std::get<Table>(report.sections.at(0).blocks.at(0));
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(std::get<Count>(table.rows[1][2]).value, 7U);         // number of models
    EXPECT_EQ(std::get<Count>(table.rows[1][3]).value, 7 * 1200U);  // number of computed stores
    EXPECT_EQ(std::get<Count>(table.rows[1][4]).value, 5U);
    EXPECT_EQ(report.records.rows.size(), 14U);
}

TEST(ImportReport, OneRow) {
    ImportReport imported;
    imported.store = "runs/val/net";
    imported.rows = 10;
    imported.classes = 3;
    imported.bad_rows = 1;
    imported.first_error = "x: NaN";
    imported.notes = {"assuming the scores are logits (use --kind to override)"};
    const Report report = report_of(imported);
    EXPECT_TRUE(report.partial);
    EXPECT_THAT(report.warnings, ElementsAre("1 of 10 rows have no score; the first: x: NaN"));
    EXPECT_EQ(csv(report),
              "store,rows,classes,kind,storage,without_score\n"
              "runs/val/net,10,3,logits,full_f32,1\n");
    EXPECT_EQ(report.result.at("schema"), "assay.import/1");
    EXPECT_EQ(report.result.at("notes").size(), 1U);
}

TEST(CheckReport, FindingsWithTheirMarks) {
    using Severity = Finding::Severity;
    const std::vector<CheckedPair> pairs = {
        {"net", "val", {{Severity::ok, "data.images", "all images can be read", "", ""}}},
        {"net",
         "v2",
         {{Severity::warning, "outputs.kind", "probabilities?", "sums are 1", "say --outputs"}}}};
    EXPECT_FALSE(any_fault(pairs));
    const Report report = report_of(pairs);
    EXPECT_EQ(text(report),
              "net on val\n\n✓ all images can be read\n\nnet on v2\n\n"
              "! probabilities?\n    sums are 1\n    → say --outputs\n\n"
              "model  data set  errors  warnings  notes  ok\n"
              "────────────────────────────────────────────\n"
              "net    val            0         0      0   1\n"
              "net    v2             0         1      0   0\n");
    EXPECT_THAT(render(report, ReportFormat::markdown),
                HasSubstr("! probabilities?\\\n    sums are 1\\\n"));
    EXPECT_THAT(render(report, ReportFormat::latex), HasSubstr("! probabilities? \\newline\n"));
    EXPECT_THAT(csv(report), HasSubstr("net,v2,outputs.kind,warning,probabilities?,sums are 1,"));
    EXPECT_EQ(report.result.at("findings").size(), 2U);
    const std::vector<CheckedPair> wrong = {
        {"net", "val", {{Severity::error, "classes.order", "wrong order", "", ""}}}};
    EXPECT_TRUE(any_fault(wrong));
    EXPECT_FALSE(any_fault({}));
}

TEST(VerifyReport, SoundDamagedAndNotFinished) {
    Scratch folder;
    save(folder, made_up(250, 3, 1), "sound");
    save(folder, made_up(250, 3, 2), "half", StorageFormat::full_f32, 100, true);
    std::uint64_t done = 0;
    const auto checks =
        verify_stores(folder / "runs", [&](const Progress& progress) { done = progress.done; });
    EXPECT_EQ(done, 2U);
    EXPECT_FALSE(any_damaged(checks));
    EXPECT_TRUE(report_of(checks).partial);
    std::filesystem::remove(folder / "runs/val/half/manifest.json");
    std::filesystem::resize_file(folder / "runs/val/sound/shards/000000.npy", 200);
    const auto after = verify_stores(folder / "runs");
    EXPECT_TRUE(any_damaged(after));
    const Report report = report_of(after);
    EXPECT_EQ(report.result.at("schema"), "assay.verify/1");
    ASSERT_EQ(report.result.at("stores").size(), 2U);
    EXPECT_EQ(report.result.at("stores").at(0).at("shards"), 3);
    EXPECT_TRUE(report.result.at("stores").at(1).at("shards").is_null());
    EXPECT_THAT(csv(report), HasSubstr("runs/val/sound,3,0,\"damaged: "));
}

TEST(Listing, EveryTopic) {
    const Report all = listing();
    EXPECT_EQ(all.result.at("schema"), "assay.list/1");
    EXPECT_EQ(all.sections.size(), listing_topics().size());
    for (const std::string& topic : listing_topics()) {
        const Report one = listing(topic);
        EXPECT_EQ(one.sections.size(), 1U) << topic;
        EXPECT_FALSE(one.result.at(topic).empty()) << topic;
        EXPECT_EQ(one.result.at(topic), all.result.at(topic)) << topic;
        for (const ReportFormat format : {ReportFormat::text, ReportFormat::csv, ReportFormat::json,
                                          ReportFormat::markdown, ReportFormat::latex})
            EXPECT_FALSE(render(one, format).empty()) << topic;
    }
    EXPECT_THAT(csv(all), HasSubstr("topic,name,meaning\nmetrics,topk,"));
    EXPECT_THAT(csv(listing("presets")), HasSubstr("preset,resolves_to,for\n"));
    EXPECT_EQ(listing("metrics").result.at("metrics").size(), metric_table().size());
    EXPECT_THROW(listing("metric"), Error);
}

TEST(Listing, StoresAndDamagedOnes) {
    Scratch folder;
    save(folder, made_up(250, 3, 1), "a");
    save(folder, made_up(250, 3, 2), "b");
    std::filesystem::remove(folder / "runs/val/b/manifest.json");
    const auto stores = store_listing(folder / "runs").result.at("stores");
    ASSERT_EQ(stores.size(), 2U);
    EXPECT_EQ(stores.at(0).at("rows"), 250);
    EXPECT_TRUE(stores.at(1).contains("damaged"));
}

TEST(Show, LabelsBelowTheBestAndClassesThatAreNotStored) {
    Made made;
    made.classes = 4;
    made.kind = ScoreKind::probabilities;
    made.scores = {0.5F, 0.25F, 0.125F, 0.125F};
    made.labels = {{0, 3}};
    made.class_ids = {"cat", "dog", "bird", "fish"};
    Scratch folder;
    save(folder, made, "full");
    save(folder, made, "two", StorageFormat::top_k);
    std::vector<std::string> notes;
    const auto images = show_image(
        {.image = "item00000", .paths = {(folder / "runs").string()}, .labels = {}, .top = 2},
        notes);
    ASSERT_EQ(images.size(), 1U);
    ASSERT_EQ(images[0].models.size(), 2U);
    const auto& full = images[0].models[0];
    EXPECT_EQ(full.best.size(), 2U);
    EXPECT_TRUE(full.best[0].correct);
    EXPECT_EQ(full.labels[1]->rank, 4U);
    EXPECT_EQ(full.hits, 1U);
    EXPECT_FALSE(images[0].models[1].labels[1]);
    const Report report = report_of(images);
    EXPECT_EQ(csv(report),
              "dataset,id,model,rank,class,name,probability,correct\n"
              "val,item00000,full,1,cat,cat,0.5,true\nval,item00000,full,2,dog,dog,0.25,false\n"
              "val,item00000,two,1,cat,cat,0.5,true\nval,item00000,two,2,dog,dog,0.25,false\n");
    EXPECT_THAT(text(report), HasSubstr("item 0 of 1 in val\nlabels: cat (cat), fish (fish)\n"));
    EXPECT_THAT(text(report), HasSubstr("\nfish     4  ✓  12.5"));
    EXPECT_THAT(text(report), HasSubstr("fish: not among the 2 classes stored"));
    EXPECT_THAT(text(report), HasSubstr("variable top-k: 1 of the 2 best is correct"));
    const auto& json = report.result.at("images").at(0).at("models");
    EXPECT_EQ(report.result.at("schema"), "assay.show/1");
    EXPECT_EQ(json.at(0).at("labels").at(1).at("rank"), 4);
    EXPECT_FALSE(json.at(1).at("labels").at(1).contains("rank"));
    EXPECT_THROW(
        show_image(
            {.image = "nothing", .paths = {(folder / "runs").string()}, .labels = {}, .top = 2},
            notes),
        Error);
}

}  // namespace
}  // namespace assay
