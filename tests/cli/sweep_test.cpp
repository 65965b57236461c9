// Checks that every command of the table passes: help with examples, errors with suggestions,
// results in every format, and output that cannot be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "containers/csv.h"
#include "program.h"
#include "sweep_rows.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

#ifdef ASSAY_HAS_TORCH
constexpr bool has_torch = true;
#else
constexpr bool has_torch = false;
#endif

class Sweep : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = new Scratch;
        make_sweep_inputs(*folder_);
    }
    static void TearDownTestSuite() {
        delete folder_;
        folder_ = nullptr;
    }
    /// The rows that print a result, with a name for messages.
    template <class Visit>
    static void for_each_result(Visit&& visit) {
        for (const SweepRow& row : sweep_rows()) {
            if (!row.results || (row.needs_torch && !has_torch)) continue;
            const std::vector<std::string> words = words_of(row, *folder_);
            SCOPED_TRACE(testing::PrintToString(words));
            visit(words);
        }
    }
    static Outcome formatted(std::vector<std::string> words, const std::string& format) {
        words.insert(words.end(), {"--format", format});
        Outcome outcome = assay_run(words);
        EXPECT_THAT(outcome.status, testing::AnyOf(0, 3)) << outcome.err;
        return outcome;
    }
    static Scratch* folder_;
};
Scratch* Sweep::folder_ = nullptr;

std::vector<std::string> split(const std::string& command) {
    std::istringstream parts(command);
    return {std::istream_iterator<std::string>(parts), {}};
}

/// How often `part` occurs in the text without a backslash before it.
std::size_t unescaped(const std::string& text, char part) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else {
            count += text[i] == part ? 1 : 0;
        }
    }
    return count;
}

TEST(SweepTable, HasARowForEveryCommandAndNoOther) {
    std::set<std::string> rows;
    for (const SweepRow& row : sweep_rows()) rows.insert(row.command);
    const auto commands = commands_of_the_program();
    EXPECT_GE(commands.size(), 20U);
    EXPECT_EQ(rows, std::set<std::string>(commands.begin(), commands.end()));
}

TEST(SweepTable, TheHelpOfTheProgramStandsInColumns) {
    const std::string help = assay_run({"--help"}).out;
    std::set<std::size_t> summaries;
    bool inside = false;
    for (const std::string& line : lines_of(help)) {
        EXPECT_LE(line.size(), 100U) << line;
        if (line == "Examples:") break;
        if (inside && line.starts_with("  ")) {
            const std::size_t end = line.find(' ', 2);
            EXPECT_NE(end, std::string::npos) << line;
            summaries.insert(line.find_first_not_of(' ', end));
        }
        inside = inside || line == "Evaluate:";
    }
    EXPECT_EQ(summaries.size(), 1U) << help;
    // Each command has a group in main.cpp, so no command may be listed under "Others".
    EXPECT_THAT(help, testing::Not(HasSubstr("Others:")));
}

TEST(SweepTable, EveryHelpFitsOnAScreenAndHasExamplesOfItsOwn) {
    for (const std::string& command : commands_of_the_program()) {
        for (const char* option : {"--help", "--help-all"}) {
            std::vector<std::string> words = split(command);
            words.emplace_back(option);
            const Outcome help = assay_run(words);
            EXPECT_EQ(help.status, 0) << command << help.err;
            EXPECT_EQ(help.err, "") << command;
            EXPECT_THAT(help.out, HasSubstr("Examples:\n  assay " + command)) << command;
            for (const std::string& line : lines_of(help.out)) {
                // Examples are copied, so they are not folded.
                EXPECT_LE(line.size(), line.starts_with("  assay ") ? 125U : 100U) << line;
            }
            // If a help is longer, add a row to src/cli/common_options.cpp. The list of plots may
            // be longer, because users need it.
            if (option == std::string("--help") && command != "plot") {
                EXPECT_LE(lines_of(help.out).size(), 60U) << command;
            }
            if (words.size() == 3) {  // the command that has this part
                EXPECT_THAT(assay_run({words[0], option}).out, HasSubstr("Examples:\n  assay "));
            }
        }
    }
}

TEST(SweepTable, UnknownOptionsAreNamedWithTheNearest) {
    for (const std::string& command : commands_of_the_program()) {
        std::vector<std::string> words = split(command);
        words.push_back("--hlep");
        const Outcome outcome = assay_run(words);
        EXPECT_EQ(outcome.status, 2) << command;
        EXPECT_EQ(outcome.out, "") << command;
        EXPECT_THAT(outcome.err, HasSubstr("unexpected `--hlep`; did you mean `--help`?"))
            << command;
    }
}

