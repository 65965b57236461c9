#include "containers/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "assay/error.h"
#include "containers/archives.h"
#include "containers/zip.h"
#include "core/file.h"
#include "core/half.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

template <class T>
std::string array_text(const std::string& descr, std::vector<std::uint64_t> shape,
                       const std::vector<T>& values) {
    std::string text = npy_header(descr, shape);
    text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    return text;
}

std::string refusal(const std::string& text) {
    try {
        parse_npy(bytes_of(text));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        return error.message();
    }
    return "accepted";
}

/// A header of version 1 with any dictionary.
std::string with_dictionary(const std::string& dictionary, std::size_t data_bytes) {
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(dictionary.size() & 0xff);
    text += static_cast<char>(dictionary.size() >> 8);
    return text + dictionary + std::string(data_bytes, '\0');
}

TEST(Npy, EveryTypeOfNumPyIsRead) {
    const MappedFile file(archive_fixtures / "arrays.npz");
    const ZipArchive archive(file.bytes());
    for (const std::string name :
         {"f2", "f4", "f8", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "b1"}) {
        SCOPED_TRACE(name);
        const ZipEntry* entry = archive.find(name + ".npy");
        ASSERT_NE(entry, nullptr);
        const NpyView view = parse_npy(archive.view(*entry));
        EXPECT_EQ(name_of(view.type()).substr(1), name);
        EXPECT_EQ(view.shape, (std::vector<std::uint64_t>{3, 4}));
        EXPECT_FALSE(view.fortran);
        std::vector<float> floats(12);
        view.values.floats(0, floats);
        for (std::uint64_t i = 0; i < 12; ++i) {
            const double n = static_cast<double>(i);
            const double expected = name == "b1"     ? (i % 3 == 0 ? 1 : 0)
                                    : name[0] == 'i' ? 3 * n - 7
                                    : name[0] == 'f' ? 3 * n / 4 - 2
                                                     : 3 * n;
            EXPECT_EQ(view.values.number(i), expected);
            EXPECT_EQ(static_cast<double>(floats[i]), expected);
            if (name[0] != 'f') {
                EXPECT_EQ(view.values.integer(i), static_cast<std::int64_t>(expected));
            }
        }
    }
}

TEST(Npy, FortranOrderHasTheFirstIndexFastest) {
    const MappedFile file(archive_fixtures / "arrays.npz");
    const ZipArchive archive(file.bytes());
    const NpyView view = parse_npy(archive.view(*archive.find("fortran.npy")));
    EXPECT_TRUE(view.fortran);
    for (std::uint64_t r = 0; r < 3; ++r) {
        for (std::uint64_t c = 0; c < 4; ++c) {
            EXPECT_EQ(view.values.number(view.position(r, c)),
                      3.0 * static_cast<double>(r * 4 + c) / 4 - 2);
        }
    }
}

TEST(Npy, EmptyAndScalarShapes) {
    const MappedFile file(archive_fixtures / "arrays.npz");
    const ZipArchive archive(file.bytes());
    const NpyView empty = parse_npy(archive.view(*archive.find("empty.npy")));
    EXPECT_EQ(empty.count(), 0U);
    EXPECT_EQ(empty.shape_text(), "(0, 5)");
    const NpyView scalar = parse_npy(archive.view(*archive.find("scalar.npy")));
    EXPECT_EQ(scalar.shape_text(), "()");
    EXPECT_EQ(scalar.values.number(0), 2.5);
}

TEST(Npy, AllFormatVersions) {
    for (const char* name : {"version1.npy", "version2.npy", "version3.npy"}) {
        const MappedFile file(archive_fixtures / name);
        EXPECT_EQ(parse_npy(file.bytes()).values.number(11), 33.0 / 4 - 2) << name;
    }
}

TEST(Npy, HeaderIsWhatNumPyWrites) {
    const MappedFile file(archive_fixtures / "version1.npy");
    const std::uint64_t shape[] = {3, 4};
    const std::string header = npy_header("<f4", shape);
    // Since 1.24, NumPy reserves space for growing shapes, and pads to 64 bytes. So the dictionary
    // is the same, but the padding may differ.
    const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }";
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_EQ(header.substr(10, dictionary.size()), dictionary);
    EXPECT_EQ(file.text().substr(10, dictionary.size()), dictionary);
    EXPECT_EQ(header.back(), '\n');
    EXPECT_EQ(npy_header("|u1", std::vector<std::uint64_t>{7}).find("(7,)") != std::string::npos,
              true);
}

