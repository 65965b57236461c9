// Tables as json and csv. Values are read back bit-identical, and errors name the place of damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/quality/table.h"
#include "assay/report.h"
#include "core/random.h"
#include "message_of.h"

namespace assay::quality {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

/// Cells of all kinds: with shares on two data sets, without an error, undefined, and empty.
QualityTable table_of_all_kinds() {
    QualityTable table;
    table.source = "made";
    table.tags = {"architecture", "recipe, with a comma"};
    for (std::size_t m = 0; m < 5; ++m) {
        RandomStream random(7, "table", m);
        QualityModel model;
        model.name = m == 1 ? "quoted \"net\", v2" : "m" + std::to_string(m);
        model.file_hash = m == 2 ? "" : "00ff" + std::to_string(m);
        model.note = m == 3 ? "two\nlines" : "";
        model.tags = {"CNN", m == 0 ? "" : "a, \"b\""};
        for (std::size_t d = 0; d < dimension_count; ++d) {
            QualityCell& cell = model.cells[d];
            if ((m + d) % 5 == 1) {
                cell.undefined = "0 of 0 images are decided";
                continue;
            }
            if ((m + d) % 5 == 2) continue;
            cell.value = random.uniform() / 3;
            cell.n = 50'000 + d;
            cell.definition = d == 1 ? "eps 4/255, \"pixels\"" : "";
            cell.note = d == 2 ? "noted" : "";
            if ((m + d) % 5 == 3) continue;
            double squares = 0;
            for (const char* data : {"val", "sketch"}) {
                ErrorShare share{data, {}};
                for (int g = 0; g < 128; ++g) {
                    share.parts.push_back(random.normal() * 1e-3);
                    squares += share.parts.back() * share.parts.back();
                }
                cell.shares.push_back(std::move(share));
            }
            cell.standard_error = std::sqrt(squares);
        }
        table.models.push_back(std::move(model));
    }
    return table;
}

void expect_equal(const QualityTable& found, const QualityTable& expected, bool shares) {
    EXPECT_EQ(found.tags, expected.tags);
    ASSERT_EQ(found.models.size(), expected.models.size());
    for (std::size_t m = 0; m < expected.models.size(); ++m) {
        const QualityModel &a = found.models[m], &b = expected.models[m];
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.file_hash, b.file_hash);
        EXPECT_EQ(a.note, b.note);
        EXPECT_EQ(a.tags, b.tags);
        for (std::size_t d = 0; d < dimension_count; ++d) {
            QualityCell want = b.cells[d];
            if (!shares) want.shares.clear();
            EXPECT_EQ(a.cells[d], want) << b.name << ' ' << dimension_facts()[d].name;
        }
    }
}

TEST(QualityJson, IsReadBackToTheBit) {
    const QualityTable table = table_of_all_kinds();
    const QualityTable read = parse_quality_table(write_quality_json(table), "t.json");
    expect_equal(read, table, true);
    EXPECT_EQ(write_quality_json(read), write_quality_json(table));
    // The format is recognized by the contents, for any extension.
    expect_equal(parse_quality_table("\n " + to_json(table).dump(), "t"), table, true);
}

TEST(QualityCsv, IsReadBackToTheBitWithoutShares) {
    const QualityTable table = table_of_all_kinds();
    const std::string csv = write_quality_csv(table);
    EXPECT_TRUE(
        csv.starts_with("model,model_hash,model_note,architecture,\"recipe, with a comma\""
                        ",accuracy,accuracy_se,accuracy_n,accuracy_undefined,"))
        << csv.substr(0, 200);
    const QualityTable read = parse_quality_table(csv, "t.csv");
    expect_equal(read, table, false);
    EXPECT_EQ(write_quality_csv(read), csv);
    Report report;
    report.records = quality_records(table);
    EXPECT_EQ(render(report, ReportFormat::csv), csv);
}

TEST(QualityCsv, PublishedTableIsReadBack) {
    const QualityTable& table = published_models();
    expect_equal(parse_quality_table(write_quality_csv(table), "p.csv"), table, false);
    expect_equal(parse_quality_table(write_quality_json(table), "p.json"), table, true);
}

TEST(QualityCsv, HashesMayBeAbsentAndTagsStandOnce) {
    const QualityTable table =
        parse_quality_table("model,model_hash,accuracy\na,12ab,.5\nb,,.6\n", "q.csv");
    EXPECT_TRUE(table.tags.empty());
    EXPECT_EQ(table.models[0].file_hash, "12ab");
    EXPECT_EQ(table.models[1].file_hash, "");
    const auto refused = [](std::string_view text) {
        return message_of([&] { parse_quality_table(text, "q.csv"); });
    };
    EXPECT_THAT(refused("model,recipe,Recipe,accuracy\na,1,2,.5\n"),
                HasSubstr("q.csv has two columns for the tag `recipe`"));
    EXPECT_THAT(refused("model,accuracy,accuracy_undefined\na,.5,0 of 0\n"),
                AllOf(HasSubstr("line 2"), HasSubstr("`0 of 0` says that there is none")));
}

