// Each setting has one description. Whether it is read from an option, a file or the C interface,
// the same values are accepted or refused, with the same message. The docs agree with the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "assay/describe.h"
#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/export.h"
#include "assay/evaluate/gap.h"
#include "assay/evaluate/score.h"
#include "assay/plugin_files.h"
#include "assay/report/draw.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/description.h"
#include "cli/inputs.h"
#include "cli/paper_settings.h"
#include "cli/prediction.h"
#include "cli/quality_settings.h"
#include "cli/store_command.h"
#include "cli/value_kinds.h"
#include "cli/values.h"
#include "core/file.h"
#include "core/json_keys.h"
#include "program.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* one_model = "[[model]]\npath = 'a.pt'\npreset = 'timm'\noutputs = 'logits'\n";

class Described : public testing::Test {
protected:
    Described() {
        write_file_atomically(folder_ / "a.pt", "no model");
        fs::create_directory(folder_ / "d");
    }
    /// `assay run FILE --dry-run`, which prints the resolved settings.
    Outcome run(const std::string& text, std::vector<std::string> more = {}) const {
        write_file_atomically(folder_ / "assay.toml", text);
        more.insert(more.begin(), {"run", folder_ / "assay.toml", "--dry-run"});
        return assay_run(more);
    }
    Outcome run_top(const std::string& line) const {
        return run(line + "\n" + one_model + "[[data]]\npath = 'd'\n");
    }
    Outcome run_data(const std::string& line) const {
        return run(std::string(one_model) + "[[data]]\npath = 'd'\n" + line + "\n");
    }
    Outcome predict(std::vector<std::string> more) const {
        more.insert(more.begin(), {"predict", "-m", folder_ / "a.pt", "--preset", "timm",
                                   "--outputs", "logits", "--dry-run"});
        return assay_run(more);
    }

    Scratch folder_;
};

/// The part of the message after the name of the setting: "is 3; allowed: ...".
std::string behind(const std::string& err, const std::string& name) {
    const std::size_t at = err.find(name + " is ");
    if (at == std::string::npos) return "no `" + name + " is ` in: " + err;
    std::string text = err.substr(at + name.size() + 1);
    for (const char* end : {"; see `", " (while ", "\n"}) text = text.substr(0, text.find(end));
    return text;
}

struct Setting {
    std::string name;
    std::vector<std::string> values;
};

/// The option and the key give the same status, the same message and the same resolved settings.
template <class ByKey, class ByOption>
void expect_equal(const Setting& setting, ByKey&& by_key, ByOption&& by_option) {
    std::string dashes = setting.name;
    std::ranges::replace(dashes, '_', '-');
    for (const std::string& value : setting.values) {
        char* end = nullptr;
        std::strtod(value.c_str(), &end);
        const bool number = !value.empty() && *end == '\0';
        const std::string written = number ? value : "'" + value + "'";
        SCOPED_TRACE(setting.name + " = " + written);
        const Outcome option = by_option("--" + dashes, value);
        EXPECT_THAT(option.status, testing::AnyOf(0, 2));
        std::set<std::string> spellings = {setting.name, dashes};
        for (const std::string& key : spellings) {
            const Outcome file = by_key(key + " = " + written);
            EXPECT_EQ(file.status, option.status) << file.err << option.err;
            if (option.status == 0) continue;
            EXPECT_EQ(behind(file.err, key), behind(option.err, "--" + dashes));
            EXPECT_THAT(file.err, HasSubstr("; allowed: "));
            EXPECT_EQ(file.out, "");
        }
    }
}

