// Results with one description, which gives JSON, csv, TypeScript and docs.
#include "assay/describe_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/estimate.h"
#include "core/list_columns.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

enum class Side { left, right };
constexpr auto words_of(Side) {
    return std::array{std::pair(Side::left, std::string_view("left")),
                      std::pair(Side::right, std::string_view("right"))};
}
enum class Mood { good };
std::string_view name_of(Mood) {
    return "good";
}

struct Leaf {
    std::string name;
    Estimate size;
};
ResultType result_type(ResultOf<Leaf>) {
    static constexpr auto rows = describe_result<Leaf>(
        {.name = "Leaf", .columns = "leaf=name,size=size.value,size_low=size.interval.low"},
        {part<&Leaf::name>({}), part<&Leaf::size>({.help = "Length of it"})});
    return rows;
}

struct Twig : Leaf {
    std::optional<double> angle;
};
ResultType result_type(ResultOf<Twig>) {
    static constexpr auto rows = describe_result<Twig>(
        {.name = "Twig", .columns = "name,angle"},
        {part({.inlined = true}, [](const Twig& twig) -> const Leaf& { return twig; }),
         part<&Twig::angle>({})});
    return rows;
}

struct Tree {
    std::vector<Leaf> leaves;
    std::optional<Leaf> last;
    std::array<std::optional<int>, 2> ages;
    std::array<std::array<int, 2>, 2> grid{{{1, 2}, {3, 4}}};
    std::map<std::string, std::string> notes;
    Side side = Side::right;
    Mood mood = Mood::good;
    std::uint64_t rings = 3;
    std::string hint;
    std::optional<double> rate = 0.0;
    bool dead = false;
    json more = {1, "two"};
    Estimate height;
    bool old() const { return rings > 2; }
};
constexpr std::array<std::string_view, 2> ends = {"first", "second"};
ResultType result_type(ResultOf<Tree>) {
    static constexpr auto rows = describe_result<Tree>(
        {.name = "Tree",
         .help = "What stands in a wood",
         .schema = "assay.tree/1",
         .columns = "side,rings=counts.rings,second=ages.second,notes,twice,dead,height*"},
        {
            part<&Tree::leaves>({}),
            part<&Tree::last>({}),
            part<&Tree::ages>({.keys = ends}),
            part<&Tree::grid>({.keys = ends, .inner_keys = ends}),
            part<&Tree::notes>({.omitted = true}),
            part<&Tree::side>({}),
            part<&Tree::mood>({}),
            part<&Tree::rings>({.help = "One a year", .group = "counts"}),
            part({.name = "leaves", .group = "counts"},
                 [](const Tree& tree) { return tree.leaves.size(); }),
            part<&Tree::hint>({.omitted = true, .usual = true}),
            part<&Tree::rate>({.omitted = true}),
            part<&Tree::dead>({.omitted = true}),
            part<&Tree::more>({.script = "(number | string)[]"}),
            part<&Tree::old>({}),
            part<&Tree::height>({}),
            part({.name = "twice", .only_csv = true},
                 [](const Tree& tree) { return 2 * tree.rings; }),
        });
    return rows;
}

Leaf leaf(const char* name, std::optional<double> size) {
    Leaf out{name, {}};
    out.size.value = size;
    out.size.undefined = "never seen";
    if (size) out.size.interval = Interval{*size - 1, *size + 1, .95, "made"};
    return out;
}

TEST(DescribeResult, JsonIsWhatTheRowsSay) {
    Tree tree;
    tree.leaves = {leaf("a", 2.5)};
    tree.ages[1] = 7;
    tree.notes["k"] = "v";
    const json want = {
        {"schema", "assay.tree/1"},
        {"leaves",
         {{{"name", "a"},
           {"size",
            {{"value", 2.5},
             {"n", 0},
             {"interval", {{"low", 1.5}, {"high", 3.5}, {"level", .95}, {"method", "made"}}}}}}}},
        {"last", nullptr},
        {"ages", {{"first", nullptr}, {"second", 7}}},
        {"grid",
         {{"first", {{"first", 1}, {"second", 2}}}, {"second", {{"first", 3}, {"second", 4}}}}},
        {"notes", {{"k", "v"}}},
        {"side", "right"},
        {"mood", "good"},
        {"counts", {{"rings", 3}, {"leaves", 1}}},
        {"rate", 0.0},
        {"more", {1, "two"}},
        {"old", true},
        {"height", {{"value", nullptr}, {"undefined", ""}, {"n", 0}}}};
    EXPECT_EQ(to_json(tree).dump(2), want.dump(2));
}

