#include "assay/decisions/conformal.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "containers/described_csv.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"
#include "decisions/abstention.h"
#include "decisions/judged_store.h"
#include "decisions/prediction_sets.h"
#include "decisions/set_row.h"
#include "decisions/set_scores.h"
#include "decisions/sets_file.h"
#include "derived/shared_images.h"
#include "evaluate/given_labels.h"
#include "store/same_data.h"
#include "store/usable_stores.h"

namespace assay::decisions {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t set_block_rows = 1024;

/// Calls body(i, row) for the place of each row, with a sorted row of this thread.
template <class Body>
void for_rows(const JudgedStore& judged, const std::vector<std::uint64_t>& rows, int threads,
              const Body& body) {
    const std::size_t blocks = (rows.size() + set_block_rows - 1) / set_block_rows;
    parallel_blocks(blocks, resolve_threads(threads), [&](std::size_t block) {
        throw_if_stopped();
        SortedRow sorted;
        const std::size_t end = std::min(rows.size(), (block + 1) * set_block_rows);
        for (std::size_t i = block * set_block_rows; i < end; ++i) {
            sorted.read(judged.reader(), rows[i]);
            body(i, rows[i], sorted);
        }
    });
}

std::string needed_images(double alpha) {
    return count_text(static_cast<std::uint64_t>(std::ceil(1 / alpha - 1 - 1e-9)));
}

/// The results of one store: its parts, its sets and its abstention.
class StoreSets {
public:
    StoreSets(const fs::path& folder, const ConformalOptions& options, const GivenLabels& labels,
              ConformalResult& result, std::set<fs::path>& counted)
        : options_(options),
          result_(result),
          counted_(counted),
          own_(folder, labels, options.labels) {
        const StoreSpec& spec = own_.store().spec();
        if (!options.calibrate_on.empty()) open_other(folder, spec);
        if (other_) calibration_ = judged_rows(*other_);
        for (const std::uint64_t row : judged_rows(own_)) {
            const bool fitted =
                !other_ && is_of_calibration(own_.id(row), options.split, options.seed);
            (fitted ? calibration_ : reported_).push_back(row);
        }
        require_images(folder);
        calibrated_on_ = other_
                             ? other_->store().spec().dataset_name
                             : fmt::format("{:g} % of {}", 100 * options.split, spec.dataset_name);
    }

    void add(DescribedCsv<SetRow>* csv) {
        std::vector<SetRule> rules;
        for (const SetMethod method : {SetMethod::lac, SetMethod::aps, SetMethod::raps}) {
            if (options_.method == SetMethod::all || options_.method == method)
                rules.push_back({method, options_.lambda, static_cast<double>(options_.k_reg)});
        }
        const std::vector<Thresholds> thresholds = calibrate(rules);
        const std::size_t n = reported_.size();
        std::vector<std::vector<ImageSet>> sets(rules.size(), std::vector<ImageSet>(n));
        std::vector<JudgedImage> answers(n);
        for_rows(own_, reported_, options_.threads,
                 [&](std::size_t i, std::uint64_t row, const SortedRow& sorted) {
                     const auto valid = own_.valid(row);
                     const double draw = draw_for(own_.id(row));
                     answers[i] = judged(sorted, valid);
                     for (std::size_t m = 0; m < rules.size(); ++m)
                         sets[m][i] =
                             set_of(sorted, valid, rules[m], draw, thresholds[m], csv != nullptr);
                 });
        for (std::size_t m = 0; m < rules.size(); ++m) {
            report(rules[m], thresholds[m], sets[m]);
            if (csv != nullptr) write(*csv, rules[m], sets[m]);
        }
        if (options_.max_error > 0) abstain(answers);
    }

private:
    /// Images with scores and valid classes. Counts and notes others, once for each store.
    std::vector<std::uint64_t> judged_rows(const JudgedStore& images) {
        std::vector<std::uint64_t> rows;
        std::uint64_t not_scored = 0;
        const std::uint64_t all = images.store().rows();
        for (std::uint64_t row = 0; row < all; ++row) {
            if (!images.is_judged(row)) {
                not_scored += images.reader().status(row) == RowStatus::ok ? 0 : 1;
                continue;
            }
            if (options_.class_conditional && images.valid(row).size() > 1)
                refuse(
                    fmt::format("`{}` has {} valid classes, but a threshold for each class needs "
                                "one label per image; remove --class-conditional",
                                images.id(row), images.valid(row).size()));
            rows.push_back(row);
        }
        // Several data sets may be calibrated on one data set.
        const bool is_first = counted_.insert(images.store().folder()).second;
        if (rows.size() == all || !is_first) return rows;
        const StoreSpec& spec = images.store().spec();
        result_.notes.push_back(fmt::format("{} on {}: {} without scores or valid classes skipped",
                                            spec.model_name, spec.dataset_name,
                                            how_many(all - rows.size(), "image", "images")));
        result_.not_scored += not_scored;
        return rows;
    }

