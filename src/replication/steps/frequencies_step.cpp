// Converts annotations to frequencies, with both sets side by side.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/replication/steps.h"
#include "core/result_table.h"
#include "replication/new_files.h"
#include "replication/step_tables.h"

namespace assay::replication {
namespace {

struct ClassFrequency {
    std::string label;
    double images, frequency;
};
ResultType result_type(ResultOf<ClassFrequency>) {
    static constexpr auto rows = describe_result<ClassFrequency>(
        {.name = "ClassFrequency"},
        {
            part<&ClassFrequency::label>({}),
            part<&ClassFrequency::images>({}),
            part<&ClassFrequency::frequency>({.help = "Mean over its images"}),
        });
    return rows;
}

struct FrequencySet {
    const Readings* set;
    const StudyNames* names;
};

std::vector<ClassFrequency> class_frequencies(const FrequencySet& of) {
    const Readings& set = *of.set;
    const Names& classes = of.names->classes;
    std::vector<double> sum(classes.size(), 0.0), size(classes.size(), 0.0);
    for (std::size_t i = 0; i < set.size(); ++i) {
        sum[set.classes[i]] += static_cast<double>(set.selected[i]) / set.annotators[i];
        size[set.classes[i]] += 1;
    }
    std::vector<ClassFrequency> out;
    for (std::size_t c = 0; c < size.size(); ++c) {
        if (size[c] > 0) out.push_back({classes[c], size[c], sum[c] / size[c]});
    }
    return out;
}

ResultType result_type(ResultOf<FrequencySet>) {
    using Of = FrequencySet;
    static constexpr auto rows = describe_result<Of>(
        {.name = "FrequencySet", .columns = "set=source"},
        {
            part<&Of::set, &Readings::source>({.help = "The file"}),
            part({.name = "images"}, [](const Of& o) { return o.set->size(); }),
            part({.name = "mean_frequency"}, [](const Of& o) { return mean_frequency(*o.set); }),
            part({.help = "Images in each fifth of the frequencies", .name = "buckets"},
                 [](const Of& o) { return bucket_counts(*o.set); }),
            part({.help = "Images by selection frequency", .name = "cells"},
                 [](const Of& o) { return cells_of(o.set->cells()); }),
            part({.name = "classes"}, [](const Of& o) { return class_frequencies(o); }),
        });
    return rows;
}

/// Describes an image of a set.
struct ImageFrequency {
    const Readings* set;
    const StudyNames* names;
    std::size_t image;
};
ResultType result_type(ResultOf<ImageFrequency>) {
    using Of = ImageFrequency;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ImageFrequency", .columns = "image,label,annotators,selected,frequency"},
        {
            part({.name = "image"}, [](const Of& o) { return o.set->images[o.image]; }),
            part(
                {.name = "label"}, [](const Of& o) -> const auto& {
                    return o.names->classes[o.set->classes[o.image]];
                }),
            part({.name = "annotators"}, [](const Of& o) { return o.set->annotators[o.image]; }),
            part({.name = "selected"}, [](const Of& o) { return o.set->selected[o.image]; }),
            part({.name = "frequency"},
                 [](const Of& o) {
                     return static_cast<double>(o.set->selected[o.image]) /
                            o.set->annotators[o.image];
                 }),
        });
    return rows;
}

struct RatedAnnotator {
    const AnnotatorRating* rating;
    const StudyNames* names;
};
ResultType result_type(ResultOf<RatedAnnotator>) {
    using Of = RatedAnnotator;
    static constexpr auto rows = describe_result<Of>(
        {.name = "RatedAnnotator",
         .help = "An annotator compared with the others who judged the same images"},
        {
            part(
                {.name = "annotator"}, [](const Of& o) -> const auto& {
                    return o.names->annotators[o.rating->annotator];
                }),
            part<&Of::rating, &AnnotatorRating::annotations>({}),
            part<&Of::rating, &AnnotatorRating::selected>({.help = "Proportion of them"}),
            part<&Of::rating, &AnnotatorRating::leniency>(
                {.help = "Mean of the annotator's answers minus that of the others' answers to the "
                         "same images"}),
            part<&Of::rating, &AnnotatorRating::noise>(
                {.help = "How often another annotator, drawn at random, gives a different answer"}),
        });
    return rows;
}

Table set_table(const std::vector<Readings>& sets) {
    Table table = empty_table("Selection frequencies",
                              {{"set", false},
                               {"images"},
                               {"annotators"},
                               {"mean frequency %", true, Column::Show::value_and_half},
                               {"all selected"},
                               {"none"}});
    for (const Readings& set : sets) {
        const auto [low, high] = std::minmax_element(set.annotators.begin(), set.annotators.end());
        std::uint64_t all = 0, none = 0;
        for (std::size_t i = 0; i < set.size(); ++i) {
            all += set.selected[i] == set.annotators[i] ? 1U : 0U;
            none += set.selected[i] == 0 ? 1U : 0U;
        }
        table.add({set.source, Count{set.size()},
                   *low == *high ? fmt::format("{}", *low) : fmt::format("{} to {}", *low, *high),
                   mean_frequency(set), Count{all}, Count{none}});
    }
    return table;
}

/// Shows the proportion of images in each frequency bucket as bars.
Table histogram(const std::vector<Readings>& sets) {
    Table table = empty_table("", {{"frequency", false}});
    std::vector<std::vector<std::uint64_t>> counts;
    for (const Readings& set : sets) {
        counts.push_back(bucket_counts(set));
        table.columns.push_back({set.source});
        table.columns.push_back({"", false});
    }
    for (std::size_t b = 0; b < match_buckets; ++b) {
        std::vector<Cell> row{bucket_name(b)};
        for (std::size_t s = 0; s < counts.size(); ++s) {
            row.emplace_back(Count{counts[s][b]});
            row.emplace_back(
                Bar{static_cast<double>(counts[s][b]) / static_cast<double>(sets[s].size()), 20});
        }
        table.add(std::move(row));
    }
    return table;
}

std::string cleaning_text(const CleaningReport& c) {
    return fmt::format(
        "Cleaning: {} of {} batches flagged ({} with too few selections, {} with controls); {} of "
        "{} annotators dropped; {} of {} annotations remain",
        count_text(c.flagged), count_text(c.batches), count_text(c.too_few_selected),
        count_text(c.controls_selected), c.dropped(), c.annotators.size(),
        count_text(c.annotations_after), count_text(c.annotations_before));
}

std::string overlap_text(const AnnotatorOverlap& o) {
    return fmt::format(
        "Annotators: {} and {}, {} in common, who gave {:.1f} % and {:.1f} % of the annotations. "
        "By annotators who judged the class in both sets: {:.1f} % and {:.1f} %",
        count_text(o.first), count_text(o.second), count_text(o.common), 100 * o.first_proportion,
        100 * o.second_proportion, 100 * o.first_grid, 100 * o.second_grid);
}

/// If there are many annotators, only the most lenient and the strictest are shown.
constexpr std::size_t most_rated = 10;

Table rating_table(const PreparedSets& prepared) {
    std::vector<const AnnotatorRating*> order;
    for (const AnnotatorRating& rating : prepared.ratings) {
        if (rating.leniency.value) order.push_back(&rating);
    }
    std::ranges::stable_sort(order, [](const AnnotatorRating* a, const AnnotatorRating* b) {
        return *a->leniency.value > *b->leniency.value;
    });
    Table table = empty_table("Annotators compared with others who judged the same images",
                              {{"annotator", false},
                               {"annotations"},
                               {"selected %"},
                               {"leniency", true, Column::Show::value_and_half, true},
                               {"noise %", true, Column::Show::value_and_half}});
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order.size() > most_rated && i >= most_rated / 2 && i < order.size() - most_rated / 2)
            continue;
        if (order.size() > most_rated && i == order.size() - most_rated / 2) table.rule();
        const AnnotatorRating& r = *order[i];
        table.add({prepared.names.annotators[r.annotator], Count{r.annotations},
                   Number{.value = r.selected, .unit = Unit::proportion, .digits = 1}, r.leniency,
                   r.noise});
    }
    if (order.size() > most_rated)
        table.notes.push_back(fmt::format("the {} most lenient and the {} strictest of {}",
                                          most_rated / 2, most_rated / 2, order.size()));
    table.notes.emplace_back(
        "leniency: the annotator's selection rate minus that of the others, in points");
    table.notes.emplace_back(
        "noise: how often another annotator, drawn at random, gives a different answer");
    return table;
}

