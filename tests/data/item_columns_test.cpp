// The item table as mapped arrays. They equal the csv file or are not used.
#include "data/item_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "scratch.h"

namespace assay {
namespace {

constexpr const char* items_hash = "xxh128:0123";

Dataset made(std::size_t rows, bool paths = true, bool labels = true) {
    Dataset dataset;
    dataset.attributes.push_back({"group", {}});
    dataset.attributes.push_back({"sh\"a, pe\xc3\xa9", {}});
    for (std::size_t i = 0; i < rows; ++i) {
        dataset.ids.append("item " + std::to_string(i));
        dataset.paths.append(paths ? (i % 3 == 0 ? "" : "p" + std::to_string(i * i)) : "");
        const std::int32_t set[] = {3, static_cast<std::int32_t>(i % 7 + 4), 1000};
        if (labels) dataset.labels.append(std::span(set).first(i % 4));
        dataset.attributes[0].values.append(i % 2 == 0 ? "a" : "");
        dataset.attributes[1].values.append(std::string(i % 5, 'x'));
    }
    return dataset;
}

void expect_same(const Dataset& a, const Dataset& b) {
    EXPECT_EQ(a.ids, b.ids);
    EXPECT_EQ(a.paths, b.paths);
    EXPECT_EQ(a.labels, b.labels);
    ASSERT_EQ(a.attributes.size(), b.attributes.size());
    for (std::size_t i = 0; i < a.attributes.size(); ++i) {
        EXPECT_EQ(a.attributes[i].name, b.attributes[i].name);
        EXPECT_EQ(a.attributes[i].values, b.attributes[i].values);
    }
}

TEST(ItemColumns, AreWhatTheCsvFileSays) {
    const Scratch folder;
    const auto csv = folder / "items.csv", columns = folder / "items.columns";
    for (const auto& dataset : {made(1), made(100), made(10, false), made(10, true, false)}) {
        write_items_csv(dataset, csv);
        write_item_columns(dataset, items_hash, columns);
        const auto mapped = map_item_columns(columns, items_hash);
        ASSERT_TRUE(mapped);
        expect_same(*mapped, read_items_csv(csv));
        EXPECT_EQ(mapped->ids_fingerprint(), dataset.ids_fingerprint());
        EXPECT_FALSE(map_item_columns(columns, "xxh128:0124"));
    }
    EXPECT_FALSE(map_item_columns(folder / "none", items_hash));
}

TEST(ItemColumns, AreTheirOwnWhereTheyAreChanged) {
    const Scratch folder;
    write_item_columns(made(9), items_hash, folder / "c");
    Dataset mapped = *map_item_columns(folder / "c", items_hash);
    const Dataset copy = mapped;
    mapped.ids.append("one more");
    mapped.labels.append(std::vector<std::int32_t>{5, 2});
    EXPECT_EQ(mapped.ids.size(), 10U);
    EXPECT_EQ(mapped.ids[8], "item 8");
    EXPECT_EQ(mapped.ids[9], "one more");
    EXPECT_THAT(mapped.labels[9], testing::ElementsAre(2, 5));
    expect_same(copy, made(9));
    expect_same(*map_item_columns(folder / "c", items_hash), made(9));
}

TEST(ItemColumns, WithAnyByteChangedOrMissingAreNothing) {
    const Scratch folder;
    const Dataset dataset = made(5);
    write_item_columns(dataset, items_hash, folder / "c");
    const std::string text = read_text(folder / "c");
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string damaged = text;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << i % 8));
        write_file_atomically(folder / "d", damaged);
        EXPECT_FALSE(map_item_columns(folder / "d", items_hash)) << i;
        if (i % 7 > 0) continue;
        write_file_atomically(folder / "d", std::string_view(text).substr(0, i));
        EXPECT_FALSE(map_item_columns(folder / "d", items_hash)) << i;
    }
    write_file_atomically(folder / "d", text + "x");
    EXPECT_FALSE(map_item_columns(folder / "d", items_hash));
}

