#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <sstream>

#include "cli/common_options.h"
#include "core/text.h"
#include "program.h"

namespace assay::cli {
namespace {

// If the help cannot be written, the exit status is not 0.
TEST(Help, AFullDiskIsTold) {
    const int full = ::open("/dev/full", O_WRONLY);
    if (full < 0) GTEST_SKIP() << "no /dev/full";
    const std::vector<std::vector<std::string>> all = {
        {"--help"},           {"--version"},           {"score", "--help"},
        {"labels", "--help"}, {"replicate", "--help"}, {"labels", "stats", "--help"}};
    for (const auto& words : all) {
        const Outcome outcome = assay_run(words, {}, full);
        EXPECT_EQ(outcome.status, 2) << words.front();
        EXPECT_THAT(outcome.err, testing::HasSubstr("cannot write to stdout"));
    }
    ::close(full);
}

TEST(Help, FoldsAtBlanks) {
    EXPECT_EQ(folded("", 5), "");
    EXPECT_EQ(folded("aa bb", 5), "aa bb");
    EXPECT_EQ(folded("aa bbb", 5), "aa\nbbb");
    EXPECT_EQ(folded("aaaaaaa b", 5), "aaaaaaa\nb");  // a word is never broken
    EXPECT_EQ(folded("a b c d", 3), "a b\nc d");
}

TEST(Help, OptionsAreFoldedBesideTheirNames) {
    CLI::App app("What it does.", "assay made");
    app.formatter(std::make_shared<FoldedHelp>());
    std::string value, text;
    for (int i = 0; i < 30; ++i) text += "word ";
    app.add_option("--made", value, text);
    const std::string help = app.help();
    EXPECT_NE(help.find("What it does.\nUsage: assay made"), std::string::npos) << help;
    // The 66 columns next to the names have space for 13 words of 4 letters.
    const std::string line = "word word word word word word word word word word word word word\n";
    EXPECT_NE(help.find("  --made TEXT                     " + line + std::string(34, ' ') + line),
              std::string::npos)
        << help;
}

/// The lines of a help text that describe an option.
std::vector<std::string> option_lines(const std::string& help) {
    std::vector<std::string> out;
    for_each_line(help, [&](std::string_view line, std::size_t) {
        if (line.starts_with("  -")) out.emplace_back(line);
    });
    return out;
}

std::vector<std::string> blank_separated(std::string_view text) {
    std::istringstream words{std::string(text)};
    return {std::istream_iterator<std::string>(words), {}};
}

/// Whether a line such as "  -m,--model MODEL ..." has the name `--name` or `-name`.
bool names_option(const std::string& line, const std::string& name) {
    const std::string names = "," + line.substr(2, line.find(' ', 2) - 2) + ",";
    return names.find(",--" + name + ",") != std::string::npos ||
           names.find(",-" + name + ",") != std::string::npos;
}

// Every option is in the long help, and the short one says how many more there are.
TEST(Help, ShowsMostUsedOptionsAndTheRestOnRequest) {
    for (std::size_t i = 0; !split_command(i).empty(); ++i) {
        const std::string command(split_command(i));
        std::vector<std::string> words = blank_separated(command);
        words.emplace_back("--help");
        const std::string help = assay_run(words).out;
        words.back() = "--help-all";
        const Outcome all = assay_run(words);
        EXPECT_EQ(all.status, 0) << command << all.err;
        const auto shown = option_lines(help);
        const auto every = option_lines(all.out);
        EXPECT_LT(shown.size(), every.size()) << command;
        EXPECT_THAT(every, testing::IsSupersetOf(shown)) << command;
        const std::string more = std::to_string(every.size() - shown.size()) +
                                 " more options: assay " + command + " --help-all\n";
        EXPECT_THAT(help, testing::HasSubstr(more)) << command;
        EXPECT_THAT(all.out, testing::Not(testing::HasSubstr("more options"))) << command;
        for (const std::string& name : blank_separated(listed_options(command))) {
            EXPECT_TRUE(std::ranges::any_of(
                shown, [&](const std::string& line) { return names_option(line, name); }))
                << name << " is no option of " << command;
        }
    }
}

TEST(Help, AllOptionsAreTheSameWhereNoneIsRare) {
    EXPECT_FALSE(has_rare_options("verify"));
    const Outcome help = assay_run({"verify", "--help"});
    EXPECT_EQ(assay_run({"verify", "--help-all"}).out, help.out);
    EXPECT_THAT(help.out, testing::Not(testing::HasSubstr("--help-all")));
    EXPECT_EQ(assay_run({"labels", "--help-all"}).out, assay_run({"labels", "--help"}).out);
    EXPECT_EQ(assay_run({"--help-all"}).out, assay_run({"--help"}).out);
}

// Options that --help hides work, and their messages are the same.
TEST(Help, ARareOptionWorks) {
    EXPECT_THAT(assay_run({"predict", "--help"}).out, testing::Not(testing::HasSubstr("--scale")));
    const Outcome outcome = assay_run({"predict", "--scale", "nan", "-m", "m.pt", "-d", "val"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, testing::HasSubstr("--scale nan: is not a finite number"));
}

// Options without a long name, required ones, and those of a command without a row.
TEST(Help, KnowsWhichOptionsAreCommon) {
    std::string value;
    CLI::App init("About.", "assay mad init");
    EXPECT_TRUE(is_common(init, *init.add_option("-k", value)));
    EXPECT_FALSE(is_common(init, *init.add_option("--reason", value)));
    EXPECT_TRUE(is_common(init, *init.add_option("--needed", value)->required()));
    EXPECT_FALSE(is_common(init, *init.add_option("-t", value)));
    // A part of a listed name does not count as listed.
    EXPECT_FALSE(is_common(init, *init.add_option("--near", value)));
    CLI::App other("About.", "assay verify");
    EXPECT_TRUE(is_common(other, *other.add_option("--reason", value)));
}

}  // namespace
}  // namespace assay::cli
