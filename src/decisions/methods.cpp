#include "assay/decisions/methods.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/statistics.h"
#include "core/text.h"
#include "decisions/judged_labels.h"
#include "decisions/method_runs.h"
#include "decisions/two_way.h"
#include "evaluate/given_labels.h"
#include "store/same_data.h"

namespace assay::decisions {
namespace {

constexpr std::uint64_t run_block_rows = 4096;
/// More runs than anyone trains.
constexpr std::uint64_t most_runs = 10'000;

/// Values by image and run: 0, 1, or these if the image cannot be judged.
constexpr std::uint8_t unlabeled = 2, unscored = 3;

std::vector<NamedMethod> methods_of(const MethodOptions& options) {
    if (options.methods.size() + options.given.size() < 2)
        throw Error(ErrorCode::usage,
                    "--method needs two methods or more: --method 'old=runs/val/old-*' --method "
                    "'new=runs/val/new-*'");
    std::vector<NamedMethod> out;
    std::set<std::string> names;
    std::set<std::filesystem::path> stores;
    for (std::size_t i = 0; i < options.methods.size() + options.given.size(); ++i) {
        const std::size_t named = options.methods.size();
        out.push_back(i < named ? named_method(options.methods[i])
                                : named_method(options.given[i - named]));
        const NamedMethod& one = out.back();
        if (!names.insert(one.name).second)
            throw Error(ErrorCode::usage,
                        fmt::format("method `{}` is given twice; one pattern names all its stores: "
                                    "--method 'NAME=PATTERN'",
                                    one.name));
        for (const NamedRun& run : one.runs) {
            if (!stores.insert(std::filesystem::weakly_canonical(run.store)).second)
                refuse(fmt::format(
                    "`{}` is a run of two methods, `{}` and an earlier one; narrow one of "
                    "their patterns: assay compare --help",
                    run.store.string(), one.name));
        }
        if (one.runs.size() == 1)
            refuse(fmt::format(
                "method `{}` has one training run ({}), which cannot show how much runs differ. "
                "Train it again with other seeds, or compare two models: assay compare {} "
                "CANDIDATE",
                one.name, one.runs[0].store.string(), shell_word(one.runs[0].store.string())));
    }
    return out;
}

/// Reads the runs one after another.
class Runs {
public:
    Runs(const std::vector<NamedMethod>& methods, const MethodOptions& options,
         MethodComparison& result)
        : first_(PredictionStore::open(methods[0].runs[0].store)),
          labels_are_given_(!options.labels.empty()) {
        if (options.labels.empty()) {
            sets_ = first_.dataset().labels;
        } else {
            const std::vector<std::string> files = {options.labels.string()};
            const PredictionStore* const one = &first_;
            const GivenLabels labels(files, {&one, 1});
            result.notes = labels.notes();
            result.warnings = labels.warnings();
            sets_ = labels.measure_for({}, first_).label_sets.value();
        }
        require_known_labels(first_, sets_, options.labels);
    }

    const PredictionStore& first() const { return first_; }

