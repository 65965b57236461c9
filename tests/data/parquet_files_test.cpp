// Files from other writers (make_parquet_fixtures.mjs). The test computes every value again from
// the formulas there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "assay/error.h"
#include "containers/parquet/parquet_file.h"
#include "data/parquet/rows.h"
#include "message_of.h"

namespace assay {
namespace {

using parquet::RowOptions;
using parquet::Rows;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::filesystem::path parquet_fixtures =
    std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/data/fixtures/parquet";

std::vector<std::byte> fixture_image(std::uint32_t i) {
    std::vector<std::byte> bytes(20 + 13 * i % 37);
    for (std::uint32_t j = 0; j < bytes.size(); ++j)
        bytes[j] = static_cast<std::byte>(31 * i + 7 * j + i * j);
    return bytes;
}
bool fixture_has_image(std::uint32_t i) {
    return i % 11 != 5;
}
std::int32_t fixture_label(std::uint32_t i) {
    return i % 13 == 4 ? -1 : static_cast<std::int32_t>(7 * i % 10);
}

Rows open_fixture(const std::string& name, const RowOptions& options = {}) {
    const std::vector<std::filesystem::path> files = {parquet_fixtures / name};
    std::vector<std::string> notes;
    return parquet::open_rows(files, options, notes);
}

std::string refusal_of(const std::string& name, const RowOptions& options = {}) {
    return message_of([&] { open_fixture(name, options); });
}

/// The images repeat after `period` images.
void expect_fixture_images(const Rows& rows, std::uint32_t period = 1000) {
    for (std::uint32_t i = 0; i < rows.ids.size(); ++i) {
        if (fixture_has_image(i)) {
            EXPECT_EQ(rows.images->read(i, 1000), fixture_image(i % period)) << i;
        } else {
            EXPECT_THAT(message_of([&] { rows.images->read(i, 1000); }),
                        AllOf(HasSubstr("row " + std::to_string(i)), HasSubstr("bytes are null")));
        }
    }
}

class ParquetOf : public testing::TestWithParam<std::string> {};

TEST_P(ParquetOf, HasTheImagesLabelsAndClassesThatWereWritten) {
    const Rows rows = open_fixture(GetParam());
    ASSERT_EQ(rows.ids.size(), 120U);
    EXPECT_EQ(rows.ids[17], GetParam() + "/17");
    ASSERT_EQ(rows.labels.classes.size(), 10U);
    EXPECT_EQ(rows.labels.classes.id(3), "class 3");
    for (std::uint32_t i = 0; i < 120; ++i) EXPECT_EQ(rows.labels.label_of[i], fixture_label(i));
    expect_fixture_images(rows, GetParam() == "duckdb_dictionary.parquet" ? 6 : 1000);
}

INSTANTIATE_TEST_SUITE_P(Codecs, ParquetOf,
                         testing::Values("duckdb_uncompressed.parquet", "duckdb_snappy.parquet",
                                         "duckdb_zstd.parquet", "duckdb_gzip.parquet",
                                         "duckdb_dictionary.parquet"),
                         [](const auto& test) {
                             return std::filesystem::path(test.param).stem().string();
                         });

TEST(ParquetFiles, DeltasBrotliAndLz4OfDuckdb) {
    for (const char* name :
         {"duckdb_delta.parquet", "duckdb_brotli.parquet", "duckdb_lz4_raw.parquet"}) {
        const Rows rows = open_fixture(name);
        ASSERT_EQ(rows.ids.size(), 40U);
        expect_fixture_images(rows);
        for (std::uint32_t i = 0; i < 40; ++i)
            EXPECT_EQ(rows.labels.label_of[i], fixture_label(i)) << name;
    }
}

TEST(ParquetFiles, PagesOfVersionTwo) {
    const Rows rows = open_fixture("hyparquet_v2.parquet");
    ASSERT_EQ(rows.ids.size(), 120U);
    expect_fixture_images(rows);
    for (std::uint32_t i = 0; i < 120; ++i) EXPECT_EQ(rows.labels.label_of[i], fixture_label(i));
    EXPECT_EQ(rows.labels.classes, numbered_classes(10));
    const parquet::File file(parquet_fixtures / "hyparquet_v2.parquet");
    const std::vector<std::size_t> wanted = {1};
    // Three row groups of 50, 50 and 20 rows of 38 bytes on average, in pages of about 400 bytes.
    EXPECT_GT(file.index(wanted)[0].pages(), 6U);
}

TEST(ParquetFiles, ColumnsThatAreNotNullableAndHaveOtherNames) {
    const Rows rows = open_fixture("hyparquet_required.parquet",
                                   {.image_column = "picture", .label_column = "kind"});
    for (std::uint32_t i = 0; i < 120; ++i) {
        EXPECT_EQ(rows.images->read(i, 1000), fixture_image(i % 6));
        EXPECT_EQ(rows.labels.label_of[i], static_cast<std::int32_t>(7 * i % 10));
    }
    EXPECT_THAT(refusal_of("hyparquet_required.parquet"),
                AllOf(HasSubstr("hyparquet_required.parquet: no column `image` or `img`"),
                      HasSubstr("picture, kind"), HasSubstr("--image-column")));
    EXPECT_THAT(refusal_of("hyparquet_required.parquet",
                           {.image_column = "picture", .label_column = "label"}),
                AllOf(HasSubstr("no column `label` of labels"), HasSubstr("picture, kind")));
    EXPECT_THAT(refusal_of("hyparquet_required.parquet", {.image_column = "kind"}),
                HasSubstr("column `kind` has type int64; images need byte_array"));
}

TEST(ParquetFiles, RowGroups) {
    const Rows rows = open_fixture("duckdb_row_groups.parquet");
    ASSERT_EQ(rows.ids.size(), 5000U);
    for (std::uint32_t i = 0; i < 5000; i += 7) {
        const auto bytes = rows.images->read(i, 2);
        ASSERT_EQ(bytes.size(), 2U);
        EXPECT_EQ(std::to_integer<std::uint32_t>(bytes[0]) * 256 +
                      std::to_integer<std::uint32_t>(bytes[1]),
                  i % 1000);
        EXPECT_EQ(rows.labels.label_of[i], static_cast<std::int32_t>(i % 10));
    }
}

TEST(ParquetFiles, ALimitTakesTheFirstRows) {
    const Rows rows =
        open_fixture("duckdb_snappy.parquet",
                     {.image_column = "", .label_column = "", .classes = {}, .limit = 13});
    EXPECT_EQ(rows.ids.size(), 13U);
    EXPECT_EQ(rows.labels.label_of.size(), 13U);
    EXPECT_EQ(rows.ids[12], "duckdb_snappy.parquet/12");
}

TEST(ParquetFiles, LabelsThatAreTexts) {
    const Rows rows = open_fixture("duckdb_texts.parquet");
    EXPECT_EQ(rows.labels.classes.ids(), (std::vector<std::string>{"name 0", "name 1", "name 2"}));
    for (std::uint32_t i = 0; i < 20; ++i) {
        const std::int32_t label = fixture_label(i);
        EXPECT_EQ(rows.labels.label_of[i], label < 0 ? -1 : label % 3);
    }
    const ClassList known({"a", "name 2", "b", "name 0", "name 1"});
    const Rows looked_up =
        open_fixture("duckdb_texts.parquet",
                     {.image_column = "", .label_column = "", .classes = known, .limit = 0});
    EXPECT_EQ(looked_up.labels.label_of[1], 4);  // label 7 is the class with name 1
    EXPECT_THAT(refusal_of("duckdb_texts.parquet", {.image_column = "",
                                                    .label_column = "",
                                                    .classes = ClassList({"name 0", "name 1"}),
                                                    .limit = 0}),
                AllOf(HasSubstr("duckdb_texts.parquet row "), HasSubstr("`name 2`")));
}

TEST(ParquetFiles, NamesOfClassesAreLookedUpAmongTheClassifiers) {
    std::vector<std::string> names;
    for (int c = 10; c >= 0; --c) names.push_back("Class_" + std::to_string(c));
    const Rows rows = open_fixture(
        "duckdb_snappy.parquet",
        {.image_column = "", .label_column = "", .classes = ClassList(names), .limit = 0});
    for (std::uint32_t i = 0; i < 120; ++i) {
        const std::int32_t label = fixture_label(i);
        EXPECT_EQ(rows.labels.label_of[i], label < 0 ? -1 : 10 - label);
    }
    const Rows unnamed = open_fixture(
        "duckdb_snappy.parquet",
        {.image_column = "", .label_column = "", .classes = numbered_classes(10), .limit = 0});
    EXPECT_EQ(unnamed.labels.classes.id(3), "class 3");
    EXPECT_EQ(unnamed.labels.label_of[3], 1);
}

TEST(ParquetFiles, SeveralFilesAreOneAfterTheOther) {
    const std::vector<std::filesystem::path> files = {parquet_fixtures / "duckdb_zstd.parquet",
                                                      parquet_fixtures / "duckdb_gzip.parquet"};
    std::vector<std::string> notes;
    const Rows rows = parquet::open_rows(files, {}, notes);
    ASSERT_EQ(rows.ids.size(), 240U);
    EXPECT_EQ(rows.ids[120], "duckdb_gzip.parquet/0");
    EXPECT_EQ(rows.images->read(121, 1000), fixture_image(1));
    EXPECT_THAT(rows.images->place_of(121), HasSubstr("duckdb_gzip.parquet row 1"));
    const std::vector<std::filesystem::path> twice = {files[0], files[0]};
    EXPECT_THAT(message_of([&] { parquet::open_rows(twice, {}, notes); }),
                HasSubstr("the same name"));
    const std::vector<std::filesystem::path> mixed = {files[0],
                                                      parquet_fixtures / "duckdb_texts.parquet"};
    EXPECT_THAT(message_of([&] { parquet::open_rows(mixed, {}, notes); }),
                AllOf(HasSubstr("duckdb_texts.parquet"), HasSubstr("`labels`")));
}

TEST(ParquetFiles, ThreadsReadTheSameImages) {
    const Rows rows = open_fixture("duckdb_dictionary.parquet");
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (std::size_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (std::uint32_t i = 0; i < 120; ++i) {
                if (fixture_has_image(i) && rows.images->read(i, 1000) != fixture_image(i % 6))
                    ++wrong[t];
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(ParquetFiles, WhatIsNotReadIsNamed) {
    EXPECT_THAT(refusal_of("duckdb_encrypted.parquet"), HasSubstr("encrypted"));
    EXPECT_THAT(refusal_of("duckdb_lists.parquet"),
                AllOf(HasSubstr("column `image`"), HasSubstr("image.list.element")));
    EXPECT_THAT(refusal_of("duckdb_lists.parquet", {.image_column = "image.list.element"}),
                HasSubstr("holds a list in each row, which is not supported"));
    EXPECT_THAT(message_of([] { parquet::File(parquet_fixtures / "none.parquet"); }),
                HasSubstr("none.parquet"));
}

}  // namespace
}  // namespace assay
