#include "cli/replicate_inputs.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "cli/command.h"

namespace assay::cli {

using namespace replication;
using nlohmann::json;

void AnnotationFlags::add_to(CLI::App& app) {
    app.add_flag("--clean", clean,
                 "Drop annotators who guess (needs the columns batch and control)");
    app.add_option("--min-selected", rules.min_selected,
                   "A batch with fewer selected images is flagged")
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--max-controls", rules.max_controls,
                   "A batch with more selected controls is flagged")
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--max-flagged", rules.max_flagged,
                   "Share of flagged batches from which an annotator is dropped")
        ->capture_default_str()
        ->type_name("SHARE");
    app.add_option("--equalise", equalise,
                   "StorageFormat N random annotators of each image, 0: as many as the image with "
                   "the fewest has (moments "
                   "do not need it)")
        ->check(CLI::NonNegativeNumber)
        ->type_name("N");
    app.add_flag("--other-annotators", other_annotators,
                 "Go on although no annotator judged both sets (annotator ids that were made "
                 "anonymous for each set)");
    app.add_option("--seed", seed, "Seed of everything random")
        ->check(decimal_number())
        ->capture_default_str()
        ->type_name("N");
}

namespace {

/// Batches of other sizes than about the paper's 48 need other thresholds.
constexpr std::uint32_t smallest_usual_batch = 40, largest_usual_batch = 64;

void equalise_sets(PreparedSets& prepared, const AnnotationFlags& flags) {
    int smallest = most_annotators;
    for (const Readings& set : prepared.sets) {
        smallest = std::min<int>(smallest,
                                 *std::min_element(set.annotators.begin(), set.annotators.end()));
    }
    const int n = flags.equalise == 0 ? smallest : flags.equalise;
    for (std::size_t i = 0; i < prepared.sets.size(); ++i) {
        std::uint64_t left_out = 0;
        const std::string source = prepared.sets[i].source;
        prepared.sets[i] = keep_annotators(
            prepared.sets[i], n, flags.seed,
            i == 0 ? "replicate.equalise.first" : "replicate.equalise.second", &left_out);
        if (left_out > 0) {
            prepared.warnings.push_back(fmt::format(
                "{}: {} images with fewer than {} annotators are left out", source, left_out, n));
        }
        if (prepared.sets[i].size() == 0) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: no image has {} annotators", source, n));
        }
    }
}

void clean_sets(std::vector<Selections>& raw, PreparedSets& prepared,
                const AnnotationFlags& flags) {
    std::vector<Selections*> all;
    for (Selections& set : raw) all.push_back(&set);
    prepared.cleaning = replication::clean(all, prepared.names, flags.rules);
    const CleaningReport& report = *prepared.cleaning;
    if (report.annotations_after == 0) {
        throw Error(ErrorCode::bad_input,
                    "every annotator was dropped: do the thresholds fit the batches?");
    }
    if (report.smallest_batch < smallest_usual_batch) {
        prepared.warnings.push_back(
            fmt::format("batches have {} to {} images; the thresholds of the paper are for batches "
                        "of 48 (--min-selected)",
                        report.smallest_batch, report.largest_batch));
    }
    if (report.largest_batch > largest_usual_batch) {
        prepared.warnings.push_back(
            fmt::format("a batch has {} images, and the thresholds of the paper are for batches of "
                        "48: do several grids of a "
                        "annotator have one name?",
                        report.largest_batch));
    }
}

/// Guessers pull every selection frequency towards their own habit: worth a argument where the
/// rules would find some.
void hint_at_cleaning(std::vector<Selections>& raw, PreparedSets& prepared,
                      const AnnotationFlags& flags) {
    std::vector<Selections*> all;
    bool controls = false;
    for (Selections& set : raw) {
        if (!set.has_batches) return;
        controls = controls || set.has_controls;
        all.push_back(&set);
    }
    if (!controls || prepared.names.batches.find("") < prepared.names.batches.size()) return;
    const CleaningReport report = replication::judge_annotators(all, prepared.names, flags.rules);
    // The thresholds are made for batches of about that size.
    if (report.smallest_batch < smallest_usual_batch || report.largest_batch > largest_usual_batch)
        return;
    if (const std::size_t guessers = report.dropped();
        guessers > 0 && report.annotations_after > 0) {
        prepared.warnings.push_back(
            fmt::format("{} of {} annotators answer as guessers do; --clean drops them", guessers,
                        report.annotators.size()));
    }
}

}  // namespace

