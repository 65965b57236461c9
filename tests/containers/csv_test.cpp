#include "containers/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "message_of.h"

namespace assay {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows all_rows(std::string_view text, CsvOptions options = {.delimiter = '\0', .header = false}) {
    CsvReader reader(text, "t.csv", options);
    Rows rows;
    while (reader.next()) {
        auto& row = rows.emplace_back();
        for (std::size_t c = 0; c < reader.fields(); ++c) row.emplace_back(reader[c]);
    }
    return rows;
}

std::string csv_refusal(std::string_view text, CsvOptions options = {}) {
    return message_of([&] {
        CsvReader reader(text, "t.csv", options);
        while (reader.next()) {
        }
    });
}

TEST(Csv, NoRows) {
    EXPECT_EQ(all_rows(""), Rows{});
    EXPECT_EQ(all_rows("\n\r\n\n"), Rows{});
    EXPECT_THAT(csv_refusal(""), testing::HasSubstr("the table is empty"));
    CsvReader header_only("a,b", "t.csv");
    EXPECT_THAT(header_only.columns(), testing::ElementsAre("a", "b"));
    EXPECT_FALSE(header_only.next());
}

TEST(Csv, PlainRowsAndLineEnds) {
    const Rows expected = {{"a", "b"}, {"c", ""}, {"", ""}};
    EXPECT_EQ(all_rows("a,b\nc,\n,\n"), expected);
    EXPECT_EQ(all_rows("a,b\r\nc,\r\n,\r\n"), expected);
    EXPECT_EQ(all_rows("a,b\rc,\r,"), expected);
    EXPECT_EQ(all_rows("\xEF\xBB\xBF"
                       "a,b\n\nc,\n,"),
              expected);
}

TEST(Csv, Quotes) {
    EXPECT_EQ(all_rows("\"a,b\",\"c\"\"d\",\"\"\n\"x\ny\",z,\"\"\"\"\n"),
              (Rows{{"a,b", "c\"d", ""}, {"x\ny", "z", "\""}}));
    EXPECT_EQ(all_rows("\"\"\n"), (Rows{{""}}));
    EXPECT_EQ(all_rows("5\"10,x"),
              (Rows{{"5\"10", "x"}}));  // a quote inside an unquoted field is an ordinary character
}

TEST(Csv, DelimiterIsToldByTheFirstRow) {
    EXPECT_EQ(all_rows("a\tb,c\td\n1\t2\t3\n"), (Rows{{"a", "b,c", "d"}, {"1", "2", "3"}}));
    EXPECT_EQ(all_rows("\"a\tb\t\",c\n"), (Rows{{"a\tb\t", "c"}}));  // tabs in quotes do not count
    EXPECT_EQ(all_rows("a\tb,c\n", {.delimiter = ',', .header = false}), (Rows{{"a\tb", "c"}}));
}

TEST(Csv, ColumnsAreFoundByAnyOfTheirNames) {
    CsvReader reader(" File ,Label\nx.jpg,3\n", "t.csv");
    EXPECT_EQ(reader.find_column({"path", "file"}), 0U);
    EXPECT_EQ(reader.find_column({"group"}), std::nullopt);
    EXPECT_EQ(reader.column({"label"}), 1U);
    try {
        (void)reader.column({"wnid", "id"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.message(), "t.csv: no column named wnid or id; columns:  File , Label");
    }
}

TEST(Csv, ErrorsNameTheLine) {
    EXPECT_EQ(csv_refusal("a,b\n1,2\n\n1,2,3\n"), "t.csv line 4: 3 fields; the header has 2");
    EXPECT_EQ(csv_refusal("a,b\n\"1\n2\",2\n1\n"), "t.csv line 4: 1 fields; the header has 2");
    EXPECT_EQ(csv_refusal("a\n\"x\ny"), "t.csv line 2: a quoted field is not closed");
    EXPECT_EQ(csv_refusal("a\n\"x\"y\n"), "t.csv line 2: text after the closing quote of a field");
    EXPECT_EQ(csv_refusal(std::string_view("a\nb\0c\n", 6)),
              "t.csv line 2: a zero byte; this is not a text table");
    EXPECT_THAT(csv_refusal("\xFF\xFE"
                            "a"),
                testing::HasSubstr("UTF-16"));
}

TEST(Csv, IsBounded) {
    EXPECT_THAT(csv_refusal(std::string(70'000, ',')),
                testing::HasSubstr("more than 65536 fields"));
    EXPECT_THAT(csv_refusal("a\n\"" + std::string(17 << 20, 'x') + "\"\n"),
                testing::HasSubstr("a quote not closed?"));
    EXPECT_THAT(csv_refusal("a\n" + std::string(17 << 20, 'x')),
                testing::HasSubstr("a field of 17825792 bytes"));
}

TEST(Csv, WriterQuotesOnlyWhatNeedsIt) {
    std::string out;
    CsvWriter writer(out);
    writer.row({"plain", "with blank", "", "a,b", "q\"q", "l\nl"});
    writer.row({""});
    writer.row({"\xEF\xBB\xBFx"});
    EXPECT_EQ(out, "plain,with blank,,\"a,b\",\"q\"\"q\",\"l\nl\"\n\"\"\n\"\xEF\xBB\xBFx\"\n");
}

// Any bytes except zero are read back unchanged.
TEST(Csv, RoundTripOfRandomTables) {
    constexpr std::string_view letters = "ab ,\"\n\r\t;\xEF\xBB\xBF";
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        RandomStream random(seed, "csv");
        const char delimiter = seed % 2 == 0 ? ',' : '\t';
        Rows rows(random.below(6));
        for (auto& row : rows) {
            row.resize(1 + random.below(4));
            for (auto& field : row) {
                for (std::uint64_t n = random.below(6); n > 0; --n)
                    field += letters[random.below(letters.size())];
            }
        }
        std::string text;
        CsvWriter writer(text, delimiter);
        for (const auto& row : rows) writer.row(row);
        ASSERT_EQ(all_rows(text, {.delimiter = delimiter, .header = false}), rows)
            << "seed " << seed << ":\n"
            << text;
    }
}

}  // namespace
}  // namespace assay
