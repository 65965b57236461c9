// Completion: the program's own answer, which every shell shows.
#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/description.h"
#include "cli/shell_line.h"
#include "cli/values.h"
#include "core/file.h"
#include "program.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

Words texts_of(const Completion& completion) {
    Words texts;
    for (const Candidate& candidate : completion.candidates) texts.push_back(candidate.text);
    return texts;
}
Words after(const Words& words) {
    return texts_of(complete(words));
}

/// The folder for relative paths.
class InFolder : public testing::Test {
protected:
    InFolder() : before_(fs::current_path()) { fs::current_path(folder_.path()); }
    ~InFolder() override { fs::current_path(before_); }
    InFolder(const InFolder&) = delete;
    InFolder& operator=(const InFolder&) = delete;

    static void make_file(const fs::path& file, const std::string& text = "") {
        if (file.has_parent_path()) fs::create_directories(file.parent_path());
        write_file_atomically(file, text);
    }
    static void make_store(const fs::path& store) {
        fs::create_directories(store / "shards");
        make_file(store / "manifest.json", "{}");
    }

private:
    Scratch folder_;
    fs::path before_;
};
using Completing = InFolder;

/// The parts of a command without its own name: "labels stats" is typed as two words.
Words split(const std::string& name) {
    std::istringstream parts(name);
    return {std::istream_iterator<std::string>(parts), {}};
}

TEST(Completion, EveryCommandPartAndOptionOfTheTableIsProposed) {
    std::size_t options = 0;
    for_each_command(commands(), [&](const CommandFacts& command) {
        Words words = split(command.name);
        EXPECT_THAT(after(words), Contains(words.back()));
        EXPECT_NE(command.summary, "") << command.name;
        EXPECT_NE(command.about, "") << command.name;
        if (!command.parts.empty()) {
            words.emplace_back();
            EXPECT_EQ(after(words).size(), command.parts.size()) << command.name;
            return;
        }
        for (const OptionFacts& option : command.options) {
            if (option.plain) continue;
            for (const std::string& name : option.names) {
                words.push_back(name);
                // The option is proposed by this name, or by another of its names that begins with
                // it (--seed, --seeds).
                const Words proposed = after(words);
                EXPECT_TRUE(std::ranges::any_of(
                    option.names,
                    [&](const std::string& one) { return std::ranges::count(proposed, one) > 0; }))
                    << command.name << " " << name;
                words.pop_back();
                ++options;
            }
        }
    });
    EXPECT_GT(options, 500U);
}

// A new option must declare the kind of its value, or it cannot be completed.
TEST(Completion, EveryValueHasAKindAndEveryKindAnOption) {
    std::set<std::string_view> used;
    for_each_command(commands(), [&](const CommandFacts& command) {
        for (const OptionFacts& option : command.options) {
            if (option.is_flag()) continue;
            const ValueKind* kind = find_value_kind(option.value);
            EXPECT_TRUE(kind != nullptr || !option.allowed.empty())
                << "assay " << command.name << " " << option.name() << " " << option.value
                << ": a row in src/cli/values.cpp says what such a value is";
            if (kind != nullptr) used.insert(kind->name);
        }
    });
    for (const ValueKind& kind : value_kinds())
        EXPECT_TRUE(used.contains(kind.name)) << kind.name << " is no option's";
}

TEST(Completion, NothingFollowsWhatMakesNoSense) {
    EXPECT_THAT(after({}), IsEmpty());
    EXPECT_THAT(after({"nothing"}), IsEmpty());
    EXPECT_THAT(after({"nothing", ""}), IsEmpty());
    EXPECT_THAT(after({"labels", "nothing", ""}), IsEmpty());
    EXPECT_THAT(after({"score", "--nothing", "runs", "--nothing=x"}), IsEmpty());
    EXPECT_THAT(after({"score", "--json="}), IsEmpty());
    EXPECT_THAT(after({"score", "--bins", ""}), IsEmpty());  // the value is a number
}

TEST(Completion, CommandsAndTheirPartsComeWithWhatTheyDo) {
    EXPECT_THAT(after({"re"}), ElementsAre("relabel", "replicate", "report"));
    EXPECT_THAT(after({"-"}), ElementsAre("--help", "--version"));
    EXPECT_THAT(after({"labels", "s"}), ElementsAre("stats"));
    EXPECT_THAT(after({"labels", "-"}), ElementsAre("--help"));
    EXPECT_EQ(complete({"scor"}).candidates.at(0).about,
              "Compute metrics, with intervals, from stored predictions");
    // The hidden command __complete, which shells call, is not proposed.
    EXPECT_THAT(after({"_"}), IsEmpty());
}

