#include "core/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"

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

}  // namespace
}  // namespace assay
