// The columns of exported files. web/e2e/served/export.test.ts reads their contents with other
// programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "assay/error.h"
#include "assay/evaluate/export.h"
#include "containers/arrow/flat_table.h"
#include "containers/parquet/hybrid.h"
#include "containers/parquet/hybrid_write.h"
#include "saved_scores.h"

namespace assay {
namespace {

using testing::HasSubstr;
using Format = ExportOptions::Format;

std::string columns_of(const ExportOptions& options, std::size_t* longest = nullptr) {
    std::string all;
    export_items(options, [&](std::string_view text) {
        all += text;
        if (longest != nullptr) *longest = std::max(*longest, text.size());
    });
    return all;
}

TEST(HybridWrite, EveryWidthAndRunComesBack) {
    std::mt19937 random(1);
    for (unsigned width = 0; width <= 32; ++width) {
        for (int round = 0; round < 60; ++round) {
            std::vector<std::uint32_t> values;
            const std::uint32_t mask = width == 32 ? 0xffffffffU : (std::uint32_t{1} << width) - 1;
            while (values.size() < static_cast<std::size_t>(round) * 3) {
                // Runs have lengths from 1 to 20, and most are short.
                const std::size_t run = random() % 3 == 0 ? 1 + random() % 20 : 1;
                values.insert(values.end(), run, static_cast<std::uint32_t>(random()) & mask);
            }
            const std::string bytes = parquet::hybrid_bytes(values, width);
            const auto read =
                parquet::read_hybrid(std::as_bytes(std::span(bytes)), width, values.size());
            ASSERT_EQ(read, values) << width << " bits, " << values.size() << " values";
        }
    }
    EXPECT_EQ(parquet::bits_of(0), 0U);
    EXPECT_EQ(parquet::bits_of(1), 1U);
    EXPECT_EQ(parquet::bits_of(255), 8U);
    EXPECT_EQ(parquet::bits_of(256), 9U);
    // A long run of equal values takes a few bytes in total, not per value.
    EXPECT_LT(parquet::hybrid_bytes(std::vector<std::uint32_t>(60'000, 1), 1).size(), 6U);
}

TEST(FlatTable, OffsetsLeadForwardAndNumbersLieAtMultiplesOfTheirSize) {
    const std::string bytes = arrow::FlatTable()
                                  .scalar(0, 2, 4)
                                  .scalar(3, 8, 77)
                                  .text(1, "name")
                                  .tables(2, {arrow::FlatTable().scalar(0, 1, 9)})
                                  .bytes();
    const auto number = [&](std::size_t at, unsigned size) {
        std::uint64_t value = 0;
        for (unsigned b = 0; b < size; ++b)
            value |= std::uint64_t{static_cast<std::uint8_t>(bytes.at(at + b))} << 8 * b;
        return static_cast<std::size_t>(value);
    };
    const auto field = [&](std::size_t table, int slot) {
        const std::size_t vtable = table - number(table, 4);
        EXPECT_LT(static_cast<std::size_t>(4 + 2 * slot), number(vtable, 2));
        return table + number(vtable + 4 + 2 * static_cast<std::size_t>(slot), 2);
    };
    const std::size_t root = number(0, 4);
    EXPECT_EQ(number(field(root, 0), 2), 4U);
    EXPECT_EQ(number(field(root, 3), 8), 77U);
    EXPECT_EQ(field(root, 3) % 8, 0U);
    const std::size_t name = field(root, 1) + number(field(root, 1), 4);
    EXPECT_EQ(bytes.substr(name + 4, number(name, 4) + 1), std::string("name\0", 5));
    const std::size_t list = field(root, 2) + number(field(root, 2), 4);
    EXPECT_EQ(number(list, 4), 1U);
    const std::size_t inner = list + 4 + number(list + 4, 4);
    EXPECT_EQ(number(field(inner, 0), 1), 9U);
}

TEST(ExportColumns, TheSameBytesForAnyThreads) {
    const Scratch folder;
    save(folder, made_up(9000, 12, 3), "m");
    for (const Format format : {Format::parquet, Format::arrow}) {
        ExportOptions options{.paths = {folder / "runs"}, .format = format, .top = 3};
        options.scores = true;
        options.threads = 1;
        const std::string one = columns_of(options);
        EXPECT_EQ(one.substr(0, 4), format == Format::parquet ? "PAR1" : "ARRO");
        for (const int threads : {2, 3, 8}) {
            options.threads = threads;
            EXPECT_EQ(columns_of(options), one) << threads;
        }
    }
}

TEST(ExportColumns, PiecesAreBounded) {
    const Scratch folder;
    const Made made = made_up(600, 1000, 3);
    for (int m = 0; m < 32; ++m)  // the scores are 77 MB
        save(folder, made, fmt::format("m{:02}", m), StorageFormat::full_f32, 600);
    ExportOptions options{.paths = {folder / "runs"}, .format = Format::arrow, .top = 0};
    options.scores = true;
    std::size_t longest = 0;
    EXPECT_GT(columns_of(options, &longest).size(), std::size_t{77'000'000});
    EXPECT_LT(longest, std::size_t{70} << 20);
}

TEST(ExportColumns, WhatHasNoColumnOfScoresIsRefused) {
    const Scratch folder;
    save(folder, made_up(30, 5, 3), "m");
    const auto refused = [&](const ExportOptions& options) -> std::string {
        try {
            columns_of(options);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    ExportOptions options{.paths = {folder / "runs"}, .format = Format::csv};
    options.scores = true;
    EXPECT_THAT(refused(options), HasSubstr("a column of Parquet and Arrow files"));
    options.format = Format::parquet;
    EXPECT_EQ(refused(options), "");
    options.class_map = "imagenet-r";
    EXPECT_THAT(refused(options), HasSubstr("omit --class-map"));
    options.class_map = "";
    Made six = made_up(30, 6, 3);
    six.dataset = "other";
    save(folder, six, "six");
    EXPECT_THAT(refused(options), HasSubstr("export them separately"));
    options.paths = {folder / "kept/val"};
    save(folder, made_up(30, 5, 3), "two", StorageFormat::top_k, 100, false, "kept");
    EXPECT_THAT(refused(options), HasSubstr("keeps 2 of 5 scores"));
}

}  // namespace
}  // namespace assay
