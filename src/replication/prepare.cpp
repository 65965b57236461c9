#include "assay/replication/prepare.h"

#include <algorithm>
#include <functional>

#include <fmt/core.h>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "replication/annotator_ratings.h"
#include "replication/selection_readings.h"

namespace assay::replication {
namespace {

/// Batches that differ much from the paper's size of about 48 need other thresholds.
constexpr std::uint32_t smallest_usual_batch = 40, largest_usual_batch = 64;

void equalise_sets(PreparedSets& prepared, const PrepareOptions& options) {
    int smallest = max_annotators;
    for (const Readings& set : prepared.sets) {
        smallest = std::min<int>(smallest,
                                 *std::min_element(set.annotators.begin(), set.annotators.end()));
    }
    const int n = options.equalise == 0 ? smallest : options.equalise;
    for (std::size_t i = 0; i < prepared.sets.size(); ++i) {
        std::uint64_t left_out = 0;
        const std::string source = prepared.sets[i].source;
        prepared.sets[i] = keep_annotators(
            prepared.sets[i], n, options.seed,
            i == 0 ? "replicate.equalise.first" : "replicate.equalise.second", &left_out);
        if (left_out > 0) {
            prepared.warnings.push_back(fmt::format(
                "{}: {} images with fewer than {} annotators are skipped", source, left_out, n));
        }
        if (prepared.sets[i].size() == 0) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: no image has {} annotators", source, n));
        }
    }
}

void clean_sets(std::vector<Selections>& raw, PreparedSets& prepared,
                const PrepareOptions& options) {
    std::vector<Selections*> all;
    for (Selections& set : raw) all.push_back(&set);
    prepared.cleaning = clean(all, prepared.names, options.rules);
    const CleaningReport& report = *prepared.cleaning;
    if (report.annotations_after == 0) {
        throw Error(ErrorCode::bad_input,
                    "every annotator was dropped; check that the thresholds fit the batches");
    }
    if (report.smallest_batch < smallest_usual_batch) {
        prepared.warnings.push_back(
            fmt::format("batches have {} to {} images, but the paper's thresholds are for batches "
                        "of 48 (`min_selected`)",
                        report.smallest_batch, report.largest_batch));
    }
    if (report.largest_batch > largest_usual_batch) {
        prepared.warnings.push_back(
            fmt::format("a batch has {} images, but the paper's thresholds are for batches of 48. "
                        "Check that each grid of an annotator has its own name",
                        report.largest_batch));
    }
}

/// True for each set with annotations instead of frequencies.
std::vector<bool> are_raw(const std::vector<std::filesystem::path>& files) {
    std::vector<bool> raw;
    for (const auto& file : files) raw.push_back(is_raw_selections(file));
    return raw;
}

/// Guessers shift every selection frequency towards their own habit, so a warning is given if the
/// rules would find any.
void hint_at_cleaning(std::vector<Selections>& raw, PreparedSets& prepared,
                      const PrepareOptions& options) {
    std::vector<Selections*> all;
    bool controls = false;
    for (Selections& set : raw) {
        if (!set.has_batches) return;
        controls = controls || set.has_controls;
        all.push_back(&set);
    }
    if (!controls || prepared.names.batches.find("") < prepared.names.batches.size()) return;
    const CleaningReport report = judge_annotators(all, prepared.names, options.rules);
    // The thresholds are made for batches of about that size.
    if (report.smallest_batch < smallest_usual_batch || report.largest_batch > largest_usual_batch)
        return;
    if (const std::size_t guessers = report.dropped();
        guessers > 0 && report.annotations_after > 0) {
        prepared.warnings.push_back(
            fmt::format("{} of {} annotators answer like guessers; to drop them, add --clean",
                        guessers, report.annotators.size()));
    }
}

/// What messages and tables call the files: their names, or their paths if both have one name.
std::vector<std::string> sources_of(const std::vector<std::filesystem::path>& files) {
    const bool same = files.size() == 2 && files[0].filename() == files[1].filename();
    std::vector<std::string> out;
    for (const std::filesystem::path& file : files)
        out.push_back((same ? file : file.filename()).string());
    return out;
}

}  // namespace

