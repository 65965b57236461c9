// The manual pages: they are complete, typesetters accept them, and they are readable.
#include "cli/manual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "assay/evaluate/listing.h"
#include "cli/description.h"
#include "cli/roff.h"
#include "core/file.h"
#include "program.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

/// The path of the program with this name, or "".
std::string typesetter(const std::string& name) {
    const std::string path = "/usr/bin/" + name;
    return fs::exists(path) ? path : "";
}

/// All pages in a folder, as `assay manual` writes them.
class Pages : public testing::Test {
protected:
    void SetUp() override {
        const Outcome made = assay_run({"manual", "--out", folder_ / "man"});
        ASSERT_EQ(made.status, 0) << made.err;
        said_ = made.err;
        for (const auto& entry : fs::directory_iterator(folder_ / "man"))
            files_.push_back(entry.path().string());
    }
    /// Runs `words` with all pages as further arguments.
    Outcome over_all(Words words) const {
        words.insert(words.end(), files_.begin(), files_.end());
        return Program(words, {"LC_ALL=C.UTF-8"}).wait();
    }
    std::string page(const std::string& name) const { return folder_ / "man" / (name + ".1"); }

    Scratch folder_;
    Words files_;
    std::string said_;
};

TEST(Manual, HasAPageForEveryCommandWithAllItsOptions) {
    std::map<std::string, std::string> pages;
    for (const ManualPage& page : manual_pages("2026-01-31")) pages[page.file] = page.text;
    std::size_t options = 0;
    for_each_command(commands(), [&](const CommandFacts& command) {
        std::string file = "assay-" + command.name + ".1";
        std::ranges::replace(file, ' ', '-');
        ASSERT_TRUE(pages.contains(file)) << file;
        const std::string& text = pages[file];
        for (const char* section : {".SH \"NAME\"", ".SH \"SYNOPSIS\"", ".SH \"DESCRIPTION\"",
                                    ".SH \"EXAMPLES\"", ".SH \"EXIT STATUS\"", ".SH \"SEE ALSO\""})
            EXPECT_THAT(text, HasSubstr(section)) << file;
        for (const OptionFacts& option : command.options) {
            if (option.plain) continue;
            for (const std::string& name : option.names) {
                EXPECT_THAT(text, HasSubstr(roff_bold(name))) << file;
                ++options;
            }
        }
        for (const Command& part : command.parts)
            EXPECT_THAT(text, HasSubstr(roff_code("-" + std::string(part.name)))) << file;
        pages.erase(file);
    });
    EXPECT_GT(options, 500U);
    ASSERT_EQ(pages.size(), 1U);
    const std::string& whole = pages["assay.1"];
    for (const Command& command : commands())
        EXPECT_THAT(whole, HasSubstr(roff_bold("assay-" + std::string(command.name)) + "(1)"));
    for (const EnvironmentVariable& variable : environment_variables())
        EXPECT_THAT(whole, HasSubstr(roff_bold(variable.name)));
}

TEST_F(Pages, GroffTakesThemWithoutAWarning) {
    if (typesetter("groff").empty()) GTEST_SKIP() << "no groff";
    const Outcome outcome = over_all({typesetter("groff"), "-man", "-ww", "-Tutf8", "-z"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
}

TEST_F(Pages, ManTakesThemWithoutAWarning) {
    if (typesetter("man").empty()) GTEST_SKIP() << "no man";
    // man runs groff, which takes a tenth of a second for each page, so only some pages are
    // checked.
    const Outcome outcome = Program({typesetter("man"), "--warnings", "-P", "/bin/cat", "-l",
                                     page("assay"), page("assay-predict"), page("assay-mad-init")},
                                    {"LC_ALL=C.UTF-8"})
                                .wait();
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
}

TEST_F(Pages, MandocTakesThemWithoutAWarning) {
    if (typesetter("mandoc").empty()) GTEST_SKIP() << "no mandoc";
    const Outcome outcome = over_all({typesetter("mandoc"), "-Tlint", "-W", "style"});
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);)
        EXPECT_THAT(line, HasSubstr("text line longer than 80 bytes"));  // lines of examples
}

// A command that a reader copies must work in a shell, so it has no typographic hyphen, quote or
// tilde.
TEST_F(Pages, ExamplesAreShownAsTheyAreTyped) {
    if (typesetter("groff").empty()) GTEST_SKIP() << "no groff";
    const auto shown = [&](const std::string& name) {
        return Program({typesetter("groff"), "-man", "-Tutf8", "-rLL=200n", "-P-cbou", page(name)})
            .wait()
            .out;
    };
    const std::string score = shown("assay-score");
    EXPECT_THAT(score, HasSubstr("  assay score runs/val --labels real.json --metrics "
                                 "real,asma,asma.jaccard --gate \"low(asma) >= 0.5\"\n"));
    EXPECT_THAT(score, HasSubstr("assay score runs --across \"patchml-seed*\" --subgroups"));
    EXPECT_THAT(score, HasSubstr("assay-score - compute metrics, with intervals"));
    EXPECT_THAT(score, HasSubstr("--format text|csv|json|md|latex\n"));
    EXPECT_THAT(shown("assay-predict"),
                HasSubstr("-d 'imagenet-1k/data/validation-{00000..00013}"));
    EXPECT_THAT(shown("assay-completion"), HasSubstr("> ~/.config/fish/completions/assay.fish"));
    EXPECT_THAT(shown("assay-check"), HasSubstr("marked ✗"));
    EXPECT_THAT(shown("assay-gap"), HasSubstr("assay gap [OPTIONS] [V1 V2]\n"));
    EXPECT_THAT(shown("assay-plot"),
                HasSubstr("assay plot --output PICTURE [OPTIONS] PLOT SOURCE\n"));
}