TEST(DescribeResult, WhatSaysNothingIsLeftOutWhereTheRowSaysSo) {
    Tree tree;
    tree.rate.reset();
    const json none = to_json(tree);
    for (const char* name : {"notes", "hint", "rate", "dead"}) EXPECT_FALSE(none.contains(name));
    EXPECT_TRUE(none.at("leaves").is_array());
    tree.dead = true;
    tree.hint = "oak";
    const json all = to_json(tree);
    EXPECT_EQ(all.at("dead"), true);
    EXPECT_EQ(all.at("hint"), "oak");
}

TEST(DescribeResult, AnEstimateSaysWhyItHasNoValue) {
    const json made = to_json(leaf("a", {}));
    EXPECT_EQ(made.at("size"), json({{"value", nullptr}, {"undefined", "never seen"}, {"n", 0}}));
    Estimate percent;
    percent.value = .5;
    percent.unit = Unit::proportion;
    EXPECT_EQ(to_json(percent), json({{"value", .5}, {"unit", "proportion"}, {"n", 0}}));
}

TEST(DescribeResult, BasesStandInTheirHeirs) {
    Twig twig;
    twig.name = "t";
    twig.size.value = 1;
    EXPECT_EQ(to_json(twig),
              json({{"name", "t"}, {"size", {{"value", 1.0}, {"n", 0}}}, {"angle", nullptr}}));
    const Table table = table_of(std::vector{twig});
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(std::get<std::string>(table.rows[0][0]), "t");
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[0][1]));
}

TEST(DescribeResult, ColumnsAndCellsAreOfOneList) {
    Tree tree;
    tree.ages[1] = 9;
    tree.notes = {{"a", "1"}, {"b", "c"}};
    tree.height = {.value = 30,
                   .undefined = "",
                   .unit = Unit::proportion,
                   .n = 4,
                   .interval = Interval{25, 35, .9, "made"},
                   .standard_error = 2,
                   .note = "tall"};
    Table table = result_table<Tree, Leaf>();
    add_row(table, tree, leaf("x", 5.0));
    add_row(table, tree, leaf("y", {}));
    std::vector<std::string> names;
    std::vector<bool> numbers;
    for (const Column& column : table.columns) {
        names.push_back(column.name);
        numbers.push_back(column.numbers);
    }
    EXPECT_THAT(names, ElementsAre("side", "rings", "second", "notes", "twice", "dead", "height",
                                   "leaf", "size", "size_low"));
    EXPECT_THAT(numbers,
                ElementsAre(false, true, true, false, true, true, true, false, true, true));
    const std::vector<Cell>& row = table.rows.at(0);
    EXPECT_EQ(std::get<std::string>(row.at(0)), "right");
    EXPECT_EQ(std::get<Count>(row.at(1)).value, 3U);
    EXPECT_EQ(std::get<Count>(row.at(2)).value, 9U);
    EXPECT_EQ(std::get<std::string>(row.at(3)), "a=1 b=c");
    EXPECT_EQ(std::get<Count>(row.at(4)).value, 6U);
    EXPECT_EQ(std::get<bool>(row.at(5)), false);
    const auto& height = std::get<Estimate>(row.at(6));
    EXPECT_EQ(table.columns.at(6).show, Column::Show::every_part);
    EXPECT_EQ(height.value, 30);
    EXPECT_EQ(height.unit, Unit::proportion);
    EXPECT_EQ(height.n, 4U);
    EXPECT_EQ(height.interval, tree.height.interval);
    EXPECT_EQ(height.standard_error, 2);
    EXPECT_EQ(height.note, "tall");
    EXPECT_EQ(std::get<Number>(row.at(8)).value, 5);
    EXPECT_EQ(std::get<Number>(row.at(9)).value, 4);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows.at(1).at(8)));
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows.at(1).at(9)));
}