TEST(Npy, RefusalsNameTheFault) {
    const auto refused_file = [](const char* name) {
        const MappedFile file(archive_fixtures / name);
        return refusal(std::string(file.text()));
    };
    EXPECT_THAT(refused_file("big_endian.npy"),
                HasSubstr("`>f4` (big-endian); supported: <f2 <f4"));
    EXPECT_THAT(refused_file("complex.npy"), HasSubstr("`<c8`"));
    EXPECT_THAT(refused_file("text.npy"), HasSubstr("`<U2`"));
    EXPECT_THAT(refused_file("structured.npy"), HasSubstr("structured dtype"));
    EXPECT_THAT(refusal(""), HasSubstr("does not begin with"));
    EXPECT_THAT(refusal("PK\x03\x04"), HasSubstr("does not begin with"));
    EXPECT_THAT(refusal(std::string("\x93NUMPY\x09\x00\x00\x00", 10)), HasSubstr("version 9"));
    EXPECT_THAT(refusal(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)),
                HasSubstr("4294967295 bytes"));

    const std::string good = array_text<float>("<f4", {2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(refusal(good), "accepted");
    EXPECT_THAT(refusal(good.substr(0, good.size() - 5)),
                HasSubstr("needs 24 bytes, found 19 (5 missing)"));
    EXPECT_THAT(refusal(good + "xy"), HasSubstr("needs 24 bytes, found 26 (2 too many)"));
    // If a valid file is cut at any position, it is refused without a crash.
    for (std::size_t n = 0; n < good.size(); ++n)
        EXPECT_NE(refusal(good.substr(0, n)), "accepted") << n;
}

TEST(Npy, HeaderDictionaries) {
    EXPECT_EQ(refusal(with_dictionary("{\"shape\":(2L,),'fortran_order':True,'descr':'<f2'}\n", 4)),
              "accepted");
    EXPECT_THAT(refusal(with_dictionary("{'descr': '<f4', 'shape': (1,)}", 4)),
                HasSubstr("lacks `fortran_order`"));
    EXPECT_THAT(refusal(with_dictionary("{'descr': '<f4', 'descr': '<f4'}", 4)),
                HasSubstr("repeated key `descr`"));
    EXPECT_THAT(refusal(with_dictionary("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", 4)),
                HasSubstr("not True or False"));
    EXPECT_THAT(
        refusal(with_dictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4)),
        HasSubstr("a dimension"));
    EXPECT_THAT(refusal(with_dictionary(
                    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} import os", 4)),
                HasSubstr("continues after its end"));
    // 2^62 * 2^62 elements of one byte do not fit into 64 bits, nor do 2^63 of four bytes, even if
    // another dimension is zero.
    for (const char* shape : {"(4611686018427387904, 4611686018427387904)",
                              "(0, 4611686018427387904, 8)", "(9223372036854775808,)"}) {
        EXPECT_THAT(
            refusal(with_dictionary(
                std::string("{'descr': '<f4', 'fortran_order': False, 'shape': ") + shape + "}",
                4)),
            HasSubstr("do not fit 64 bits"));
    }
    EXPECT_THAT(
        refusal(with_dictionary(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}", 4)),
        HasSubstr("does not fit 64 bits"));
}

TEST(Npy, IntegersAreWholeNumbersInRange) {
    const double beyond = 0x1p63;
    for (const double wrong :
         {0.5, beyond, std::numeric_limits<double>::infinity(), std::nan("")}) {
        const std::string text = array_text<double>("<f8", {1}, {wrong});
        EXPECT_THROW(parse_npy(bytes_of(text)).values.integer(0), Error) << wrong;
    }
    const std::string lowest = array_text<double>("<f8", {1}, {-beyond});
    EXPECT_EQ(parse_npy(bytes_of(lowest)).values.integer(0), INT64_MIN);
    const std::string large = array_text<std::uint64_t>("<u8", {2}, {INT64_MAX, UINT64_MAX});
    EXPECT_EQ(parse_npy(bytes_of(large)).values.integer(0), INT64_MAX);
    EXPECT_THROW(parse_npy(bytes_of(large)).values.integer(1), Error);
}

TEST(Npy, UnalignedArraysAreRead) {
    const std::string text = array_text<double>("<f8", {2}, {1.25, -3});
    const std::string shifted = "x" + text;
    const NpyView view = parse_npy(bytes_of(shifted).subspan(1));
    EXPECT_EQ(view.values.number(1), -3.0);
    float out = 0;
    view.values.floats(0, std::span(&out, 1));
    EXPECT_EQ(out, 1.25F);
    std::vector<float> three(3);
    EXPECT_THROW(view.values.floats(0, three), Error);
    EXPECT_THROW(view.values.floats(3, {}), Error);
}

TEST(Npy, BfloatsAreTheUpperHalfOfFloats) {
    const std::uint16_t bits[] = {0x3f80, 0xc040, 0x7f80};  // the values are 1, -3 and infinity
    const NumberSpan span{NumberType::bf16, 3, std::as_bytes(std::span(bits))};
    EXPECT_EQ(span.number(0), 1.0);
    std::vector<float> out(3);
    span.floats(0, out);
    EXPECT_EQ(out, (std::vector<float>{1, -3, std::numeric_limits<float>::infinity()}));
    EXPECT_THROW(npy_type_named("bfloat16"), Error);
}

}  // namespace
}  // namespace assay