TEST_F(Pages, AreTheSameBytesOnTheSameDay) {
    EXPECT_THAT(said_, HasSubstr("pages in "));
    for (const char* out : {"one", "two"}) {
        ASSERT_EQ(
            assay_run({"manual", "--out", folder_ / out, "-q"}, {"SOURCE_DATE_EPOCH=0"}).status, 0);
    }
    EXPECT_EQ(slurp(folder_ / "one/assay.1"), slurp(folder_ / "two/assay.1"));
    EXPECT_THAT(slurp(folder_ / "one/assay.1"), HasSubstr("\"1970-01-01\""));
}

/// The format of the list: FILE:LINE: KIND: TEXT.
TEST(Manual, ListsEveryMessageWithItsPlace) {
    const Outcome listed = assay_run({"manual", "--messages"});
    ASSERT_EQ(listed.status, 0) << listed.err;
    const std::regex form(R"(\S+\.(cpp|h):\d+: (error|warning|note|help|text): \S.*)");
    std::istringstream lines(listed.out);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
        EXPECT_TRUE(std::regex_match(line, form)) << line;
    }
    EXPECT_GT(number, 5000u);
    const std::regex own(
        R"(\nsrc/cli/cmd_manual\.cpp:(\d+): error: --out is required: name the folder)");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(listed.out, found, own));
    std::istringstream source(slurp(ASSAY_SOURCE_DIR "/src/cli/cmd_manual.cpp"));
    std::string line;
    for (int i = std::stoi(found[1]); i > 0; --i) std::getline(source, line);
    EXPECT_THAT(line, HasSubstr("\"--out is required"));
}

TEST(Manual, NeedsAFolderOrTheFlag) {
    const Outcome bare = assay_run({"manual"});
    EXPECT_EQ(bare.status, 2);
    EXPECT_THAT(bare.err, HasSubstr("`assay manual --out man`; or pass --messages"));
    EXPECT_EQ(assay_run({"manual", "--messages", "--out", "x"}).status, 2);
}

TEST(Roff, NothingIsARequestByMistake) {
    RoffPage page("x", "2026-01-31", "1");
    page.section("A");
    page.paragraph(".TH is text");
    page.item("'term", "text. More \\n and a - b, --option, -1, \"quoted\"");
    page.code({".nf", "a\\b 'c' ~d ^e `f`"});
    EXPECT_THAT(page.text(), HasSubstr("\n\\&.TH is text\n"));
    EXPECT_THAT(page.text(), HasSubstr("\n\\&'term\n"));
    EXPECT_THAT(page.text(), HasSubstr("\n\\&.nf\n"));
    EXPECT_THAT(page.text(), HasSubstr("a\\eb \\(aqc\\(aq \\(tid \\(hae \\(gaf\\(ga\n"));
    EXPECT_EQ(roff_text("a\\n --option non-negative [-1]"),
              "a\\en \\-\\-option non-negative [\\-1]");
    EXPECT_EQ(roff_text("größe ✗ 😀"), "gr\\[u00F6]\\[u00DF]e \\[u2717] \\[u1F600]");
    EXPECT_EQ(roff_text("\xff"), "\\[u00FF]");
    EXPECT_EQ(roff_prose("see `assay list`, or ` alone"), "see \\fBassay list\\fR, or ` alone");
}

// One table lists all environment variables that Assay reads.
TEST(Environment, TheTableIsWhatTheSourcesRead) {
    std::set<std::string> read, told;
    const std::regex call("(?:getenv|variable|file)\\(\"([A-Z][A-Za-z0-9_]+)\"");
    for (const auto& entry : fs::recursive_directory_iterator(ASSAY_SOURCE_DIR "/src")) {
        if (entry.path().extension() != ".cpp") continue;
        const std::string text = slurp(entry.path());
        for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at)
            read.insert((*at)[1]);
    }
    // PATH finds programs, and PMIX_RANK shows that srun started MPI. Nobody sets them for Assay.
    for (const char* other : {"PATH", "PMIX_RANK"}) EXPECT_EQ(read.erase(other), 1U) << other;
    for (const EnvironmentVariable& variable : environment_variables()) told.emplace(variable.name);
    EXPECT_EQ(told, read);
    EXPECT_GE(told.size(), 15U);
}

}  // namespace
}  // namespace assay::cli
