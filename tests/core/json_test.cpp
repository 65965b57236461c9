// The JSON reader: the texts that it accepts, and the place of an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/json_events.h"
#include "core/json_limits.h"
#include "message_of.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string refused_json(const std::string& text, int depth = 8,
                         std::uint64_t values = most_json_values) {
    return message_of([&] { parse_json(text, depth, values); });
}

std::string nested(std::size_t levels, const std::string& open, const std::string& close) {
    std::string text, end;
    for (std::size_t i = 0; i < levels; ++i) {
        text += open;
        end += close;
    }
    return text + "1" + end;
}

TEST(Json, ReadsWhatTheLibraryReads) {
    for (const char* text :
         {"null", "true", "-3", "18446744073709551615", "1.5e-3", R"("a\u00e9\n\u0000b")", "[]",
          "{}", R"([[], {}, [1, [2, "x"], {"a": [null, false]}], -0.0])",
          R"({"b": {"c": [1, {"d": {}}], "e": "f"}, "a": [[[]]], "": 0})", "\xef\xbb\xbf[1]"}) {
        const json read = parse_json(text, 8);
        EXPECT_EQ(read, json::parse(text)) << text;
        EXPECT_EQ(read.dump(), json::parse(text).dump()) << text;
    }
}

TEST(Json, DamagedTextIsAnErrorWithItsPlace) {
    for (const char* text : {"", "{", "[1,", "[1] 2", "{\"a\" 1}", "\"\xff\"", "nul", "1e999"})
        EXPECT_THAT(refused_json(text), HasSubstr("damaged JSON at line ")) << text;
    EXPECT_THAT(refused_json("[1,\n2,,]"), HasSubstr("line 2, column 3"));
}