/// A table of one model, which `change` damages.
template <class Change>
std::string refused_json(const Change& change) {
    json table = json::parse(R"({"schema": "assay.quality/1", "tags": ["recipe"], "models": [
        {"name": "r", "file_hash": "1f", "tags": {"recipe": "old"}, "dimensions": {
            "accuracy": {"value": 0.5, "standard_error": 0.05, "n": 100,
                         "shares": [{"data": "v", "parts": [0.03, -0.04]}]}}}]})");
    parse_quality_table(table.dump(), "q.json");  // the table is valid before the change
    change(table);
    const std::string text = table.dump();
    return message_of([&] { parse_quality_table(text, "q.json"); });
}

TEST(QualityJson, SaysWhatIsWrongAndWhere) {
    const auto whole = [](const char* key, const json& value) {
        return refused_json([&](json& table) { table[key] = value; });
    };
    EXPECT_THAT(whole("schema", "assay.quality/2"),
                AllOf(HasSubstr("q.json"), HasSubstr("`assay.quality/2`"), HasSubstr("newer"),
                      HasSubstr("reads `assay.quality/1`")));
    EXPECT_THAT(whole("schema", "assay.quality_score/1"), HasSubstr("allowed: assay.quality/1"));
    EXPECT_THAT(whole("schema", 1), HasSubstr("`schema` is 1"));
    EXPECT_THAT(whole("tags", "recipe"), HasSubstr("`tags` is \"recipe\"; allowed: a list"));
    EXPECT_THAT(whole("tags", {"accuracy_se"}), HasSubstr("means the dimension accuracy"));
    EXPECT_THAT(whole("tags", {"Model hash"}), HasSubstr("means the model_hash"));
    EXPECT_THAT(whole("tags", {"recipe", "Recipe"}), HasSubstr("two columns for the tag"));
    EXPECT_THAT(whole("models", json::object()), HasSubstr("`models` is {}; allowed: a list"));
    EXPECT_THAT(whole("models", json::array()), HasSubstr("no model"));
    EXPECT_THAT(whole("models", {5}), HasSubstr("`models[0]` is 5; allowed: an object"));

    const auto model = [](const char* key, const json& value) {
        return refused_json([&](json& table) { table["models"][0][key] = value; });
    };
    EXPECT_THAT(model("name", ""), HasSubstr("without a name"));
    EXPECT_THAT(model("name", 7), HasSubstr("`models[0].name` is 7; allowed: a text"));
    EXPECT_THAT(model("acuracy", 1),
                HasSubstr("q.json: `models[0]` has an unknown field `acuracy`"));
    EXPECT_THAT(model("tags", {{"training", "x"}}),
                HasSubstr("unknown tag `training`; the table's `tags` are recipe"));
    EXPECT_THAT(model("tags", {{"recipe", 3}}),
                HasSubstr("`models[0].tags.recipe` is 3; allowed: a text"));
    EXPECT_THAT(model("dimensions", {{"speed", {{"value", 1}}}}),
                HasSubstr("unknown dimension `speed`"));
    EXPECT_THAT(model("dimensions", {{"accuracy", 0.5}}),
                HasSubstr("`models[0].dimensions.accuracy` is 0.5; allowed: an object"));

    const auto cell = [](const char* key, const json& value) {
        return refused_json(
            [&](json& table) { table["models"][0]["dimensions"]["accuracy"][key] = value; });
    };
    EXPECT_THAT(cell("value", 50),
                AllOf(HasSubstr("`models[0].dimensions.accuracy.value`: accuracy is 50"),
                      HasSubstr("between 0 and 1"), HasSubstr("a percentage?"),
                      HasSubstr("reading the model `r`")));
    EXPECT_THAT(cell("value", "0.5"), HasSubstr(".value` is \"0.5\"; allowed: a number"));
    EXPECT_THAT(cell("value", true), HasSubstr("allowed: a number"));
    EXPECT_THAT(cell("standard_error", -0.05), HasSubstr("standard error of accuracy is -0.05"));
    EXPECT_THAT(cell("standard_error", nullptr), HasSubstr("without a `standard_error`"));
    for (const char* key : {"n", "definition", "note", "undefined", "shares"})
        EXPECT_THAT(cell(key, nullptr), HasSubstr(fmt::format(".{}` is null; allowed: ", key)));
    for (const char* key : {"file_hash", "note", "tags"})
        EXPECT_THAT(model(key, nullptr), HasSubstr(fmt::format(".{}` is null; allowed: ", key)));
    EXPECT_THAT(whole("tags", nullptr), HasSubstr("`tags` is null; allowed: a list"));
    EXPECT_THAT(cell("standard_error", 0.06), HasSubstr("squares of the shares add up to"));
    EXPECT_THAT(cell("n", 2.5), HasSubstr("a number of images"));
    EXPECT_THAT(cell("n", -1), HasSubstr("a number of images"));
    EXPECT_THAT(cell("se", 0.1), HasSubstr("unknown field `se`"));
    EXPECT_THAT(cell("undefined", "none"),
                HasSubstr("says that there is none; remove one of them"));
    EXPECT_THAT(cell("shares", 1), HasSubstr(".shares` is 1; allowed: a list"));
    EXPECT_THAT(cell("shares", {{{"data", "v"}}}), HasSubstr(".shares[0].parts` is missing"));
    EXPECT_THAT(cell("shares", {{{"data", ""}, {"parts", {0.05}}}}), HasSubstr("identity"));
    EXPECT_THAT(cell("shares", {{{"data", "v"}, {"parts", json::array()}}}), HasSubstr("0 parts"));
    EXPECT_THAT(cell("shares", {{{"data", "v"}, {"parts", std::vector<double>(129, 0.)}}}),
                HasSubstr("129 parts; allowed: 1 to 128"));
    EXPECT_THAT(
        cell("shares", {{{"data", "v"}, {"parts", {0.03}}}, {{"data", "v"}, {"parts", {0.04}}}}),
        HasSubstr("`shares` has the data `v`"));
    EXPECT_THAT(cell("shares", {{{"data", "v"}, {"parts", {0.05, nullptr}}}}),
                HasSubstr(".shares[0].parts[1]` is null; allowed: a number"));
    EXPECT_THAT(refused_json([](json& table) {
                    table["models"][0]["dimensions"]["accuracy"].erase("value");
                }),
                HasSubstr("`value` is missing"));

    const auto text = [](std::string_view damaged) {
        return message_of([&] { parse_quality_table(damaged, "q.json"); });
    };
    EXPECT_THAT(text("{\"schema\": \"assay.quality/1\", \"models\": ["),
                HasSubstr("q.json: damaged JSON"));
    EXPECT_THAT(text("{\"schema\": NaN}"), HasSubstr("q.json: damaged JSON"));
    EXPECT_THAT(text(""), HasSubstr("q.json: damaged JSON"));
    EXPECT_THAT(text("[]"), HasSubstr("the table is []; allowed: an object"));
    EXPECT_THAT(text("{\"schema\": 1, \"schema\": 2}"), HasSubstr("appears twice"));
    EXPECT_THAT(text(std::string(100, '[')), HasSubstr("nested deeper"));
}

