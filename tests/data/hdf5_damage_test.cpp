// Damaged indexes of chunks in HDF5 files, with their old checksums and with new ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <tuple>

#include "assay/error.h"
#include "containers/hdf5/lookup3.h"
#include "hdf5_fixtures.h"

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// The indexes have checksums, so every damaged byte of an index is found.
TEST(Hdf5, DamagedIndexesOfArraysThatGrow) {
    std::string bytes = bytes_of("grown.h5");
    const auto index_of = [&](std::string_view signature) { return bytes.find(signature); };
    std::vector<std::vector<std::byte>> sound;
    for (const Hdf5Array& array : arrays_in(bytes))
        if (array.problem.empty()) sound.push_back(npy_bytes(array));
    ASSERT_EQ(sound.size(), 5U);
    std::size_t found = 0;
    for (const std::string_view signature :
         {"EAHD", "EAIB", "EASB", "EADB", "BTHD", "BTIN", "BTLF"}) {
        const std::size_t begin = index_of(signature);
        ASSERT_NE(begin, std::string::npos) << signature;
        for (std::size_t at = begin; at < begin + 30; ++at) {
            const char before = bytes[at];
            bytes[at] = static_cast<char>(before ^ 0x21);
            std::size_t refused = 0;
            for (const Hdf5Array& array : arrays_in(bytes))
                refused += array.problem.find("it is damaged") != std::string::npos ? 1U : 0U;
            EXPECT_EQ(refused, 1U) << signature << " " << at - begin;
            found += refused;
            bytes[at] = before;
        }
    }
    EXPECT_EQ(found, 7U * 30U);
    // The rest of the file: other values may come out of damaged chunks, which have no checksums.
    for (std::size_t at = 0; at < bytes.size(); at += 61) {
        const char before = bytes[at];
        bytes[at] = static_cast<char>(before ^ 0x61);
        try {
            for (const Hdf5Array& array : arrays_in(bytes)) {
                if (!array.problem.empty()) continue;
                std::vector<std::byte> values(static_cast<std::size_t>(array.npy->size()));
                array.npy->read(0, values);
            }
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << at << error.what();
        }
        bytes[at] = before;
    }
}

TEST(Hdf5, DamagedFixedArrays) {
    std::string latest = bytes_of("latest.h5"), paged = bytes_of("paged.h5");
    const auto refused_within = [](std::string& bytes, std::string_view signature,
                                   std::size_t size) {
        const std::size_t begin = bytes.find(signature);
        ASSERT_NE(begin, std::string::npos) << signature;
        for (std::size_t at = begin; at < begin + size; ++at) {
            const char before = bytes[at];
            bytes[at] = static_cast<char>(before ^ 0x21);
            std::size_t refused = 0;
            for (const Hdf5Array& array : arrays_in(bytes))
                refused += array.problem.find("it is damaged") != std::string::npos ? 1U : 0U;
            EXPECT_EQ(refused, 1U) << signature << " " << at - begin;
            bytes[at] = before;
        }
    };
    refused_within(latest, "FAHD", 28);
    refused_within(latest, "FADB", 14 + 6 * 8 + 4);
    const std::size_t first_page = 14 + 1 + 4, pages = 1100 * 8 + 2 * 4;
    refused_within(paged, "FADB", first_page + 64);
    refused_within(paged,
                   std::string_view(paged).substr(paged.find("FADB") + first_page + pages - 64, 64),
                   64);
}

std::string little(std::uint64_t number, std::size_t size = 8) {
    std::string out;
    for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(number >> (8 * i) & 0xffU);
    return out;
}
std::string checksum_of(std::string_view block) {
    return little(hdf5::lookup3(std::as_bytes(std::span(block))), 4);
}

