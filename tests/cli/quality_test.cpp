// `assay quality` on tables in the forms that people have.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "core/file.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class QualityCommand : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& text) {
        write_file_atomically(scratch_ / name, text);
        return (scratch_ / name).string();
    }
    std::string at(const std::string& name) const { return (scratch_ / name).string(); }
    /// Runs `assay quality`, which fails with status 2 and without a result. Returns the message.
    static std::string refused_by_quality(std::vector<std::string> words) {
        words.insert(words.begin(), "quality");
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_THAT(outcome.out, IsEmpty());
        return outcome.err;
    }
    Scratch scratch_;
};

constexpr auto three =
    "model,recipe,accuracy,accuracy_se,shape_bias,params\n"
    "r50,\"old, \"\"2015\"\"\",0.76,0.002,0.22,25.6\n"
    "vit,new,0.80,0.002,0.5,86\n"
    "alex,,0.56,0.002,0.26,61\n";
const std::vector<std::string> three_dimensions = {
    "--weights", "adv rob=0,c rob=0,ood=0,calibration=0,balance=0,focus=0"};

std::vector<std::string> score_of(const std::string& file) {
    std::vector<std::string> words = {"score", file};
    words.insert(words.end(), three_dimensions.begin(), three_dimensions.end());
    return words;
}

TEST_F(QualityCommand, BadTablesAreRefusedWithTheirPlace) {
    const std::string head = "model,accuracy,shape_bias,params\n";
    const auto refused = [&](const std::string& rows) {
        return refused_by_quality(score_of(write("q.csv", head + rows)));
    };
    EXPECT_THAT(refused("a,.7,.3,25\nb,76.1,.3,25\n"),
                AllOf(HasSubstr("q.csv line 3"), HasSubstr("accuracy is 76.1"),
                      HasSubstr("a percentage? Write 0.76 for 76 %")));
    EXPECT_THAT(refused("a,.7,.3,25557032\n"), HasSubstr("parameters are in millions"));
    EXPECT_THAT(refused("a,76 %,.3,25\n"), HasSubstr("`76 %` is not a number"));
    EXPECT_THAT(refused("a,-inf,.3,25\n"), HasSubstr("`-inf` is not a number"));
    EXPECT_THAT(refused("a,.7,.3\n"), HasSubstr("line 2"));
    EXPECT_THAT(refused("a,\".7,.3,25\n"), HasSubstr("q.csv"));
    EXPECT_THAT(refused(""), HasSubstr("no row with a model"));
    // NaN means that the value was not measured. It is not replaced by 0.
    EXPECT_THAT(refused("a,nan,.3,25\nb,.7,.3,25\n"),
                AllOf(HasSubstr("1 of 2 models has no accuracy (a)"), HasSubstr("measure it")));
    EXPECT_THAT(refused_by_quality(score_of(at("absent.csv"))), HasSubstr("absent.csv"));
    EXPECT_THAT(
        refused_by_quality(score_of(write("newer.json", R"({"schema": "assay.quality/2"})"))),
        AllOf(HasSubstr("newer.json"), HasSubstr("newer version of Assay")));
    EXPECT_THAT(refused_by_quality(score_of(write("other.json", R"({"schema": "assay.score/1"})"))),
                HasSubstr("`schema` is \"assay.score/1\""));
    EXPECT_THAT(refused_by_quality(score_of(write("torn.json", "{\"schema\": "))),
                HasSubstr("torn.json: damaged JSON"));
    EXPECT_THAT(refused_by_quality({"choose", write("q.csv", three), "--need", "accuracy > 80"}),
                HasSubstr("a percentage? Write 80%"));
}

TEST_F(QualityCommand, ADimensionOfZeroCountsAndAMissingOneIsNamed) {
    const std::string file =
        write("q.csv",
              "model,accuracy,shape_bias,shape_bias_undefined,params\n"
              "a,.7,0,,25\nb,.7,,none of 1280 images is decided,25\nc,.7,.3,,25\n");
    EXPECT_THAT(refused_by_quality(score_of(file)),
                HasSubstr("1 of 3 models has no shape_bias (b)"));
    std::vector<std::string> words = score_of(file);
    words.insert(words.begin(), "quality");
    words.insert(words.end(), {"--drop-missing", "--json"});
    const Outcome outcome = assay_run(words);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("1 of 3 scores lacks dimensions"));
    const json models = json::parse(outcome.out)["models"];
    ASSERT_EQ(models.size(), 3U);
    for (const json& model : models) {
        EXPECT_EQ(model["missing"].size(), model["model"] == "b" ? 1U : 0U);
        EXPECT_EQ(model["parts"].contains("shape_bias"), model["model"] != "b");
    }
    const Outcome merged = assay_run({"quality", "merge", file, file, "--json"});
    const json cell = json::parse(merged.out)["models"][1]["dimensions"]["shape_bias"];
    EXPECT_TRUE(cell["value"].is_null());
    EXPECT_EQ(cell["undefined"], "none of 1280 images is decided");
}