struct Bush {
    std::string name;
    std::vector<Leaf> leaves;
    std::vector<std::optional<int>> counts;
};
ResultType result_type(ResultOf<Bush>) {
    static constexpr auto rows = describe_result<Bush>(
        {.name = "Bush",
         .columns = "name,{name}_size=leaves.size*,{name}_low=leaves.size.interval.low,"
                    "count_{}=counts,end=name"},
        {part<&Bush::name>({}), part<&Bush::leaves>({}), part<&Bush::counts>({})});
    return rows;
}

TEST(DescribeResult, AColumnWithBracesIsOneForEachEntry) {
    const Bush small{"b", {leaf("x", 5.0), leaf("y", {})}, {7, {}}};
    const std::vector<Bush> bushes = {small, {"c", {leaf("x", {}), leaf("y", 2.0)}, {{}, 8}}};
    Table table = result_table_for(small);
    for (const Bush& bush : bushes) add_row(table, bush);
    std::vector<std::string> names;
    for (const Column& column : table.columns) names.push_back(column.name);
    // The columns of a list follow each other, entry by entry.
    EXPECT_THAT(names, ElementsAre("name", "x_size", "x_low", "y_size", "y_low", "count_1",
                                   "count_2", "end"));
    EXPECT_EQ(table.columns[1].show, Column::Show::every_part);
    const auto& first = table.rows.at(0);
    const auto& second = table.rows.at(1);
    EXPECT_EQ(std::get<Estimate>(first.at(1)).value, 5);
    EXPECT_EQ(std::get<Number>(first.at(2)).value, 4);
    EXPECT_FALSE(std::get<Estimate>(first.at(3)).value);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(first.at(4)));
    EXPECT_EQ(std::get<Count>(first.at(5)).value, 7U);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(first.at(6)));
    EXPECT_EQ(std::get<std::string>(first.at(7)), "b");
    EXPECT_EQ(std::get<Estimate>(second.at(3)).value, 2);
    EXPECT_EQ(std::get<Count>(second.at(6)).value, 8U);
    // Entries that are not objects have no names for columns.
    EXPECT_EQ(result_table<Bush>().columns.size(), 2U);
    // A row with more entries than the first row of the table is a bug of the program.
    Table narrow = result_table_for(Bush{"n", {}, {}});
    EXPECT_THROW(add_row(narrow, small), Error);
    EXPECT_THAT(faults_of(std::vector{result_type(ResultOf<Bush>{})}), ElementsAre());
}

struct Hedge {
    std::vector<int> left, right;
};
ResultType result_type(ResultOf<Hedge>) {
    static constexpr auto rows = describe_result<Hedge>(
        {.name = "Hedge", .columns = "l_{}=sides.left,r_{}=sides.right"},
        {part<&Hedge::left>({.group = "sides"}), part<&Hedge::right>({.group = "sides"})});
    return rows;
}

TEST(DescribeResult, ListsOfOneGroupAreTwoLists) {
    const Hedge hedge{{1}, {2, 3}};
    Table table = result_table_for(hedge);
    add_row(table, hedge);
    std::vector<std::string> names;
    for (const Column& column : table.columns) names.push_back(column.name);
    EXPECT_THAT(names, ElementsAre("l_1", "r_1", "r_2"));
    std::vector<std::uint64_t> cells;
    for (const Cell& cell : table.rows.at(0)) cells.push_back(std::get<Count>(cell).value);
    EXPECT_THAT(cells, ElementsAre(1, 2, 3));
}

struct Thorny {
    std::vector<Leaf> leaves;
};
ResultType result_type(ResultOf<Thorny>) {
    static constexpr auto rows = describe_result<Thorny>(
        {.name = "Thorny", .columns = "a{none}=leaves.name,b{}=leaves.none,{}=none"},
        {part<&Thorny::leaves>({})});
    return rows;
}

