// Statistic matching from files, with the accuracies on the chosen images.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/replication/steps.h"
#include "core/parallel.h"
#include "core/result_table.h"
#include "replication/step_tables.h"

namespace assay::replication {
namespace {

using Show = Column::Show;

Table frequency_table(const MatchResult& result) {
    Table table =
        empty_table(fmt::format("{} images of {} classes chosen from {} candidates, {} missing",
                                count_text(result.images.size()), count_text(result.classes.size()),
                                count_text(result.candidates), count_text(result.missing)),
                    {{"frequencies of", false}, {"mean %", true, Show::value_and_half}});
    table.add({"reference", result.reference});
    table.add({"chosen, by the annotators who chose", result.in_sample});
    if (result.held_out.value) {
        table.add({"chosen, by annotators held out", result.held_out});
        table.add({"held out minus reference", result.difference});
        table.add({"held out minus those who chose", result.regression});
    } else {
        table.add({"chosen, by annotators held out", "unknown"});
    }
    return table;
}

Table bucket_table(const MatchResult& result) {
    Table table = empty_table("", {{"bucket", false}, {"wanted"}, {"there"}, {"taken"}});
    const bool held_out = result.held_out.value.has_value();
    if (held_out) {
        table.columns.push_back({"chose %"});
        table.columns.push_back({"held out %", true, Show::value_and_half});
        table.notes.emplace_back(
            "chose, held out: mean frequencies of the taken; those of annotators held out lie "
            "nearer to the candidates' mean in every bucket, biased or not");
    }
    for (std::size_t b = 0; b < match_buckets; ++b) {
        std::uint64_t wanted = 0, there = 0, taken = 0;
        for (const ClassMatch& c : result.classes) {
            wanted += static_cast<std::uint64_t>(c.target[b]);
            there += static_cast<std::uint64_t>(c.available[b]);
            taken += static_cast<std::uint64_t>(c.taken[b]);
        }
        std::vector<Cell> row = {bucket_name(b), Count{wanted}, Count{there}, Count{taken}};
        if (held_out) {
            row.emplace_back(result.buckets[b].in_sample);
            row.emplace_back(result.buckets[b].held_out);
        }
        table.add(std::move(row));
    }
    return table;
}

Table accuracy_table(const std::vector<MatchedAccuracy>& accuracy) {
    Table table = empty_table(
        "", {{"classifier", false}, {"accuracy on the chosen %", true, Show::value_and_half}});
    for (const MatchedAccuracy& a : accuracy) table.add({a.classifier, a.accuracy});
    return table;
}

struct ChosenImage {
    const PreparedSets* prepared;
    const Matched* matched;

    const Readings& candidates() const { return prepared->sets[1]; }
};
ResultType result_type(ResultOf<ChosenImage>) {
    using Of = ChosenImage;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ChosenImage",
         .columns = "image,label,bucket,annotators,selected,held_out_annotators,"
                    "held_out_selected"},
        {
            part({.name = "image"},
                 [](const Of& o) { return o.candidates().images[o.matched->candidate]; }),
            part(
                {.name = "label"}, [](const Of& o) -> const auto& {
                    return o.prepared->names.classes[o.candidates().classes[o.matched->candidate]];
                }),
            part<&Of::matched, &Matched::bucket>({}),
            part<&Of::matched, &Matched::annotators>({}),
            part<&Of::matched, &Matched::selected>({}),
            part<&Of::matched, &Matched::held_out_annotators>({}),
            part<&Of::matched, &Matched::held_out_selected>({}),
        });
    return rows;
}

Table chosen_records(const MatchOutcome& outcome) {
    Table table = result_table<ChosenImage>();
    for (const Matched& m : outcome.result.images)
        add_row(table, ChosenImage{&outcome.prepared, &m});
    return table;
}

struct MatchBucket {
    std::size_t bucket;
    const BucketFrequencies* frequencies;
};
ResultType result_type(ResultOf<MatchBucket>) {
    using Of = MatchBucket;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MatchBucket", .help = "The chosen images of one fifth of the frequencies"},
        {
            part<&Of::bucket>({.help = "0 to 4"}),
            part<&Of::frequencies, &BucketFrequencies::in_sample>({}),
            part<&Of::frequencies, &BucketFrequencies::held_out>({}),
            part<&Of::frequencies, &BucketFrequencies::regression>(
                {.help = "Below 0 in high buckets and above it in low ones, biased or not",
                 .name = "held_out_minus_in_sample"}),
        });
    return rows;
}
std::vector<MatchBucket> buckets_of(const MatchResult& result) {
    std::vector<MatchBucket> out;
    for (std::size_t b = 0; b < result.buckets.size(); ++b) out.push_back({b, &result.buckets[b]});
    return out;
}

