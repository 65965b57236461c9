// Files from pyarrow 26.0.1, polars 2.1.0 and DuckDB 2.0.1 (make_parquet_fixtures.py), with every
// codec, encoding and type that they write. The test computes every value again from the formulas
// there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "containers/parquet/delta.h"
#include "containers/parquet/lz4.h"
#include "containers/parquet/parquet_file.h"
#include "data/parquet/parquet_table.h"
#include "data/parquet/rows.h"
#include "data/temp_folder.h"
#include "message_of.h"

namespace assay {
namespace {

using parquet::RowOptions;
using parquet::Rows;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path tools_fixtures =
    std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/data/fixtures/parquet";
constexpr std::uint32_t tools_rows = 40;

std::vector<std::byte> tools_image(std::uint32_t i) {
    std::vector<std::byte> bytes(20 + 13 * i % 37);
    for (std::uint32_t j = 0; j < bytes.size(); ++j)
        bytes[j] = static_cast<std::byte>(31 * i + 7 * j + i * j);
    return bytes;
}
std::int32_t tools_label(std::uint32_t i) {
    return i % 13 == 4 ? -1 : static_cast<std::int32_t>(7 * i % 10);
}

Rows open_of_tool(const std::filesystem::path& path, const RowOptions& options = {}) {
    std::vector<std::string> notes;
    return parquet::open_rows({&path, 1}, options, notes);
}

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

class ParquetByTool : public testing::TestWithParam<std::string> {};

TEST_P(ParquetByTool, HasTheImagesAndLabelsThatWereWritten) {
    const Rows rows = open_of_tool(tools_fixtures / (GetParam() + ".parquet"));
    ASSERT_EQ(rows.ids.size(), tools_rows);
    ASSERT_EQ(rows.labels.classes.size(), 10U);
    EXPECT_EQ(rows.labels.classes.id(3), GetParam() == "pyarrow_groups" ? "class 3" : "3");
    for (std::uint32_t i = 0; i < tools_rows; ++i) {
        EXPECT_EQ(rows.labels.label_of[i], tools_label(i)) << i;
        if (i % 11 != 5) {
            EXPECT_EQ(rows.images->read(i, 1000), tools_image(i)) << i;
        } else {
            EXPECT_THAT(message_of([&] { rows.images->read(i, 1000); }),
                        HasSubstr("bytes are null"));
        }
    }
}

std::vector<std::string> files_of_tools() {
    std::vector<std::string> names = {"pyarrow_groups"};
    for (const char* version : {"1", "2"}) {
        for (const char* codec : {"none", "snappy", "gzip", "brotli", "zstd", "lz4",
                                  "delta_byte_array", "delta_length_byte_array"})
            names.push_back(std::string("pyarrow_") + codec + "_v" + version);
        for (const char* codec : {"uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4_raw"})
            names.push_back(std::string("duckdb2_") + codec + "_v" + version);
    }
    for (const char* codec : {"uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"})
        names.push_back(std::string("polars_") + codec);
    return names;
}

TEST(ParquetTypes, OfDuckdbAndPolars) {
    for (const char* name :
         {"duckdb2_zstd_v1", "duckdb2_zstd_v2", "duckdb2_lz4_raw_v2", "polars_lz4"}) {
        const std::filesystem::path path = tools_fixtures / (std::string(name) + ".parquet");
        const bool duckdb = std::string_view(name).starts_with("duckdb2");
        for (const char* column : duckdb ? std::vector<const char*>{"real", "price", "name", "half"}
                                         : std::vector<const char*>{"name", "category"}) {
            const Rows rows = open_of_tool(path, {.label_column = column});
            for (std::uint32_t i = 0; i < tools_rows; ++i) {
                const std::int32_t label = tools_label(i);
                const bool flag = std::string_view(column) == "half" && label >= 0;
                EXPECT_EQ(rows.labels.label_of[i], flag ? (label >= 5 ? 1 : 0) : label)
                    << name << ' ' << column << ' ' << i;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, ParquetByTool, testing::ValuesIn(files_of_tools()),
                         [](const auto& test) { return test.param; });

class LabelsOfType : public testing::TestWithParam<std::string> {};

TEST_P(LabelsOfType, AreRead) {
    for (const char* file : {"pyarrow_types.parquet", "pyarrow_types_v2.parquet"}) {
        const Rows rows = open_of_tool(tools_fixtures / file, {.label_column = GetParam()});
        ASSERT_EQ(rows.labels.label_of.size(), tools_rows);
        for (std::uint32_t i = 0; i < tools_rows; ++i) {
            const std::int32_t label = tools_label(i);
            const bool flag = GetParam() == "boolean" && label >= 0;
            EXPECT_EQ(rows.labels.label_of[i], flag ? (label >= 5 ? 1 : 0) : label) << file << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, LabelsOfType,
                         testing::Values("int8", "int16", "int32", "uint8", "uint16", "uint32",
                                         "uint64", "float16", "float32", "float64", "not_a_number",
                                         "decimal9", "decimal30", "boolean", "text", "large_text",
                                         "category"),
                         [](const auto& test) { return test.param; });

TEST(ParquetTypes, WhatIsNoLabelIsNamed) {
    for (const char* file : {"pyarrow_types.parquet", "pyarrow_types_v2.parquet"}) {
        const auto refusal = [&](const char* column) {
            return message_of(
                [&] { open_of_tool(tools_fixtures / file, {.label_column = column}); });
        };
        EXPECT_THAT(refusal("half"), HasSubstr("row 0: label 0.5 is not a class number"));
        EXPECT_THAT(refusal("half_decimal"), HasSubstr("row 1: label 1.75 is not a class number"));
        EXPECT_THAT(refusal("huge"), HasSubstr("label 18446744073709551615 is not a class number"));
        EXPECT_THAT(refusal("date"),
                    AllOf(HasSubstr(file), HasSubstr("column `date` is a date; labels are whole")));
        EXPECT_THAT(refusal("time"), HasSubstr("column `time` is a time;"));
        EXPECT_THAT(refusal("timestamp"), HasSubstr("column `timestamp` is a timestamp;"));
        EXPECT_THAT(refusal("list"), HasSubstr("column `list` is a structure or a list"));
        EXPECT_THAT(refusal("none_such"), HasSubstr("no column `none_such` of labels"));
    }
}

TEST(ParquetTypes, NotesSayWhatLabelsThatAreNoIntegersAre) {
    const std::filesystem::path path = tools_fixtures / "pyarrow_types.parquet";
    const auto note = [&](const char* column) {
        std::vector<std::string> notes;
        parquet::open_rows({&path, 1}, {.label_column = column}, notes);
        return notes.at(0);
    };
    EXPECT_THAT(note("boolean"), HasSubstr("labels the column `boolean` (false is class 0"));
    EXPECT_THAT(note("float64"), HasSubstr("(real numbers, all of them whole)"));
    EXPECT_THAT(note("decimal9"), HasSubstr("(decimals, all of them whole)"));
    EXPECT_THAT(note("int8"), testing::EndsWith("labels the column `int8`"));
}

TEST(ParquetTables, AreTheCsvThatPandasWouldWrite) {
    const TableText scores =
        parquet::read_table(tools_fixtures / "pyarrow_scores.parquet", 1 << 20);
    EXPECT_THAT(scores.text, testing::StartsWith("filename,label,cat,dog,emu\n"
                                                 "0.png,cat,0.5,0.25,0.25\n"
                                                 "1.png,dog,0.25,0.25,0.5\n"
                                                 "2.png,emu,0.125,0.125,0.75\n"));
    EXPECT_EQ(std::ranges::count(scores.text, '\n'), 1 + tools_rows);
    EXPECT_EQ(scores.left_out, "");
    EXPECT_THAT(
        message_of([] { parquet::read_table(tools_fixtures / "pyarrow_scores.parquet", 100); }),
        HasSubstr("pyarrow_scores.parquet: more than 100 bytes"));
    const TableText types =
        parquet::read_table(tools_fixtures / "pyarrow_types_v2.parquet", 1 << 20);
    EXPECT_EQ(types.left_out,
              "image.bytes (a structure), image.path (a structure), date (a date), time (a time), "
              "timestamp (a timestamp), list.list.element (a list)");
    EXPECT_THAT(types.text,
                HasSubstr("\n7,7,7,7,7,7,7,7,7,7,7,7.00,7.0000,True,class 7,class 7,class 7,7.5,"
                          "1.75,18446744073709551615\n"));
    EXPECT_THAT(types.text, HasSubstr("\n,,,,,,,,,,,,,,,,,,,18446744073709551615\n"));
}

/// Reads the whole file, or reports that it is damaged.
void read_all(const std::filesystem::path& path) {
    try {
        const Rows rows = open_of_tool(path);
        for (std::uint64_t i = 0; i < rows.ids.size(); ++i) rows.images->read(i, 1000);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
    }
}

TEST(ParquetTools, NoCutIsReadAndNoFlippedBitDoesHarm) {
    TempFolder folder;
    for (const char* name : {"pyarrow_delta_byte_array_v2", "pyarrow_delta_length_byte_array_v1",
                             "pyarrow_lz4_v2", "pyarrow_brotli_v1", "duckdb2_lz4_raw_v2"}) {
        std::ifstream in(tools_fixtures / (std::string(name) + ".parquet"), std::ios::binary);
        const std::string whole{std::istreambuf_iterator<char>(in), {}};
        ASSERT_GT(whole.size(), 1000U);
        for (std::size_t n = 0; n < whole.size(); n += 97) {
            const auto path = folder.write("x.parquet", whole.substr(0, n));
            EXPECT_THAT(message_of([&] { open_of_tool(path); }), HasSubstr("x.parquet"));
        }
        for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 149) {
            std::string damaged = whole;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
            read_all(folder.write("x.parquet", damaged));
        }
    }
}

TEST(ParquetDeltas, TheSpecificationsExample) {
    // In 7, 5, 3, 1, 2, 3, 4, 5, a block of 128 has 4 parts, and the first value is 7 (zigzag 14).
    // The least difference is -2 (zigzag 3). The others above it are 0 0 0 3 3 3 3 in 2 bits each.
    std::string bytes("\x80\x01\x04\x08\x0e\x03\x02\x00\x00\x00\xc0\x3f", 12);
    bytes += std::string(6, '\0');
    const parquet::Deltas deltas = parquet::read_deltas(bytes_of(bytes + "behind"), 8);
    EXPECT_THAT(deltas.values, ElementsAre(7, 5, 3, 1, 2, 3, 4, 5));
    EXPECT_EQ(deltas.size, bytes.size());
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        EXPECT_THAT(message_of([&] { parquet::read_deltas(bytes_of(bytes.substr(0, n)), 8); }),
                    HasSubstr("cut off"))
            << n;
    }
    EXPECT_THAT(message_of([&] { parquet::read_deltas(bytes_of(bytes), 9); }),
                HasSubstr("claim 8 values, the page has 9"));
    bytes[6] = 65;
    EXPECT_THAT(message_of([&] { parquet::read_deltas(bytes_of(bytes), 8); }),
                HasSubstr("of 65 bits"));
    bytes[2] = 0;
    EXPECT_THAT(message_of([&] { parquet::read_deltas(bytes_of(bytes), 8); }),
                HasSubstr("blocks of 128 values in 0 parts"));
}

TEST(ParquetLz4, BlocksAreNotBelieved) {
    // One literal `a`, a copy of 7 bytes from 1 byte before, and then the literal `b`.
    const std::string block(
        "\x13"
        "a\x01\x00\x10"
        "b",
        6);
    std::vector<std::byte> out(9);
    EXPECT_EQ(parquet::unpack_lz4(bytes_of(block), out), 9U);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(out.data()), 9), "aaaaaaaab");
    out.resize(8);
    EXPECT_THAT(message_of([&] { parquet::unpack_lz4(bytes_of(block), out); }),
                HasSubstr("lz4 data are damaged"));
    out.resize(20);
    for (const std::string& wrong : {std::string(), std::string("\x13"),
                                     std::string("\x13"
                                                 "a\x02\x00\x10"
                                                 "b",
                                                 6),
                                     std::string("\x13"
                                                 "a\x00\x00\x10"
                                                 "b",
                                                 6),
                                     std::string("\xf0\xff\xff", 3),
                                     std::string("\x13"
                                                 "a\x01",
                                                 3)}) {
        EXPECT_THAT(message_of([&] { parquet::unpack_lz4(bytes_of(wrong), out); }),
                    HasSubstr("lz4 data are damaged"));
    }
}

}  // namespace
}  // namespace assay
