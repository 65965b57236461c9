// Annotations become frequencies; both sets side by side.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/replication/steps.h"
#include "core/file.h"
#include "core/paths.h"
#include "replication/tables.h"

namespace assay::replication {
namespace {

using nlohmann::json;

json set_json(const Readings& set, const StudyNames& names) {
    json classes = json::array();
    std::vector<double> sum(names.classes.size(), 0.0), size(names.classes.size(), 0.0);
    for (std::size_t i = 0; i < set.size(); ++i) {
        sum[set.classes[i]] += static_cast<double>(set.selected[i]) / set.annotators[i];
        size[set.classes[i]] += 1;
    }
    for (std::size_t c = 0; c < size.size(); ++c) {
        if (size[c] > 0) {
            classes.push_back({{"label", names.classes[c]},
                               {"images", size[c]},
                               {"frequency", sum[c] / size[c]}});
        }
    }
    return {{"source", set.source},
            {"images", set.size()},
            {"mean_frequency", to_json(mean_frequency(set))},
            {"buckets", bucket_counts(set)},
            {"cells", cells_json(set.cells())},
            {"classes", std::move(classes)}};
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

/// Proportions of the images in each bucket of frequencies, as bars.
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
        "Annotators: {} and {}, {} in common, who gave {:.1f} % and {:.1f} % of the annotations; "
        "by annotators who judged the class in both sets: {:.1f} % and {:.1f} %",
        count_text(o.first), count_text(o.second), count_text(o.common), 100 * o.first_proportion,
        100 * o.second_proportion, 100 * o.first_grid, 100 * o.second_grid);
}

Table image_records(const PreparedSets& prepared) {
    const bool two = prepared.sets.size() > 1;
    Table table;
    if (two) table.columns.push_back({"set", false});
    for (const char* name : {"image", "label", "annotators", "selected", "frequency"})
        table.columns.push_back({name});
    for (const Readings& set : prepared.sets) {
        for (std::size_t i = 0; i < set.size(); ++i) {
            std::vector<Cell> row;
            if (two) row.emplace_back(set.source);
            row.emplace_back(std::string(set.images[i]));
            row.emplace_back(prepared.names.classes[set.classes[i]]);
            row.emplace_back(Count{set.annotators[i]});
            row.emplace_back(Count{set.selected[i]});
            row.emplace_back(
                Number{static_cast<double>(set.selected[i]) / set.annotators[i], Unit::proportion});
            table.add(std::move(row));
        }
    }
    return table;
}

void write_frequencies(const PreparedSets& prepared, const FrequenciesStep& step) {
    std::vector<std::filesystem::path> targets;
    for (const Readings& set : prepared.sets) {
        targets.push_back(step.out /
                          (std::filesystem::path(set.source).stem().string() + ".frequencies.csv"));
        if (!step.force && is_there(targets.back())) {
            throw Error(ErrorCode::usage,
                        targets.back().string() + " is there already; `force` replaces it");
        }
    }
    if (targets.size() == 2 && targets[0] == targets[1]) {
        throw Error(ErrorCode::usage, "both files have the same name: count them one by one");
    }
    make_folders(step.out);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        write_file_atomically(targets[i], frequencies_csv(prepared.sets[i], prepared.names));
    }
}

}  // namespace

FrequenciesOutcome run_frequencies(const FrequenciesStep& step) {
    // Frequencies are worth counting even where they cannot be compared.
    PrepareOptions annotations = step.annotations;
    annotations.other_annotators = true;
    FrequenciesOutcome outcome;
    outcome.prepared = prepare_sets(step.files, annotations);
    const auto& overlap = outcome.prepared.overlap;
    outcome.partial = overlap && overlap->common == 0 && !step.annotations.other_annotators;
    if (!step.out.empty()) write_frequencies(outcome.prepared, step);
    return outcome;
}

Report report_of(const FrequenciesOutcome& outcome) {
    const PreparedSets& prepared = outcome.prepared;
    Report report;
    Section& section = report.sections.emplace_back();
    section.blocks = {set_table(prepared.sets), histogram(prepared.sets)};
    if (prepared.cleaning) section.blocks.emplace_back(cleaning_text(*prepared.cleaning));
    if (prepared.overlap) section.blocks.emplace_back(overlap_text(*prepared.overlap));
    report.records = image_records(prepared);
    report.result = to_json(prepared);
    report.result["schema"] = "assay.replicate_frequencies/2";
    report.result["sets"] = json::array();
    for (const Readings& set : prepared.sets)
        report.result["sets"].push_back(set_json(set, prepared.names));
    report.warnings = prepared.warnings;
    report.partial = outcome.partial;
    return report;
}

}  // namespace assay::replication
