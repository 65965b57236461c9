// The program's manners without a model: help, usage errors, configuration errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/file.h"
#include "cli/command.h"
#include "program.h"

namespace assay {
namespace {

using testing::HasSubstr;

const std::vector<std::string> all_commands = {"predict", "import", "score",  "compare",
                                               "check",   "run",    "verify", "list"};

TEST(Usage, HelpGoesToStdoutAndEveryCommandHasExamples) {
    const Outcome help = assay_run({"--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.err, "");
    for (const std::string& command : all_commands) {
        EXPECT_THAT(help.out, HasSubstr("\n  " + command + " "));
        const Outcome own = assay_run({command, "--help"});
        EXPECT_EQ(own.status, 0) << command;
        EXPECT_THAT(own.out, HasSubstr("Examples:\n  assay " + command)) << command;
    }
}

TEST(Usage, NoTorchIsLoadedForHelp) {
    // 290 libraries and half a second: LD_DEBUG lists what the loader opens.
    const Outcome help = assay_run({"--help"}, {"LD_DEBUG=files"});
    EXPECT_THAT(help.err, HasSubstr("libstdc++"));
    EXPECT_THAT(help.err, testing::Not(HasSubstr("libtorch")));
    EXPECT_THAT(help.err, testing::Not(HasSubstr("libopenblas")));
}

TEST(Usage, UnknownWordsAreNamedWithTheNearest) {
    const Outcome command = assay_run({"scor"});
    EXPECT_EQ(command.status, 2);
    EXPECT_THAT(command.err, HasSubstr("unknown command `scor`; did you mean `score`?"));
    const Outcome option = assay_run({"predict", "--modle", "x.pt"});
    EXPECT_EQ(option.status, 2);
    EXPECT_THAT(option.err, HasSubstr("--modle"));
    EXPECT_THAT(option.err, HasSubstr("did you mean `--model`?"));
    EXPECT_EQ(option.out, "");
    // Also where the option that was meant is required; what follows it may be its values.
    const std::string hitz = assay_run({"replicate", "adjust", "a.csv", "b.csv", "--hitz", "x", "y"}).err;
    EXPECT_THAT(hitz, HasSubstr("unexpected `--hitz`; did you mean `--hits`?"));
    EXPECT_THAT(hitz, Not(HasSubstr("`x`")));
    EXPECT_THAT(assay_run({"list", "metrics", "x", "y"}).err, HasSubstr("unexpected `x`"));
}

TEST(Usage, NothingAtAllPrintsHelpAndFails) {
    EXPECT_EQ(assay_run({}).status, 2);
}

TEST(Usage, SeedsArePlainDecimalNumbersOf64Bits) {
    for (const char* seed : {"18446744073709551616", "99999999999999999999999", "010", "0x10", "1e3", "1.0"}) {
        const Outcome outcome = assay_run({"replicate", "simulate", "--out", "/nowhere/at/all", "--seed", seed});
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(outcome.err, HasSubstr(seed)) << seed;
        EXPECT_THAT(outcome.err, HasSubstr("whole number")) << seed;
    }
}

TEST(Usage, AnOptionWithoutItsValueTakesNoOther) {
    const Outcome outcome = assay_run({"demo", "--dir=", "-q"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--dir= has no value"));
}

TEST(Usage, NumbersThatCannotBeMeantAreRefused) {
    const auto refused = [](const std::vector<std::string>& words) {
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 2);
        return outcome.err;
    };
    EXPECT_THAT(refused({"gap", "--table", "t.csv", "--n1", "-5"}), HasSubstr("--n1 -5: is negative"));
    EXPECT_THAT(refused({"score", "x", "--seed=-1"}), HasSubstr("--seed -1: is negative"));
    EXPECT_THAT(refused({"labels", "aggregate", "v.csv", "--threshold", "nan"}),
                HasSubstr("--threshold nan: is not a finite number"));
    // Channels may have a mean below 0.
    EXPECT_THAT(
        refused({"predict", "--model", "/nonexistent/m.pt", "--data", "/", "--preset", "timm", "--mean", "-1,-1,-1"}),
        testing::AllOf(HasSubstr("/nonexistent/m.pt"), testing::Not(HasSubstr("negative"))));
}

TEST(Usage, MissingInputs) {
    EXPECT_EQ(assay_run({"score", "/nonexistent"}).status, 2);
    EXPECT_EQ(assay_run({"verify", "/nonexistent"}).status, 2);
    const Outcome model = assay_run({"predict", "--model", "/nonexistent/m.pt", "--data", "/", "--preset", "timm"});
    EXPECT_EQ(model.status, 2);
    EXPECT_THAT(model.err, HasSubstr("/nonexistent/m.pt"));
}

TEST(Plan, ErrorsNameTheKey) {
    const Scratch scratch;
    const auto run = [&](const std::string& text) {
        write_file_atomically(scratch / "assay.toml", text);
        const Outcome outcome = assay_run({"run", scratch / "assay.toml", "--dry-run"});
        EXPECT_EQ(outcome.status, 2) << text;
        return outcome.err;
    };
    const std::string model = "[[model]]\npath = 'm.pt'\n";
    const std::string data = "[[data]]\npath = 'd'\n";
    EXPECT_THAT(run("out = "), HasSubstr("line 1"));
    EXPECT_THAT(run(data), HasSubstr("[[model]]"));
    EXPECT_THAT(run(model), HasSubstr("[[data]]"));
    EXPECT_THAT(run("tread = 2\n" + model + data), HasSubstr("unknown key `tread`"));
    EXPECT_THAT(run("threads = 'two'\n" + model + data), HasSubstr("threads"));
    EXPECT_THAT(run("threads = -1\n" + model + data), HasSubstr("-1"));
    EXPECT_THAT(run("[[model]]\nname = 'x'\n" + data), HasSubstr("path"));
    EXPECT_THAT(run(model + data), HasSubstr("m.pt"));  // the file is missing
}

}  // namespace
}  // namespace assay
