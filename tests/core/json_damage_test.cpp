// What messages say about a text that is not JSON.
#include "core/json_damage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_limits.h"
#include "message_of.h"

namespace assay {
namespace {

using nlohmann::json;

TEST(JsonDamage, SaysPlaceAndWhatWasExpected) {
    const struct {
        std::string text, message;
    } rows[] = {
        {"", "line 1, column 1: the text is empty; expected a value"},
        {" \n", "line 2, column 1: the text is empty; expected a value"},
        {"[1, 2", "line 1, column 6: the text ends too early; expected `,` or `]`"},
        {"{\"a\": 1,\n \"b\"",
         "line 2, column 5: the text ends too early; expected `:` after the key"},
        {"[1,\n2,,]", "line 2, column 3: expected a value after the comma, found `,`"},
        {"[1, 2,\n]", "line 2, column 1: expected a value after the comma, found `]`"},
        {"{\"a\": 1,}",
         "line 1, column 9: expected a key in double quotes after the comma, found `}`"},
        {"{a: 1}", "line 1, column 2: expected a key in double quotes or `}`, found `a`"},
        {"{'a': 1}",
         "line 1, column 2: expected a key in double quotes or `}`, found `'` (JSON has double "
         "quotes)"},
        {"{\"a\" 1}", "line 1, column 6: expected `:` after the key, found `1`"},
        {"{\"a\": }", "line 1, column 7: expected a value, found `}`"},
        {"[1}", "line 1, column 3: expected `,` or `]`, found `}`"},
        {"[1 2]", "line 1, column 4: expected `,` or `]`, found `2`"},
        {"[1, // one\n2]",
         "line 1, column 5: expected a value after the comma, found `/` (JSON has no comments)"},
        {"{\"a\": 1}\n{\"a\": 2}",
         "line 2, column 1: expected the end of the text, found `{` (call a file with one object "
         "per line .jsonl)"},
        {"[NaN]",
         "line 1, column 2: the word `NaN` is not JSON; allowed: true, false, null, numbers, and "
         "texts in double quotes"},
        {"[01]", "line 1, column 2: the number `01` begins with a zero"},
        {"[-]", "line 1, column 2: `-` is not a number of JSON"},
        {"[1.]", "line 1, column 2: `1.` is not a number of JSON"},
        {"[1e+]", "line 1, column 2: `1e+` is not a number of JSON"},
        {"[2,\n -1e999]", "line 2, column 2: the number `-1e999` is too large"},
        {"[\"ab]", "line 1, column 2: the text that begins here has no closing double quote"},
        {"[\"a\n\"]", "line 1, column 2: the text that begins here has no closing double quote"},
        {"[\"a\tb\"]", "line 1, column 4: a control character inside a text; write it as \\u0009"},
        {R"(["C:\data"])",
         "line 1, column 5: `\\d` is not an escape sequence of JSON; write a backslash as `\\\\`"},
        {R"(["\u12"])", "line 1, column 3: `\\u` needs four hexadecimal digits"},
        {R"(["\ud800x"])",
         "line 1, column 3: `\\ud800` is half of a surrogate pair without the other"},
        {"[\"\xC3\xA4\xE4\"]",  // an a with two dots in UTF-8, then in Latin-1
         "line 1, column 4: a text that is not UTF-8; save the file as UTF-8"},
        {"\xFF\xFE[\x00", "line 1, column 1: the text is UTF-16; save it as UTF-8"},
        {"\xEF\xBB\xBF[", "line 1, column 2: the text ends too early; expected a value or `]`"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(message_of([&] { parse_json(row.text, 8); }), "damaged JSON at " + row.message)
            << row.text;
    }
}

TEST(JsonDamage, OfALineGivesTheColumnOnly) {
    EXPECT_EQ(message_of([] { parse_json_line("{\"a\": }", 8); }),
              "damaged JSON at column 7: expected a value, found `}`");
    // Only a file of several lines may need the name of a .jsonl.
    EXPECT_EQ(message_of([] { parse_json_line("{}{}", 8); }),
              "damaged JSON at column 3: expected the end of the text, found `{`");
    EXPECT_EQ(message_of([] { parse_json("{\n}\n{}", 8); }),
              "damaged JSON at line 3, column 1: expected the end of the text, found `{`");
}

/// The line on which the library's own parser stops.
std::ptrdiff_t line_of_library(const std::string& text, bool& sound) {
    struct Events final : json::json_sax_t {
        std::size_t place = 0;
        bool damaged = false;
        bool null() override { return true; }
        bool boolean(bool) override { return true; }
        bool number_integer(number_integer_t) override { return true; }
        bool number_unsigned(number_unsigned_t) override { return true; }
        bool number_float(number_float_t, const string_t&) override { return true; }
        bool string(string_t&) override { return true; }
        bool binary(binary_t&) override { return true; }
        bool start_object(std::size_t) override { return true; }
        bool key(string_t&) override { return true; }
        bool end_object() override { return true; }
        bool start_array(std::size_t) override { return true; }
        bool end_array() override { return true; }
        bool parse_error(std::size_t position, const std::string&,
                         const json::exception&) override {
            place = position;
            damaged = true;
            return false;
        }
    } events;
    json::sax_parse(text, &events);
    sound = !events.damaged;
    const std::size_t read = events.place == 0 ? 0 : events.place - 1;
    return 1 + std::count(text.begin(),
                          text.begin() + static_cast<std::ptrdiff_t>(std::min(read, text.size())),
                          '\n');
}

// Every cut, and every byte replaced or inserted: the description has a grammar of its own, which
// must agree with the parser on what is damaged, and on the line.
TEST(JsonDamage, AgreesWithTheParser) {
    const std::string text =
        "{\"a\": [1, -2.5e+3, 0.5, \"x\\n\\u00e9\\ud83d\\ude00\", true, false, null],\n"
        " \"b\u00e4\": {\"c\": {}, \"d\": []},\n \"e\": \"\"}\n";
    std::vector<std::string> changed;
    for (std::size_t i = 0; i <= text.size(); ++i) changed.push_back(text.substr(0, i));
    for (std::size_t i = 0; i < text.size(); ++i) {
        for (const char byte : std::string_view("\"\\,:[]{}0-.ex tu'/\n\t\x80\xE4\xFF")) {
            std::string one = text;
            one[i] = byte;
            changed.push_back(one);
            changed.push_back(text.substr(0, i) + byte + text.substr(i));
        }
        changed.push_back(text.substr(0, i) + text.substr(i + 1));
    }
    std::size_t refused = 0;
    for (const std::string& one : changed) {
        bool sound = false;
        const std::ptrdiff_t line = line_of_library(one, sound);
        if (sound) continue;
        ++refused;
        const std::string message = json_damage(one, 0);
        // The description would fall back on "too large" if its grammar found no fault.
        EXPECT_THAT(message, testing::Not(testing::HasSubstr("too large"))) << one;
        const bool ends = one.find_last_not_of(" \n") < one.size() &&
                          message.find("too early") != std::string::npos;
        const bool unclosed = message.find("no closing double quote") != std::string::npos;
        if (!ends && !unclosed) {
            EXPECT_THAT(message,
                        testing::StartsWith("damaged JSON at line " + std::to_string(line) + ", "))
                << one;
        }
    }
    EXPECT_GT(refused, 3000U);
}

}  // namespace
}  // namespace assay
