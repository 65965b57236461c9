// Performs statistic matching from files, and measures the accuracies on the chosen images.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/replication/steps.h"
#include "core/parallel.h"
#include "core/result_table.h"
#include "replication/step_tables.h"

namespace assay::replication {
namespace {

using Show = Column::Show;

/// The number of chosen images, which is known without their list.
std::uint64_t chosen_of(const MatchResult& result) {
    std::uint64_t chosen = 0;
    for (const ClassMatch& c : result.classes)
        for (const int taken : c.taken) chosen += static_cast<std::uint64_t>(taken);
    return chosen;
}

Table frequency_table(const MatchResult& result) {
    Table table =
        empty_table(fmt::format("{} images of {} classes chosen from {} candidates, {} missing",
                                count_text(result.images.size()), count_text(result.classes.size()),
                                count_text(result.candidates), count_text(result.missing)),
                    {{"frequencies of", false}, {"mean %", true, Show::value_and_half}});
    const auto by = [](int annotators) {
        return annotators == 0 ? std::string("all their annotators")
                               : fmt::format("{} annotators", annotators);
    };
    table.add({fmt::format("reference, by {}", by(result.reference_annotators)), result.reference});
    table.add({fmt::format("chosen, by the {} annotators who chose", result.annotators),
               result.in_sample});
    if (result.held_out.value) {
        table.add({"chosen, by held-out annotators", result.held_out});
        table.add({"held out minus reference", result.difference});
        table.add({result.reference_annotators == 0
                       ? "held out minus those who chose"
                       : "selection bias: held out minus those who chose",
                   result.regression});
        if (result.reference_annotators > 0 && result.regression.value)
            table.notes.emplace_back(
                "selection bias: over all candidates, with the reference's mix of buckets");
    } else {
        table.add({"chosen, by held-out annotators", "unknown"});
    }
    return table;
}

/// True if `annotators` annotators can give a frequency in the bucket. For example, 3 annotators
/// give none in 0.4 to 0.6.
bool can_be_read(int annotators, std::size_t bucket) {
    for (int k = 0; k <= annotators; ++k) {
        if (static_cast<std::size_t>(match_bucket(annotators, k)) == bucket) return true;
    }
    return false;
}

Table bucket_table(const MatchResult& result) {
    Table table = empty_table("", {{"bucket", false}, {"wanted"}, {"there"}, {"taken"}});
    const bool held_out = result.held_out.value.has_value();
    if (held_out) {
        table.columns.push_back({"chose %"});
        table.columns.push_back({"held out %", true, Show::value_and_half});
        table.notes.emplace_back(
            "chose, held out: mean frequencies of the chosen images; those of held-out annotators "
            "are closer to the candidates' mean in every bucket, biased or not");
    }
    for (std::size_t b = 0; b < match_buckets; ++b) {
        if (!can_be_read(result.annotators, b)) continue;
        std::uint64_t wanted = 0, there = 0, taken = 0;
        for (const ClassMatch& c : result.classes) {
            wanted += static_cast<std::uint64_t>(c.target[b]);
            there += static_cast<std::uint64_t>(c.available[b]);
            taken += static_cast<std::uint64_t>(c.taken[b]);
        }
        // Other strategies have no targets by bucket.
        if (result.reference_annotators == 0 && taken == 0) continue;
        std::vector<Cell> row = {bucket_name(b), Count{wanted}, Count{there}, Count{taken}};
        if (held_out) {
            row.emplace_back(result.buckets[b].in_sample);
            row.emplace_back(result.buckets[b].held_out);
        }
        table.add(std::move(row));
    }
    return table;
}

Table numbers_table(const std::vector<MatchResult>& results) {
    Table table =
        empty_table("By annotators who choose", {{"annotators"},
                                                 {"chosen"},
                                                 {"missing"},
                                                 {"reference %"},
                                                 {"chose %"},
                                                 {"held out %", true, Show::value_and_half},
                                                 {"less reference", true, Show::value_and_half},
                                                 {"selection bias", true, Show::value_and_half}});
    for (const MatchResult& r : results) {
        table.add({Count{static_cast<std::uint64_t>(r.annotators)}, Count{chosen_of(r)},
                   Count{r.missing}, r.reference, r.in_sample, r.held_out, r.difference,
                   r.regression});
    }
    table.notes.emplace_back("the other tables are of the first number");
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
                {.help =
                     "Below 0 in high buckets and above 0 in low ones, even without selection bias",
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
        {.name = "MatchedClass", .help = "Lists have one entry per bucket"},
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
    std::vector<int> numbers = step.annotators;
    if (numbers.empty()) numbers = {choice.annotators};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers.size() > 1 &&
            (numbers[i] < 1 || std::count(numbers.begin(), numbers.end(), numbers[i]) > 1)) {
            throw Error(
                ErrorCode::usage,
                fmt::format("annotators who choose: {}. Several numbers must differ and be at "
                            "least 1, as in: --annotators 5,7",
                            fmt::join(numbers, ",")));
        }
    }
    for (const int number : numbers) {
        choice.annotators = number;
        MatchResult result =
            match(outcome.prepared.sets[0], candidates, outcome.prepared.names, choice);
        const bool first = outcome.result.classes.empty();
        if (numbers.size() > 1) {
            outcome.by_annotators.push_back(result);
            outcome.by_annotators.back().images.clear();
        }
        if (first) outcome.result = std::move(result);
    }
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
            "{}: {} of {} hits on the chosen images are missing; accuracies cover the others",
            step.hits.string(), count_text(unknown),
            count_text(outcome.accuracy.size() * outcome.result.images.size())));
    }
    outcome.partial = outcome.result.missing + unknown > 0;
    return outcome;
}

