// Parts of the Parquet reader, and files with false metadata.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <limits>
#include <string>
#include <vector>

#include "assay/error.h"
#include "containers/parquet/footer.h"
#include "containers/parquet/hybrid.h"
#include "containers/parquet/page_cache.h"
#include "data/parquet/rows.h"
#include "data/parquet_writer.h"
#include "data/temp_folder.h"
#include "message_of.h"

namespace assay {
namespace {

using made_parquet::Claims;
using made_parquet::element;
using made_parquet::Image;
using made_parquet::ThriftStruct;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::span<const std::byte> span_of(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}
std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const std::vector<Image> three_images = {"first", std::nullopt, "the third one"};
const std::vector<std::int64_t> three_labels = {2, 0, 1};

class ParquetLies : public testing::Test {
protected:
    parquet::Rows open(const std::string& bytes) {
        const std::vector<std::filesystem::path> files = {folder_.write("x.parquet", bytes)};
        std::vector<std::string> notes;
        return parquet::open_rows(files, {}, notes);
    }
    /// The error of opening the file or reading its first image.
    std::string refusal(const Claims& claims) {
        const std::string file = made_parquet::file_of(three_images, three_labels, claims);
        return message_of([&] { open(file).images->read(0, 1000); });
    }
    TempFolder folder_;
};

TEST(ParquetHybrid, RunsAndGroups) {
    // In the specification's example, 0 to 7 in 3 bits are 0x88 0xc6 0xfa. One group has header 3.
    EXPECT_THAT(parquet::read_hybrid(span_of("\x03\x88\xc6\xfa"), 3, 8),
                ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    // A run of 5 values (header 10) of 2 bytes, then a group.
    EXPECT_THAT(parquet::read_hybrid(span_of("\x0a\x34\x12"), 13, 3),
                ElementsAre(0x1234, 0x1234, 0x1234));
    EXPECT_THAT(parquet::read_hybrid(span_of("\x04\x01\x03\x88\xc6\xfa"), 3, 4),
                ElementsAre(1, 1, 0, 1));
    EXPECT_THAT(parquet::read_hybrid(span_of("\x06"), 0, 3), ElementsAre(0, 0, 0));
    EXPECT_THAT(message_of([] { parquet::read_hybrid(span_of("\x03\x88"), 3, 8); }),
                HasSubstr("cut off"));
    EXPECT_THAT(message_of([] { parquet::read_hybrid({}, 1, 1); }), HasSubstr("cut off"));
    EXPECT_THAT(message_of([] { parquet::read_hybrid({}, 33, 1); }), HasSubstr("33 bits"));
}

TEST_F(ParquetLies, TheTruthIsRead) {
    const parquet::Rows rows = open(made_parquet::file_of(three_images, three_labels));
    ASSERT_EQ(rows.ids.size(), 3U);
    EXPECT_EQ(rows.ids[2], "x.parquet/2");
    EXPECT_EQ(text_of(rows.images->read("x.parquet/2", 13)), "the third one");
    EXPECT_THAT(rows.labels.label_of, ElementsAre(2, 0, 1));
    EXPECT_THAT(message_of([&] { rows.images->read(2, 12); }),
                HasSubstr("x.parquet row 2: the image has 13 bytes; the limit is 12"));
    for (const char* name : {"x.parquet/3", "y.parquet/0", "x.parquet/", "x.parquet/-1", "0", ""})
        EXPECT_THAT(message_of([&] { rows.images->read(name, 13); }), HasSubstr("no image is"));
}

TEST_F(ParquetLies, SizesAndCountsAreNotBelieved) {
    constexpr std::int64_t huge = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t more = std::numeric_limits<std::int64_t>::max();
    EXPECT_THAT(refusal({.page_size = huge}), HasSubstr("claims 2147483647 bytes"));
    EXPECT_THAT(refusal({.page_size = -1}), HasSubstr("claims -1 bytes"));
    EXPECT_THAT(refusal({.packed_size = 1 << 30}),
                AllOf(HasSubstr("x.parquet: row group 0, column `image`: page at byte 4"),
                      HasSubstr("claims 1073741824 bytes")));
    EXPECT_THAT(refusal({.page_values = huge}), HasSubstr("claims 2147483647 values"));
    EXPECT_THAT(refusal({.page_values = 4}),
                HasSubstr("claims 4 rows, but the row group has only 3 left"));
    EXPECT_THAT(refusal({.page_values = 2}), AnyOf(HasSubstr("page"), HasSubstr("rows")));
    EXPECT_THAT(refusal({.rows = more}), HasSubstr("rows are claimed"));
    EXPECT_THAT(refusal({.rows = 4}), HasSubstr("the row groups have 3 rows, the file 4"));
    EXPECT_THAT(refusal({.rows = 2}), HasSubstr("more rows than the file"));
    EXPECT_THAT(refusal({.group_rows = -3}), HasSubstr("-3 rows are claimed"));
    EXPECT_THAT(refusal({.values = 2}), HasSubstr("column `image` has 2 values for 3 rows"));
    EXPECT_THAT(refusal({.chunk_start = more}), HasSubstr("values end at byte"));
    EXPECT_THAT(refusal({.chunk_start = -4}), HasSubstr("from byte -4"));
    EXPECT_THAT(refusal({.chunk_size = more}), HasSubstr("claims 9223372036854775807 bytes"));
    EXPECT_THAT(refusal({.chunk_size = 3}), HasSubstr("damaged"));
    EXPECT_THAT(refusal({.metadata_size = 0xffffffff}), HasSubstr("metadata of 4294967295 bytes"));
    EXPECT_THAT(refusal({.crc = 7}), HasSubstr("its checksum is 00000007"));
    EXPECT_THAT(refusal({.encoding = 8}), HasSubstr("but none precedes it"));
    EXPECT_THAT(refusal({.encoding = 9}), HasSubstr("byte_stream_split"));
    EXPECT_THAT(refusal({.encoding = 77}), HasSubstr("number 77"));
    EXPECT_THAT(refusal({.encoding = 4}),
                AllOf(HasSubstr("encoded as bit_packed"), HasSubstr("pq.write_table")));
    EXPECT_THAT(refusal({.encoding = 5}), HasSubstr("byte_array are encoded as delta_binary"));
    EXPECT_THAT(refusal({.encoding = 6}), HasSubstr("deltas"));
    EXPECT_THAT(refusal({.encoding = 7}), HasSubstr("deltas"));
    EXPECT_THAT(refusal({.codec = 3}),
                AllOf(HasSubstr("compressed with lzo"), HasSubstr("brotli and lz4_raw")));
    EXPECT_THAT(refusal({.codec = 5}),
                AllOf(HasSubstr("compressed with lz4;"), HasSubstr("pq.write_table")));
    EXPECT_THAT(refusal({.schema_children = 3}), HasSubstr("the schema ends before"));
    EXPECT_THAT(refusal({.schema_children = 1}), HasSubstr("belong to no parent"));
}

TEST_F(ParquetLies, PagesUnpackToWhatTheyClaimOrAreRefused) {
    const std::string page = made_parquet::image_page(three_images);
    const std::string longer = page + std::string(1 << 20, 'x');
    const auto packed_by = [](int codec, const std::string& text) {
        std::string out;
        if (codec == 1) {
            snappy::Compress(text.data(), text.size(), &out);
        } else if (codec == 2) {
            z_stream stream{};
            deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
            out.resize(deflateBound(&stream, text.size()));
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
            stream.avail_in = static_cast<uInt>(text.size());
            stream.next_out = reinterpret_cast<Bytef*>(out.data());
            stream.avail_out = static_cast<uInt>(out.size());
            deflate(&stream, Z_FINISH);
            out.resize(stream.total_out);
            deflateEnd(&stream);
        } else {
            out.resize(ZSTD_compressBound(text.size()));
            out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
        }
        return out;
    };
    for (const int codec : {1, 2, 6}) {
        Claims claims{.codec = codec, .packed_page = packed_by(codec, page)};
        const std::string file = made_parquet::file_of(three_images, three_labels, claims);
        // The labels are not compressed, and have their own codec.
        EXPECT_EQ(text_of(open(file).images->read(2, 1000)), "the third one");
        claims.packed_page = packed_by(codec, longer);
        EXPECT_THAT(refusal(claims), HasSubstr("x.parquet row 0: row group 0, column `image`"));
        claims.packed_page = packed_by(codec, page.substr(1));
        EXPECT_THAT(refusal(claims), AnyOf(HasSubstr("decompress to"), HasSubstr("damaged")));
        claims.packed_page = "nothing of the kind";
        EXPECT_THAT(refusal(claims), AnyOf(HasSubstr("damaged"), HasSubstr("decompress to")));
        claims.packed_page = "";
        EXPECT_THAT(refusal(claims), HasSubstr("data"));
    }
}

TEST_F(ParquetLies, ValuesLieInTheirPage) {
    std::string page = made_parquet::image_page(three_images);
    page[6] = '\x7f';  // the lowest byte of the size of the first image
    EXPECT_THAT(refusal({.packed_page = page}), HasSubstr("a value claims 127 bytes"));
    page = made_parquet::image_page(three_images);
    page[0] = '\x7f';  // a byte of the size of the levels
    EXPECT_THAT(refusal({.packed_page = page}), HasSubstr("its levels claim 127"));
}

TEST_F(ParquetLies, NoCutIsReadAndNoFlippedBitDoesHarm) {
    const std::string whole = made_parquet::file_of(three_images, three_labels);
    for (std::size_t n = 0; n < whole.size(); ++n)
        EXPECT_NE(message_of([&] { open(whole.substr(0, n)); }), "");
    // Changes every third bit, so each position in a byte occurs.
    for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 3) {
        std::string damaged = whole;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        try {
            const parquet::Rows rows = open(damaged);
            for (std::size_t i = 0; i < rows.ids.size(); ++i) rows.images->read(i, 1000);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        }
    }
}

TEST_F(ParquetLies, AFileThatChangedIsNotRead) {
    const std::string file = made_parquet::file_of(three_images, three_labels);
    const parquet::Rows rows = open(file);
    folder_.write("x.parquet", file + "PAR1");
    EXPECT_THAT(message_of([&] { rows.images->read(0, 1000); }), HasSubstr("the file changed"));
}

TEST(ParquetFooter, NestingIsBounded) {
    // Nested structures, which no real Parquet file has. Field 9 of each structure is the next one.
    std::string deep(100'000, '\x9c');
    EXPECT_THAT(message_of([&] { parquet::parse_footer(span_of(deep)); }),
                HasSubstr("nested deeper than 16"));
    // The lists contain lists.
    deep = "\x29" + std::string(100'000, '\x19');
    EXPECT_NE(message_of([&] { parquet::parse_footer(span_of(deep)); }), "");
    std::vector<ThriftStruct> elements;
    for (int i = 0; i < 1000; ++i) elements.push_back(element("a", -1, 1, 1));
    elements.push_back(element("leaf", 6, 1));
    const std::string metadata = ThriftStruct().structures(2, elements).i64(3, 0).bytes();
    EXPECT_THAT(message_of([&] { parquet::parse_footer(span_of(metadata)); }),
                HasSubstr("nests deeper than 32"));
}

TEST(ParquetFooter, CountsBeyondTheBytesAreRefused) {
    // A list of 2^62 structures in 12 bytes.
    const std::string list =
        ThriftStruct().field(2, 9, "\xfc" + ThriftStruct::varint(std::uint64_t{1} << 62)).bytes();
    EXPECT_THAT(message_of([&] { parquet::parse_footer(span_of(list)); }),
                HasSubstr("a length of 4611686018427387904"));
    EXPECT_THAT(
        message_of([&] { parquet::parse_footer(span_of(ThriftStruct().i64(3, 0).bytes())); }),
        HasSubstr("no columns"));
}

TEST(ParquetCache, KeepsWhatWasUsedLastAndNoMoreThanItMay) {
    // The pages need 8 bytes for each row.
    const auto page_of = [](std::uint32_t rows) {
        parquet::PageHeader header;
        header.kind = parquet::PageHeader::Kind::data;
        header.values = rows;
        header.size = header.packed_size = 4 * rows;
        const std::string plain(4 * rows, '\0');
        return std::make_shared<const parquet::Page>(
            parquet::read_page({"x", parquet::Physical::int32, 0, false, 0},
                               parquet::Codec::uncompressed, header, span_of(plain), nullptr));
    };
    // 12 bytes for each row: three pages of 80 rows, 960 bytes each
    parquet::PageCache cache(3000);
    int made = 0;
    const auto get = [&](std::uint64_t key) {
        cache.get(key, [&] {
            ++made;
            return page_of(80);
        });
    };
    for (const std::uint64_t key : {1, 2, 3, 1, 4, 1}) get(key);
    EXPECT_EQ(made, 4);
    EXPECT_EQ(cache.bytes(), 2880U);
    get(2);  // page 2 was the least recently used when page 4 was read
    EXPECT_EQ(made, 5);
    // A damaged page is not read again. After a disk error, it is read again.
    int tried = 0;
    const auto fail = [&](std::uint64_t key, ErrorCode code) {
        message_of(
            [&] {
                cache.get(key, [&]() -> parquet::PageCache::Pointer {
                    ++tried;
                    throw Error(code, "no");
                });
            },
            code);
    };
    for (int i = 0; i < 2; ++i) fail(10, ErrorCode::bad_input);
    EXPECT_EQ(tried, 1);
    for (int i = 0; i < 2; ++i) fail(11, ErrorCode::io);
    EXPECT_EQ(tried, 3);
}

}  // namespace
}  // namespace assay