    std::vector<std::uint8_t> read(const std::filesystem::path& folder, int threads) const {
        const PredictionStore store = PredictionStore::open(folder);
        if (!store.complete())
            refuse(
                fmt::format("{}: {} of its {} shards are missing; complete it with the same "
                            "`assay predict` command",
                            folder.string(), store.missing_shards(), store.shards()));
        store::require_same(
            first_, store,
            {.images = true, .classes = true, .labels = !labels_are_given_, .name = true});
        const RowReader reader(store);
        std::vector<std::uint8_t> out(store.rows(), unlabeled);
        parallel_blocks((out.size() + run_block_rows - 1) / run_block_rows,
                        resolve_threads(threads), [&](std::size_t block) {
                            throw_if_stopped();
                            const std::uint64_t end =
                                std::min<std::uint64_t>(out.size(), (block + 1) * run_block_rows);
                            RowPrediction said;
                            for (std::uint64_t row = block * run_block_rows; row < end; ++row) {
                                const auto valid = sets_[row];
                                if (valid.empty()) continue;
                                const bool read =
                                    reader.read(row, valid, said, RowReader::Detail::ranking) ==
                                    RowStatus::ok;
                                out[row] = !read ? unscored
                                           : std::ranges::binary_search(valid, said.predicted) ? 1
                                                                                               : 0;
                            }
                        });
        return out;
    }

private:
    PredictionStore first_;
    bool labels_are_given_;
    LabelSets sets_;
};

/// Keeps the images on which every run can be judged, and counts other images.
void keep_common(std::vector<RunTable>& tables, MethodComparison& result) {
    const std::size_t rows = tables[0][0].size();
    std::vector<bool> kept(rows, true), scored(rows, true);
    for (const RunTable& table : tables) {
        for (const auto& run : table) {
            for (std::size_t i = 0; i < rows; ++i) {
                kept[i] = kept[i] && run[i] < unlabeled;
                scored[i] = scored[i] && run[i] != unscored;
            }
        }
    }
    result.not_scored = static_cast<std::uint64_t>(std::ranges::count(scored, false));
    for (RunTable& table : tables) {
        for (auto& run : table) {
            std::size_t to = 0;
            for (std::size_t i = 0; i < rows; ++i)
                if (kept[i]) run[to++] = run[i];
            run.resize(to);
        }
    }
    result.images = tables[0][0].size();
    result.left_out = rows - result.images;
}

Estimate two_way_estimate(const TwoWay& mean, Interval interval) {
    Estimate out;
    out.unit = Unit::proportion;
    out.value = mean.mean;
    out.n = mean.n;
    out.interval = std::move(interval);
    return out;
}

std::vector<std::string> seeds_of(const NamedMethod& method) {
    std::vector<std::string> out;
    for (const NamedRun& run : method.runs) out.push_back(run.seed);
    return out;
}

/// True if both methods have the same seeds, each of them once.
bool are_paired(const NamedMethod& one, const NamedMethod& two) {
    const std::vector<std::string> seeds = seeds_of(one);
    return seeds == seeds_of(two) && std::set(seeds.begin(), seeds.end()).size() == seeds.size();
}

std::optional<std::uint64_t> runs_for(const TwoWay& mean, double within, double level) {
    if (half_width_with(mean, static_cast<double>(most_runs), level) > within) return std::nullopt;
    for (std::uint64_t runs = 2; runs <= most_runs; ++runs)
        if (half_width_with(mean, static_cast<double>(runs), level) <= within) return runs;
    return std::nullopt;
}

TrainedMethod trained(const NamedMethod& named, const RunTable& table, double level) {
    TrainedMethod out;
    out.method = named.name;
    out.runs = table.size();
    const TwoWay mean = two_way(table);
    out.accuracy = two_way_estimate(mean, expected_interval(mean, level));
    out.spread = std::sqrt(mean.runs[0].variance);
    out.spread_of_runs = spread_of_runs(mean);
    return out;
}

void note_copies(MethodComparison& result, const NamedMethod& method) {
    if (method.copies.empty()) return;
    std::vector<std::string> names;
    for (const std::filesystem::path& copy : method.copies)
        names.push_back(copy.filename().string());
    result.notes.push_back(fmt::format(
        "{}: skipped {}, because calibrated, smoothed and attacked copies and ensembles are not "
        "training runs",
        method.name, fmt::join(names, ", ")));
}

void note_pairing(MethodComparison& result, const NamedMethod& baseline,
                  const NamedMethod& candidate, bool paired) {
    result.notes.push_back(
        paired ? fmt::format("{} and {} are paired by seed: {}", candidate.name, baseline.name,
                             fmt::join(seeds_of(candidate), ", "))
               : fmt::format("{} (seeds {}) and {} (seeds {}) are not paired by seed",
                             candidate.name, fmt::join(seeds_of(candidate), ", "), baseline.name,
                             fmt::join(seeds_of(baseline), ", ")));
}

}  // namespace

MethodComparison compare_methods(const MethodOptions& options, const ProgressCallback& progress) {
    const std::vector<NamedMethod> methods = methods_of(options);
    MethodComparison result;
    const Runs runs(methods, options, result);
    result.dataset = runs.first().spec().dataset_name;
    result.level = options.level;
    result.within = options.within;
    std::uint64_t total = 0, done = 0;
    for (const NamedMethod& method : methods) {
        total += method.runs.size();
        note_copies(result, method);
    }
    std::vector<RunTable> tables(methods.size());
    for (std::size_t m = 0; m < methods.size(); ++m) {
        for (const NamedRun& run : methods[m].runs) {
            tables[m].push_back(runs.read(run.store, options.threads));
            if (progress) progress({.step = methods[m].name, .done = ++done, .total = total});
        }
    }
    keep_common(tables, result);
    if (result.images < 2)
        refuse(
            fmt::format("{}: {} of its images have a valid class and scores of all runs; at "
                        "least 2 are needed. Give their labels: assay compare --method ... "
                        "--labels FILE",
                        result.dataset, result.images));
    for (std::size_t m = 0; m < methods.size(); ++m) {
        result.methods.push_back(trained(methods[m], tables[m], options.level));
        for (std::size_t r = 0; r < tables[m].size(); ++r) {
            const auto hits = static_cast<std::uint64_t>(std::ranges::count(tables[m][r], 1));
            result.runs.push_back({methods[m].name, methods[m].runs[r].seed,
                                   methods[m].runs[r].store,
                                   wilson_proportion(hits, result.images, options.level, "")});
        }
        if (m == 0) continue;
        MethodDifference one;
        one.baseline = methods[0].name;
        one.candidate = methods[m].name;
        one.paired = are_paired(methods[0], methods[m]);
        const TwoWay mean =
            one.paired ? two_way_paired(tables[0], tables[m]) : two_way_apart(tables[0], tables[m]);
        one.difference = two_way_estimate(mean, expected_interval(mean, options.level));
        one.these_runs = two_way_estimate(mean, images_interval(mean, options.level));
        one.next_run = two_way_estimate(mean, next_run_interval(mean, options.level));
        one.from_runs = from_runs(mean);
        if (options.within > 0) one.runs_needed = runs_for(mean, options.within, options.level);
        note_pairing(result, methods[0], methods[m], one.paired);
        result.differences.push_back(std::move(one));
    }
    return result;
}

}  // namespace assay::decisions