ResultType result_type(ResultOf<MatchResult>) {
    using Of = MatchResult;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MatchResult", .help = "Mean frequencies and their differences"},
        {
            part<&Of::annotators>({.help = "Number of annotators who chose"}),
            part<&Of::reference_annotators>(
                {.help = "Number of annotators per image of the reference; 0: all"}),
            part({.help = "Images", .name = "chosen"}, [](const Of& o) { return chosen_of(o); }),
            part<&Of::missing>(
                {.help = "Images that are missing, because no candidate was left for them"}),
            part<&Of::from_higher>(
                {.help = "Images from a higher bucket than the reference asks for"}),
            part<&Of::candidates>({}),
            part<&Of::too_few_annotators>({.name = "candidates_with_too_few_annotators"}),
            part<&Of::not_easy>({.name = "candidates_not_easy"}),
            part<&Of::reference>({.help = "Classes weighted as they were chosen"}),
            part<&Of::in_sample>({.help = "Of the chosen images, by those who chose them"}),
            part<&Of::held_out>({.help = "Of the chosen images, by held-out annotators"}),
            part<&Of::difference>({.name = "held_out_minus_reference"}),
            part<&Of::regression>({.help =
                                       "Selection bias: over all candidates, buckets weighted as "
                                       "in the reference",
                                   .name = "held_out_minus_in_sample"}),
            part<&Of::regression_as_chosen>(
                {.help = "The same for the chosen images alone, without weights",
                 .name = "held_out_minus_in_sample_as_chosen"}),
            part({.name = "buckets"}, [](const Of& o) { return buckets_of(o); }),
            part({.help = "What the match shows", .name = "verdict"},
                 [](const Of& o) { return verdict(o); }),
            part<&Of::warnings>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<MatchedAccuracy>) {
    using Of = MatchedAccuracy;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MatchedAccuracy", .help = "Accuracy of a classifier on the chosen images"},
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
            part<&Of::by_annotators>(
                {.help = "With several numbers of annotators: the match by each", .omitted = true}),
            part<&Of::accuracy>({.help = "With hits", .omitted = true}),
        });
    return rows;
}

Report report_of(const MatchOutcome& outcome) {
    Report report;
    Section& section = report.sections.emplace_back();
    section.blocks = {frequency_table(outcome.result), bucket_table(outcome.result)};
    if (const std::string text = verdict(outcome.result); !text.empty())
        section.blocks.emplace_back(text);
    if (!outcome.by_annotators.empty())
        section.blocks.emplace_back(numbers_table(outcome.by_annotators));
    if (!outcome.accuracy.empty()) section.blocks.emplace_back(accuracy_table(outcome.accuracy));
    report.records = chosen_records(outcome);
    report.result = to_json(outcome);
    report.warnings = outcome.prepared.warnings;
    report.warnings.insert(report.warnings.end(), outcome.warnings.begin(), outcome.warnings.end());
    report.partial = outcome.partial;
    return report;
}

}  // namespace assay::replication
