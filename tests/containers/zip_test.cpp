#include "containers/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "assay/error.h"
#include "containers/archives.h"
#include "containers/npy.h"
#include "core/file.h"
#include "deflated.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

template <class Body>
std::string refusal(Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.message();
    }
    return "accepted";
}

TEST(Zip, StoredEntriesAreSeenInPlace) {
    const MappedFile file(archive_fixtures / "arrays.npz");
    const ZipArchive archive(file.bytes());
    EXPECT_EQ(archive.entries().size(), 15U);
    const ZipEntry* entry = archive.find("f4.npy");
    ASSERT_NE(entry, nullptr);
    EXPECT_TRUE(entry->stored);
    const std::span<const std::byte> view = archive.view(*entry);
    EXPECT_GE(view.data(), file.bytes().data());
    EXPECT_LE(view.data() + view.size(), file.bytes().data() + file.bytes().size());
    EXPECT_EQ(parse_npy(view).values.number(11), 33.0 / 4 - 2);
    EXPECT_EQ(archive.find("f5.npy"), nullptr);
}

TEST(Zip, DeflatedEntriesGiveTheSameBytes) {
    const MappedFile plain_file(archive_fixtures / "arrays.npz");
    const MappedFile packed_file(archive_fixtures / "arrays_packed.npz");
    const ZipArchive plain(plain_file.bytes());
    const ZipArchive packed(packed_file.bytes());
    ASSERT_EQ(plain.entries().size(), packed.entries().size());
    EXPECT_TRUE(check_zip_entries(packed_file.bytes()));
    for (const ZipEntry& entry : packed.entries()) {
        EXPECT_FALSE(entry.stored);
        const std::span<const std::byte> expected = plain.view(*plain.find(entry.name));
        const std::vector<std::byte> got = packed.read(entry, 1 << 20);
        EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin(), expected.end()))
            << entry.name;
        EXPECT_THROW(packed.view(entry), Error);
        EXPECT_THAT(refusal([&] { packed.read(entry, 10); }), HasSubstr("the limit is 10"));
    }
}

TEST(Zip, Zip64) {
    const MappedFile file(archive_fixtures / "zip64.npz");
    const ZipArchive archive(file.bytes());
    EXPECT_EQ(parse_npy(archive.view(*archive.find("logits.npy"))).shape_text(), "(3, 4)");
}

TEST(Zip, AnArchiveWithoutEntriesIsRefused) {
    EXPECT_EQ(refusal([] { ZipArchive(bytes_of(archive_of({}))); }), "the zip file has no entries");
}