TEST_F(Described, OptionsAndKeysOfTheFileTakeTheSame) {
    const std::vector<Setting> settings = {
        {"max_pixels",
         {"300000000", "178956971", "178956970", "300000", "0", "-1", "2.5", "nan", "many"}},
        {"threads", {"2147483648", "2147483647", "8", "0", "-1", "inf", "8.0", "two"}},
        {"image_memory", {"16", "0", "16777217", "-3"}},
        {"batch", {"4294967296", "32", "-32", "x"}},
        {"shard_rows", {"4294967295", "-1", "100"}},
        {"storage", {"top5", "topp", "full", "f32", "top0"}},
    };
    const std::string rest = std::string(one_model) + "[[data]]\npath = 'd'\n";
    for (const Setting& setting : settings) {
        expect_equal(
            setting, [&](const std::string& line) { return run_top(line); },
            [&](const std::string& option, const std::string& value) {
                return run(rest, {option, value});
            });
    }
    // Both accept the value, and it has the same meaning.
    for (const auto& [key, option] : {std::pair("max_pixels = 300000", "--max-pixels=300000"),
                                      {"max-pixels = 300000", "--max-pixels=300000"},
                                      {"threads = 3", "--threads=3"},
                                      {"image-memory = 64", "--image-memory=64"},
                                      {"max_pixels = 0", "--max-pixels=0"},
                                      {"storage = 'top5'", "--storage=top5"}}) {
        const Outcome file = run_top(key);
        EXPECT_EQ(file.status, 0) << file.err;
        EXPECT_EQ(json::parse(file.out, nullptr, false),
                  json::parse(run(rest, {option}).out, nullptr, false))
            << key;
    }
}

TEST_F(Described, HowModelsAreOpenedIsCheckedAlike) {
    for (const Setting& setting : std::vector<Setting>{{"isolate", {"yes", "on", "auto"}},
                                                       {"precision", {"fp8", "fp32", "bf15"}}}) {
        expect_equal(
            setting, [&](const std::string& line) { return run_top(line); },
            [&](const std::string& option, const std::string& value) {
                return predict({"-d", folder_ / "d", option, value});
            });
    }
    EXPECT_THAT(run_top("precision = 'bf15'").err, HasSubstr("did you mean `bf16`?"));
}

TEST_F(Described, DataSetsToo) {
    expect_equal(
        {"sample_seed", {"5000000000", "-1", "9223372036854775807", "1.5"}},
        [&](const std::string& line) { return run_data("limit = 3\n" + line); },
        [&](const std::string& option, const std::string& value) {
            return predict({"-d", folder_ / "d", "--limit", "3", option, value});
        });
    for (const Setting& setting : std::vector<Setting>{{"limit", {"3", "0", "-1", "3000000000"}},
                                                       {"first", {"3", "-1"}},
                                                       {"layout", {"folders", "folder", "flat"}}}) {
        expect_equal(
            setting, [&](const std::string& line) { return run_data(line); },
            [&](const std::string& option, const std::string& value) {
                return predict({"-d", folder_ / "d", option, value});
            });
    }
    const Outcome seed = run_data("limit = 3\nsample_seed = 5000000000");
    EXPECT_EQ(json::parse(seed.out, nullptr, false).at("data").at(0).at("sample_seed"), 5000000000);
    EXPECT_THAT(run_data("limit = 2\nfirst = 3").err, HasSubstr("limit excludes first"));
    EXPECT_THAT(predict({"-d", folder_ / "d", "--limit", "2", "--first", "3"}).err,
                HasSubstr("--limit excludes --first"));
    // A seed without a sample would have no effect.
    for (const Outcome& outcome :
         {run_data("sample_seed = 3"), predict({"-d", folder_ / "d", "--sample-seed", "3"})}) {
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(outcome.err, HasSubstr("add --limit N"));
    }
}