/// Writes `part` at `offset` of the block that begins with `signature`, and its new checksum.
void change_block(std::string& bytes, std::string_view signature, std::size_t offset,
                  const std::string& part) {
    const std::size_t at = bytes.find(signature);
    ASSERT_NE(at, std::string::npos) << signature;
    const std::string_view rest = std::string_view(bytes).substr(at);
    std::size_t size = offset + part.size();
    while (size + 4 <= rest.size() && rest.substr(size, 4) != checksum_of(rest.substr(0, size)))
        ++size;
    ASSERT_LE(size + 4, rest.size()) << "no checksum after " << signature;
    bytes.replace(at + offset, part.size(), part);
    bytes.replace(at + size, 4, checksum_of(std::string_view(bytes).substr(at, size)));
}

std::vector<std::string> problems_in(const std::string& bytes) {
    std::vector<std::string> out;
    for (const Hdf5Array& array : arrays_in(bytes)) out.push_back(array.problem);
    return out;
}

TEST(Hdf5, BlocksOfOtherIndexesAreRefusedDespiteTheirChecksums) {
    for (const auto& [name, signature] :
         {std::pair("grown.h5", "EAIB"), std::pair("grown.h5", "EASB"),
          std::pair("grown.h5", "EADB"), std::pair("latest.h5", "FADB")}) {
        std::string bytes = bytes_of(name);
        constexpr std::size_t owner = 6;
        change_block(bytes, signature, owner, little(12345));
        EXPECT_THAT(problems_in(bytes), Contains(HasSubstr("has a block of another array")))
            << signature;
    }
}

TEST(Hdf5, PagesThatWereNeverWritten) {
    const std::string sound = bytes_of("wide.h5");
    constexpr std::size_t mask = 14 + 4, mask_bytes = 64;  // after the number of the first element
    std::string bytes = sound;
    change_block(bytes, "EASB", mask, std::string(mask_bytes, '\0'));
    EXPECT_THAT(problems_in(bytes), ElementsAre(HasSubstr("3 of its 6 chunks were never written")));
    // Pages without chunks of the array are not read.
    bytes = sound;
    change_block(bytes, "EASB", mask, std::string(mask_bytes, '\xff'));
    EXPECT_THAT(problems_in(bytes), ElementsAre(""));
}

// Each node leads to the next one many times. The records are outside the array.
TEST(Hdf5, TreesWithTheSameNodeSeveralTimesAreRefused) {
    std::string tree = bytes_of("grown.h5");
    constexpr std::size_t records = 60, in_leaf = 80, root_at = 16;
    std::string root = std::string("BTIN\0\x0a", 6), leaf = std::string("BTLF\0\x0a", 6);
    const std::string record = little(64) + little(1U << 30U) + little(1U << 30U);
    for (std::size_t i = 0; i < in_leaf; ++i) leaf += record;
    for (std::size_t i = 0; i < records; ++i) root += record;
    for (std::size_t i = 0; i <= records; ++i) root += little(tree.size()) + little(in_leaf, 1);
    const std::size_t at = tree.size() + leaf.size() + 4;
    tree += leaf + checksum_of(leaf) + root + checksum_of(root);
    change_block(tree, "BTHD", root_at, little(at) + little(records, 2));
    EXPECT_THAT(problems_in(tree), Contains(HasSubstr("has the same block several times")));

    std::string old = bytes_of("scores_first.h5");
    const std::size_t sound = old.find(std::string("TREE\1", 5));
    const std::size_t pointer = old.find(little(sound));
    ASSERT_NE(pointer, std::string::npos);
    std::size_t below = old.size();
    old += std::string("TREE\1\0\0\0", 8) + std::string(16, '\xff');  // no entries
    for (const char level : {'\1', '\2'}) {
        const std::size_t here = old.size();
        old += std::string("TREE\1", 5) + level + little(200, 2) + std::string(16, '\xff');
        for (int i = 0; i < 200; ++i) old += std::string(8 + 3 * 8, '\0') + little(below);
        below = here;
    }
    old.replace(pointer, 8, little(below));
    EXPECT_THAT(problems_in(old), Contains(HasSubstr("has the same block several times")));
}

}  // namespace
}  // namespace assay
