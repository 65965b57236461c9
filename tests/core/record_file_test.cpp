// JSON files that only Assay reads.
#include "core/record_file.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

struct Shelf {
    std::string name;
    std::vector<std::uint64_t> sizes;
};
struct Store {
    std::string place;
    std::int32_t floor = 0;
    bool open = false;
    std::vector<Shelf> shelves;
    Shelf best;
};

}  // namespace

template <>
inline constexpr auto description<Shelf> = describe<Shelf>({
    field<&Shelf::name>({}),
    field<&Shelf::sizes>({}),
});
template <>
inline constexpr auto description<Store> = describe<Store>({
    field<&Store::place>({}),
    field<&Store::floor>({}),
    field<&Store::open>({}),
    field<&Store::shelves>({}),
    field<&Store::best>({}),
});

namespace {

using nlohmann::json;

constexpr RecordSchema shop_schema{"shop/1"};

const Store shop{"here", -1, true, {{"a", {1, 2}}, {"b", {}}}, {"c", {3}}};
const json written = {
    {"schema", "shop/1"},
    {"place", "here"},
    {"floor", -1},
    {"open", true},
    {"shelves", {{{"name", "a"}, {"sizes", {1, 2}}}, {{"name", "b"}, {"sizes", json::array()}}}},
    {"best", {{"name", "c"}, {"sizes", {3}}}}};

TEST(RecordFile, IsReadAsItWasWritten) {
    EXPECT_EQ(record_of(shop_schema, shop), written);
    Store read;
    ASSERT_TRUE(read_record(written, shop_schema, read));
    EXPECT_EQ(record_of(shop_schema, read), written);
}

TEST(RecordFile, AFieldThatIsMissingOrOfAnotherTypeIsRefused) {
    const auto reads = [](const json& record) {
        Store read;
        return read_record(record, shop_schema, read);
    };
    for (const auto& [key, value] : written.items()) {
        json missing = written;
        missing.erase(key);
        EXPECT_FALSE(reads(missing)) << key;
        for (const json& other : {json(), json(1.5), json("x"), json::array({1}), json::object()}) {
            if (key == "place" && other.is_string()) continue;
            json wrong = written;
            wrong[key] = other;
            EXPECT_FALSE(reads(wrong)) << key << " " << other;
        }
    }
    json deep = written;
    deep["shelves"][1]["sizes"] = {-5};
    EXPECT_FALSE(reads(deep));
    EXPECT_FALSE(reads(json::array({written})));
    json more = written;
    more["later"] = 1;
    EXPECT_TRUE(reads(more));
}

}  // namespace
}  // namespace assay