void check_files(const std::vector<std::filesystem::path>& files, const PrepareOptions& options) {
    if (files.empty() || files.size() > 2) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} files of annotations; allowed: one or two sets", files.size()));
    }
    if (const auto raw = are_raw(files);
        options.clean && !std::ranges::all_of(raw, std::identity()))
        throw Error(ErrorCode::bad_input,
                    "cleaning needs raw annotations (a column `annotator`), not frequencies");
}

PreparedSets prepare_sets(const std::vector<std::filesystem::path>& files,
                          const PrepareOptions& options) {
    check_files(files, options);
    PreparedSets prepared;
    const std::vector<bool> is_raw = are_raw(files);
    const bool all_raw = std::ranges::all_of(is_raw, std::identity());
    const std::vector<std::string> sources = sources_of(files);
    std::vector<Selections> raw;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (!is_raw[i]) continue;
        raw.push_back(read_selections(files[i], prepared.names));
        raw.back().source = sources[i];
    }
    if (!options.without_annotators.empty()) {
        if (!all_raw)
            throw Error(
                ErrorCode::bad_input,
                "frequencies do not name the annotators: those to skip "
                "(`without_annotators`) are named by raw annotations (a column `annotator`)");
        leave_out_annotators(raw, prepared.names.annotators, options.without_annotators);
    }
    // Annotators are rated by all their answers, including repeated answers, because an annotator
    // who selects the same controls in every grid repeats answers.
    if (options.clean)
        clean_sets(raw, prepared, options);
    else if (all_raw && !raw.empty())
        hint_at_cleaning(raw, prepared, options);
    for (Selections& set : raw) {
        prepared.duplicates.push_back(remove_duplicates(set));
        const Duplicates& d = prepared.duplicates.back();
        if (d.removed > 0) {
            prepared.warnings.push_back(
                fmt::format("{}: {} annotations repeat an earlier one of the same annotator and "
                            "image ({} contradict "
                            "it); the first "
                            "counts",
                            set.source, d.removed, d.contradicting));
        }
    }
    prepared.ratings = rate_annotators(raw);
    if (files.size() == 2 && !options.selected_by.empty()) {
        if (!is_raw[1])
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: frequencies do not say which answers they count; "
                                    "`selected_by` needs annotations (a column `annotator`)",
                                    files[1].string()));
        refuse_selection_readings(raw.back(), options.selected_by, prepared.names);
    }
    if (all_raw && raw.size() == 2) {
        prepared.overlap = annotator_overlap(raw[0], raw[1]);
        const std::string warning = overlap_warning(*prepared.overlap);
        if (prepared.overlap->common == 0 && !options.other_annotators) {
            throw Error(ErrorCode::bad_input, warning +
                                                  " add --other-annotators to continue anyway, if "
                                                  "ids were made anonymous set by set");
        }
        if (!warning.empty()) prepared.warnings.push_back(warning);
    } else if (files.size() == 2) {
        prepared.warnings.push_back(
            "frequencies do not name the annotators. The result depends on the same people judging "
            "both sets, in the same grids, and this cannot be checked here");
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (is_raw[i])
            prepared.sets.push_back(count_readings(raw[next++]));
        else
            prepared.sets.push_back(read_frequencies(files[i], prepared.names));
        prepared.sets.back().source = sources[i];
        const Readings& set = prepared.sets.back();
        if (set.without_annotators > 0) {
            prepared.warnings.push_back(fmt::format("{}: {} images have no annotator left",
                                                    set.source, set.without_annotators));
        }
        if (set.held_out) {
            prepared.warnings.push_back(set.source +
                                        ": these annotations chose the images, so only those of "
                                        "held-out annotators are used");
        }
        if (set.size() == 0) throw Error(ErrorCode::bad_input, set.source + ": no image is left");
    }
    if (prepared.sets.size() == 2) refuse_same_set(prepared.sets[0], prepared.sets[1]);
    if (options.equalise >= 0) equalise_sets(prepared, options);
    return prepared;
}

