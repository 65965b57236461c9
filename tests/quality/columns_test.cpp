// Columns of numbers beyond the nine dimensions.
#include "assay/quality/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/quality/correlate.h"
#include "assay/quality/groups.h"
#include "message_of.h"

namespace assay::quality {
namespace {

using testing::HasSubstr;

/// The published table, with its parameters and accuracies as further columns, too.
QualityTable with_copies() {
    QualityTable table = published_models();
    table.tags.insert(table.tags.end(), {"own accuracy", "own_params"});
    for (QualityModel& model : table.models) {
        model.tags.push_back(fmt::format("{}", *model.cell(Dimension::accuracy).value));
        model.tags.push_back(fmt::format("{}", *model.cell(Dimension::parameters).value));
    }
    return table;
}

TEST(QualityColumns, ACopyOfADimensionHasItsResults) {
    const QualityTable table = with_copies();
    CorrelateOptions options;
    options.columns = {"own_accuracy", "own params"};
    options.family = "paper";
    CorrelateOptions nine;
    nine.family = "paper";
    options.replicates = nine.replicates = 300;
    const CorrelateResult plain = correlate_dimensions(published_models(), nine),
                          found = correlate_dimensions(table, options);
    ASSERT_EQ(found.pairs.size(), 55U);  // 11 columns
    // The nine come first, and keep their values; only the adjustment is over more pairs.
    for (std::size_t i = 0; i < plain.pairs.size(); ++i) {
        EXPECT_EQ(to_json(found.pairs[i].rho), to_json(plain.pairs[i].rho));
        EXPECT_EQ(found.pairs[i].p, plain.pairs[i].p);
    }
    std::size_t compared = 0;
    for (const Correlation& copy : found.pairs) {
        if (copy.x.name != "own_params" || copy.y.name == "own accuracy") continue;
        if (copy.y == Dimension::parameters) {
            EXPECT_EQ(copy.rho.value, 1.0);
            continue;
        }
        for (const Correlation& pair : plain.pairs) {
            if (pair.x != Dimension::parameters || pair.y.name != copy.y.name) continue;
            EXPECT_EQ(to_json(copy.rho), to_json(pair.rho));
            EXPECT_EQ(copy.p, pair.p);
            ++compared;
        }
    }
    EXPECT_EQ(compared, 8U);
    EXPECT_EQ(report_of(found).result["pairs"].back()["x"], "own_params");

    GroupOptions groups;
    groups.first = {"rows=1-7"};
    groups.second = {"rows=8-15"};  // 15 models: all exchanges are counted
    groups.columns = {"own accuracy"};
    const GroupResult compared_groups = compare_groups(table, groups);
    ASSERT_EQ(compared_groups.dimensions.size(), 10U);
    const GroupDifference &accuracy = compared_groups.dimensions[0],
                          &copy = compared_groups.dimensions[9];
    EXPECT_EQ(copy.dimension.name, "own accuracy");
    EXPECT_EQ(to_json(copy.difference), to_json(accuracy.difference));
    EXPECT_EQ(to_json(copy.effect), to_json(accuracy.effect));
    EXPECT_EQ(copy.p, accuracy.p);
}

constexpr std::string_view costs = R"(model,gmacs,latency_ms,made,gain
a,1.5,10,early,+3
b,2,12,early,-1
c,4,9,early,
d,6,30,late,+13
e,9,28,late,2
f,12,44,late,NA
)";

TEST(QualityColumns, ATableWithoutTheNine) {
    const QualityTable table = parse_quality_table(costs, "costs.csv", TableColumns::any);
    CorrelateOptions options;
    options.columns = {"gmacs", "latency_ms", "gain"};
    const CorrelateResult found = correlate_dimensions(table, options);
    ASSERT_EQ(found.pairs.size(), 3U);
    // Ranks of gmacs 1 to 6, and of the latency 2 3 1 5 4 6: 1 - 6 (1 + 1 + 4 + 1 + 1) / (6 * 35).
    EXPECT_NEAR(*found.pairs[0].rho.value, 1 - 48.0 / 210, 1e-12);
    EXPECT_EQ(found.pairs[0].rho.n, 6U);
    // Of four models: ranks 1 2 3 4 and of the gain 3 1 4 2.
    EXPECT_NEAR(*found.pairs[1].rho.value, 1 - 6.0 * (4 + 1 + 1 + 4) / 60, 1e-12);
    EXPECT_EQ(found.pairs[1].rho.n, 4U);

    GroupOptions groups;
    groups.first = {"made=early"};
    groups.second = {"made=late"};
    groups.columns = {"gmacs"};
    const GroupResult differ = compare_groups(table, groups);
    ASSERT_EQ(differ.dimensions.size(), 1U);
    EXPECT_NEAR(*differ.dimensions[0].difference.value, 9 - 2.5, 1e-12);
    EXPECT_NEAR(differ.dimensions[0].p, 2.0 / 20, 1e-12);  // the two most extreme of 20
    EXPECT_EQ(differ.dimensions[0].adjusted, differ.dimensions[0].p);
}

TEST(QualityColumns, FaultsSayWhatIsAllowed) {
    const QualityTable table = parse_quality_table(costs, "costs.csv", TableColumns::any);
    const std::vector<std::size_t> all{0, 1, 2, 3, 4, 5};
    const auto refused = [&](std::vector<std::string> columns, ErrorCode code) {
        return message_of([&] { quality_columns(table, columns, all); }, code);
    };
    EXPECT_THAT(refused({"gmac"}, ErrorCode::usage),
                HasSubstr("no column `gmac` (did you mean `gmacs`?); its columns of numbers are: "
                          "gmacs, latency_ms, gain"));
    EXPECT_THAT(refused({}, ErrorCode::usage), HasSubstr("name columns of numbers with --column"));
    EXPECT_THAT(refused({"gmacs", "GMACs"}, ErrorCode::usage), HasSubstr("given twice"));
    EXPECT_THAT(refused({"accuracy"}, ErrorCode::usage), HasSubstr("omit it"));
    EXPECT_THAT(refused({"made"}, ErrorCode::bad_input),
                HasSubstr("costs.csv: column `made` of a is `early`, which is not a number"));
    QualityTable signs = table;
    signs.models[0].tags[3] = "+-3";
    EXPECT_THAT(message_of([&] { quality_columns(signs, {"gain"}, all); }, ErrorCode::bad_input),
                HasSubstr("column `gain` of a is `+-3`"));
    CorrelateOptions alone;
    alone.columns = {"gmacs"};
    EXPECT_THAT(message_of([&] { correlate_dimensions(table, alone); }, ErrorCode::usage),
                HasSubstr("only the column `gmacs`"));
    // The other commands need a dimension.
    EXPECT_THAT(message_of([&] { parse_quality_table(costs, "costs.csv"); }, ErrorCode::bad_input),
                HasSubstr("no column of a quality dimension"));
}

TEST(QualityColumns, OnlyTheChosenModelsAreRead) {
    const QualityTable table =
        parse_quality_table("model,gmacs,made,unknown\na,1,early,\nb,2,early,-\nc,>10,late,na\n",
                            "costs.csv", TableColumns::any);
    const std::vector<std::size_t> early{0, 1}, all{0, 1, 2};
    const std::vector<QualityColumn> columns = quality_columns(table, {"gmacs"}, early);
    ASSERT_EQ(columns.size(), 1U);
    EXPECT_EQ(columns[0].values, (std::vector<std::optional<double>>{1.0, 2.0, std::nullopt}));
    EXPECT_THAT(message_of([&] { quality_columns(table, {"gmacs"}, all); }, ErrorCode::bad_input),
                HasSubstr("column `gmacs` of c is `>10`"));
    // A column without any number is none of numbers.
    EXPECT_THAT(message_of([&] { quality_columns(table, {"x"}, early); }, ErrorCode::usage),
                HasSubstr("its columns of numbers are: gmacs"));
    EXPECT_THAT(message_of([&] { quality_columns(table, {"x"}, early); }, ErrorCode::usage),
                testing::Not(HasSubstr("unknown")));
}

}  // namespace
}  // namespace assay::quality
