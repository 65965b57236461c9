// Fields with one description: accepted values, refused values, and messages.
#include "assay/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/json_keys.h"
#include "message_of.h"

namespace assay {

enum class Tint { red, blue };
constexpr auto words_of(Tint) {
    return std::array{std::pair(Tint::red, std::string_view("red")),
                      std::pair(Tint::blue, std::string_view("blue"))};
}
struct Painted {
    std::int64_t most = 100;
    std::uint64_t memory = 2 << 20;
    int threads = 0;
    std::uint64_t seed = 0;
    double level = .95;
    Tint colour = Tint::red;
    std::vector<int> sizes = {1, 2};
    std::filesystem::path file;
    std::string name;
    bool whole = false;
};
template <>
inline constexpr auto description<Painted> = describe<Painted>({
    field<&Painted::most>({.help = "At most", .min = 1, .max = 1000, .empty = "the default"}),
    field<&Painted::memory>(
        {.help = "Memory", .min = 1, .max = 1 << 24, .unit = "MiB", .times = 1 << 20}),
    field<&Painted::threads>(
        {.help = "Threads", .min = 0, .empty = "one per core", .excludes = "whole"}),
    field<&Painted::seed>({.help = "Seed"}),
    field<&Painted::level>({.help = "Level", .min = .5, .max = .9999}),
    field<&Painted::colour>({.help = "Colour"}),
    field<&Painted::sizes>({.help = "Sizes", .min = 0, .max = 10}),
    field<&Painted::file>({.help = "File"}),
    field<&Painted::name>({.help = "Name", .name = "called"}),
    field<&Painted::whole>({.help = "Whole"}),
});
std::string fault_of(const Painted& painted) {
    return painted.name == "nobody" ? "called is nobody" : "";
}

namespace {

using nlohmann::json;
using testing::ElementsAre;

const Field& row(std::string_view name) {
    for (const Field& field : description<Painted>) {
        if (field.name == name) return field;
    }
    throw std::out_of_range(std::string(name));
}
std::string set(Painted& object, std::string_view name, const json& value) {
    return set_field(row(name), &object, value);
}
std::string typed(Painted& object, std::string_view name, const std::vector<std::string>& texts) {
    return set_texts(row(name), &object, texts);
}

TEST(Describe, NamesComeFromMembersUnlessTold) {
    std::vector<std::string_view> names;
    for (const Field& field : description<Painted>) names.push_back(field.name);
    EXPECT_THAT(names, ElementsAre("most", "memory", "threads", "seed", "level", "colour", "sizes",
                                   "file", "called", "whole"));
}

TEST(Describe, OneCheckForWhatWasTypedAndWhatAFileSays) {
    Painted object;
    const auto refused = [&](std::string_view name, const json& value, const std::string& text) {
        const Painted before = object;
        const std::string fault = set(object, name, value);
        EXPECT_EQ(typed(object, name, {text}), fault);
        EXPECT_EQ(json_of(object), json_of(before)) << name;
        return fault;
    };
    EXPECT_EQ(refused("most", 1001, "1001"), "is 1001; allowed: a whole number from 1 to 1000");
    EXPECT_EQ(refused("most", 2.5, "2.5"), "is 2.5; allowed: a whole number from 1 to 1000");
    EXPECT_EQ(refused("most", "two", "two"), "is `two`; allowed: a whole number from 1 to 1000");
    EXPECT_EQ(refused("threads", 2147483648, "2147483648"),
              "is 2147483648; allowed: a whole number from 0 to 2147483647");
    EXPECT_EQ(refused("threads", -1, "-1"), "is -1; allowed: a whole number from 0 to 2147483647");
    EXPECT_EQ(refused("seed", -1, "-1"),
              "is -1; allowed: a whole number from 0 to 18446744073709551615");
    EXPECT_EQ(refused("level", std::nan(""), "nan"),
              "is nan; allowed: a number from 0.5 to 0.9999");
    EXPECT_EQ(refused("level", 1, "1"), "is 1; allowed: a number from 0.5 to 0.9999");
    EXPECT_EQ(refused("colour", "blu", "blu"),
              "is `blu`; allowed: red, blue; did you mean `blue`?");
    EXPECT_EQ(refused("sizes", 11, "11"),
              "is 11; allowed: a list, each entry a whole number from 0 to 10");
    EXPECT_EQ(set(object, "whole", 1), "is 1; allowed: true, false");
    EXPECT_EQ(set(object, "file", 3), "is 3; allowed: a path");
    // CLI11 reads this as 8, and other parsers as 10.
    EXPECT_EQ(typed(object, "seed", {"010"}),
              "is 010; allowed: a whole number from 0 to 18446744073709551615");
    EXPECT_EQ(typed(object, "seed", {"18446744073709551616"}),
              "is 18446744073709551616; allowed: a whole number from 0 to 18446744073709551615");
}

TEST(Describe, ValuesAreTaken) {
    Painted object;
    EXPECT_EQ(typed(object, "seed", {"18446744073709551615"}), "");
    EXPECT_EQ(object.seed, UINT64_MAX);
    EXPECT_EQ(set(object, "most", 1), "");
    EXPECT_EQ(object.most, 1);
    EXPECT_EQ(set(object, "most", 0), "");  // the default is used
    EXPECT_EQ(object.most, 100);
    EXPECT_EQ(set(object, "threads", 0), "");
    EXPECT_EQ(set(object, "memory", 3), "");
    EXPECT_EQ(object.memory, 3U << 20);
    EXPECT_EQ(json_of(object).at("memory"), 3);
    EXPECT_EQ(set(object, "sizes", 7), "");  // one value for a list with one entry
    EXPECT_THAT(object.sizes, ElementsAre(7));
    EXPECT_EQ(typed(object, "sizes", {"8", "9"}), "");
    EXPECT_THAT(object.sizes, ElementsAre(8, 9));
    EXPECT_EQ(typed(object, "called", {"nan"}), "");
    EXPECT_EQ(object.name, "nan");
    const std::filesystem::path folder = "/there";
    EXPECT_EQ(set_field(row("file"), &object, "x.csv", &folder), "");
    EXPECT_EQ(object.file, "/there/x.csv");
    EXPECT_EQ(
        json_of(object).dump(),
        R"({"called":"nan","colour":"red","file":"/there/x.csv","level":0.95,"memory":3,"most":100,)"
        R"("seed":18446744073709551615,"sizes":[8,9],"threads":0,"whole":false})");
}

TEST(Describe, TablesTakeBothSpellingsAndNameWhatIsLeft) {
    const auto read = [](const json& table) {
        Keys keys(table, "[paint]", "/there");
        Painted object;
        keys.take(object);
        keys.nothing_left();
        return object;
    };
    EXPECT_EQ(read({{"most", 5}, {"file", "f"}}).file, "/there/f");
    const auto message = [&](const json& table) {
        return message_of([&] { read(table); }, ErrorCode::bad_input);
    };
    EXPECT_EQ(message({{"most", 5000}}),
              "[paint].most is 5000; allowed: a whole number from 1 to 1000");
    EXPECT_EQ(message({{"mst", 5}}), "[paint] has an unknown key `mst`; did you mean `most`?");
    EXPECT_EQ(message({{"threads", 2}, {"whole", true}}), "[paint]: threads excludes whole");
    EXPECT_EQ(message({{"called", "nobody"}}), "[paint]: called is nobody");
    Keys both({{"a-b", 1}, {"a_b", 2}}, "[paint]");
    EXPECT_THAT(message_of([&] { both.take<int>("a_b", 0); }, ErrorCode::bad_input),
                testing::HasSubstr("are the same key"));
}

}  // namespace
}  // namespace assay