TEST(Completion, OptionsThatSayNothingNewAreNotProposed) {
    EXPECT_THAT(after({"score", "--per-class", "--per"}), IsEmpty());
    EXPECT_THAT(after({"score", "--k", "1", "--k"}), Contains("--k"));          // repeatable option
    EXPECT_THAT(after({"score", "--json", "--f"}), Not(Contains("--format")));  // excluded option
    EXPECT_THAT(after({"score", "--json", "--c"}), Not(Contains("--csv")));
    EXPECT_THAT(after({"predict", "-j8", "--th"}), IsEmpty());
    // the alias was typed in full
    EXPECT_THAT(after({"predict", "--work"}), ElementsAre("--workers"));
    EXPECT_THAT(after({"predict", "--thr"}), ElementsAre("--threads"));
    EXPECT_THAT(after({"mad", "init", "-k"}), ElementsAre("-k"));  // the option has no long name
    EXPECT_THAT(after({"labels", "--", "-"}), IsEmpty());
}

TEST(Completion, ValuesFollowTheirOption) {
    const Words formats = {"text", "csv", "json", "md", "latex"};
    EXPECT_EQ(after({"score", "--format", ""}), formats);
    EXPECT_THAT(after({"score", "--format=j"}), ElementsAre("--format=json"));
    EXPECT_THAT(after({"attack", "--norm", "l"}), ElementsAre("linf", "l2", "l1", "l0"));
    EXPECT_THAT(after({"predict", "--crop-mode", "s"}), ElementsAre("squash"));
    EXPECT_THAT(after({"predict", "--preset", "torchvision-"}), ElementsAre("torchvision-v2"));
    EXPECT_THAT(after({"predict", "--storage", ""}), ElementsAre("full", "f16", "top5", "label"));
    EXPECT_THAT(after({"predict", "--device", "c"}), Contains("cpu"));
    EXPECT_THAT(after({"score", "--class-map", "imagenet-"}), Contains("imagenet-r"));
    EXPECT_THAT(after({"quality", "score", "publ"}), ElementsAre("published"));
    EXPECT_THAT(after({"quality", "score", "published", "--weights", "rob"}),
                ElementsAre("robustness"));
    EXPECT_THAT(after({"plot", "quality-sc"}), ElementsAre("quality-score", "quality-scatter"));
    EXPECT_THAT(after({"plot", "quality-scatter", "--x", "obj"}), ElementsAre("object_focus"));
    EXPECT_THAT(after({"mad", "init", "--distance", "hop"}), ElementsAre("hop", "hop-full"));
    EXPECT_THAT(after({"list", "met"}), ElementsAre("metrics"));
    EXPECT_THAT(after({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
}

TEST(Completion, OfListsTheLastIsCompleted) {
    EXPECT_THAT(after({"attack", "--attack", "pgd,fg"}), ElementsAre("pgd,fgsm"));
    // pixelate and fog are in the list already
    EXPECT_THAT(after({"predict", "--corrupt", "fog,pixelate,fo"}), IsEmpty());
    EXPECT_THAT(after({"corrupt", "--corruptions=noise,sno"}),
                ElementsAre("--corruptions=noise,snow"));
    EXPECT_TRUE(complete({"attack", "--attack", "pgd,fg"}).goes_on);
    EXPECT_FALSE(complete({"attack", "--norm", "li"}).goes_on);
}

TEST(Completion, MetricsHaveParameters) {
    EXPECT_THAT(after({"score", "--metrics", "nl"}), ElementsAre("nll"));
    EXPECT_THAT(after({"score", "--metrics", "top1,nl"}), ElementsAre("top1,nll"));
    EXPECT_THAT(after({"score", "--metrics", "top1,top"}), ElementsAre("top1,top5"));
    EXPECT_THAT(after({"score", "--metrics=top"}), ElementsAre("--metrics=top1", "--metrics=top5"));
    EXPECT_THAT(after({"score", "--metrics", "ece:"}),
                ElementsAre("ece:bins=", "ece:norm=", "ece:edges="));
    EXPECT_THAT(after({"score", "--metrics", "nll,ece:edges=right"}),
                ElementsAre("nll,ece:edges=right_closed"));
    // After a comma, the next parameter or the next metric may follow.
    const Words next = after({"score", "--metrics", "ece:bins=20,"});
    EXPECT_THAT(next, Contains("ece:bins=20,edges="));
    EXPECT_THAT(next, Contains("ece:bins=20,top1"));
    EXPECT_THAT(next, Not(Contains("ece:bins=20,bins=")));
    EXPECT_THAT(after({"score", "--metrics", "nothing:"}), IsEmpty());
    // Each mention of the option takes one argument. The next word is a path.
    EXPECT_THAT(after({"score", "--metrics", "top1", "nl"}), IsEmpty());
}

TEST_F(Completing, FilesAreOfTheKindThatIsAskedFor) {
    for (const char* file : {"a.pt", "b.PT2", "c.onnx", "d.csv", "e.json", "f.toml", ".hidden.pt",
                             "in/g.pt", "h.npy", "i.png"})
        make_file(file);
    EXPECT_THAT(after({"predict", "-m", ""}), ElementsAre("a.pt", "b.PT2", "c.onnx", "in/"));
    EXPECT_THAT(after({"predict", "--model=in/"}), ElementsAre("--model=in/g.pt"));
    EXPECT_THAT(after({"predict", "-m", "."}), ElementsAre(".hidden.pt"));
    // the option takes several arguments
    EXPECT_THAT(after({"predict", "-m", "a.pt", "c"}), ElementsAre("c.onnx"));
    EXPECT_THAT(after({"predict", "-m", ".."}), ElementsAre("../"));
    EXPECT_THAT(after({"run", ""}), ElementsAre("f.toml", "in/"));
    EXPECT_THAT(after({"score", "--labels", ""}), ElementsAre("d.csv", "e.json", "h.npy", "in/"));
    EXPECT_THAT(after({"demo", "--dir", ""}), ElementsAre("in/"));
    EXPECT_THAT(after({"export", "--probabilities", ""}), ElementsAre("h.npy", "in/"));
    EXPECT_THAT(after({"predict", "-m", "nowhere/"}), IsEmpty());
    EXPECT_THAT(texts_of(complete_file("")), Contains("i.png"));
    EXPECT_TRUE(complete({"predict", "-m", ""}).paths);
    EXPECT_FALSE(complete({"predict", "--preset", ""}).paths);
}

TEST_F(Completing, NamesThatALineCannotHoldAreLeftOut) {
    make_file("a\nb.pt");
    make_file("c\td.pt");
    make_file("e f.pt");
    EXPECT_THAT(after({"predict", "-m", ""}), ElementsAre("e f.pt"));
}

TEST_F(Completing, HomeAndVariablesStayAsTheyAreTyped) {
    make_file("models/a.pt");
    const std::string here = fs::current_path().string();
    const char* home = std::getenv("HOME");
    const std::string before = home != nullptr ? home : "";
    ::setenv("HOME", here.c_str(), 1);
    ::setenv("ASSAY_TEST_FOLDER", here.c_str(), 1);
    EXPECT_THAT(after({"predict", "-m", "~"}), ElementsAre("~/"));
    EXPECT_THAT(after({"predict", "-m", "~/models/"}), ElementsAre("~/models/a.pt"));
    EXPECT_THAT(after({"predict", "-m", "$ASSAY_TEST_FOLDER/mo"}),
                ElementsAre("$ASSAY_TEST_FOLDER/models/"));
    EXPECT_THAT(after({"predict", "-m", "${ASSAY_TEST_FOLDER}/mo"}),
                ElementsAre("${ASSAY_TEST_FOLDER}/models/"));
    EXPECT_THAT(after({"predict", "-m", "$ASSAY_TEST_NONE/mo"}), IsEmpty());
    ::unsetenv("ASSAY_TEST_FOLDER");
    ::setenv("HOME", before.c_str(), 1);
}

TEST_F(Completing, StoresAreWhole) {
    make_store("runs/val/a");
    make_store("runs/val/b");
    make_store("runs/v2/a");
    fs::create_directories("runs/v2/parted/parts/0001-of-0002");
    make_file("runs/v2/parted/parts/0001-of-0002/manifest.json", "{}");
    EXPECT_THAT(after({"score", "runs/"}), ElementsAre("runs/v2/", "runs/val/"));
    EXPECT_THAT(after({"score", "runs/val/"}), ElementsAre("runs/val/a", "runs/val/b"));
    EXPECT_THAT(after({"score", "runs/v2/p"}), ElementsAre("runs/v2/parted"));
    // the folder of shards is not proposed
    EXPECT_THAT(after({"score", "runs/val/a/"}), IsEmpty());
    EXPECT_THAT(after({"compare", "runs/val/a", "runs/val/"}),
                ElementsAre("runs/val/a", "runs/val/b"));
    EXPECT_THAT(after({"score", "--", "ru"}), ElementsAre("runs/"));
    // Names of data sets and models come from the folder in the line, or otherwise from `runs`.
    EXPECT_THAT(after({"robustness", "runs", "--clean", "v"}), ElementsAre("v2", "val"));
    EXPECT_THAT(after({"robustness", "--clean", "va"}), ElementsAre("val"));
    EXPECT_THAT(after({"plot", "scores", "runs/v2", "--dataset", ""}), ElementsAre("v2"));
    EXPECT_THAT(after({"plot", "scores", "runs", "--model", ""}), ElementsAre("a", "parted", "b"));
    EXPECT_THAT(after({"gap", "--runs", "runs", "va"}), ElementsAre("val"));
    EXPECT_THAT(after({"gap", "runs/va"}), ElementsAre("runs/val/"));
}

TEST_F(Completing, CompetitionsAndTheirClassifiers) {
    make_store("mad/val/a");
    make_file("games/one/competition.sqlite", "damaged");
    EXPECT_THAT(after({"mad", "rank", "games/"}), ElementsAre("games/one"));
    EXPECT_THAT(after({"mad", "remove", "games/one", ""}), IsEmpty());
    EXPECT_THAT(after({"report", "games/"}), ElementsAre("games/one"));
}

TEST(ShellLine, BashWords) {
    const auto words = [](std::string_view line) {
        TypedLine read = read_bash_line(line, "\"'><=;|&(: ");
        Words all = read.words;
        all.push_back(read.last.text);
        return all;
    };
    EXPECT_THAT(words(""), ElementsAre(""));
    EXPECT_THAT(words("assay "), ElementsAre("assay", ""));
    EXPECT_THAT(words("assay  a\\ b 'c d' \"e $f\" g"),
                ElementsAre("assay", "a b", "c d", "e $f", "g"));
    EXPECT_THAT(words("assay a'b'\"c\"d"), ElementsAre("assay",
                                                       "ab"
                                                       "cd"));
    EXPECT_THAT(words("assay \"a\\\"b\\c"), ElementsAre("assay", "a\"b\\c"));
    EXPECT_THAT(words("assay ''  x"), ElementsAre("assay", "", "x"));
    EXPECT_THAT(words("A=1 B=2 assay x=1"), ElementsAre("assay", "x=1"));
    EXPECT_THAT(words("ls | assay score"), ElementsAre("assay", "score"));
    EXPECT_THAT(words("make && assay score"), ElementsAre("assay", "score"));
    EXPECT_THAT(words("assay 2>/dev/null score &> all ru"), ElementsAre("assay", "score", "ru"));
    EXPECT_THAT(words("assay score 2>&1 ru"), ElementsAre("assay", "score", "ru"));
    EXPECT_TRUE(read_bash_line("assay score > fi", "").redirected);
    EXPECT_FALSE(read_bash_line("assay score > file ", "").redirected);
}

// Bash keeps the part of a word before the last character of COMP_WORDBREAKS outside quotes, or
// before an open quote. The rest is replaced.
TEST(ShellLine, WhatBashReplaces) {
    const auto replaced = [](std::string_view line) {
        const TypedWord word = read_bash_line(line, "\"'><=;|&(:").last;
        return word.text.substr(word.kept);
    };
    EXPECT_EQ(replaced("assay --out=ru"), "ru");
    EXPECT_EQ(replaced("assay ece:bins=2"), "2");
    EXPECT_EQ(replaced("assay a\\:b"), "a:b");
    EXPECT_EQ(replaced("assay 'a:b'c"), "a:bc");
    EXPECT_EQ(replaced("assay 'a:b"), "a:b");
    EXPECT_EQ(replaced("assay --out=\"my r"), "my r");
    EXPECT_EQ(replaced("assay x\"y z"), "y z");
    // the word breaks contain no colon
    EXPECT_EQ(read_bash_line("assay ece:bi", "\"'").last.kept, 0U);
}

TEST(ShellLine, QuotedForBash) {
    const auto quoted = [](std::string_view text, std::string_view typed) {
        return quoted_for_bash(text, read_bash_line("assay " + std::string(typed), ":=").last);
    };
    EXPECT_EQ(quoted("a b", "a"), "a\\ b");
    EXPECT_EQ(quoted("$(x) `y` ;&|*?'\"!", ""), "\\$\\(x\\)\\ \\`y\\`\\ \\;\\&\\|\\*\\?\\'\\\"\\!");
    EXPECT_EQ(quoted("a b'c", "'a"), "a b'\\''c");
    EXPECT_EQ(quoted("a $b\"c`", "\"a"), "a \\$b\\\"c\\`");
    EXPECT_EQ(quoted("größe", "g"), "größe");
    EXPECT_EQ(quoted("--out=a b", "--out="), "a\\ b");
    // A variable or `~` that the user typed unquoted stays unquoted, and quoted text stays quoted.
    EXPECT_EQ(quoted("~/a b", "~/"), "~/a\\ b");
    EXPECT_EQ(quoted("$X/a$b", "$X/"), "$X/a\\$b");
    EXPECT_EQ(quoted("$X/a", "\\$X/"), "\\$X/a");
    EXPECT_EQ(quoted("$X/a b", "\"$X/"), "$X/a b");
}

TEST(ShellLine, FishWords) {
    EXPECT_EQ(read_fish_word("a\\ b").text, "a b");
    EXPECT_EQ(read_fish_word("'a\\'b\\c").text, "a'b\\c");
    EXPECT_EQ(read_fish_word("\"a\\\"b $c").text, "a\"b $c");
    EXPECT_EQ(read_fish_word("--out=ru").text, "--out=ru");
    EXPECT_EQ(read_fish_word("").text, "");
}

TEST(Completion, ManyWordsBecomeFew) {
    EXPECT_EQ(in_few_words(""), "");
    EXPECT_EQ(in_few_words("Short; with a second part. And more"),
              "Short; with a second part. And more");
    const std::string more = " and so on, for as long as a line of a menu could possibly hold it";
    EXPECT_EQ(in_few_words("First; second" + more), "First");
    EXPECT_EQ(in_few_words("First. Second" + more), "First");
    EXPECT_EQ(in_few_words("A sample, e.g. of ten" + more),
              "A sample, e.g. of ten and so on, for as long as a line of a menu could ...");
}

// The lines of the answer that the completion scripts read.
TEST(CompletionAnswer, IsInTheShellsOwnWay) {
    const auto answer = [](const Words& words) { return assay_run(words).out; };
    const std::string breaks = "\"'><=;|&(:";
    EXPECT_EQ(answer({"__complete", "bash", "assay sco", breaks}), "\nscore\n");
    EXPECT_EQ(answer({"__complete", "bash", "assay score --metrics=ece:bi", breaks}),
              "nospace\nbins=\n");
    EXPECT_EQ(answer({"__complete", "zsh", "score", "--metrics", "top1,nl"}),
              "METRICS: Metrics, comma-separated, with parameters ...\n"
              "list\tnll\tNegative log-likelihood\n");
    EXPECT_EQ(answer({"__complete", "fish", "top1,nl", "score", "--metrics"}),
              "top1,nll\tNegative log-likelihood\n");
    EXPECT_EQ(answer({"__complete", "fish", "", "nothing"}), "");
    EXPECT_EQ(assay_run({"__complete"}).status, 2);
    // Completion also works in a shell inside an MPI job.
    EXPECT_EQ(
        assay_run({"__complete", "fish", "sco"}, {"SLURM_STEP_NUM_TASKS=4", "SLURM_PROCID=0"}).out,
        "score\tCompute metrics, with intervals, from stored predictions\n");
}

TEST(CompletionAnswer, TheScriptAsksTheProgramThatPrintedIt) {
    const std::string folder = fs::path(ASSAY_PROGRAM).parent_path().string();
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const std::string here = assay_run({"completion", shell}, {"PATH=/usr/bin"}).out;
        EXPECT_THAT(here, testing::HasSubstr(folder + "/assay __complete " + shell));
        const std::string found = assay_run({"completion", shell}, {"PATH=/none::" + folder}).out;
        EXPECT_THAT(found, testing::HasSubstr("command assay __complete " + std::string(shell)));
    }
    const Outcome unknown = assay_run({"completion", "csh"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, testing::HasSubstr("csh not in {bash,zsh,fish}"));
}

}  // namespace
}  // namespace assay::cli