Table image_records(const PreparedSets& prepared) {
    const bool two = prepared.sets.size() > 1;
    Table table =
        two ? result_table<FrequencySet, ImageFrequency>() : result_table<ImageFrequency>();
    for (const Readings& set : prepared.sets) {
        for (std::size_t i = 0; i < set.size(); ++i) {
            const ImageFrequency image{&set, &prepared.names, i};
            if (two)
                add_row(table, FrequencySet{&set, &prepared.names}, image);
            else
                add_row(table, image);
        }
    }
    return table;
}

void write_frequencies(const PreparedSets& prepared, const FrequenciesStep& step) {
    std::vector<NewFile> files;
    for (const Readings& set : prepared.sets) {
        files.push_back(
            {step.out / (std::filesystem::path(set.source).stem().string() + ".frequencies.csv"),
             frequencies_csv(set, prepared.names)});
    }
    if (files.size() == 2 && files[0].path == files[1].path)
        throw Error(ErrorCode::usage, "both files have the same name: count them one by one");
    write_new_files(files, step.force);
}

}  // namespace

FrequenciesOutcome run_frequencies(const FrequenciesStep& step) {
    // Frequencies are useful even if the sets cannot be compared.
    PrepareOptions annotations = step.annotations;
    annotations.other_annotators = true;
    FrequenciesOutcome outcome;
    outcome.prepared = prepare_sets(step.files, annotations);
    const auto& overlap = outcome.prepared.overlap;
    outcome.partial = overlap && overlap->common == 0 && !step.annotations.other_annotators;
    if (!step.out.empty()) write_frequencies(outcome.prepared, step);
    return outcome;
}

