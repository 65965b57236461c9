// assay replicate as a user runs it: a simulated study through every step, and the errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "core/file.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Replicate : public testing::Test {
protected:
    static void SetUpTestSuite() {
        scratch_ = new Scratch;
        const Outcome made =
            assay_run({"replicate", "simulate", "--out", *scratch_ / "study", "--classes", "80",
                       "--annotators", "20", "--classifiers", "3", "--seed", "4"});
        ASSERT_EQ(made.status, 0) << made.err;
    }
    static void TearDownTestSuite() {
        delete scratch_;
        scratch_ = nullptr;
    }
    static std::string file(const std::string& name) {
        return (*scratch_ / "study" / name).string();
    }
    static std::vector<std::string> adjust(std::vector<std::string> more = {}) {
        std::vector<std::string> arguments = {"replicate",
                                              "adjust",
                                              file("original.csv"),
                                              file("replication.csv"),
                                              "--hits",
                                              file("original-hits.csv"),
                                              file("replication-hits.csv")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    static Scratch* scratch_;
};
Scratch* Replicate::scratch_ = nullptr;

TEST_F(Replicate, HelpNamesTheSteps) {
    const Outcome help = assay_run({"replicate", "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, HasSubstr("Examples:\n  assay replicate"));
    for (const char* step : {"frequencies", "match", "adjust", "plan", "simulate"}) {
        EXPECT_THAT(help.out, HasSubstr(std::string("\n  ") + step + " "));
        const Outcome own = assay_run({"replicate", step, "--help"});
        EXPECT_EQ(own.status, 0) << step;
        EXPECT_THAT(own.out, HasSubstr("Examples:\n  assay replicate " + std::string(step)))
            << step;
    }
    EXPECT_THAT(assay_run({"replicate", "ajust"}).err, HasSubstr("did you mean `adjust`?"));
    EXPECT_EQ(assay_run({"replicate"}).status, 2);
}

TEST_F(Replicate, AdjustFindsTheTruth) {
    const Outcome outcome = assay_run(adjust({"--json", "--sweep", "5,20", "--bootstrap", "200"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json report = json::parse(outcome.out), truth = json::parse(slurp(file("truth.json")));
    EXPECT_EQ(report["quoted"], "pl");
    EXPECT_EQ(report["methods"][0]["definition"], "adjusted.pl.logit180.spline56.cosine24");
    for (std::size_t m = 0; m < 3; ++m) {
        const json& a = report["methods"][0]["classifiers"][m]["adjusted"];
        const double error =
            a["value"].get<double>() - truth["classifiers"][m]["adjusted"].get<double>();
        EXPECT_LT(std::abs(error), 4 * a["standard_error"].get<double>());
    }
    EXPECT_EQ(report["sweep"].size(), 2U * 4);
    EXPECT_EQ(report["annotations"]["annotator_overlap"]["first_same_class"], 1.0);
    EXPECT_EQ(report["annotations"]["warnings"], json::array());
    // Frequencies give the same results, except for the check of the annotator pools.
    const Outcome counted =
        assay_run({"replicate", "frequencies", file("original.csv"), file("replication.csv"),
                   "--out", (*scratch_ / "counted").string()});
    ASSERT_EQ(counted.status, 0) << counted.err;
    const Outcome again =
        assay_run({"replicate", "adjust", (*scratch_ / "counted/original.frequencies.csv").string(),
                   (*scratch_ / "counted/replication.frequencies.csv").string(), "--hits",
                   file("original-hits.csv"), file("replication-hits.csv"), "--json"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(json::parse(again.out)["methods"][0]["mean"]["adjusted"]["value"],
              report["methods"][0]["mean"]["adjusted"]["value"]);
    EXPECT_THAT(again.err, HasSubstr("cannot be checked"));
}

TEST_F(Replicate, FiguresAreAFileBesideTheReport) {
    const std::string target = (*scratch_ / "figures.json").string();
    const Outcome outcome = assay_run(adjust({"--methods", "moments,naive", "--figures", target}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("come from how they were selected"));
    const json figures = json::parse(slurp(target));
    EXPECT_EQ(figures["schema"], "assay.replicate_figures/1");
    EXPECT_EQ(figures["annotators"].size(), 20U + 19);  // naive with 1 to 20, moments from 2
    EXPECT_EQ(figures["halves"]["splits"], 10);
    const Outcome both = assay_run(adjust({"--figures", "-"}));
    EXPECT_EQ(both.status, 2);
    EXPECT_THAT(both.err, HasSubstr("stdout is used for the report"));
    // The output folder must not hold an input.
    EXPECT_EQ(assay_run(adjust({"--figures", file("original.csv")})).status, 2);
}

TEST_F(Replicate, TablesForPeopleAndCsv) {
    const Outcome table = assay_run(adjust({"--methods", "pl,moments,naive,jackknife,mixture"}));
    ASSERT_EQ(table.status, 0) << table.err;
    EXPECT_THAT(table.out, HasSubstr("come from how they were selected"));
    EXPECT_THAT(table.out, HasSubstr("mixture"));
    const Outcome csv = assay_run(adjust({"--csv"}));
    EXPECT_THAT(csv.out, HasSubstr("classifier,method,definition,original"));
    EXPECT_EQ(assay_run(adjust({"--methods", "moment"})).status, 2);
}

TEST_F(Replicate, PlanAndMatch) {
    const Outcome plan =
        assay_run({"replicate", "plan", file("original.csv"), file("replication.csv"), "--hits",
                   file("original-hits.csv"), file("replication-hits.csv"), "--annotators", "10",
                   "40", "--json"});
    ASSERT_EQ(plan.status, 0) << plan.err;
    const json rows = json::parse(plan.out)["rows"];
    ASSERT_EQ(rows.size(), 2U);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_LT(rows[i]["bias"]["none"]["value"].get<double>(),
                  rows[i]["bias"]["naive"]["value"].get<double>());
        if (i > 0) {
            EXPECT_GT(rows[i]["bias"]["naive"]["value"].get<double>(),
                      rows[i - 1]["bias"]["naive"]["value"].get<double>());
        }
    }
    EXPECT_EQ(assay_run({"replicate", "plan", file("original.csv"), file("replication.csv"),
                         "--annotators", "10"})
                  .status,
              0);
    const Outcome match =
        assay_run({"replicate", "match", file("original.csv"), file("replication.csv"),
                   "--annotators", "5", "--per-class", "2", "--json"});
    const json matched = json::parse(match.out);
    EXPECT_LE(match.status, 3) << match.err;
    EXPECT_TRUE(matched["held_out"]["value"].is_number());
    EXPECT_EQ(matched["schema"], "assay.replicate_match/2");
}

TEST_F(Replicate, RefusalsAndPartialResults) {
    // If other annotators judged the replication, the command refuses, unless --other-annotators is
    // given.
    std::string text = slurp(file("replication.csv"));
    for (std::size_t at = text.find("\nw"); at != std::string::npos; at = text.find("\nw", at + 1))
        text[at + 1] = 'v';
    const auto strangers = *scratch_ / "strangers.csv";
    write_file_atomically(strangers, text);
    const std::vector<std::string> arguments = {"replicate",
                                                "adjust",
                                                file("original.csv"),
                                                strangers.string(),
                                                "--hits",
                                                file("original-hits.csv"),
                                                file("replication-hits.csv")};
    const Outcome refused = assay_run(arguments);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("NO ANNOTATOR JUDGED BOTH SETS"));
    auto insisted = arguments;
    insisted.push_back("--other-annotators");
    EXPECT_EQ(assay_run(insisted).status, 0);
    // An image without hits makes the result partial.
    std::string hits = slurp(file("original-hits.csv"));
    hits.erase(hits.rfind('\n', hits.size() - 2) + 1);
    const auto fewer = *scratch_ / "fewer.csv";
    write_file_atomically(fewer, hits);
    const Outcome partial =
        assay_run({"replicate", "adjust", file("original.csv"), file("replication.csv"), "--hits",
                   fewer.string(), file("replication-hits.csv")});
    EXPECT_EQ(partial.status, 3) << partial.err;
    EXPECT_THAT(partial.err, HasSubstr("1 of 800 images have no hits"));
    // Without --clean, existing files are not replaced.
    EXPECT_EQ(assay_run({"replicate", "simulate", "--out", (*scratch_ / "study").string()}).status,
              2);
    EXPECT_EQ(assay_run({"replicate", "frequencies", "/nonexistent.csv"}).status, 2);
    EXPECT_EQ(assay_run({"replicate", "frequencies", file("original.csv"), "--clean"}).status, 2);
    // Chosen images without hits are counted.
    const auto some = *scratch_ / "some.csv";
    const std::string all_hits = slurp(file("replication-hits.csv"));
    write_file_atomically(some, all_hits.substr(0, all_hits.find('\n', all_hits.size() / 2) + 1));
    const Outcome match =
        assay_run({"replicate", "match", file("original.csv"), file("replication.csv"),
                   "--per-class", "2", "--hits", some.string()});
    EXPECT_EQ(match.status, 3);
    EXPECT_THAT(match.err, HasSubstr("hits on the chosen images are missing"));
    const Outcome plan = assay_run(
        {"replicate", "plan", file("original.csv"), file("replication.csv"), "--level", "2"});
    EXPECT_EQ(plan.status, 2);
    EXPECT_THAT(plan.err, HasSubstr("confidence level 2"));
}

TEST_F(Replicate, OptionsWithoutEffectAreRefused) {
    const auto fault = [](std::vector<std::string> more) {
        const Outcome outcome = assay_run(adjust(std::move(more)));
        EXPECT_EQ(outcome.status, 2);
        return outcome.err;
    };
    EXPECT_THAT(
        fault({"--methods", "pl", "--parts", "4"}),
        HasSubstr("--parts acts on the method mixture alone, but --methods has pl: omit it, "
                  "or add the method: --methods pl,mixture"));
    EXPECT_THAT(fault({"--methods", "pl", "--grid-integrals"}), HasSubstr("--grid-integrals acts"));
    EXPECT_THAT(fault({"--methods", "pl", "--exponents", "0,1"}), HasSubstr("--exponents acts"));
    EXPECT_THAT(fault({"--methods", "pl", "--jackknife", "2"}), HasSubstr("--jackknife acts"));
    EXPECT_THAT(
        fault({"--methods", "pl", "--empty-bins", "zero"}),
        HasSubstr("--empty-bins acts on the methods naive and jackknife, on --sweep, --json "
                  "and --figures, but --methods has pl: omit it, or add a method: --methods "
                  "pl,naive"));
    const Outcome world = assay_run({"replicate", "simulate", "--world", "matching", "--images",
                                     "5", "--out", (*scratch_ / "other").string()});
    EXPECT_EQ(world.status, 2);
    EXPECT_THAT(world.err, HasSubstr("--images has no effect in the world `matching`"));
}

// Options are checked before the hits are read, so missing hits are the error.
TEST_F(Replicate, EmptyBinsActWhereverNaiveDoes) {
    for (const std::vector<std::string>& more : {std::vector<std::string>{"--sweep", "5,10"},
                                                 {"--json"},
                                                 {"--figures", file("figures.json")}}) {
        std::vector<std::string> words = {"replicate",
                                          "adjust",
                                          file("original.csv"),
                                          file("replication.csv"),
                                          "--hits",
                                          file("no-hits.csv"),
                                          file("no-hits-either.csv"),
                                          "--methods",
                                          "pl",
                                          "--empty-bins",
                                          "zero"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(outcome.err, HasSubstr("study/no-hits"));
    }
}

TEST_F(Replicate, FilesOfOneNameAreSaidByTheirPaths) {
    const auto folder = *scratch_ / "second";
    std::filesystem::create_directories(folder);
    write_file_atomically(folder / "original.csv", slurp(file("replication.csv")));
    const Outcome both =
        assay_run({"replicate", "frequencies", file("original.csv"), folder / "original.csv"});
    EXPECT_EQ(both.status, 0) << both.err;
    EXPECT_THAT(both.out, HasSubstr("second/original.csv"));
    EXPECT_THAT(both.out, HasSubstr(file("original.csv")));
}

TEST_F(Replicate, AnnotatorsAreJudgedByAllTheyAnswered) {
    // An annotator who selects everything sees the same six control images in every grid. The
    // repetitions reveal it.
    std::string text = "annotator,image,label,batch,control,selected\n";
    for (int b = 0; b < 10; ++b) {
        for (int i = 0; i < 48; ++i) {
            const std::string batch = std::to_string(b), n = std::to_string(i);
            const bool control = i >= 42;
            const std::string image = control ? "wrong" + n : "p" + batch + "-" + n;
            text += "guesser," + image + ",c,b" + batch + (control ? ",1" : ",0") + ",1\n";
            text += "careful," + image + ",c,b" + batch +
                    (control  ? ",1,0\n"
                     : i < 30 ? ",0,1\n"
                              : ",0,0\n");
        }
    }
    const auto path = *scratch_ / "guesser.csv";
    write_file_atomically(path, text);
    EXPECT_THAT(assay_run({"replicate", "frequencies", path.string()}).err,
                HasSubstr("1 of 2 annotators answer like guessers"));
    const Outcome cleaned =
        assay_run({"replicate", "frequencies", path.string(), "--clean", "--json"});
    ASSERT_EQ(cleaned.status, 0) << cleaned.err;
    const json report = json::parse(cleaned.out);
    EXPECT_EQ(report["cleaning"]["annotators_dropped"], 1);
    EXPECT_EQ(report["cleaning"]["controls_selected"], 10);
    EXPECT_EQ(report["duplicates"][0]["removed"], 6 * 9);
}

}  // namespace
}  // namespace assay