/// The result is a table or an Error. A table is the same when written and read again.
void read_damaged(const std::string& text, const char* source, std::size_t& tables) {
    try {
        const QualityTable table = parse_quality_table(text, source);
        ++tables;
        expect_equal(parse_quality_table(write_quality_csv(table), "again.csv"), table, false);
        expect_equal(parse_quality_table(write_quality_json(table), "again.json"), table, true);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        EXPECT_THAT(error.message(), testing::Not(testing::IsEmpty()));
    }
}

TEST(QualityJson, DamageIsAnErrorOrATable) {
    QualityTable table = table_of_all_kinds();
    table.models.resize(2);
    for (QualityModel& model : table.models) {
        for (QualityCell& cell : model.cells) {
            if (cell.shares.empty()) continue;
            cell.shares = {{"val", {.003, -.004}}, {"r", {.012}}};
            cell.standard_error = .013;
        }
    }
    for (const auto& [text, source] : {std::pair{to_json(table).dump(), "t.json"},
                                       std::pair{write_quality_csv(table), "t.csv"}}) {
        std::size_t tables = 0;
        constexpr std::string_view bytes("9-,\"\n\\\0\xff]}", 10);
        for (std::size_t i = 0; i < text.size(); ++i) {
            std::string damaged = text;
            damaged[i] = bytes[i % bytes.size()];
            read_damaged(i % 3 == 0 ? text.substr(0, i) : damaged, source, tables);
        }
        EXPECT_GT(tables, 50U) << source;  // changes digits, and letters inside texts
    }
}

TEST(QualityJson, KeysOfReportsAreAcceptedAndLeftOut) {
    json table = to_json(table_of_all_kinds());
    table["warnings"] = {"w"};
    table["models"][0]["parts"] = {{{"name", "fgsm"}, {"value", 0.3}}};
    table["models"][0]["notes"] = {"n"};
    json& cell = table["models"][0]["dimensions"]["accuracy"];
    cell["unit"] = "proportion";
    cell["interval"] = {{"low", 0}, {"high", 1}};
    expect_equal(parse_quality_table(table.dump(), "t.json"), table_of_all_kinds(), true);
}

TEST(QualityJson, OtherBytesThanUtf8AreRefusedNotReplaced) {
    QualityTable table = table_of_all_kinds();
    table.models[0].tags[0] = "Ren\xe9";
    EXPECT_THAT(message_of([&] { to_json(table); }), HasSubstr("is not UTF-8"));
    expect_equal(parse_quality_table(write_quality_csv(table), "t.csv"), table, false);
}

}  // namespace
}  // namespace assay::quality