TEST(Zip, LongEntriesArriveInPieces) {
    std::string text;
    for (std::uint32_t i = 0; i < 900'000; ++i) text += little(i * 2654435761U, 4);  // about 3.6 MB
    const std::string file =
        archive_of({{"a", deflated(text, -15, 9), text.size(), 8, crc_of(text)}});
    const ZipArchive archive(bytes_of(file));
    std::string got;
    std::size_t pieces = 0;
    archive.unpack(archive.entries()[0], [&](std::span<const std::byte> piece) {
        EXPECT_LE(piece.size(), std::size_t{1} << 20);
        got.append(reinterpret_cast<const char*>(piece.data()), piece.size());
        ++pieces;
    });
    EXPECT_EQ(got, text);
    EXPECT_GE(pieces, 4U);
}

TEST(Zip, DamageIsNamed) {
    EXPECT_THAT(refusal([] { ZipArchive(bytes_of("")); }), HasSubstr("not a zip file"));
    EXPECT_THAT(refusal([] { ZipArchive(bytes_of("PK\x05\x06")); }), HasSubstr("not a zip file"));
    const std::string text = "some text, some text, some text";
    const ZipPiece good{"a.npy", text, text.size(), 0, crc_of(text)};
    const auto open = [](const std::vector<ZipPiece>& parts) {
        return refusal([&] {
            const std::string file = archive_of(parts);
            const ZipArchive archive(bytes_of(file));
            for (const ZipEntry& e : archive.entries())
                e.stored ? void(archive.view(e)) : void(archive.read(e, 1 << 30));
        });
    };
    EXPECT_EQ(open({good}), "accepted");
    EXPECT_THAT(open({good, good}), HasSubstr("two entries named `a.npy`"));
    ZipPiece part = good;
    part.crc ^= 1;
    EXPECT_THAT(open({part}), HasSubstr("CRC"));
    part = good;
    part.flags = 1;
    EXPECT_THAT(open({part}), HasSubstr("encrypted"));
    part = good;
    part.method = 12;
    EXPECT_THAT(open({part}), HasSubstr("method 12"));
    part = good;
    part.size += 1;
    EXPECT_THAT(open({part}), HasSubstr("claims 32 bytes from 31"));
    part = {"b", "\xff\xff\xff garbage", 100, 8, 0};
    EXPECT_THAT(open({part}), HasSubstr("damaged after 0 of 100"));
    // The data are correct, but the sizes are wrong by one.
    part = {"c", deflated(text, -15, 9), text.size() + 1, 8, crc_of(text)};
    EXPECT_NE(open({part}), "accepted");
    part.size = text.size() - 1;
    EXPECT_NE(open({part}), "accepted");
}

/// PyTorch's torch.serialization.set_crc32_options(False) records 0 for each entry.
TEST(Zip, OnlyPyTorchMayOmitChecksumsAndOnlyAll) {
    const std::string one = "numbers", two = "more numbers";
    const auto made = [&](std::uint32_t first, std::uint32_t second, const char* mark) {
        return archive_of({{"a/data/0", one, one.size(), 0, first},
                           {"a/data/1", two, two.size(), 0, second},
                           {mark, "", 0, 0, 0}});
    };
    const char* by_pytorch = "a/.data/serialization_id";
    const auto checks = [](const std::string& archive) {
        return check_zip_entries(bytes_of(archive));
    };
    EXPECT_TRUE(checks(made(crc_of(one), crc_of(two), by_pytorch)));
    const std::string without = made(0, 0, by_pytorch);
    EXPECT_FALSE(checks(without));
    const ZipArchive unchecked(bytes_of(without));
    EXPECT_FALSE(unchecked.has_checksums());
    EXPECT_EQ(unchecked.view(unchecked.entries()[1]).size(), two.size());
    for (const std::string& damaged : {made(0, crc_of(two), by_pytorch), made(0, 0, "a/data/2")}) {
        EXPECT_THROW(checks(damaged), Error);
        const ZipArchive archive(bytes_of(damaged));
        EXPECT_TRUE(archive.has_checksums());
        EXPECT_THROW(archive.view(archive.entries()[0]), Error);
    }
}

TEST(Zip, EveryChangedByteOfAnEntryIsFound) {
    const std::string text(200, 'n');
    const std::string whole = archive_of({{"a", text, text.size(), 0, crc_of(text)}});
    EXPECT_TRUE(check_zip_entries(bytes_of(whole)));
    const std::size_t begin = whole.find(text);
    for (std::size_t at = begin; at < begin + text.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        EXPECT_THROW(check_zip_entries(bytes_of(damaged)), Error) << at;
    }
}

/// Reading a directory whose entries use the same bytes would take hours.
TEST(Zip, EntriesOnTheSameBytesAreNotReadAsAWhole) {
    const std::string text(1000, 'n');
    std::vector<ZipPiece> parts;
    for (const char* name : {"a", "b", "c"})
        parts.push_back({name, text, text.size(), 0, crc_of(text)});
    EXPECT_TRUE(check_zip_entries(bytes_of(archive_of(parts))));
    EXPECT_THAT(refusal([&] { check_zip_entries(bytes_of(archive_of(parts, true))); }),
                HasSubstr("some of them overlap"));
}

TEST(Zip, BombsAreRefusedByTheirClaims) {
    // 1 kB can hold at most about a megabyte, so 4 GB are refused before a byte is unpacked.
    const ZipPiece bomb{"bomb", std::string(1000, '\0'), 0xf0000000, 8, 0};
    const std::string file = archive_of({bomb});
    EXPECT_THAT(refusal([&] { ZipArchive(bytes_of(file)); }),
                HasSubstr("claims 4026531840 bytes from 1000"));
    // A million zeros have the highest ratio that deflate can reach. They are accepted up to the
    // given limit.
    const std::string zeros(1'000'000, '\0');
    const std::string tight =
        archive_of({{"zeros", deflated(zeros, -15, 9), zeros.size(), 8, crc_of(zeros)}});
    const ZipArchive archive(bytes_of(tight));
    EXPECT_EQ(archive.read(archive.entries()[0], 1'000'000).size(), 1'000'000U);
    EXPECT_THAT(refusal([&] { archive.read(archive.entries()[0], 999'999); }),
                HasSubstr("the limit is 999999"));
}

TEST(Zip, EveryCutOfAnArchiveIsRefusedOrHarmless) {
    const MappedFile file(archive_fixtures / "arrays_packed.npz");
    std::size_t passed = 0;
    for (std::size_t n = 0; n < file.bytes().size(); ++n) {
        refusal([&] {
            const ZipArchive archive(file.bytes().first(n));
            for (const ZipEntry& e : archive.entries()) archive.read(e, 1 << 20);
            // If every CRC was correct, only the end of the last 22 bytes (disk numbers, sizes,
            // comment) may be missing.
            EXPECT_GT(n, file.bytes().size() - 22);
            EXPECT_EQ(archive.entries().size(), 15U);
            ++passed;
        });
    }
    EXPECT_LT(passed, 22U);
}

}  // namespace
}  // namespace assay