    void open_other(const fs::path& folder, const StoreSpec& spec) {
        fs::path whole = fs::absolute(folder).lexically_normal();
        if (!whole.has_filename()) whole = whole.parent_path();  // "runs/test/net/"
        const fs::path beside =
            whole.parent_path().parent_path() / options_.calibrate_on / whole.filename();
        other_.emplace(beside, GivenLabels(), fs::path());
        const PredictionStore &one = other_->store(), &two = own_.store();
        if (!store::same_class_ids(one.dataset().classes, two.dataset().classes) ||
            one.classes() != two.classes())
            refuse(
                fmt::format("`{}` and `{}` have different classes; calibrate on predictions for "
                            "the same classes, or use --split",
                            beside.string(), folder.string()));
        // Equal ids of files that are known to differ are other images: 1.png of two folders.
        const store::CommonItems common = store::common_items(one, two);
        std::uint64_t shared = common.same_files.value_or(true) ? common.items : 0;
        if (shared > 0 && !common.same_files && one.spec().kind == two.spec().kind) {
            const auto both = derived::shared_images(other_->reader(), own_.reader());
            // Without an equal id, file names are equal, and scores were not compared.
            if (both.compared > 0) shared = both.images;
        }
        if (shared > 0)
            refuse(fmt::format(
                "{} of `{}` are also in `{}`, but sets must not be calibrated on reported images; "
                "use --split, or other images",
                how_many(shared, "image", "images"), spec.dataset_name, options_.calibrate_on));
    }

    void require_images(const fs::path& folder) const {
        if (!calibration_.empty() && !reported_.empty()) return;
        if (other_)
            refuse(fmt::format(
                "{}: none of its images has scores and a valid class; import it with its labels: "
                "assay import --help",
                (calibration_.empty() ? other_->store().folder() : folder).string()));
        refuse(fmt::format("{}: none of its {} with scores and valid classes is {}; {}",
                           folder.string(),
                           how_many(calibration_.size() + reported_.size(), "image", "images"),
                           calibration_.empty() ? "for calibration" : "left to report",
                           calibration_.size() + reported_.size() == 0
                               ? "give their labels: assay conformal RUNS --labels FILE"
                               : "use another --split, or more images: assay conformal --help"));
    }

    const JudgedStore& fitted() const { return other_ ? *other_ : own_; }
    double draw_for(std::string_view id) const {
        return options_.deterministic ? 0 : draw_of(id, options_.seed);
    }
    static JudgedImage judged(const SortedRow& row, std::span<const std::int32_t> valid) {
        return {row.confidence(), std::ranges::binary_search(valid, row.cls(0))};
    }

    std::vector<Thresholds> calibrate(const std::vector<SetRule>& rules) {
        const std::size_t n = calibration_.size();
        std::vector<std::vector<double>> scores(rules.size(), std::vector<double>(n));
        fit_answers_.resize(n);
        for_rows(fitted(), calibration_, options_.threads,
                 [&](std::size_t i, std::uint64_t row, const SortedRow& sorted) {
                     const auto valid = fitted().valid(row);
                     fit_answers_[i] = judged(sorted, valid);
                     const std::size_t rank = sorted.rank_of(valid);
                     const double draw = draw_for(fitted().id(row));
                     for (std::size_t m = 0; m < rules.size(); ++m)
                         scores[m][i] = sorted.score(rank, rules[m], draw);
                 });
        std::vector<Thresholds> out(rules.size());
        for (std::size_t m = 0; m < rules.size(); ++m) {
            if (!options_.class_conditional) {
                out[m].one = threshold_of(scores[m], options_.alpha);
                out[m].tied = std::ranges::count(scores[m], out[m].one) > 1;
                continue;
            }
            std::vector<std::vector<double>> of_class(own_.store().classes());
            for (std::size_t i = 0; i < n; ++i)
                of_class[static_cast<std::size_t>(fitted().valid(calibration_[i])[0])].push_back(
                    scores[m][i]);
            for (std::vector<double>& one : of_class)
                out[m].of_class.push_back(threshold_of(one, options_.alpha));
        }
        return out;
    }