// Options that all commands have are declared in one place: make_app().
TEST(SweepTable, EveryCommandHasTheSharedOptions) {
    for (const std::string& command : commands_of_the_program()) {
        std::vector<std::string> words = split(command);
        words.push_back("--help");
        const std::string help = assay_run(words).out;
        EXPECT_THAT(help, HasSubstr("-h,--help ")) << command;
        EXPECT_THAT(help, HasSubstr("-q,--quiet ")) << command;
        for (const char* quiet : {"-q", "--quiet"}) {
            words.back() = quiet;
            words.emplace_back("--hlep");
            EXPECT_THAT(assay_run(words).err, HasSubstr("unexpected `--hlep`; did you mean"))
                << command;
            words.pop_back();
        }
    }
}

/// The lines that begin with `begin`, such as "assay: note: ".
std::vector<std::string> lines_with(const std::string& begin, const std::string& text) {
    std::vector<std::string> found;
    for (const std::string& line : lines_of(text)) {
        if (line.starts_with(begin)) found.push_back(line);
    }
    return found;
}

TEST_F(Sweep, QuietSilencesNotesAndNothingElse) {
    std::size_t notes = 0, warnings = 0;
    for_each_result([&](std::vector<std::string> words) {
        const Outcome plain = assay_run(words);
        words.emplace_back("-q");
        const Outcome quiet = assay_run(words);
        EXPECT_EQ(quiet.status, plain.status) << quiet.err;
        EXPECT_THAT(lines_with("assay: note: ", quiet.err), testing::IsEmpty());
        EXPECT_EQ(lines_with("assay: warning: ", quiet.err),
                  lines_with("assay: warning: ", plain.err));
        EXPECT_EQ(quiet.out.empty(), plain.out.empty());
        notes += lines_with("assay: note: ", plain.err).size();
        warnings += lines_with("assay: warning: ", plain.err).size();
    });
    EXPECT_GE(notes, 5U);
    EXPECT_GT(warnings, 0U);
}

TEST_F(Sweep, JsonNamesItsSchemaWithAVersion) {
    const std::string formats = slurp(ASSAY_SOURCE_DIR "/docs/formats.md");
    // This is one row of the options of all commands (Output::add_to()).
    EXPECT_EQ(formatted({"list", "metrics"}, "json").out,
              assay_run({"list", "metrics", "--json"}).out);
    std::map<std::string, std::string> owners;  // each schema belongs to one command
    for_each_result([&](const std::vector<std::string>& words) {
        std::vector<std::string> brief = words;
        brief.push_back("--json");
        const Outcome outcome = assay_run(brief);
        EXPECT_THAT(outcome.status, testing::AnyOf(0, 3)) << outcome.err;
        const json result = json::parse(outcome.out, nullptr, false);
        ASSERT_TRUE(result.is_object()) << outcome.out.substr(0, 200);
        const std::string schema = result.value("schema", "");
        EXPECT_TRUE(std::regex_match(schema, std::regex("assay\\.[a-z_.]+/[1-9][0-9]*"))) << schema;
        EXPECT_THAT(formats, HasSubstr(schema));
        EXPECT_EQ(owners.emplace(schema, words[0]).first->second, words[0]);
    });
}

TEST_F(Sweep, CsvIsOneTable) {
    for_each_result([&](const std::vector<std::string>& words) {
        const std::string text = formatted(words, "csv").out;
        CsvReader reader(text, "csv", {.delimiter = ','});  // throws if a row has another length
        const std::set<std::string> names(reader.columns().begin(), reader.columns().end());
        EXPECT_EQ(names.size(), reader.columns().size()) << text.substr(0, 200);
        for (const std::string& name : names)
            EXPECT_TRUE(std::regex_match(name, std::regex("[a-z][a-z0-9_.]*"))) << name;
        while (reader.next()) {
        }
    });
}

TEST_F(Sweep, MarkdownHasTablesWithRowsOfOneLength) {
    for_each_result([&](const std::vector<std::string>& words) {
        const std::string text = formatted(words, "md").out;
        EXPECT_NE(text, "");
        std::size_t bars = 0;  // number of columns of the current table
        for (const std::string& line : lines_of(text)) {
            if (!line.starts_with("|")) {
                bars = 0;
                continue;
            }
            if (bars == 0) bars = unescaped(line, '|');
            EXPECT_EQ(unescaped(line, '|'), bars) << line;
        }
        EXPECT_THAT(text, testing::Not(HasSubstr("\033[")));
    });
}