/// A file with a valid checksum and any contents.
void forge(const std::filesystem::path& path, const nlohmann::json& arrays,
           const std::string& bytes) {
    const nlohmann::json header = {
        {"schema", "assay.item_columns/1"}, {"byte_order", "little"},     {"rows", 2},
        {"items_xxh128", items_hash},       {"xxh128", hash_text(bytes)}, {"arrays", arrays}};
    const std::string text = header.dump();
    constexpr std::size_t line = 40;
    std::string all = std::string(line, ' ') + text + "\n";
    std::size_t at = 0;
    for (const auto& array : arrays) {
        all.resize((all.size() + 63) / 64 * 64);
        const std::size_t n = std::min(array.value("bytes", std::size_t{0}), bytes.size() - at);
        all += bytes.substr(at, n);
        at += n;
    }
    write_file_atomically(path, hash_text(all.substr(line)) + "\n" + all.substr(line));
}

template <class T>
std::string bytes_of(std::vector<T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(ItemColumns, ThatLieAreNothing) {
    const Scratch folder;
    using U = std::vector<std::uint64_t>;
    using I = std::vector<std::int32_t>;
    const auto holds = [&](const U& ends, const U& offsets, const I& classes) {
        const std::vector<std::pair<std::string, std::string>> parts = {
            {"id.text", "abcd"},
            {"id.ends", bytes_of(ends)},
            {"path.text", ""},
            {"path.ends", ""},
            {"labels.offsets", bytes_of(offsets)},
            {"labels.classes", bytes_of(classes)}};
        nlohmann::json arrays = nlohmann::json::array();
        std::string bytes;
        for (const auto& [name, part] : parts) {
            arrays.push_back({{"name", name}, {"bytes", part.size()}});
            bytes += part;
        }
        forge(folder / "f", arrays, bytes);
        return map_item_columns(folder / "f", items_hash).has_value();
    };
    EXPECT_TRUE(holds({2, 4}, {0, 1, 3}, {7, 1, 2}));
    EXPECT_FALSE(holds({3, 2}, {0, 1, 3}, {7, 1, 2}));
    EXPECT_FALSE(holds({2, 5}, {0, 1, 3}, {7, 1, 2}));
    EXPECT_FALSE(holds({~std::uint64_t{0}, 4}, {0, 1, 3}, {7, 1, 2}));
    EXPECT_FALSE(holds({2, 4}, {0, 4, 3}, {7, 1, 2}));
    EXPECT_FALSE(holds({2, 4}, {1, 1, 3}, {7, 1, 2}));
    EXPECT_FALSE(holds({2, 4}, {0, 1, 2}, {7, 1, 2}));
    EXPECT_FALSE(holds({2, 4}, {0, 1, 3}, {7, 2, 1}));
    EXPECT_FALSE(holds({2, 4}, {0, 1, 3}, {7, 2, 2}));
    EXPECT_FALSE(holds({2, 4}, {0, 1, 3}, {-1, 1, 2}));
    EXPECT_FALSE(holds({2, 4}, {0, 1}, {7}));              // the size of one item
    EXPECT_FALSE(holds({1, 2, 4}, {0, 1, 3}, {7, 1, 2}));  // the size of three items
    EXPECT_FALSE(holds({2, 4}, {}, {}));
    // The sizes are beyond the end of the file, or arrays are missing or invalid.
    const std::uint64_t huge = ~std::uint64_t{0} - 100;
    for (const nlohmann::json& arrays :
         {nlohmann::json::array({{{"name", "id.text"}, {"bytes", huge}}}),
          nlohmann::json::array({{{"name", "id.text"}, {"bytes", 4}}}),
          nlohmann::json::array({{{"name", "id.text"}}}), nlohmann::json::array()}) {
        forge(folder / "f", arrays, "abcd");
        EXPECT_FALSE(map_item_columns(folder / "f", items_hash)) << arrays;
    }
}

}  // namespace
}  // namespace assay