    void report(const SetRule& rule, const Thresholds& thresholds,
                const std::vector<ImageSet>& sets) {
        const StoreSpec& spec = own_.store().spec();
        ConformalSets out;
        out.model = spec.model_name;
        out.dataset = spec.dataset_name;
        out.calibrated_on = calibrated_on_;
        out.method = rule.method;
        out.calibration = calibration_.size();
        if (thresholds.of_class.empty()) {
            if (std::isfinite(thresholds.one)) out.threshold = thresholds.one;
            const std::uint64_t n = out.calibration;
            const std::uint64_t place = place_of_threshold(n, options_.alpha);
            // The coverage of scores without ties has the beta distribution with place and
            // n + 1 - place, whose quantiles are ends of Clopper and Pearson's intervals.
            // With ties it is that or more.
            if (place <= n && thresholds.tied)
                out.expected =
                    Interval{clopper_pearson(place, n, std::max(0.0, 2 * options_.level - 1)).low,
                             1, options_.level, "beta.low"};
            else if (place <= n)
                out.expected = Interval{clopper_pearson(place, n, options_.level).low,
                                        clopper_pearson(place - 1, n, options_.level).high,
                                        options_.level, "beta"};
        } else {
            out.infinite_classes =
                static_cast<std::uint64_t>(std::ranges::count(thresholds.of_class, in_every_set));
        }
        warn_infinite(out);
        std::uint64_t covered = 0, right = 0;
        for (const ImageSet& one : sets) {
            covered += one.covered ? 1 : 0;
            out.empty += one.size == 0 ? 1 : 0;
            out.one += one.size == 1 ? 1 : 0;
            right += one.size == 1 && one.covered ? 1 : 0;
            out.largest = std::max<std::uint64_t>(out.largest, one.size);
        }
        out.coverage = wilson_proportion(covered, sets.size(), options_.level, "no image");
        out.size = mean_size(sets, spec.classes, options_.level);
        out.one_correct = wilson_proportion(right, out.one, options_.level, "no set of one class");
        result_.sets.push_back(std::move(out));
    }

    void warn_infinite(const ConformalSets& sets) {
        const bool whole = !options_.class_conditional && !sets.threshold;
        if ((!whole && sets.infinite_classes == 0) || warned_) return;
        warned_ = true;
        const std::string where = fmt::format("{} on {}", sets.model, sets.dataset);
        result_.warnings.push_back(
            whole ? fmt::format("{}: {} to calibrate on, but --alpha {:g} needs at least {}: every "
                                "set holds all classes. Use more images or a larger --alpha",
                                where, how_many(sets.calibration, "image", "images"),
                                options_.alpha, needed_images(options_.alpha))
                  : fmt::format("{}: {} of {} classes have fewer than the {} calibration images "
                                "that --alpha {:g} needs: every set holds them. Use more images, a "
                                "larger --alpha, or no --class-conditional",
                                where, sets.infinite_classes, own_.store().classes(),
                                needed_images(options_.alpha), options_.alpha));
    }

    void abstain(const std::vector<JudgedImage>& answers) {
        const StoreSpec& spec = own_.store().spec();
        Abstention out;
        out.model = spec.model_name;
        out.dataset = spec.dataset_name;
        out.calibrated_on = calibrated_on_;
        out.max_error = options_.max_error;
        out.calibration = calibration_.size();
        out.threshold = safe_threshold(fit_answers_, options_.max_error, options_.level);
        std::uint64_t answered = 0, errors = 0;
        for (const JudgedImage& one : answers) {
            if (!out.threshold || one.confidence <= *out.threshold) continue;
            ++answered;
            errors += one.correct ? 0 : 1;
        }
        out.answered = wilson_proportion(answered, answers.size(), options_.level, "no image");
        out.error = wilson_proportion(errors, answered, options_.level, "no image is answered");
        if (!out.threshold)
            result_.warnings.push_back(fmt::format(
                "{} on {}: no threshold keeps the error at {:g} or below with {} to calibrate on; "
                "use more images or a larger --max-error",
                out.model, out.dataset, out.max_error,
                how_many(out.calibration, "image", "images")));
        result_.abstentions.push_back(std::move(out));
    }

    void write(DescribedCsv<SetRow>& csv, const SetRule& rule,
               const std::vector<ImageSet>& sets) const {
        const ClassList& names = own_.store().dataset().classes;
        SetRow out;
        const bool drawn = rule.method != SetMethod::lac;
        out.dataset = fitted().store().spec().dataset_name;
        out.model = own_.store().spec().model_name;
        out.method = words_of(rule.method)[static_cast<std::size_t>(rule.method)].second;
        out.part = "calibration";
        for (const std::uint64_t row : calibration_) {
            out.id = fitted().id(row);
            out.draw = drawn ? draw_for(out.id) : 0;
            csv.add(out);
        }
        out.part = "reported";
        out.dataset = own_.store().spec().dataset_name;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            out.id = own_.id(reported_[i]);
            out.draw = drawn ? draw_for(out.id) : 0;
            out.size = sets[i].size;
            out.covered = sets[i].covered;
            out.classes.clear();
            for (const std::int32_t cls : sets[i].classes) {
                if (!out.classes.empty()) out.classes += ';';
                out.classes +=
                    names.empty() ? std::to_string(cls) : names.id(static_cast<std::size_t>(cls));
            }
            csv.add(out);
        }
    }

