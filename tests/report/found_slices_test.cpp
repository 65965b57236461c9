// The slices in a report are those of `assay slices`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "assay/report.h"
#include "assay/slices/slices.h"
#include "core/random.h"
#include "made_document.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

/// Stores with three classes, in which images of group b are less accurate.
Made with_low_group(std::size_t rows, std::uint64_t seed) {
    Made made;
    RandomStream random(seed, "low group");
    for (std::size_t i = 0; i < rows; ++i) {
        made.group.emplace_back(1, static_cast<char>('a' + random.below(3)));
        made.texture.push_back(std::to_string(i / 4));
        const auto label = static_cast<std::int32_t>(random.below(3));
        const bool hit = random.uniform() < (made.group.back() == "b" ? 0.5 : 0.9);
        const std::int32_t predicted = hit ? label : (label + 1) % 3;
        made.labels.push_back({label});
        for (std::int32_t c = 0; c < 3; ++c)
            made.scores.push_back(c == predicted ? 1 + static_cast<float>(random.uniform()) : 0.F);
    }
    return made;
}

slices::SliceOptions slice_options(const std::filesystem::path& runs) {
    slices::SliceOptions options;
    options.stores = {runs};
    options.without_images = true;
    return options;
}

TEST(ReportSlices, AreThoseOfTheCommandWithTheirImages) {
    const Scratch folder;
    save(folder, with_low_group(600, 1), "a");
    for (const char* cluster : {"", "texture"}) {
        ReportOptions options = report_options({folder / "runs"});
        options.measure.cluster = cluster;
        const json document = document_of(options).json;
        const json found = result_of(document, "assay.slices/1");
        slices::SliceOptions how = slice_options(folder / "runs");
        how.cluster = cluster;
        EXPECT_EQ(found, report_of(find_slices(how)).result);
        const json& slice = found["models"][0]["found"].at(0);
        EXPECT_EQ(slice["name"], "group=b");
        std::set<std::string> shown;
        for (const json& item : document["items"]) shown.insert(item["id"]);
        EXPECT_FALSE(slice["examples"].empty());
        for (const json& id : slice["examples"]) EXPECT_TRUE(shown.contains(id)) << id;
    }
}

TEST(ReportSlices, HaveTheNamesOfTheReport) {
    const Scratch folder;
    save(folder, with_low_group(600, 1), "a");
    save(folder, with_low_group(600, 2), "a", StorageFormat::full_f32, 100, false, "old");
    const json document = document_of(report_options({folder / "runs", folder / "old"})).json;
    std::set<std::string> names;
    for (const json& result : results_of(document, "assay.slices/1")) {
        for (const json& facet : result["facets"]) names.insert(facet["dataset"]);
        for (const json& model : result["models"]) {
            names.insert(model["dataset"]);
            for (const json& slice : model["found"]) names.insert(slice["dataset"]);
        }
    }
    EXPECT_THAT(names, testing::ElementsAre("old/val", "runs/val"));
}

TEST(ReportSlices, OfAFileAreNotSearchedAgain) {
    const Scratch folder;
    save(folder, with_low_group(600, 1), "a");
    json saved = report_of(find_slices(slice_options(folder / "runs"))).result;
    saved["seed"] = 7;
    std::ofstream(folder / "slices.json") << saved;
    const json document =
        document_of(report_options({folder / "runs", folder / "slices.json"})).json;
    const std::vector<json> found = results_of(document, "assay.slices/1");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0]["seed"], 7);
    // Slices of another model say nothing about this one.
    saved["models"][0]["model"] = "other";
    std::ofstream(folder / "slices.json") << saved;
    EXPECT_EQ(
        results_of(document_of(report_options({folder / "runs", folder / "slices.json"})).json,
                   "assay.slices/1")
            .size(),
        2U);
}

TEST(ReportSlices, AreBoundedAndTheRestIsSaid) {
    const Scratch folder;
    Made first = with_low_group(600, 1);
    save(folder, first, "a");
    // Its first 20 images have equal scores, so all of them are predicted as class 0.
    for (std::size_t i = 0; i < 60; ++i) first.scores[i] = 0.5F;
    save(folder, first, "b");
    ReportOptions options = report_options({folder / "runs"});
    options.sliced_models = 1;
    const json document = document_of(options).json;
    const json found = result_of(document, "assay.slices/1");
    ASSERT_EQ(found["models"].size(), 1U);
    EXPECT_EQ(found["models"][0]["model"], "a");
    EXPECT_THAT(document["left_out"].dump(), HasSubstr("Slices are those of 1 of 2 models on val"));
    options.sliced_models = 0;
    EXPECT_TRUE(results_of(document_of(options).json, "assay.slices/1").empty());
}

TEST(ReportSlices, TooFewImagesAndClassMapsAreSaid) {
    const Scratch folder;
    save(folder, with_low_group(79, 1), "a");
    const json document = document_of(report_options({folder / "runs"})).json;
    EXPECT_TRUE(results_of(document, "assay.slices/1").empty());
    EXPECT_THAT(document["left_out"].dump(),
                HasSubstr("Slices of val are not searched: they need 80 images."));
    save(folder, with_low_group(100, 1), "a", StorageFormat::full_f32, 50, true, "part");
    EXPECT_THAT(document_of(report_options({folder / "part"})).json["left_out"].dump(),
                AllOf(HasSubstr("Slices of a on val are not searched: "),
                      HasSubstr("50 of its images have scores and labels")));
    save(folder, with_low_group(200, 1), "a", StorageFormat::full_f32, 100, false, "more");
    ReportOptions options = report_options({folder / "more"});
    std::ofstream(folder / "two.txt") << "c0\nc1\n";
    options.measure.class_map = (folder / "two.txt").string();
    EXPECT_THAT(document_of(options).json["left_out"].dump(),
                HasSubstr("Slices of val are not searched: --class-map"));
}

}  // namespace
}  // namespace assay
