#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "core/file.h"
#include "core/random.h"
#include "message_of.h"
#include "temp_folder.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::string refused(const TempFolder& folder, std::string_view text) {
    return message_of([&] { read_items_csv(folder.write("bad.csv", text)); });
}

TEST(ItemsCsv, None) {
    const TempFolder folder;
    write_items_csv(Dataset{}, folder / "items.csv");
    EXPECT_EQ(read_text(folder / "items.csv"), "id,path,labels\n");
    EXPECT_EQ(read_items_csv(folder / "items.csv").size(), 0U);
}

TEST(ItemsCsv, TextIsFixed) {
    const TempFolder folder;
    Dataset dataset;
    dataset.ids.append("a/1.jpg");
    dataset.ids.append("b,2.jpg");
    dataset.labels.append(std::vector<std::int32_t>{7, 3});
    dataset.labels.append({});
    dataset.attributes.push_back({"group", {}});
    dataset.attributes[0].values.append("x");
    dataset.attributes[0].values.append("");
    write_items_csv(dataset, folder / "items.csv");
    EXPECT_EQ(read_text(folder / "items.csv"),
              "id,path,labels,group\na/1.jpg,,3 7,x\n\"b,2.jpg\",,,\n");
}

TEST(ItemsCsv, RoundTrip) {
    constexpr std::string_view letters = "ab/ ,\"\n\r\t\xC3\xA4\xFF.";
    const TempFolder folder;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        RandomStream random(seed, "items");
        const auto word = [&] {
            std::string out;
            for (auto n = random.below(6); n > 0; --n) out += letters[random.below(letters.size())];
            return out;
        };
        Dataset dataset;
        const bool with_paths = seed % 2 == 0;
        for (auto a = random.below(3); a > 0; --a)
            dataset.attributes.push_back({"att," + word(), {}});
        for (std::uint64_t n = random.below(8), i = 0; i < n; ++i) {
            dataset.ids.append(std::to_string(i) + word());
            if (with_paths) dataset.paths.append("p" + word());
            std::vector<std::int32_t> labels(random.below(4));
            for (auto& label : labels) label = static_cast<std::int32_t>(random.below(INT32_MAX));
            dataset.labels.append(labels);
            for (auto& attribute : dataset.attributes) attribute.values.append(word());
        }
        write_items_csv(dataset, folder / "items.csv");
        const Dataset back = read_items_csv(folder / "items.csv");
        EXPECT_EQ(back.ids, dataset.ids) << seed;
        EXPECT_EQ(back.paths, dataset.paths) << seed;
        EXPECT_EQ(back.labels, dataset.labels) << seed;
        ASSERT_EQ(back.attributes.size(), dataset.attributes.size());
        for (std::size_t a = 0; a < back.attributes.size(); ++a) {
            EXPECT_EQ(back.attributes[a].name, dataset.attributes[a].name);
            EXPECT_EQ(back.attributes[a].values, dataset.attributes[a].values);
        }
        const std::string first = read_text(folder / "items.csv");
        write_items_csv(back, folder / "items.csv");
        EXPECT_EQ(read_text(folder / "items.csv"), first) << seed;
    }
}

TEST(ItemsCsv, Damaged) {
    const TempFolder folder;
    EXPECT_THAT(refused(folder, ""), HasSubstr("the table is empty"));
    EXPECT_THAT(refused(folder, "id,labels,path\n"),
                HasSubstr("the first columns must be id,path,labels"));
    EXPECT_THAT(refused(folder, "id,path,labels\na,,1\nb,\n"),
                HasSubstr("bad.csv line 3: 2 fields; the header has 3"));
    EXPECT_THAT(refused(folder, "id,path,labels\na,,1\na,,2\n"),
                HasSubstr("id `a` appears twice (items 0 and 1)"));
    for (const char* labels : {"-1", "x", "1  2", " 1", "1 ", "99999999999", "1;2", "1.0"}) {
        EXPECT_THAT(refused(folder, "id,path,labels\na,," + std::string(labels) + "\n"),
                    HasSubstr("are not class numbers"))
            << labels;
    }
}

}  // namespace
}  // namespace assay