    const ConformalOptions& options_;
    ConformalResult& result_;
    std::set<fs::path>& counted_;  ///< stores whose skipped images were counted by any StoreSets
    JudgedStore own_;
    std::optional<JudgedStore> other_;
    std::vector<std::uint64_t> calibration_, reported_;
    std::vector<JudgedImage> fit_answers_;
    std::string calibrated_on_;
    bool warned_ = false;
};

/// Changes nothing if the store cannot be used.
void add_store(ConformalResult& result, std::set<fs::path>& counted, const fs::path& folder,
               const ConformalOptions& options, const GivenLabels& labels, SetsFile* file) {
    ConformalResult own;
    std::set<fs::path> own_counted = counted;
    try {
        StoreSets(folder, options, labels, own, own_counted).add(file ? &file->csv() : nullptr);
    } catch (...) {
        if (file != nullptr) file->drop();
        throw;
    }
    if (file != nullptr) file->flush();
    counted = std::move(own_counted);
    const auto append = [](auto& to, auto& from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()),
                  std::make_move_iterator(from.end()));
    };
    append(result.sets, own.sets);
    append(result.abstentions, own.abstentions);
    append(result.notes, own.notes);
    append(result.warnings, own.warnings);
    result.not_scored += own.not_scored;
}

void check_options(const ConformalOptions& options) {
    if (options.stores.empty()) throw Error(ErrorCode::usage, "no predictions are named");
    const ConformalOptions usual;
    const bool raps = options.method == SetMethod::all || options.method == SetMethod::raps;
    if (!raps && (options.lambda != usual.lambda || options.k_reg != usual.k_reg))
        throw Error(ErrorCode::usage,
                    "--lambda and --k-reg act on --method raps alone: remove them, or use raps");
    const bool drawn = !options.deterministic && options.method != SetMethod::lac;
    if (options.method == SetMethod::lac && options.deterministic)
        throw Error(ErrorCode::usage,
                    "--deterministic acts on aps and raps alone: lac has no randomness; remove it");
    if (!options.calibrate_on.empty() && !drawn && options.seed != 0)
        throw Error(ErrorCode::usage,
                    "--seed has no effect without --split and randomness: remove it");
    if (!options.calibrate_on.empty() && !options.labels.empty())
        throw Error(ErrorCode::usage,
                    "--labels is about one data set, but --calibrate-on names another: use "
                    "--split, or import both with their labels: assay import --help");
}

}  // namespace

ConformalResult conformal_sets(const ConformalOptions& options, const ProgressCallback& progress) {
    check_options(options);
    ConformalResult result;
    result.alpha = options.alpha;
    result.level = options.level;
    result.class_conditional = options.class_conditional;
    result.randomized = !options.deterministic;
    const ModelStores found = model_stores(options.stores, true);
    if (const std::string note = found.note(); !note.empty()) result.notes.push_back(note);
    std::vector<fs::path> folders = found.folders;
    if (!options.calibrate_on.empty()) {
        std::erase_if(folders, [&](const fs::path& folder) {
            const auto store = store::open_unless_damaged(folder);
            const std::string dataset = store ? store->spec().dataset_name : std::string();
            return dataset == options.calibrate_on;
        });
        if (folders.empty())
            throw Error(ErrorCode::usage,
                        fmt::format("all these stores belong to `{}`, the data set of "
                                    "--calibrate-on: name another one to report, or use --split",
                                    options.calibrate_on));
    }
    std::vector<std::string> files;
    if (!options.labels.empty()) files.push_back(options.labels.string());
    std::vector<fs::path> readable = folders;
    if (!files.empty())
        std::erase_if(readable, [](const auto& one) { return !store::open_unless_damaged(one); });
    const GivenLabels labels = readable.empty() ? GivenLabels() : labels_of_stores(files, readable);
    result.notes.insert(result.notes.end(), labels.notes().begin(), labels.notes().end());
    result.warnings = labels.warnings();
    std::optional<SetsFile> file;
    if (!options.sets.empty()) file.emplace(options.sets);
    std::set<fs::path> counted;
    std::uint64_t done = 0;
    const std::vector<std::string> refusals =
        store::use_stores(folders, "used", [&](const fs::path& folder) {
            if (progress) progress({.step = "sets", .done = done, .total = folders.size()});
            ++done;
            add_store(result, counted, folder, options, labels, file ? &*file : nullptr);
        });
    result.refused = refusals.size();
    result.warnings.insert(result.warnings.end(), refusals.begin(), refusals.end());
    if (progress) progress({.step = "sets", .done = done, .total = folders.size()});
    if (file) file->commit();
    return result;
}

}  // namespace assay::decisions
