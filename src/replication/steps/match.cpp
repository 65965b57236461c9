// Statistic matching from files, with the accuracies on the chosen images.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/replication/steps.h"
#include "core/parallel.h"
#include "replication/tables.h"

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

Table chosen_records(const MatchOutcome& outcome) {
    const Readings& candidates = outcome.prepared.sets[1];
    Table table = empty_table("", {{"image"},
                                   {"label"},
                                   {"bucket"},
                                   {"annotators"},
                                   {"selected"},
                                   {"held_out_annotators"},
                                   {"held_out_selected"}});
    for (const Matched& m : outcome.result.images) {
        table.add({std::string(candidates.images[m.candidate]),
                   outcome.prepared.names.classes[candidates.classes[m.candidate]], Count{m.bucket},
                   Count{m.annotators}, Count{m.selected}, Count{m.held_out_annotators},
                   Count{m.held_out_selected}});
    }
    return table;
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

Report report_of(const MatchOutcome& outcome) {
    Report report;
    Section& section = report.sections.emplace_back();
    section.blocks = {frequency_table(outcome.result), bucket_table(outcome.result)};
    if (!outcome.accuracy.empty()) section.blocks.emplace_back(accuracy_table(outcome.accuracy));
    report.records = chosen_records(outcome);
    report.result = to_json(outcome.result, outcome.prepared.names);
    report.result["annotations"] = to_json(outcome.prepared);
    for (const MatchedAccuracy& a : outcome.accuracy) {
        report.result["accuracy"].push_back(
            {{"classifier", a.classifier}, {"hits", a.hits}, {"accuracy", to_json(a.accuracy)}});
    }
    report.warnings = outcome.prepared.warnings;
    report.warnings.insert(report.warnings.end(), outcome.warnings.begin(), outcome.warnings.end());
    report.partial = outcome.partial;
    return report;
}

}  // namespace assay::replication
