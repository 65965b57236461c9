// Predictions in Parquet files are read like csv files of the same table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "imports.h"
#include "parquet_of.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ImportedParquet : public Imports {
protected:
    /// The same table in both formats gives the same store.
    void expect_alike(const std::string& csv, const ImportOptions& options = {}) {
        SCOPED_TRACE(csv);
        const ImportReport text = import("t.csv", csv, options);
        const ImportReport columns = import("t.parquet", parquet_of(csv), options);
        EXPECT_EQ(columns.notes, text.notes);
        EXPECT_EQ(columns.kind, text.kind);
        EXPECT_EQ(labels_of(columns), labels_of(text));
        const PredictionStore a = PredictionStore::open(text.store),
                              b = PredictionStore::open(columns.store);
        EXPECT_EQ(a.dataset().classes.ids(), b.dataset().classes.ids());
        EXPECT_TRUE(a.dataset().ids == b.dataset().ids);
        const auto shard = a.shard(0), other = b.shard(0);
        const auto expected = shard.f32(), found = other.f32();
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_TRUE(found[i] == expected[i] ||
                        (std::isnan(found[i]) && std::isnan(expected[i])))
                << i << ": " << found[i] << " and " << expected[i];
    }
    /// Both files are refused with the same message, except for the file name.
    void expect_refused(const std::string& csv, const std::string& why) {
        SCOPED_TRACE(csv);
        EXPECT_THAT(refusal("t.csv", csv), HasSubstr(why));
        EXPECT_THAT(refusal("t.parquet", parquet_of(csv)), HasSubstr(why));
    }
};

TEST_F(ImportedParquet, ColumnsMeanWhatTheyMeanInCsv) {
    expect_alike("id,label,a,b,c\nx,a,0.1,0.7,0.2\ny,c,0.25,0.25,0.5\nz,b,0.6,0.3,0.1\n");
    // The table is without labels, without ids, in another order, or has other names.
    expect_alike("id,a,b,c\nx,0.1,0.7,0.2\ny,0.25,0.25,0.5\n");
    expect_alike("label,a,b,c\na,0.1,0.7,0.2\nc,0.25,0.25,0.5\n");
    expect_alike("c,label,a,id,b\n0.2,a,0.1,x,0.7\n0.5,c,0.25,y,0.25\n");
    expect_alike("filename,y_true,y_pred,prob_a,prob_b\nx.png,a,b,0.25,0.75\ny.png,b,a,0.5,0.5\n");
    // A label is missing, and logits are missing.
    expect_alike("id,label,c0,c1\nx,1,-1.5,2.5\ny,,1.25,-3\nz,0,,1\n");
}

TEST_F(ImportedParquet, WhatIsAskedAboutInCsvIsAskedAbout) {
    const std::string beside =
        "id,label,epoch,a,b\nx,a,10,0.5,-1.5\ny,b,10,2.5,1\nz,a,10,3.5,1.25\n";
    expect_refused(beside, "--ignore-columns epoch");
    ImportOptions ignoring;
    ignoring.columns.ignored = {"epoch"};
    expect_alike(beside, ignoring);
    expect_refused("id,label,label,a,b\nx,a,a,0.5,-1.5\ny,b,b,2.5,1\n", "label");
    expect_refused("id,c0,c0,c1\nx,1,2,3\ny,4,5,6\n", "c0");
    expect_refused("id,split\na,val\n", "no column holds scores");
}

TEST_F(ImportedParquet, WhatPyarrowWrote) {
    std::ifstream in(std::filesystem::path(ASSAY_SOURCE_DIR) /
                         "tests/data/fixtures/parquet/pyarrow_scores.parquet",
                     std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const ImportReport report = import("scores.parquet", bytes);
    EXPECT_THAT(report.notes, Contains("ids: column filename; labels: column label; scores: 3 "
                                       "columns cat, dog, emu"));
    EXPECT_EQ(report.kind, ScoreKind::probabilities);
    const std::vector<std::int32_t> labels = labels_of(report);
    ASSERT_EQ(labels.size(), 40U);
    for (std::size_t i = 0; i < labels.size(); ++i)
        EXPECT_EQ(labels[i], static_cast<std::int32_t>(i % 3));
    EXPECT_EQ(PredictionStore::open(report.store).shard(0).f32()[5], 0.5F);
    // One file is truncated, and one is not Parquet.
    for (const std::size_t n : {std::size_t{0}, std::size_t{3}, bytes.size() / 2, bytes.size() - 1})
        EXPECT_THAT(refusal("cut.parquet", bytes.substr(0, n)),
                    AllOf(HasSubstr("cut.parquet"), HasSubstr("not a Parquet file")));
    std::string damaged = bytes;
    damaged[20] = static_cast<char>(~damaged[20]);
    EXPECT_THAT(refusal("damaged.parquet", damaged),
                AllOf(HasSubstr("damaged.parquet"), HasSubstr("column `filename`")));
}

TEST_F(ImportedParquet, ListsOfItemsAreTablesOfAnyFormat) {
    const std::string csv = "filename,label,size\nval/a.jpg,0,9\nval/b.jpg,1,8\n";
    const std::string lines =
        "{\"filename\": \"val/a.jpg\", \"label\": 0, \"size\": 9}\n"
        "{\"filename\": \"val/b.jpg\", \"label\": 1, \"size\": 8, \"boxes\": [1]}\n";
    ImportOptions options;
    for (const auto& [name, text] : {std::pair<std::string, std::string>{"items.csv", csv},
                                     {"items.parquet", parquet_of(csv)},
                                     {"items.jsonl", lines}}) {
        SCOPED_TRACE(name);
        put_text(scratch_ / name, text);
        options.ids = scratch_ / name;
        const ImportReport report =
            import("m.csv", "image_id,c0,c1\nval/b,-1.5,5\nval/a,5,0.5\n", options);
        const PredictionStore store = PredictionStore::open(report.store);
        EXPECT_EQ(store.dataset().ids[0], "val/a.jpg");
        EXPECT_THAT(labels_of(report), ElementsAre(0, 1));
        EXPECT_EQ(store.dataset().attributes.at(0).values[1], "8");
        EXPECT_EQ(store.shard(0).f32()[0], 5);
        if (name == "items.jsonl") {
            EXPECT_THAT(report.notes,
                        Contains("items.jsonl: not read: boxes (a list or an object)"));
        }
    }
    put_text(scratch_ / "items.parquet", "no Parquet");
    options.ids = scratch_ / "items.parquet";
    EXPECT_THAT(refusal("m.csv", "image_id,c0,c1\na,1.5,2\n", options),
                AllOf(HasSubstr("items.parquet"), HasSubstr("not a Parquet file")));
}

TEST_F(ImportedParquet, ColumnsThatAreNoTextsOrNumbersAreNamed) {
    std::ifstream in(std::filesystem::path(ASSAY_SOURCE_DIR) /
                         "tests/data/fixtures/parquet/pyarrow_types.parquet",
                     std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    ImportOptions options;
    options.columns.scores = {"float32", "half"};
    options.columns.label = "boolean";
    options.columns.id = "text";
    options.classes = ClassList({"False", "True"});
    const std::string why = refusal("types.parquet", bytes, options);
    EXPECT_THAT(why, AllOf(HasSubstr("types.parquet"), HasSubstr("class 0")));
    options.columns.id = "none";
    EXPECT_THAT(refusal("types.parquet", bytes, options),
                AllOf(HasSubstr("`none`"), HasSubstr("not_a_number")));
}

}  // namespace
}  // namespace assay