ResultType result_type(ResultOf<FrequenciesOutcome>) {
    using Of = FrequenciesOutcome;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ReplicateFrequencies",
         .help = "How often annotators select the images of one or two sets",
         .schema = "assay.replicate_frequencies/2"},
        {
            part<&Of::prepared>({.inlined = true}),
            part({.name = "sets"},
                 [](const Of& o) {
                     std::vector<FrequencySet> out;
                     for (const Readings& set : o.prepared.sets)
                         out.push_back({&set, &o.prepared.names});
                     return out;
                 }),
            part({.help = "Of raw annotations", .name = "annotators", .omitted = true},
                 [](const Of& o) {
                     std::vector<RatedAnnotator> out;
                     for (const AnnotatorRating& r : o.prepared.ratings)
                         out.push_back({&r, &o.prepared.names});
                     return out;
                 }),
        });
    return rows;
}

Report report_of(const FrequenciesOutcome& outcome) {
    const PreparedSets& prepared = outcome.prepared;
    Report report;
    Section& section = report.sections.emplace_back();
    section.blocks = {set_table(prepared.sets), histogram(prepared.sets)};
    if (!prepared.ratings.empty()) section.blocks.emplace_back(rating_table(prepared));
    if (prepared.cleaning) section.blocks.emplace_back(cleaning_text(*prepared.cleaning));
    if (prepared.overlap) section.blocks.emplace_back(overlap_text(*prepared.overlap));
    report.records = image_records(prepared);
    report.result = to_json(outcome);
    report.warnings = prepared.warnings;
    report.partial = outcome.partial;
    return report;
}

}  // namespace assay::replication