PreparedSets prepare_sets(const std::vector<std::filesystem::path>& files,
                          const AnnotationFlags& flags) {
    PreparedSets prepared;
    std::vector<bool> is_raw;
    for (const auto& file : files) is_raw.push_back(is_raw_selections(file));
    const bool all_raw = std::all_of(is_raw.begin(), is_raw.end(), [](bool b) { return b; });
    if (flags.clean && !all_raw) {
        throw Error(ErrorCode::bad_input,
                    "--clean needs raw annotations (a column `annotator`), not frequencies");
    }
    std::vector<Selections> raw;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (is_raw[i]) raw.push_back(read_selections(files[i], prepared.names));
    }
    // Annotators are judged by all that they answered, repetitions included: an annotator who
    // selects the same controls in every grid repeats himself.
    if (flags.clean)
        clean_sets(raw, prepared, flags);
    else if (all_raw && !raw.empty())
        hint_at_cleaning(raw, prepared, flags);
    for (Selections& set : raw) {
        prepared.duplicates.emplace_back(remove_duplicates(set));
        const Duplicates& d = *prepared.duplicates.back();
        if (d.removed > 0) {
            prepared.warnings.push_back(
                fmt::format("{}: {} annotations repeat an earlier one of the same annotator and "
                            "image ({} contradict "
                            "it); the first "
                            "counts",
                            set.source, d.removed, d.contradicting));
        }
    }
    if (all_raw && raw.size() == 2) {
        prepared.overlap = annotator_overlap(raw[0], raw[1]);
        const std::string warning = overlap_warning(*prepared.overlap);
        if (prepared.overlap->common == 0 && !flags.other_annotators) {
            throw Error(ErrorCode::bad_input, warning +
                                                  " --other-annotators goes on nevertheless, where "
                                                  "ids were made anonymous set by set");
        }
        if (!warning.empty()) prepared.warnings.push_back(warning);
    } else if (files.size() == 2) {
        prepared.warnings.push_back(
            "frequencies do not say who judged: whether the same people judged both sets, in the "
            "same grids, cannot be "
            "checked here, and the result depends on it");
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (is_raw[i])
            prepared.sets.push_back(count_readings(raw[next++]));
        else
            prepared.sets.push_back(read_frequencies(files[i], prepared.names));
        const Readings& set = prepared.sets.back();
        if (set.without_annotators > 0) {
            prepared.warnings.push_back(fmt::format("{}: {} images have no annotator left",
                                                    set.source, set.without_annotators));
        }
        if (set.size() == 0) throw Error(ErrorCode::bad_input, set.source + ": no image is left");
    }
    if (flags.equalise >= 0) equalise_sets(prepared, flags);
    return prepared;
}

json to_json(const PreparedSets& prepared) {
    json out = {{"warnings", prepared.warnings}};
    if (prepared.overlap) {
        const AnnotatorOverlap& o = *prepared.overlap;
        out["annotator_overlap"] = {{"first", o.first},
                                    {"second", o.second},
                                    {"common", o.common},
                                    {"first_share", o.first_share},
                                    {"second_share", o.second_share},
                                    {"first_same_class", o.first_grid},
                                    {"second_same_class", o.second_grid}};
        if (o.first_mixed) {
            out["annotator_overlap"]["first_same_batch"] = *o.first_mixed;
            out["annotator_overlap"]["second_same_batch"] = *o.second_mixed;
        }
    }
    if (prepared.cleaning) {
        const CleaningReport& c = *prepared.cleaning;
        json annotators = json::array();
        for (const AnnotatorRecord& w : c.annotators) {
            annotators.push_back({{"annotator", prepared.names.annotators[w.annotator]},
                                  {"batches", w.batches},
                                  {"flagged", w.flagged},
                                  {"annotations", w.annotations},
                                  {"dropped", w.dropped}});
        }
        out["cleaning"] = {{"batches", c.batches},
                           {"flagged", c.flagged},
                           {"too_few_selected", c.too_few_selected},
                           {"controls_selected", c.controls_selected},
                           {"annotations_before", c.annotations_before},
                           {"annotations_after", c.annotations_after},
                           {"annotators_dropped", c.dropped()},
                           {"annotators", std::move(annotators)}};
    }
    out["duplicates"] = json::array();
    for (const auto& d : prepared.duplicates) {
        out["duplicates"].push_back({{"removed", d->removed}, {"contradicting", d->contradicting}});
    }
    return out;
}

std::string percent_text(double value, std::optional<double> half_width) {
    if (!half_width) return fmt::format("{:.2f}", 100 * value);
    return fmt::format("{:.2f} ±{:.2f}", 100 * value, 100 * *half_width);
}

}  // namespace assay::cli