TEST(DescribeResult, FaultsOfColumnsWithBracesAreFound) {
    EXPECT_THAT(faults_of(std::vector{result_type(ResultOf<Thorny>{})}),
                ElementsAre("Thorny: column a{none} leads nowhere: leaves.name",
                            "Thorny: column b{} leads nowhere: leaves.none",
                            "Thorny: column {} leads nowhere: none"));
}

struct Faulty {
    int n = 0;
};
ResultType result_type(ResultOf<Faulty>) {
    static constexpr auto rows =
        describe_result<Faulty>({.name = "Faulty", .columns = "n,m=n.low"},
                                {part<&Faulty::n>({}), part<&Faulty::n>({}),
                                 part({}, [](const Faulty& faulty) { return faulty.n; })});
    return rows;
}
struct Namesake {};
ResultType result_type(ResultOf<Namesake>) {
    static constexpr auto rows = describe_result<Namesake>(
        {.name = "Leaf"}, {part({.name = "n"}, [](const Namesake&) { return 1; })});
    return rows;
}

TEST(DescribeResult, FaultsOfADescriptionAreFound) {
    const std::vector types = {result_type(ResultOf<Faulty>{})};
    EXPECT_THAT(faults_of(types),
                ElementsAre("Faulty: column m leads nowhere: n.low", "Faulty: n twice",
                            "Faulty: n twice", "Faulty: a row without a name"));
    Table table;
    EXPECT_THROW(add_columns(table, types[0]), Error);
    const std::vector both = {result_type(ResultOf<Tree>{}), result_type(ResultOf<Namesake>{})};
    EXPECT_THAT(faults_of(both), ElementsAre("Leaf: two types of this name"));
    const std::vector sound = {result_type(ResultOf<Tree>{}), result_type(ResultOf<Twig>{})};
    EXPECT_THAT(faults_of(sound), ElementsAre());
}

TEST(DescribeResult, TypesOfThePages) {
    const std::vector types = {result_type(ResultOf<Tree>{}), result_type(ResultOf<Twig>{})};
    const std::string made = type_script_of(types);
    EXPECT_THAT(made, HasSubstr(R"(
/** What stands in a wood. */
export interface Tree extends Result {
  leaves: Leaf[];
  last: Leaf | null;
  ages: Record<"first" | "second", number | null>;
  grid: Record<"first" | "second", Record<"first" | "second", number>>;
  notes?: Record<string, string>;
  side: "left" | "right";
  mood: string;
  hint: string;
  rate?: number;
  dead?: boolean;
  more: (number | string)[];
  old: boolean;
  height: Estimate;
  counts: {
    /** One a year. */
    rings: number;
    leaves: number;
  };
}
)"));
    EXPECT_THAT(made, HasSubstr(R"(
export interface Twig extends Leaf {
  angle: number | null;
}
)"));
    EXPECT_THAT(made, HasSubstr("export interface Estimate {\n  value: number | null;\n"));
    EXPECT_THAT(made, HasSubstr("export interface Interval {\n"));
}

TEST(DescribeResult, TablesOfTheDocs) {
    const std::vector types = {result_type(ResultOf<Tree>{}), result_type(ResultOf<Twig>{})};
    const std::string made = markdown_of(types);
    EXPECT_THAT(made, testing::StartsWith(R"(### Tree

`assay.tree/1`: What stands in a wood.

| field | type | what it says |
|---|---|---|
| `leaves` | list: [Leaf](#leaf) |  |
| `last` | [Leaf](#leaf), or null |  |
| `ages` | by `first`, `second`: number, or null |  |
)"));
    EXPECT_THAT(made, HasSubstr("| `counts.rings` | number | One a year |\n"));
    EXPECT_THAT(made, HasSubstr("| `rate` | number | may be absent |\n"));
    EXPECT_THAT(made, HasSubstr("\nCSV: `side`, `rings=counts.rings`, "));
    EXPECT_THAT(made, HasSubstr("### Twig\n\nWith all fields of [Leaf](#leaf).\n"));
}

}  // namespace
}  // namespace assay