// The name of every measurement is accepted by all of MLflow's stores, can be grouped by
// TensorBoard, and is unique in the command.
TEST_F(Sweep, LogsHaveNamesThatTrackersTake) {
    const std::regex allowed("[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+");
    std::set<std::string> logged;
    for_each_result([&](std::vector<std::string> words) {
        const std::string command =
            words[0] +
            (words[0] == "quality" || words[0] == "mad" ? " " + words[1] : std::string());
        std::vector<std::string> help = split(command);
        help.push_back("--help-all");
        if (assay_run(help).out.find("--log LOG") == std::string::npos) return;
        const Scratch out;
        words.insert(words.end(), {"--log", out / "log.jsonl", "--log",
                                   "tensorboard:" + (out / "events").string(), "--log-step", "3"});
        const Outcome outcome = assay_run(words);
        EXPECT_THAT(outcome.status, testing::AnyOf(0, 3)) << outcome.err;
        EXPECT_THAT(outcome.err, testing::Not(HasSubstr("would be logged as"))) << outcome.err;
        std::set<std::string> names;
        for (const std::string& line : lines_of(slurp(out / "log.jsonl"))) {
            const json read = json::parse(line);
            const auto name = read.at("name").get<std::string>();
            EXPECT_TRUE(std::regex_match(name, allowed)) << name;
            EXPECT_TRUE(names.insert(name).second) << name;
            EXPECT_EQ(read.at("step"), 3);
            EXPECT_NE(read.contains("value"), read.contains("undefined")) << line;
            EXPECT_NE(read.value("undefined", "none"), "") << line;
        }
        for (const std::string& name : names) {
            const auto next = names.upper_bound(name + "/");
            EXPECT_TRUE(next == names.end() || !next->starts_with(name + "/")) << name;
        }
        EXPECT_GE(names.size(), 1U);
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(out / "events"), {}), 1);
        logged.insert(command);
    });
    EXPECT_THAT(logged, testing::IsSupersetOf({"score", "compare", "gap", "robustness",
                                               "quality measure", "mad rank"}));
}

TEST_F(Sweep, LatexHasTabularsWithRowsOfOneLength) {
    const std::string begin = "\\begin{tabular}{", end = "\\end{tabular}";
    for_each_result([&](const std::vector<std::string>& words) {
        const std::string text = formatted(words, "latex").out;
        EXPECT_NE(text, "");
        std::size_t columns = 0;  // number of columns of the current tabular
        for (const std::string& line : lines_of(text)) {
            if (line.starts_with("%")) continue;
            EXPECT_EQ(unescaped(line, '{'), unescaped(line, '}')) << line;
            EXPECT_EQ(unescaped(line, '$') % 2, 0U) << line;
            EXPECT_EQ(unescaped(line, '%'), 0U) << line;
            if (line.starts_with(begin)) {
                EXPECT_EQ(columns, 0U) << line;
                columns = line.find('}', begin.size()) - begin.size();
            } else if (line == end) {
                columns = 0;
            } else if (columns > 0 && line.ends_with("\\\\")) {
                EXPECT_EQ(unescaped(line, '&') + 1, columns) << line;
            }
        }
        EXPECT_EQ(columns, 0U);
    });
}

// In `assay score runs | head -0`, SIGPIPE ends the program as usual. If SIGPIPE is ignored, the
// program must say that its result was lost.
TEST_F(Sweep, AClosedStdoutIsNoCrash) {
    for_each_result([&](const std::vector<std::string>& words) {
        int ends[2];
        ASSERT_EQ(::pipe(ends), 0);
        ::close(ends[0]);
        EXPECT_EQ(assay_run(words, {}, ends[1]).status, 128 + SIGPIPE);
        ::close(ends[1]);
    });
}

TEST_F(Sweep, AFullDiskIsToldAndEndsWith2) {
    const int full = ::open("/dev/full", O_WRONLY);
    if (full < 0) GTEST_SKIP() << "no /dev/full";
    for_each_result([&](const std::vector<std::string>& words) {
        const Outcome outcome = assay_run(words, {}, full);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(outcome.err, HasSubstr("cannot write to stdout"));
    });
    ::close(full);
}

}  // namespace
}  // namespace assay