TEST_F(Described, KeysAreWrittenWithEitherSign) {
    const std::string data = "[[data]]\npath = 'd'\n";
    const std::string with_lines =
        "shard_rows = 4\n" + std::string(one_model) + "crop_pct = 0.5\n" + data +
        "limit = 9\nsample_seed = 3\ncrop_mode = 'squash'\n" + "[score]\nper_class = true\n";
    std::string with_dashes = with_lines;
    for (const char* key : {"shard_rows", "crop_pct", "sample_seed", "crop_mode", "per_class"}) {
        const std::size_t at = with_dashes.find(key);
        *std::find(with_dashes.begin() + static_cast<std::ptrdiff_t>(at), with_dashes.end(), '_') =
            '-';
    }
    const Outcome lines = run(with_lines), dashes = run(with_dashes);
    EXPECT_EQ(lines.status, 0) << lines.err;
    EXPECT_EQ(dashes.status, 0) << dashes.err;
    json one = json::parse(lines.out, nullptr, false),
         other = json::parse(dashes.out, nullptr, false);
    EXPECT_EQ(one.at("score").at("per_class"), true);
    EXPECT_EQ(other.at("score").at("per-class"), true);
    one.erase("score");
    other.erase("score");
    EXPECT_EQ(one, other);
    // Only one of two spellings may be used.
    for (const std::string& twice :
         {"shard_rows = 4\nshard-rows = 4\n" + std::string(one_model) + data,
          one_model + ("crop_pct = 1.0\ncrop-pct = 1.0\n" + data),
          one_model + data + "[score]\nper_class = true\nper-class = true\n"}) {
        const Outcome refused = run(twice);
        EXPECT_EQ(refused.status, 2) << twice;
        EXPECT_THAT(refused.err, HasSubstr("are the same key; keep one"));
    }
    EXPECT_THAT(run(std::string(one_model) + data + "[score]\nquiet = true\n").err,
                HasSubstr("assay run -q"));
}

TEST_F(Described, TextsThatLookLikeNumbersAreTexts) {
    fs::create_directory(folder_ / "nan");
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"-d", "nan", "--name", "inf"},
             {"-d", folder_ / "nan", "--name", "nan", "--dataset-name", "-1"},
             {"--data=inf", "--image-column=nan", "--out", "inf"}}) {
        const Outcome taken = predict(words);
        EXPECT_EQ(taken.status, 0) << taken.err;
    }
    const Outcome file =
        run(std::string(one_model) + "name = 'nan'\n[[data]]\npath = 'inf'\nname = '-1'\n" +
            "[score]\nlabels = 'inf'\n");
    EXPECT_THAT(file.err, AllOf(HasSubstr("no labels at `inf`"), Not(HasSubstr("finite"))));
}

// Checks all commands. Options with numbers refuse nan and infinity, and other options take them as
// text.
TEST(Numbers, EveryOptionOfThemRefusesNanAndInfinity) {
    for (const std::string_view kind : number_kinds)
        EXPECT_NE(find_value_kind(kind), nullptr) << kind;
    // Some commands write the file `nan`.
    const Scratch folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    std::size_t numbers = 0, texts = 0;
    for_each_command(commands(), [&](const CommandFacts& command) {
        for (const OptionFacts& option : command.options) {
            if (option.plain || option.is_flag() || !option.allowed.empty()) continue;
            const bool number = std::ranges::find(number_kinds, option.value) != number_kinds.end();
            // Tests only a sample of the text options, because each needs a run of the program.
            if (!number && ++texts % 8 != 0) continue;
            numbers += number ? 1 : 0;
            std::istringstream parts(command.name);
            std::vector<std::string> words{std::istream_iterator<std::string>(parts), {}};
            words.push_back(option.name().starts_with("--") ? option.name() + "=nan"
                                                            : option.name() + "nan");
            const std::string err = assay_run(words).err;
            if (number) {
                EXPECT_TRUE(err.find("is not a finite number") != std::string::npos ||
                            err.find("is nan; allowed: ") != std::string::npos ||
                            err.find("nan not in range ") != std::string::npos ||
                            err.find("nan is not allowed; allowed: ") != std::string::npos ||
                            err.find("whole number") != std::string::npos)
                    << command.name << " " << option.name() << ": " << err;
            } else {
                EXPECT_THAT(err, Not(HasSubstr("finite"))) << command.name << " " << option.name();
            }
        }
    });
    fs::current_path(before);
    EXPECT_GT(numbers, 100U);
}

/// How three interfaces read one value of a field. They are the command-line option, the key in
/// assay.toml, and the option of the C interface and of Python.
struct Taken {
    json resolved;
    std::string fault;  ///< the message without the name
};
template <class S, class Take>
Taken taken_by(const std::string& name, Take&& take) {
    S object;
    try {
        take(object);
        return {json_of(object), ""};
    } catch (const std::exception& error) {
        return {json_of(object), behind(error.what(), name)};
    }
}

/// A value as it is typed, and as JSON has it.
struct Value {
    std::string typed;
    json written;
};

