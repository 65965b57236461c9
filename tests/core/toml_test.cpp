#include "core/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "message_of.h"

namespace assay {
namespace {

using nlohmann::json;

TEST(Toml, BecomesJson) {
    EXPECT_EQ(parse_toml("a = 1\nb = [1.5, true]\n[c]\nd = 'x'\n"),
              (json{{"a", 1}, {"b", {1.5, true}}, {"c", {{"d", "x"}}}}));
    EXPECT_EQ(parse_toml(""), json::object());
}

TEST(Toml, CharactersBeyondAsciiStandInQuotesAndComments) {
    EXPECT_EQ(
        parse_toml(
            "\xef\xbb\xbf# é\na = \"é\" # ü\nb = 'ö'\nc = \"\"\"\né\"x\"\\\"\"\"\"\nd = '''é'''\n"),
        (json{{"a", "é"}, {"b", "ö"}, {"c", "é\"x\"\""}, {"d", "é"}}));
}

TEST(Toml, DamagedFilesAreErrorsWithAPlace) {
    for (const char* text : {"[@", "a = ", "a = 1\na = 2\n", "é = 1\n", "a = é\n", "\xc3",
                             "a = \"open", "[[[", "a = 1e", "a = 0x"}) {
        try {
            parse_toml(text);
            ADD_FAILURE() << "was read: " << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << text;
            EXPECT_THAT(error.message(), testing::StartsWith("not valid TOML"));
        }
    }
    EXPECT_THROW(parse_toml("a = 2026-01-01\n"), Error);
}

// The parser reads a quote inside a value as a part of it, so the text after it is not a string. A
// non-ASCII letter there was undefined behaviour.
TEST(Toml, AStringBeginsWhereAValueDoes) {
    for (const char* text :
         {"x = [1, 0x1fmaxa.0b.\"c\xef\xbb\x9f[[5 ", "x = [1, 0x[[max{a.0b.\"c\xef\xbb\x9f[[5 \n]",
          "x = 1\"é\"", "x = 1.'é'", "x = a \"é\"", "x = [\"a\" \"é\"]", "a\"é\" = 1",
          "x = {a'é' = 1}", "x = \"\"\"\"\"\"é\"", "[a\n\"é\"b\"é\"]"}) {
        EXPECT_THAT(message_of([&] { parse_toml(text); }), testing::StartsWith("not valid TOML"))
            << text;
    }
    EXPECT_THAT(message_of([&] { parse_toml("a = 1\nx = 1\"\""); }),
                testing::HasSubstr("a quote inside a key or value in line 2"));
    // In these texts, a string does begin there.
    EXPECT_EQ(parse_toml("'é'.\"ü\" = [\n 'ä', # ß\n \"ö\"\n,]\n[a.\"é\" . 'x']\n[['é\\']]\n"
                         "y = { 'é' = ['ü', {\"ä\" = 'ö'}], b.\"ß\" = \"\"\"é\"\"\"\"\"}\n")
                  .dump(),
              R"({"a":{"é":{"x":{}}},"é":{"ü":["ä","ö"]},"é\\":[{"y":{"b":{"ß":"é\"\""},)"
              R"("é":["ü",{"ä":"ö"}]}}]})");
}

std::string repeated(std::size_t times, const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

// The parser, and the destructor of its tree, recurse once for every level.
TEST(Toml, DepthAndSizeHaveLimits) {
    for (const std::size_t levels : {std::size_t{65}, std::size_t{100'000}}) {
        for (const char* open : {"[", "{a=", "[[{a=[", "[ # ]\n"}) {
            EXPECT_THAT(message_of([&] { parse_toml("a = " + repeated(levels, open)); }),
                        testing::HasSubstr("nested deeper than 64 levels in line "))
                << open;
        }
    }
    for (const std::string& key :
         {repeated(100'000, "a."), repeated(33, "'a'. "), "x = {" + repeated(40, "a.")}) {
        for (const char* open : {"", "[", "[["}) {
            EXPECT_THAT(message_of([&] { parse_toml(open + key + "a = 1\n"); }),
                        testing::HasSubstr("a key of more than 32 parts in line 1"));
        }
    }
    // Each key is short, but together they are deeply nested.
    std::string text;
    for (int i = 0; i < 3; ++i) text += (i == 0 ? "" : " = {") + repeated(29, "a.") + "a";
    EXPECT_THAT(message_of([&] { parse_toml(text + " = 1}}\n"); }),
                testing::HasSubstr("nested deeper than 64 levels"));
    EXPECT_THAT(message_of([&] { parse_toml(std::string((16 << 20) + 1, '\n')); }),
                testing::HasSubstr("16777217 bytes of TOML; the limit is 16777216"));

    const json deep = parse_toml("a = " + repeated(60, "[") + "1" + repeated(60, "]"));
    EXPECT_EQ(deep.at("a").dump(), repeated(60, "[") + "1" + repeated(60, "]"));
    EXPECT_EQ(parse_toml(repeated(31, "a.") + "a = 1.5\n" + "b = [1.5, 2.5, 3.5]  # " +
                         repeated(99, "[.") + "\n" + "c = '" + repeated(99, "[.") + "'\n[d.e.f]\n")
                  .size(),
              4U);
    // Many brackets side by side are not nested.
    EXPECT_EQ(parse_toml(repeated(1000, "[[a]]\nb = [[1], [2]]\n")).at("a").size(), 1000U);
}

}  // namespace
}  // namespace assay
