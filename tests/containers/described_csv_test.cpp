// Csv from a description, row by row.
#include "containers/described_csv.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace assay {
namespace {

struct Vote {
    std::string_view answer;
    int times;
};
ResultType result_type(ResultOf<Vote>) {
    static constexpr auto rows =
        describe_result<Vote>({.name = "Vote"}, {part<&Vote::answer>({}), part<&Vote::times>({})});
    return rows;
}

struct Question {
    std::string item;
    std::optional<double> prior;
    Estimate accuracy;
    std::vector<Vote> votes;
};
ResultType result_type(ResultOf<Question>) {
    static constexpr auto rows = describe_result<Question>(
        {.name = "Question", .columns = "item,n_{answer}=votes.times,prior,accuracy*"},
        {part<&Question::item>({}), part<&Question::prior>({}), part<&Question::accuracy>({}),
         part<&Question::votes>({})});
    return rows;
}

TEST(DescribedCsv, NamesAndFieldsAreOfOneList) {
    std::string text;
    const std::vector<Vote> none = {{"no", 0}, {"a,b", 0}};
    DescribedCsv<Question> csv(text, {"", {}, {}, none});
    EXPECT_EQ(text, "item,n_no,\"n_a,b\",prior,accuracy,accuracy_low,accuracy_high\n");
    text.clear();  // a writer may use the fields that exist
    Estimate known;
    known.value = 0.1;
    known.interval = Interval{0.05, 1. / 3, 0.95, "wilson"};
    csv.add({"=\"1\"", 2.0, known, {{"no", 3}, {"a,b", 70'000}}});
    known.interval.reset();
    csv.add({"", {}, known, none});
    known.value.reset();
    csv.add({"x\ny", 1e-300, known, none});
    EXPECT_EQ(text,
              "\"=\"\"1\"\"\",3,70000,2,0.1,0.05,0.3333333333333333\n"
              ",0,0,,0.1,,\n"
              "\"x\ny\",0,0,1e-300,,,\n");
}

TEST(DescribedCsv, ATableWithoutRowsHasItsNames) {
    std::string text;
    const DescribedCsv<Question> csv(text);
    EXPECT_EQ(text, "item,prior,accuracy,accuracy_low,accuracy_high\n");
}

TEST(CellsCsv, ShortRowsEndWithEmptyFields) {
    std::string text;
    CellsCsv csv(text, {{"bar", false, false}, {"a"}, {"b", true, true}, {"c", false, true}});
    csv.add({Cell(), std::string("x")});
    csv.add({});
    EXPECT_EQ(text, "a,b,b_low,b_high,c_low,c_high\nx,,,,,\n,,,,,\n");
}

}  // namespace
}  // namespace assay