std::vector<Value> values_for(const Field& field) {
    const bool number =
        field.shape.kind == FieldKind::whole || field.shape.kind == FieldKind::number;
    if (!number) return {{"a", "a"}, {"top1_v1", "top1_v1"}, {"percent", "percent"}};
    std::vector<Value> values = {{"nan", std::nan("")}, {"many", "many"}, {"-1", -1},
                                 {"2.5", 2.5},          {"0", 0},         {"50", 50}};
    for (const double end : {field.facts.min, field.facts.max}) {
        if (!std::isfinite(end)) continue;
        for (const double at : {end - 1, end, end + 1}) {
            const json written =
                at == std::floor(at) ? json(static_cast<std::int64_t>(at)) : json(at);
            values.push_back({written.dump(), written});
        }
    }
    return values;
}

template <class S>
std::size_t expect_one_description() {
    std::size_t compared = 0;
    for (const Field& field : description<S>) {
        if (field.shape.kind == FieldKind::flag) continue;
        const std::string option = field.option(), key(field.name);
        for (const Value& value : values_for(field)) {
            SCOPED_TRACE(key + " = " + value.typed);
            const auto with_app = [](S& object, auto&& use) {
                const auto app = make_app("test", "A test.", "");
                add_options(*app, object);
                use(*app);
            };
            const Taken by_option = taken_by<S>("--" + option, [&](S& object) {
                with_app(object,
                         [&](CLI::App& app) { parse(app, {"--" + option + "=" + value.typed}); });
            });
            const Taken by_key = taken_by<S>("[test]." + option, [&](S& object) {
                with_app(object, [&](CLI::App& app) {
                    fill(app, {{option, value.written}}, "[test]", "");
                });
            });
            const Taken by_c = taken_by<S>("options." + key, [&](S& object) {
                Keys keys({{key, value.written}}, "options");
                keys.take(object);
                keys.nothing_left();
            });
            EXPECT_EQ(by_option.fault, by_key.fault);
            EXPECT_EQ(by_option.resolved, by_key.resolved);
            // percentage points on the command line, proportions in the C interface
            if (field.facts.typed != 1) continue;
            EXPECT_EQ(by_option.fault, by_c.fault);
            EXPECT_EQ(by_option.resolved, by_c.resolved);
            ++compared;
        }
    }
    return compared;
}

TEST(OneDescription, IsThatOfCommandFileAndCInterface) {
    EXPECT_GT(expect_one_description<MeasureOptions>(), 30U);
    EXPECT_GT(expect_one_description<Resampling>(), 20U);
    EXPECT_GT(expect_one_description<ScoreRunsOptions>(), 5U);
    EXPECT_GT(expect_one_description<ScoreShown>(), 5U);
    EXPECT_GT(expect_one_description<CompareRunsOptions>(), 5U);
    EXPECT_GT(expect_one_description<GapOptions>(), 40U);
    EXPECT_GT(expect_one_description<GapRequest>(), 10U);
    EXPECT_GT(expect_one_description<ExportOptions>(), 10U);
    EXPECT_GT(expect_one_description<PlotChoice>(), 10U);
    EXPECT_GT(expect_one_description<DrawOptions>(), 20U);
}

TEST(OneDescription, PointsAreTypedAndProportionsAreStored) {
    GapOptions options;
    const auto app = make_app("test", "A test.", "");
    add_options(*app, options);
    EXPECT_THAT(app->help(), HasSubstr("--margin NUMBER"));
    parse(*app, {"--margin", "2.5"});
    EXPECT_EQ(options.margin, .025);
    EXPECT_EQ(behind(assay_run({"gap", "a", "b", "--margin", "101"}).err, "--margin"),
              "is 101; allowed: a number from 0 to 100");
    Keys keys({{"margin", 0.02}}, "options");
    keys.take(options);
    EXPECT_EQ(options.margin, .02);
}

/// How often the source of an interface mentions an option or a key.
std::size_t mentions(const std::string& name, std::initializer_list<const char*> files) {
    std::size_t count = 0;
    for (const char* file : files) {
        const std::string text = slurp(fs::path(ASSAY_SOURCE_DIR) / file);
        for (const std::string& literal :
             {"\"" + name + "\"", "\"--" + name + "\"", "\"--" + name + ",", ",--" + name + "\""}) {
            for (std::size_t at = text.find(literal); at != std::string::npos;
                 at = text.find(literal, at + 1))
                ++count;
        }
    }
    return count;
}