TEST(Json, DepthHasALimit) {
    EXPECT_NO_THROW(parse_json(nested(8, "[", "]"), 8));
    EXPECT_NO_THROW(parse_json(nested(8, "{\"a\":", "}"), 8));
    EXPECT_THAT(refused_json(nested(9, "[", "]")), HasSubstr("nested deeper than 8 levels"));
    for (const char* open : {"[", "{\"a\":", "[{\"a\":"}) {
        std::string text;
        for (int i = 0; i < 100'000; ++i) text += open;
        EXPECT_THAT(refused_json(text), HasSubstr("nested deeper than 8 levels")) << open;
    }
}

TEST(Json, KeysStandOnce) {
    EXPECT_NO_THROW(parse_json(R"([{"a": 1}, {"a": {"a": 2}}])", 8));
    EXPECT_THAT(refused_json(R"({"a": {"b": 1, "b": 2}})"), HasSubstr("key `b` appears twice"));
    // There are more names than are compared one by one, and some after an inner object.
    for (const int keys : {5, 12, 13, 14, 1000}) {
        json object;
        for (int i = 0; i < keys; ++i) object["k" + std::to_string(i)] = json{{"k0", 0}};
        std::string text = object.dump();
        EXPECT_EQ(parse_json(text, 8), object);
        text.back() = ',';
        EXPECT_THAT(refused_json(text + "\"k3\": 0}"), HasSubstr("key `k3` appears twice"));
    }
}

TEST(Json, TheNumberOfValuesHasALimit) {
    EXPECT_NO_THROW(parse_json("[1, {\"a\": 2}]", 8, 4));
    EXPECT_THAT(refused_json("[1, {\"a\": 2}]", 8, 3), HasSubstr("more than 3 values"));
}

// If a reader searched its list at the end of each element, this would take hours.
TEST(Json, ManyObjectsInOneTakeTimeInProportion) {
    std::string text = "{";
    for (int i = 0; i < 400'000; ++i)
        text += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) + "\":{\"shape\":[1,2]}";
    EXPECT_EQ(parse_json(text + "}", 8).size(), 400'000U);
}

TEST(Json, EventsHaveTheSameLimits) {
    struct Count : JsonEvents {
        int values = 0, ends = 0;
        bool null() override { return ++values > 0; }
        bool boolean(bool) override { return ++values > 0; }
        bool number_integer(number_integer_t) override { return ++values > 0; }
        bool number_unsigned(number_unsigned_t) override { return ++values > 0; }
        bool number_float(number_float_t, const string_t&) override { return ++values > 0; }
        bool string(string_t&) override { return ++values > 0; }
        bool start_object(std::size_t) override { return true; }
        bool key(string_t&) override { return true; }
        bool end_object() override { return ++ends > 0; }
        bool start_array(std::size_t) override { return true; }
        bool end_array() override { return ++ends > 0; }
    };
    Count count;
    read_json_events(R"([1, -1, 1.5, "x", null, true, {"a": [2]}])", 3, count);
    EXPECT_EQ(count.values, 7);
    EXPECT_EQ(count.ends, 3);
    EXPECT_THAT(message_of([&] { read_json_events("[[[[", 3, count, "x.json"); }),
                HasSubstr("x.json: the JSON is nested deeper than 3 levels"));
    EXPECT_THAT(message_of([&] { read_json_events(R"({"a": 1, "a": 2})", 3, count, "x.json"); }),
                HasSubstr("x.json: key `a` appears twice"));
    EXPECT_THAT(message_of([&] { read_json_events("[1,", 3, count, "x.json"); }),
                HasSubstr("x.json: damaged JSON at line 1, column 4"));
}

/// "key=part" of each part, in order.
std::string parts_of(const std::string& text, const std::string& member, int depth = 8,
                     std::uint64_t values = 100) {
    std::string seen;
    std::uint64_t expected = 0;
    read_json_parts(text, member, depth, values,
                    [&](const std::string& key, json&& part, std::uint64_t number) {
                        EXPECT_EQ(number, expected++);
                        seen += (seen.empty() ? "" : " ") + key + "=" + part.dump();
                    });
    return seen;
}

TEST(JsonParts, EachIsGivenAlone) {
    EXPECT_EQ(parts_of(R"([1, [2, {}], {"a": [3]}, null])", ""), R"(=1 =[2,{}] ={"a":[3]} =null)");
    EXPECT_EQ(parts_of(R"({"x": 1, "y": [2, {"x": 3}], "z": {}})", ""),
              R"(x=1 y=[2,{"x":3}] z={})");
    EXPECT_EQ(parts_of("[]", ""), "");
    EXPECT_EQ(parts_of("{}", ""), "");
    // Reads one member. Other members are skipped, also if they contain members of this name.
    const std::string text =
        R"({"a": {"p": [9]}, "n": 7, "p": {"b": 1, "c": {"p": [2]}, "d": []}, "q": [[1], {"p": {}}]})";
    EXPECT_EQ(parts_of(text, "p"), R"(b=1 c={"p":[2]} d=[])");
    EXPECT_EQ(parts_of(text, "q"), R"(=[1] ={"p":{}})");
    EXPECT_EQ(parts_of(text, "absent"), "");
    EXPECT_EQ(parts_of(R"({"p": []})", "p"), "");
}

TEST(JsonParts, LimitsAndOtherShapes) {
    const auto refused = [](const std::string& text, const std::string& member, int depth = 8) {
        return message_of([&] { parts_of(text, member, depth, 4); });
    };
    for (const char* text : {"1", "null", "\"x\""}) {
        EXPECT_THAT(refused(text, ""), HasSubstr("the JSON is neither a list nor an object"))
            << text;
        EXPECT_THAT(refused(text, "p"), HasSubstr("the JSON is not an object")) << text;
    }
    EXPECT_THAT(refused("[[1]]", "p"), HasSubstr("the JSON is not an object"));
    EXPECT_THAT(refused(R"({"p": 3})", "p"), HasSubstr("`p` is neither a list nor an object"));
    EXPECT_THAT(refused(R"({"p": [1, [1, 2, 3, 4]]})", "p"),
                HasSubstr("element 2 has more than 4 values"));
    EXPECT_THAT(refused(R"({"a": [[[1]]], "p": []})", "p", 3), HasSubstr("deeper than 3"));
    EXPECT_THAT(refused(R"({"p": [], "p": []})", "p"), HasSubstr("key `p` appears twice"));
    EXPECT_THAT(refused(R"({"p": [1, 2)", "p"), HasSubstr("damaged JSON"));
    // Values outside the member do not count towards the limit.
    EXPECT_EQ(parts_of(R"({"a": [1, 2, 3, 4, 5, 6], "p": [1]})", "p", 8, 2), "=1");
}

TEST(JsonOutline, SaysWhatATextIs) {
    using Type = json::value_t;
    const JsonOutline object =
        json_outline(R"({"a": [1, {"b": 2}], "c": {"d": []}, "e": null})", 8);
    EXPECT_EQ(object.type, Type::object);
    ASSERT_EQ(object.members.size(), 3U);
    EXPECT_TRUE(object.has("a", Type::array) && object.has("c", Type::object) &&
                object.has("e", Type::null));
    EXPECT_FALSE(object.has("b", Type::number_unsigned) || object.has("a", Type::object));
    EXPECT_EQ(json_outline("[1, {\"a\": 2}]", 8).type, Type::array);
    EXPECT_TRUE(json_outline("[1, {\"a\": 2}]", 8).members.empty());
    EXPECT_EQ(json_outline("\"x\"", 8).type, Type::string);
    EXPECT_TRUE(json_outline("{}", 8).members.empty());
    EXPECT_EQ(json_outline(R"({"a": 1, "b": 2, "c": 3})", 8, 2).members.size(), 2U);
    EXPECT_THAT(message_of([] { json_outline("{\"a\": ", 8); }), HasSubstr("damaged JSON"));
    EXPECT_THAT(message_of([] { json_outline("", 8); }), HasSubstr("damaged JSON"));
}

}  // namespace
}  // namespace assay
