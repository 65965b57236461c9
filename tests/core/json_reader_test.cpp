// Values of a JSON text: accepted values, and messages about wrong values.
#include "core/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "message_of.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::ElementsAre;

const json& made() {
    static const json value = json::parse(R"({
        "name": "a", "none": "", "n": 3, "less": -3, "large": 18446744073709551615, "half": 0.5,
        "yes": true, "nothing": null, "texts": ["x", "y"], "rows": [{"n": 1}, {"n": "two"}]})");
    return value;
}

TEST(JsonReader, TakesEachValueAsWhatItIs) {
    const JsonReader all(made(), {.whole = "the result"});
    EXPECT_EQ(all["name"].text(), "a");
    EXPECT_EQ(all["name"].name(), "a");
    EXPECT_EQ(all["none"].text(), "");
    EXPECT_EQ(all["n"].whole(3, 3), 3U);
    EXPECT_EQ(all["large"].whole(), UINT64_MAX);
    EXPECT_EQ(all["less"].number(), -3);
    EXPECT_EQ(all["less"].integer(), -3);
    EXPECT_EQ(all["n"].integer(-3, 3), 3);
    EXPECT_EQ(all["half"].number(), .5);
    EXPECT_TRUE(all["yes"].truth());
    EXPECT_THAT(all["texts"].texts(), ElementsAre("x", "y"));
    EXPECT_TRUE(all.has("nothing"));
    EXPECT_FALSE(all.has("absent"));
    EXPECT_FALSE(all.find("nothing"));
    EXPECT_FALSE(all.find("absent"));
    EXPECT_EQ(all.find("n")->whole(), 3U);
    EXPECT_EQ(all["rows"].entries()[1].place(), "rows[1]");
    EXPECT_EQ(all["rows"].entry(1)["n"].text(), "two");
}

TEST(JsonReader, FaultsNamePlaceValueAndWhatIsAllowed) {
    const JsonReader all(made(), {.whole = "the result"});
    const auto fault = [&](auto&& read) {
        return message_of([&] { read(all); }, ErrorCode::bad_input);
    };
    EXPECT_EQ(fault([](auto& r) { r["absent"]; }), "`absent` is missing");
    EXPECT_EQ(fault([](auto& r) { r["rows"].entries()[0]["m"]; }), "`rows[0].m` is missing");
    EXPECT_EQ(fault([](auto& r) { r["rows"].entries()[1]["n"].whole(); }),
              "`rows[1].n` is \"two\"; allowed: a whole number from 0 to 18446744073709551615");
    EXPECT_EQ(fault([](auto& r) { r["n"].whole(4, 9); }),
              "`n` is 3; allowed: a whole number from 4 to 9");
    EXPECT_EQ(fault([](auto& r) { r["less"].whole(); }),
              "`less` is -3; allowed: a whole number from 0 to 18446744073709551615");
    EXPECT_EQ(fault([](auto& r) { r["half"].whole(0, 1); }),
              "`half` is 0.5; allowed: a whole number from 0 to 1");
    EXPECT_EQ(fault([](auto& r) { r["large"].integer(); }),
              "`large` is 18446744073709551615; allowed: a whole number");
    EXPECT_EQ(fault([](auto& r) { r["less"].integer(-2, 9); }),
              "`less` is -3; allowed: a whole number from -2 to 9");
    EXPECT_EQ(fault([](auto& r) { r["yes"].number(); }), "`yes` is true; allowed: a number");
    EXPECT_EQ(fault([](auto& r) { r["n"].truth(); }), "`n` is 3; allowed: true, false");
    EXPECT_EQ(fault([](auto& r) { r["n"].text(); }), "`n` is 3; allowed: a text");
    EXPECT_EQ(fault([](auto& r) { r["none"].name(); }),
              "`none` is \"\"; allowed: a text that is not empty");
    EXPECT_EQ(fault([](auto& r) { r["name"].text(0); }),
              "`name` is \"a\"; allowed: a text of at most 0 bytes");
    EXPECT_EQ(fault([](auto& r) { r["texts"].entries(1); }),
              "`texts` is [\"x\",\"y\"]; allowed: a list of at most 1");
    EXPECT_EQ(fault([](auto& r) { r["rows"].texts(); }), "`rows[0]` is {\"n\":1}; allowed: a text");
    EXPECT_EQ(fault([](auto& r) { r["n"]["deeper"]; }), "`n` is 3; allowed: an object");
    EXPECT_EQ(fault([](auto& r) {
                  r["rows"].entries()[0].only({"name", "number"});
              }),
              "`rows[0]` has an unknown field `n`; known: name, number");
    EXPECT_EQ(fault([](auto& r) { r["rows"].entries()[0].only({}); }),
              "`rows[0]` has an unknown field `n`");
    const json list = json::array({1});
    EXPECT_EQ(
        message_of([&] { JsonReader(list, {.whole = "the request"})["a"]; }, ErrorCode::bad_input),
        "the request is [1]; allowed: an object");
    const json misspelt = {{"wnated", 1}};
    EXPECT_EQ(message_of([&] { JsonReader(misspelt, {.whole = "the request"}).only({"wanted"}); },
                         ErrorCode::bad_input),
              "the request has an unknown field `wnated`; did you mean `wanted`?");
}

// If each of 100,000 paths contained all names, they would take 100 GB.
TEST(JsonReader, ALongNameIsShortInEveryPlace) {
    const std::string name(1'000'000, 'k');
    const json value = {{name, json::array_t(100'000, json(0))}};
    const JsonReader all(value);
    const std::vector<JsonReader> entries = all[name].entries();
    ASSERT_EQ(entries.size(), 100'000U);
    EXPECT_EQ(entries.back().place(), std::string(60, 'k') + "...[99999]");
    EXPECT_EQ(message_of([&] { all[name + "l"]; }, ErrorCode::bad_input),
              "`" + std::string(60, 'k') + "...` is missing");
}

TEST(JsonReader, ThrowsWhatItsMakerChose) {
    const JsonReader all(made(), {.whole = "the request", .refuse = [](std::string message) {
                                      throw std::out_of_range(message);
                                  }});
    EXPECT_THROW(all["absent"], std::out_of_range);
    EXPECT_THROW(all["rows"].entries()[1]["n"].whole(), std::out_of_range);
    EXPECT_THROW(all["name"].refuse("there is another"), std::out_of_range);
}

}  // namespace
}  // namespace assay