ResultType result_type(ResultOf<AnnotatorOverlap>) {
    using Of = AnnotatorOverlap;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AnnotatorOverlap",
         .help = "Who judged both sets; proportions are of the annotations of each set"},
        {
            part<&Of::first>({.help = "Annotators of the first set"}),
            part<&Of::second>({.help = "Annotators of the second set"}),
            part<&Of::common>({}),
            part<&Of::first_proportion>({.help = "Annotations by annotators of both sets"}),
            part<&Of::second_proportion>({}),
            part<&Of::first_grid>(
                {.help = "Annotations by annotators who judged the class in both sets",
                 .name = "first_same_class"}),
            part<&Of::second_grid>({.name = "second_same_class"}),
            part<&Of::first_mixed>({.help = "Annotations in batches that show both sets",
                                    .name = "first_same_batch",
                                    .omitted = true}),
            part<&Of::second_mixed>({.name = "second_same_batch", .omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<AnnotatorRecord>) {
    using Of = AnnotatorRecord;
    static constexpr auto rows = describe_result<Of>({.name = "AnnotatorRecord"},
                                                     {
                                                         part<&Of::batches>({}),
                                                         part<&Of::flagged>({.help = "Batches"}),
                                                         part<&Of::annotations>({}),
                                                         part<&Of::dropped>({}),
                                                     });
    return rows;
}
ResultType result_type(ResultOf<CleaningReport>) {
    using Of = CleaningReport;
    static constexpr auto rows = describe_result<Of>(
        {.name = "CleaningReport"},
        {
            part<&Of::batches>({}),
            part<&Of::flagged>({.help = "Batches"}),
            part<&Of::too_few_selected>({.help = "Flagged batches with too few selections"}),
            part<&Of::controls_selected>({.help = "Flagged batches with selected controls"}),
            part<&Of::annotations_before>({}),
            part<&Of::annotations_after>({}),
            part<&Of::dropped>({.name = "annotators_dropped"}),
        });
    return rows;
}
ResultType result_type(ResultOf<Duplicates>) {
    static constexpr auto rows = describe_result<Duplicates>(
        {.name = "Duplicates",
         .help = "Annotations that repeat one of the same annotator and image"},
        {
            part<&Duplicates::removed>({}),
            part<&Duplicates::contradicting>({.help = "Of those removed"}),
        });
    return rows;
}

namespace {

struct JudgedAnnotator {
    const std::string* annotator;
    const AnnotatorRecord* record;
};
ResultType result_type(ResultOf<JudgedAnnotator>) {
    using Of = JudgedAnnotator;
    static constexpr auto rows = describe_result<Of>(
        {.name = "JudgedAnnotator"},
        {
            part({.name = "annotator"},
                 [](const Of& o) -> const std::string& { return *o.annotator; }),
            part(
                {.inlined = true}, [](const Of& o) -> const auto& { return *o.record; }),
        });
    return rows;
}

struct CleanedSets {
    const CleaningReport* report;
    const Names* annotators;
};
std::vector<JudgedAnnotator> judged_annotators(const CleanedSets& cleaned) {
    std::vector<JudgedAnnotator> out;
    for (const AnnotatorRecord& record : cleaned.report->annotators)
        out.push_back({&(*cleaned.annotators)[record.annotator], &record});
    return out;
}
ResultType result_type(ResultOf<CleanedSets>) {
    using Of = CleanedSets;
    static constexpr auto rows = describe_result<Of>(
        {.name = "CleanedSets", .help = "Annotators who guess, and the data without them"},
        {
            part(
                {.inlined = true}, [](const Of& o) -> const auto& { return *o.report; }),
            part({.name = "annotators"}, [](const Of& o) { return judged_annotators(o); }),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<PreparedSets>) {
    using Of = PreparedSets;
    static constexpr auto rows = describe_result<Of>(
        {.name = "PreparedSets", .help = "Cleaning of the annotations"},
        {
            part<&Of::warnings>({}),
            part<&Of::overlap>({.help = "For two sets of raw annotations",
                                .name = "annotator_overlap",
                                .omitted = true}),
            part({.name = "cleaning", .omitted = true},
                 [](const Of& o) {
                     return o.cleaning
                                ? std::optional(CleanedSets{&*o.cleaning, &o.names.annotators})
                                : std::nullopt;
                 }),
            part<&Of::duplicates>({.help = "For each set of raw annotations"}),
        });
    return rows;
}

}  // namespace assay::replication