/// Checks that no reader of options repeats the name of a described field. `elsewhere`: names that
/// other structs of the same sources use, too.
template <class S>
void expect_no_mention(std::initializer_list<const char*> files,
                       const std::set<std::string>& elsewhere = {}) {
    for (const Field& field : description<S>) {
        for (const std::string& name : {std::string(field.name), field.option()}) {
            if (elsewhere.contains(name)) continue;
            EXPECT_EQ(mentions(name, files), 0U) << name;
        }
    }
}

TEST(OneDescription, IsTheOnlyMentionOfAnOption) {
    const auto files = {"src/cli/scoring.cpp",     "src/cli/cmd_score.cpp",
                        "src/cli/cmd_compare.cpp", "src/cli/cmd_gap.cpp",
                        "src/cli/cmd_plot.cpp",    "src/cli/store_command.cpp",
                        "src/cli/assay_toml.cpp",  "src/c/options.cpp",
                        "src/c/results.cpp",       "src/c/metrics.cpp"};
    EXPECT_EQ(mentions("other-images", {"src/cli/cmd_compare.cpp"}), 0U);
    // the search finds an existing name
    EXPECT_GT(mentions("people", {"src/cli/cmd_compare.cpp"}), 0U);
    // In `gap`, the label files of the two data sets are assigned by position. "gates" is the name
    // of a part, too.
    expect_no_mention<MeasureOptions>(files, {"labels", "gates"});
    expect_no_mention<Resampling>(files);
    // A pattern of models in assay.toml has its own `published` table.
    expect_no_mention<ScoreRunsOptions>(files, {"published"});
    expect_no_mention<ScoreShown>(files);
    expect_no_mention<CompareRunsOptions>(files);
    expect_no_mention<GapOptions>(files);
    expect_no_mention<GapRequest>(files);
    expect_no_mention<PlotChoice>({"src/cli/cmd_plot.cpp", "src/c/results.cpp"});
    expect_no_mention<DrawOptions>(files);
    expect_no_mention<PredictOptions>({"src/cli/prediction.cpp", "src/cli/assay_toml.cpp"},
                                      {"out"});
    expect_no_mention<ExportOptions>({"src/cli/cmd_export.cpp"});
    for (const SettingKey& key : setting_keys()) {
        // The path of a class list is made absolute.
        if (key.option.empty() || key.name == "classes") continue;
        EXPECT_EQ(mentions(key.option, {"src/cli/inputs.cpp"}), 0U) << key.option;
    }
}

/// The text between two comments in a file of the docs.
void expect_block(const fs::path& file, const std::string& name, const std::string& made) {
    const std::string begin = "<!-- " + name + ": begin -->\n",
                      end = "<!-- " + name + ": end -->\n";
    std::string text = slurp(file);
    const std::size_t first = text.find(begin), last = text.find(end);
    ASSERT_TRUE(first != std::string::npos && last != std::string::npos) << name;
    const std::size_t at = first + begin.size();
    if (std::getenv("ASSAY_WRITE") != nullptr)
        write_file_atomically(file, text.replace(at, last - at, made));
    EXPECT_EQ(slurp(file).substr(at, made.size() + end.size()), made + end)
        << "ASSAY_WRITE=1 writes " << file << " anew";
}

TEST(Docs, KeysOfTheConfigurationAreThoseOfTheProgram) {
    const auto lines = [](const auto& object) {
        return toml_of_fields(&object, description<std::decay_t<decltype(object)>>);
    };
    const std::string text = "```toml\n" + lines(PredictOptions()) + lines(ClassifierOptions()) +
                             lines(PluginFiles()) + "\n[[data]]\n" + lines(DataFlags()) +
                             lines(SampleFlags()) + "\n[quality]\n" + lines(QualitySettings()) +
                             "\n[paper]\n" + lines(PaperSettings()) + "```\n";
    expect_block(ASSAY_SOURCE_DIR "/docs/assay.toml.md", "keys", text);
}

}  // namespace
}  // namespace assay::cli
