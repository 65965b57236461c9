#include "store/import_decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "assay/error.h"
#include "core/text.h"

namespace assay::store {
namespace {

/// The number of rows per block is fixed, so that nothing depends on the number of threads.
constexpr std::uint32_t block_floats = 1U << 20;

}  // namespace

KindFacts look_at(const ScoreSource& source, int threads, const ProgressCallback& callback) {
    const double tolerance = kind_tolerance(source.precision);
    const std::uint32_t step =
        std::max(block_floats / (source.top != 0 ? source.top : source.classes), 1U);
    const auto blocks = static_cast<std::size_t>((source.rows + step - 1) / step);
    std::vector<KindFacts> found(blocks);
    Stage stage("checking", source.rows, callback);
    parallel_blocks(blocks, threads, [&](std::size_t block) {
        const std::uint64_t first = std::uint64_t{block} * step;
        const auto n =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(step, source.rows - first));
        if (source.top != 0) {
            found[block] = facts_of_entries(
                source.entries.subspan(first * source.top, std::size_t{n} * source.top), source.top,
                first, tolerance);
        } else {
            std::vector<float> scores(std::size_t{n} * source.classes);
            source.read(first, n, scores);
            found[block] = facts_of_rows(scores, source.classes, first, tolerance);
        }
        stage.add(n);
    });
    KindFacts facts;
    for (const KindFacts& block : found) facts.merge(block);
    return facts;
}

ScoreKind decide_kind(const ScoreSource& source, const KindFacts& facts,
                      const ImportOptions& options, std::vector<std::string>& notes) {
    if (source.hint == ScoreKind::labels) {
        if (options.kind)
            throw Error(ErrorCode::usage,
                        "the file holds predicted classes, not scores: omit --kind");
        return ScoreKind::labels;
    }
    std::string why;
    const std::optional<ScoreKind> found = kind_of(facts, why);
    const std::optional<ScoreKind> stated = options.kind ? options.kind : source.hint;
    if (!stated) {
        if (!found) {
            const std::string scale(scale_of(facts));
            throw Error(ErrorCode::bad_input,
                        fmt::format("the kind of scores is not clear: {}; pass {}--kind logits, "
                                    "probabilities or log_probabilities",
                                    why, scale.empty() ? "" : "--kind " + scale + ", or "));
        }
        const std::string rounded = said_of_rounding(facts);
        notes.push_back(fmt::format("assuming the scores are {} (use --kind to override)",
                                    rounded.empty() ? name_of(*found) : rounded));
        return *found;
    }
    const std::string against = contradiction(*stated, facts);
    if (!against.empty() && !(options.force && options.kind)) {
        const std::string said = options.kind
                                     ? fmt::format("--kind says {}", name_of(*stated))
                                     : fmt::format("the column's name says {}", name_of(*stated));
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}, but {}; choose with --kind{}", said, against,
                                options.kind ? ", or add --force" : ""));
    }
    if (!against.empty())
        notes.push_back(fmt::format("using {}, although {}", name_of(*stated), against));
    if (*stated == ScoreKind::probabilities && facts.are_rounded())
        notes.push_back(said_of_rounding(facts));
    if (*stated == ScoreKind::logits && found == ScoreKind::log_probabilities) {
        notes.push_back("the logits are log-probabilities; softmax leaves them as they are");
    }
    return *stated;
}

void apply_scale(ScoreSource& source, ScoreScale scale) {
    if (scale == ScoreScale::none) return;
    const double factor = scale == ScoreScale::percent ? 0.01
                          : scale == ScoreScale::log2  ? std::log(2.0)
                                                       : std::log(10.0);
    const auto scaled = [factor](float score) {
        return static_cast<float>(static_cast<double>(score) * factor);
    };
    source.reading += fmt::format("scale {:.17g}", factor);
    source.hint.reset();
    if (source.top != 0) {
        auto entries =
            std::make_shared<std::vector<TopEntry>>(source.entries.begin(), source.entries.end());
        for (TopEntry& entry : *entries) entry.score = scaled(entry.score);
        source.entries = *entries;
        source.owners.push_back(std::move(entries));
        return;
    }
    source.read = [read = std::move(source.read), scaled](std::uint64_t first, std::uint32_t n,
                                                          std::span<float> out) {
        read(first, n, out);
        for (float& score : out) score = scaled(score);
    };
}

ClassList classes_of(const ScoreSource& source, const ImportOptions& options,
                     const std::optional<Dataset>& existing, std::vector<std::string>& notes) {
    if (options.class_count != 0 && options.class_count != source.classes) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} classes were given, the scores have {}: omit --class-count",
                                options.class_count, source.classes));
    }
    if (!options.classes.empty()) {
        if (options.classes.size() != source.classes) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the list has {} classes, the scores have {}: give a list of "
                                    "{} with --classes FILE",
                                    options.classes.size(), source.classes, source.classes));
        }
        for (std::size_t c = 0; c < source.columns.size(); ++c) {
            if (options.classes.find(source.columns.id(c)) != static_cast<std::int32_t>(c)) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format("column {} of the scores is `{}`; class {} of the list is `{}`", c,
                                shortened(source.columns.id(c)), c, options.classes.id(c)));
            }
        }
        return options.classes;
    }
    if (!source.columns.empty()) return source.columns;
    if (existing && existing->classes.size() == source.classes) return existing->classes;
    if (source.classes == 1000) {
        notes.emplace_back("1000 classes: assuming ImageNet's");
        return imagenet_classes();
    }
    std::vector<std::string> numbers;
    for (std::uint32_t c = 0; c < source.classes; ++c) numbers.push_back(fmt::format("{}", c));
    return ClassList(std::move(numbers));
}

}  // namespace assay::store

namespace assay {

void take_kind(ImportOptions& options, std::string_view name) {
    options.scale = ScoreScale::none;
    const std::vector<std::string> names{"logits",  "probabilities",      "log_probabilities",
                                         "percent", "log2_probabilities", "log10_probabilities"};
    if (std::ranges::find(names, name) == names.end()) {
        throw Error(ErrorCode::usage, fmt::format("unknown kind of scores `{}`{}", shortened(name),
                                                  suggest(name, names)));
    }
    if (name == "percent") {
        options.scale = ScoreScale::percent;
        options.kind = ScoreKind::probabilities;
    } else if (name == "log2_probabilities" || name == "log10_probabilities") {
        options.scale = name.starts_with("log2") ? ScoreScale::log2 : ScoreScale::log10;
        options.kind = ScoreKind::log_probabilities;
    } else {
        options.kind = score_kind_named(name);
    }
}

MinusOne minus_one_named(std::string_view name) {
    if (name == "class") return MinusOne::first_class;
    if (name == "unlabelled") return MinusOne::unlabelled;
    throw Error(ErrorCode::usage, fmt::format("unknown meaning of -1 `{}`; it is `class` or "
                                              "`unlabelled`",
                                              shortened(name)));
}

}  // namespace assay
