// assay replicate frequencies: from raw annotations to how often each image was selected.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/replication/matching.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/replicate_inputs.h"
#include "cli/table.h"
#include "core/file.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using namespace replication;
using nlohmann::json;

constexpr std::string_view examples = R"(
assay replicate frequencies original.csv replication.csv
assay replicate frequencies original.csv replication.csv --clean --out frequencies
assay replicate frequencies original.csv --equalise 36 --csv -o original.frequencies.csv
)";

json set_json(const Readings& set, const StudyNames& names) {
    const CellCounts cells = set.cells();
    json histogram_json = json::array(), classes = json::array();
    for (std::size_t c = 0; c < cells.grid.size(); ++c) {
        histogram_json.push_back(
            {{"n", cells.grid.n(c)}, {"k", cells.grid.k(c)}, {"images", cells.images[c]}});
    }
    std::vector<double> sum(names.classes.size(), 0.0), size(names.classes.size(), 0.0);
    for (std::size_t i = 0; i < set.size(); ++i) {
        sum[set.classes[i]] += static_cast<double>(set.selected[i]) / set.annotators[i];
        size[set.classes[i]] += 1;
    }
    for (std::size_t c = 0; c < size.size(); ++c) {
        if (size[c] > 0) {
            classes.push_back({{"label", names.classes[c]},
                               {"images", size[c]},
                               {"mean_frequency", sum[c] / size[c]}});
        }
    }
    const MeanFrequency mean = mean_frequency(set);
    return {{"source", set.source},          {"images", set.size()},
            {"mean_frequency", mean.value},  {"standard_error", mean.standard_error},
            {"buckets", bucket_counts(set)}, {"cells", std::move(histogram_json)},
            {"classes", std::move(classes)}};
}

std::string text_of(const PreparedSets& prepared, bool colour) {
    Table table({{"set"},
                 {"images", Align::right},
                 {"annotators", Align::right},
                 {"mean frequency %", Align::right},
                 {"all selected", Align::right},
                 {"none", Align::right}},
                "Selection frequencies");
    for (const Readings& set : prepared.sets) {
        const auto [low, high] = std::minmax_element(set.annotators.begin(), set.annotators.end());
        const MeanFrequency mean = mean_frequency(set);
        std::size_t all = 0, none = 0;
        for (std::size_t i = 0; i < set.size(); ++i) {
            all += set.selected[i] == set.annotators[i] ? 1U : 0U;
            none += set.selected[i] == 0 ? 1U : 0U;
        }
        table.add({set.source, count_text(set.size()),
                   *low == *high ? std::to_string(*low) : fmt::format("{} to {}", *low, *high),
                   percent_text(mean.value, mean.half_width()), count_text(all), count_text(none)});
    }
    std::string out = table.text(colour);
    std::vector<Table::Column> columns{{"frequency"}};
    for (const Readings& set : prepared.sets) {
        columns.push_back({set.source, Align::right});
        columns.push_back({""});
    }
    Table shares(columns);
    std::vector<std::vector<std::uint64_t>> counts;
    for (const Readings& set : prepared.sets) counts.push_back(bucket_counts(set));
    for (std::size_t b = 0; b < match_buckets; ++b) {
        std::vector<std::string> row{fmt::format("{:.1f} to {:.1f}", 0.2 * static_cast<double>(b),
                                                 0.2 * static_cast<double>(b + 1))};
        for (std::size_t s = 0; s < counts.size(); ++s) {
            row.push_back(count_text(counts[s][b]));
            row.push_back(bar(
                static_cast<double>(counts[s][b]) / static_cast<double>(prepared.sets[s].size()),
                20));
        }
        shares.add(std::move(row));
    }
    out += "\n" + shares.text(colour);
    if (prepared.cleaning) {
        const CleaningReport& c = *prepared.cleaning;
        out += fmt::format(
            "\nCleaning: {} of {} batches flagged ({} with too few selections, {} with controls); "
            "{} of {} annotators "
            "dropped; {} of {} annotations kept\n",
            count_text(c.flagged), count_text(c.batches), count_text(c.too_few_selected),
            count_text(c.controls_selected), c.dropped(), c.annotators.size(),
            count_text(c.annotations_after), count_text(c.annotations_before));
    }
    if (prepared.overlap) {
        const AnnotatorOverlap& o = *prepared.overlap;
        out += fmt::format(
            "\nAnnotators: {} and {}, {} in common, who gave {:.1f} % and {:.1f} % of the "
            "annotations; by annotators "
            "who "
            "judged the class in both sets: {:.1f} % and {:.1f} %\n",
            count_text(o.first), count_text(o.second), count_text(o.common), 100 * o.first_share,
            100 * o.second_share, 100 * o.first_grid, 100 * o.second_grid);
    }
    return out;
}

void write_frequencies(const PreparedSets& prepared, const std::filesystem::path& folder,
                       bool force) {
    std::vector<std::filesystem::path> targets;
    for (const Readings& set : prepared.sets) {
        targets.push_back(folder /
                          (std::filesystem::path(set.source).stem().string() + ".frequencies.csv"));
        if (!force && std::filesystem::exists(targets.back())) {
            throw Error(ErrorCode::usage,
                        targets.back().string() + " is there already; --force replaces it");
        }
    }
    if (targets.size() == 2 && targets[0] == targets[1]) {
        throw Error(ErrorCode::usage, "both files have the same name: count them one by one");
    }
    make_folders(folder);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        write_file_atomically(targets[i], frequencies_csv(prepared.sets[i], prepared.names));
    }
}

}  // namespace

int replicate_frequencies(std::vector<std::string> arguments) {
    auto app = make_app("replicate frequencies",
                        "Read annotations (csv: annotator, image, label, selected, and perhaps "
                        "batch and control), drop "
                        "repeated answers and, with --clean, annotators who guess, and count how "
                        "often each image was "
                        "selected. Give both sets of a study at once: annotators are judged by all "
                        "they did, and the "
                        "overlap of the two pools is checked.",
                        examples);
    std::vector<std::filesystem::path> files;
    std::filesystem::path folder;
    AnnotationFlags flags;
    Output output;
    app->add_option("files", files, "Annotations of the original and of the replication")
        ->required()
        ->expected(1, 2)
        ->type_name("CSV");
    app->add_option("--out", folder, "Write FOLDER/<file>.frequencies.csv for each set")
        ->type_name("FOLDER");
    bool force = false;
    app->add_flag("--force", force, "Replace files that are there");
    flags.add_to(*app);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    if (output.csv && files.size() != 1) {
        throw Error(ErrorCode::usage,
                    "--csv prints the images of one set; use --out FOLDER for two");
    }

    // Frequencies are worth counting even where they cannot be compared.
    const bool insisted = flags.other_annotators;
    flags.other_annotators = true;
    const PreparedSets prepared = prepare_sets(files, flags);
    for (const std::string& text : prepared.warnings) warn(text);
    if (!folder.empty()) write_frequencies(prepared, folder, force);
    if (output.json) {
        json out = to_json(prepared);
        out["schema"] = "assay.replicate.frequencies/1";
        out["sets"] = json::array();
        for (const Readings& set : prepared.sets)
            out["sets"].push_back(set_json(set, prepared.names));
        output.write(json_text(out));
    } else if (output.csv) {
        output.write(frequencies_csv(prepared.sets[0], prepared.names));
    } else {
        output.write(text_of(prepared, output.to_stdout() && stdout_is_terminal()));
    }
    return prepared.overlap && prepared.overlap->common == 0 && !insisted ? Status::partial
                                                                          : Status::done;
}

}  // namespace assay::cli