TEST_F(QualityCommand, EqualNamesAreToldApartOrRefused) {
    const std::string twice = write("twice.csv", "model,recipe,accuracy\nr,old,.5\nr,new,.6\n");
    const Outcome scored =
        assay_run({"quality", "score", twice, "--weights",
                   "adv rob=0,c rob=0,ood=0,calibration=0,balance=0,focus=0,shape=0,params=0"});
    EXPECT_EQ(scored.status, 0) << scored.err;
    EXPECT_THAT(scored.out, AllOf(HasSubstr("r [old]"), HasSubstr("r [new]"),
                                  HasSubstr("2 of 2 rows share a name")));
    EXPECT_THAT(refused_by_quality({"merge", twice, write("b.csv", three)}),
                AllOf(HasSubstr("twice.csv has `r` 2 times (rows 1, 2)"), HasSubstr("key")));
    EXPECT_EQ(assay_run({"quality", "merge", twice, at("b.csv"), "--key", "recipe"}).status, 0);
}

TEST_F(QualityCommand, TablesGrowAndNeverLoseWhatTheyHeld) {
    const std::string table = write("q.csv", three);
    const std::string more = write("more.csv", "model,source,accuracy\n\"b, \"\"c\"\"\",own,.7\n");
    const Outcome merged = assay_run({"quality", "merge", table, more, "-o", at("all.csv")});
    ASSERT_EQ(merged.status, 0) << merged.err;
    const std::string text = slurp(at("all.csv"));
    EXPECT_THAT(text,
                AllOf(HasSubstr("\"old, \"\"2015\"\"\""), HasSubstr("\"b, \"\"c\"\"\",,,own,0.7")));
    // Converts to json and back. Doing it again gives the same bytes.
    ASSERT_EQ(assay_run({"quality", "merge", table, more, "-o", at("all.json")}).status, 0);
    EXPECT_EQ(json::parse(slurp(at("all.json")))["schema"], "assay.quality/1");
    ASSERT_EQ(assay_run({"quality", "merge", at("all.json"), table, "-o", at("back.csv")}).status,
              0);
    EXPECT_EQ(slurp(at("back.csv")), text);
    // An input cannot be the output, and a refused command leaves existing files unchanged.
    EXPECT_THAT(refused_by_quality({"merge", table, more, "-o", table}),
                HasSubstr("write the result to another name"));
    EXPECT_EQ(slurp(table), three);
    const std::string again = write("again.csv", "model,accuracy\nr50,.77\n");
    EXPECT_THAT(refused_by_quality({"merge", table, again, "-o", at("all.csv")}),
                AllOf(HasSubstr("`r50`: accuracy is 0.76 (error 0.002) in"), HasSubstr("0.77 in"),
                      HasSubstr("again.csv")));
    EXPECT_EQ(slurp(at("all.csv")), text);
    ASSERT_EQ(assay_run({"quality", "merge", table, again, "-o", at("all.csv"), "--replace",
                         "new weights"})
                  .status,
              0);
    EXPECT_THAT(slurp(at("all.csv")), HasSubstr("new weights (was: accuracy 0.76 (error 0.002))"));
    EXPECT_THAT(refused_by_quality({"merge", table, more, "-o", at("q.parquet")}),
                HasSubstr("unknown extension; use .csv or .json"));
    // A single table is converted to the other format.
    const Outcome alone = assay_run({"quality", "merge", table, "--json"});
    EXPECT_EQ(json::parse(alone.out)["models"].size(), 3U) << alone.err;
}

TEST_F(QualityCommand, SharesAreKeptByJsonAndMissedInCsv) {
    const std::string shares = write("s.json", R"({"schema": "assay.quality/1", "models": [
        {"name": "r", "dimensions": {"accuracy": {"value": 0.5, "standard_error": 0.05,
         "shares": [{"data": "v", "parts": [0.03, 0.04]}]}}}]})");
    const std::string other = write("q.csv", three);
    const Outcome csv = assay_run({"quality", "merge", shares, other, "--csv"});
    EXPECT_EQ(csv.status, 0);
    EXPECT_THAT(csv.err, HasSubstr("csv cannot store which images models share"));
    const Outcome kept = assay_run({"quality", "merge", shares, other, "--json"});
    EXPECT_THAT(kept.err, Not(HasSubstr("csv")));
    EXPECT_EQ(json::parse(kept.out)["models"][0]["dimensions"]["accuracy"]["shares"][0]["parts"],
              (json{0.03, 0.04}));
}

}  // namespace
}  // namespace assay
