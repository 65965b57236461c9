// The images in a report, their captions and their thumbnails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "assay/image/encode.h"
#include "assay/image/image.h"
#include "core/file.h"
#include "made_document.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(ShownItems, AreTheDisagreementsAndExamplesOfConfusions) {
    Scratch folder;
    save_models(folder, {"a", "b", "c"});
    const json document = document_of(report_options({folder / "runs"})).json;
    std::map<std::string, json> items;
    for (const json& item : document["items"]) {
        EXPECT_TRUE(items.emplace(item["id"], item).second) << "twice: " << item["id"];
        EXPECT_EQ(item["models"].size(), 3U);
    }
    const json compared = result_of(document, "assay.comparisons/2");
    for (const json& pair : compared["pairs"]) {
        EXPECT_FALSE(pair["disagreements"].empty());
        for (const json& d : pair["disagreements"]) {
            const json& item = items.at(d["id"]);
            EXPECT_EQ(item["labels"][0]["id"], d["labels"][0]);
            for (const json& model : item["models"]) {
                const json& first = model["predictions"][0];
                if (model["name"] == pair["baseline"]) {
                    EXPECT_EQ(first["id"], d["baseline"]);
                    EXPECT_EQ(first["correct"], d["baseline_correct"]);
                    EXPECT_EQ(first["probability"], d["baseline_confidence"]);
                }
                if (model["name"] == pair["candidate"]) {
                    EXPECT_EQ(first["id"], d["candidate"]);
                }
            }
        }
    }
    // With four classes, each confusion has an example from each model that makes it.
    const json scores = result_of(document, "assay.scores/2");
    for (const json& store : scores["stores"]) {
        for (const json& confusion : store["confusions"]) {
            const bool shown = std::any_of(items.begin(), items.end(), [&](const auto& entry) {
                const json& item = entry.second;
                if (item["labels"][0]["id"] != confusion["truth"]) return false;
                for (const json& model : item["models"])
                    if (model["name"] == store["model"] &&
                        model["predictions"][0]["id"] == confusion["predicted"])
                        return true;
                return false;
            });
            EXPECT_TRUE(shown) << store["model"] << confusion;
        }
    }
}

TEST(ShownItems, AreBounded) {
    Scratch folder;
    save_models(folder, {"a", "b", "c"});
    save_models(folder, {"a", "b", "c"}, "other");
    ReportOptions options = report_options({folder / "runs"});
    options.items = 11;
    const ReportDocument document = document_of(options);
    EXPECT_EQ(document.json["items"].size(), 11U);
    EXPECT_THAT(document.json["left_out"].dump(), HasSubstr("11 images are shown"));
    options.items = 0;
    EXPECT_TRUE(document_of(options).json["items"].empty());
}

TEST(ShownItems, RowsWithoutScoresSayWhy) {
    Scratch folder;
    Made made = made_up(60, 3, 1);
    save(folder, made, "a");
    Made second = made_up(60, 3, 9);
    second.states.assign(60, RowState::ok);
    for (std::size_t i = 0; i < 60; i += 2) second.states[i] = RowState::unreadable;
    save(folder, second, "b");
    const ReportDocument document = document_of(report_options({folder / "runs"}));
    EXPECT_TRUE(document.partial);
    bool said = false;
    for (const json& item : document.json["items"])
        for (const json& model : item["models"]) {
            EXPECT_NE(model.contains("not_scored"), model.contains("predictions"));
            said = said || model.contains("not_scored");
        }
    EXPECT_TRUE(said);
}

/// Stores with images of one colour each in a folder.
void save_with_images(const Scratch& folder) {
    std::filesystem::create_directories(folder / "images");
    for (const int seed : {1, 5}) {
        const Made made = made_up(12, 3, static_cast<std::uint64_t>(seed), 0.2);
        Dataset dataset = dataset_of(made);
        dataset.root = folder / "images";
        for (std::size_t i = 0; i < made.rows(); ++i) {
            const auto path = folder / "images" / std::string(dataset.ids[i]);
            Image image{300, 200,
                        std::vector<std::uint8_t>(std::size_t{300} * 200 * 4,
                                                  static_cast<std::uint8_t>(20 * i))};
            save_png(image, path);
        }
        StoreSpec spec;
        spec.dataset_name = "val";
        spec.model_name = "m" + std::to_string(seed);
        spec.rows = made.rows();
        spec.classes = 3;
        spec.ids_hash = dataset.ids_fingerprint();
        spec.model_hash = "xxh128:00000000000000000000000000000001";
        spec.provenance_json = "{}";
        StoreWriter writer = StoreWriter::open(folder / "runs", spec, dataset);
        const std::vector<RowState> states(made.rows(), RowState::ok);
        writer.write_shard(0, made.scores, states, {}, "");
        writer.finish();
    }
}

TEST(Thumbnails, AreOfTheItemsAndNoMoreThanAskedFor) {
    Scratch folder;
    save_with_images(folder);
    ReportOptions options = report_options({folder / "runs"});
    const ReportDocument without = document_of(options);
    EXPECT_TRUE(without.thumbnails.empty());
    ASSERT_GT(without.json["items"].size(), 3U);
    const std::string unreadable = without.json["items"][1]["id"];
    write_file_atomically(folder / "images" / unreadable, "no image");
    options.thumbnails = 100;
    options.thumbnail_side = 64;
    options.threads = 1;
    const ReportDocument document = document_of(options);
    std::set<std::string> shown, pictured;
    for (const json& item : document.json["items"]) shown.insert(item["id"]);
    for (const Thumbnail& one : document.thumbnails) {
        pictured.insert(one.id);
        EXPECT_EQ(one.dataset, "val");
        EXPECT_EQ(one.width, 64);
        EXPECT_EQ(one.height, 43);  // the height is 200 * 64 / 300 = 42.67
        const Image image = decode_image(std::as_bytes(std::span(one.bytes)));
        EXPECT_EQ(image.width, 64);
        EXPECT_EQ(image.height, 43);
    }
    shown.erase(unreadable);
    EXPECT_EQ(pictured, shown);
    EXPECT_THAT(document.json["left_out"].dump(), HasSubstr(unreadable));

    options.threads = 4;
    const ReportDocument again = document_of(options);
    ASSERT_EQ(again.thumbnails.size(), document.thumbnails.size());
    for (std::size_t i = 0; i < again.thumbnails.size(); ++i)
        EXPECT_EQ(again.thumbnails[i].bytes, document.thumbnails[i].bytes);
    options.thumbnails = 1;
    EXPECT_LE(document_of(options).thumbnails.size(), 1U);
}

TEST(Thumbnails, ThereAreNoneOfImports) {
    Scratch folder;
    save_models(folder, {"a", "b"});
    ReportOptions options = report_options({folder / "runs"});
    options.thumbnails = 10;
    const ReportDocument document = document_of(options);
    EXPECT_TRUE(document.thumbnails.empty());
    EXPECT_THAT(document.json["left_out"].dump(), HasSubstr("imported"));
}

}  // namespace
}  // namespace assay
