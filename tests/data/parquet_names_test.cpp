// Tests which files make up a data set, and how to name several at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/brace_range.h"
#include "data/parquet/file_names.h"
#include "data/temp_folder.h"
#include "message_of.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ParquetFolder, OneSplitIsTakenAndAMixRefused) {
    const auto names_in = [](const TempFolder& folder) {
        std::vector<std::string> names;
        for (const auto& file : parquet::parquet_files_of(folder.path()))
            names.push_back(file.lexically_relative(folder.path()).string());
        return names;
    };
    TempFolder one;
    EXPECT_THAT(names_in(one), ElementsAre());
    one.write("data/validation-00001-of-00002.parquet");
    EXPECT_THAT(message_of([&] { names_in(one); }),
                AllOf(HasSubstr("validation-00000-of-00002.parquet is missing"),
                      HasSubstr("1 file of 2 exist")));
    one.write("data/validation-00000-of-00002.parquet");
    one.write("README.md");
    EXPECT_THAT(names_in(one), ElementsAre("data/validation-00000-of-00002.parquet",
                                           "data/validation-00001-of-00002.parquet"));
    one.write("data/test-00000-of-00001.parquet");
    EXPECT_THAT(message_of([&] { names_in(one); }),
                AllOf(HasSubstr("several splits (test, validation)"),
                      HasSubstr("data/test-00000-of-00001.parquet"),
                      HasSubstr("data/validation-{00000..00001}-of-00002.parquet")));
    const auto of_split = [&](const char* split) {
        return parquet::parquet_files_of(one.path(), split).size();
    };
    EXPECT_EQ(of_split("test"), 1U);
    EXPECT_EQ(of_split("val"), 2U);  // the split is validation
    EXPECT_THAT(message_of([&] { of_split("train"); }),
                HasSubstr("has no Parquet files of the split train; it has test, validation"));
    TempFolder plain;
    plain.write("b.parquet");
    plain.write("a.PARQUET");
    plain.write(".hidden.parquet");
    EXPECT_THAT(names_in(plain), ElementsAre("a.PARQUET", "b.parquet"));
    plain.write("train.parquet");
    EXPECT_THAT(message_of([&] { names_in(plain); }), HasSubstr("several splits (others, train)"));
}

TEST(ParquetFolder, BracesThatAShellExpandedAreSeen) {
    EXPECT_EQ(
        parquet::range_of_shards({"d/val-00000-of-00002.parquet", "d/val-00001-of-00002.parquet"}),
        "d/val-{00000..00001}-of-00002.parquet");
    EXPECT_EQ(
        parquet::range_of_shards({"d/val-00000-of-00001.parquet", "d/test-00000-of-00001.parquet"}),
        "");
    EXPECT_EQ(
        parquet::range_of_shards({"a/val-00000-of-00002.parquet", "b/val-00000-of-00002.parquet"}),
        "");
    EXPECT_EQ(parquet::range_of_shards({"val", "images", "x.parquet", "y.parquet"}), "");
}

TEST(BraceRange, Expands) {
    EXPECT_THAT(expand_braces("a-{008..010}.x"), ElementsAre("a-008.x", "a-009.x", "a-010.x"));
    EXPECT_THAT(expand_braces("{a,b}{1..2}"), ElementsAre("a1", "a2", "b1", "b2"));
    EXPECT_THAT(expand_braces("plain"), ElementsAre("plain"));
    EXPECT_THAT(expand_braces("{x}"), ElementsAre("x"));
    EXPECT_THAT(expand_braces("{7..7}"), ElementsAre("7"));
    for (const char* wrong : {"{1..", "{2..1}", "{a..b}", "{1..2000000}", "{{a,b}}", "{1..}"})
        EXPECT_THAT(message_of([&] { expand_braces(wrong); }), HasSubstr(wrong));
    EXPECT_THAT(message_of([] { expand_braces("{0..999}{0..999}{0..9}"); }),
                HasSubstr("more than 1000000 names"));
    EXPECT_THAT(message_of([] { expand_braces("{0..18446744073709551615}"); }),
                HasSubstr("more than 1000000"));
}

}  // namespace
}  // namespace assay