struct MatchedClass {
    const StudyNames* names;
    const ClassMatch* match;
};
ResultType result_type(ResultOf<MatchedClass>) {
    using Of = MatchedClass;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MatchedClass", .help = "Lists are by bucket"},
        {
            part(
                {.name = "label"},
                [](const Of& o) -> const auto& { return o.names->classes[o.match->cls]; }),
            part<&Of::match, &ClassMatch::target>({.help = "Images wanted"}),
            part<&Of::match, &ClassMatch::available>({}),
            part<&Of::match, &ClassMatch::taken>({}),
            part<&Of::match, &ClassMatch::missing>({}),
        });
    return rows;
}
std::vector<MatchedClass> matched_classes(const MatchOutcome& outcome) {
    std::vector<MatchedClass> out;
    for (const ClassMatch& match : outcome.result.classes)
        out.push_back({&outcome.prepared.names, &match});
    return out;
}

}  // namespace

MatchOutcome run_match(const MatchStep& step, Comm& comm) {
    MatchOptions choice = step.choice;
    choice.seed = step.annotations.seed;
    MatchOutcome outcome;
    outcome.prepared = prepare_sets({step.reference, step.candidates}, step.annotations);
    const Readings& candidates = outcome.prepared.sets[1];
    outcome.result = match(outcome.prepared.sets[0], candidates, outcome.prepared.names, choice);
    outcome.warnings = outcome.result.warnings;
    std::uint64_t unknown = 0;
    if (!step.hits.empty()) {
        const Hits hits = read_hits(step.hits, resolve_threads(step.threads), comm);
        outcome.warnings.insert(outcome.warnings.end(), hits.warnings.begin(), hits.warnings.end());
        outcome.accuracy = matched_accuracies(outcome.result, candidates, hits);
        for (const MatchedAccuracy& a : outcome.accuracy)
            unknown += outcome.result.images.size() - a.accuracy.n;
    }
    if (unknown > 0) {
        outcome.warnings.push_back(fmt::format(
            "{}: {} of {} hits on the chosen images are missing; accuracies are of the others",
            step.hits.string(), count_text(unknown),
            count_text(outcome.accuracy.size() * outcome.result.images.size())));
    }
    outcome.partial = outcome.result.missing + unknown > 0;
    return outcome;
}

ResultType result_type(ResultOf<MatchResult>) {
    using Of = MatchResult;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MatchResult", .help = "Mean frequencies, and what was found of them"},
        {
            part({.help = "Images", .name = "chosen"}, [](const Of& o) { return o.images.size(); }),
            part<&Of::missing>({.help = "Images that no bucket had left"}),
            part<&Of::candidates>({}),
            part<&Of::too_few_annotators>({.name = "candidates_with_too_few_annotators"}),
            part<&Of::not_easy>({.name = "candidates_not_easy"}),
            part<&Of::reference>({.help = "Classes weighted as they were chosen"}),
            part<&Of::in_sample>({.help = "Of the chosen images, by those who chose them"}),
            part<&Of::held_out>({.help = "Of the chosen images, by annotators held out"}),
            part<&Of::difference>({.name = "held_out_minus_reference"}),
            part<&Of::regression>({.help = "Selection bias; buckets weighted as in the reference",
                                   .name = "held_out_minus_in_sample"}),
            part<&Of::regression_as_chosen>({.help = "The same without those weights",
                                             .name = "held_out_minus_in_sample_as_chosen"}),
            part({.name = "buckets"}, [](const Of& o) { return buckets_of(o); }),
            part<&Of::warnings>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<MatchedAccuracy>) {
    using Of = MatchedAccuracy;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MatchedAccuracy", .help = "Of a classifier on the chosen images"},
        {part<&Of::classifier>({}), part<&Of::hits>({}), part<&Of::accuracy>({})});
    return rows;
}

ResultType result_type(ResultOf<MatchOutcome>) {
    using Of = MatchOutcome;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ReplicateMatch",
         .help = "Candidates chosen by the selection frequencies of a reference",
         .schema = "assay.replicate_match/2"},
        {
            part<&Of::result>({.inlined = true}),
            part<&Of::prepared>({.name = "annotations"}),
            part({.name = "classes"}, [](const Of& o) { return matched_classes(o); }),
            part<&Of::accuracy>({.help = "With hits", .omitted = true}),
        });
    return rows;
}

Report report_of(const MatchOutcome& outcome) {
    Report report;
    Section& section = report.sections.emplace_back();
    section.blocks = {frequency_table(outcome.result), bucket_table(outcome.result)};
    if (!outcome.accuracy.empty()) section.blocks.emplace_back(accuracy_table(outcome.accuracy));
    report.records = chosen_records(outcome);
    report.result = to_json(outcome);
    report.warnings = outcome.prepared.warnings;
    report.warnings.insert(report.warnings.end(), outcome.warnings.begin(), outcome.warnings.end());
    report.partial = outcome.partial;
    return report;
}

}  // namespace assay::replication
