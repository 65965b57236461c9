// assay replicate match: statistic matching, with annotators held out.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "assay/replication/matching.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/replicate_inputs.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using namespace replication;
using nlohmann::json;

constexpr std::string_view examples = R"(
assay replicate match original.csv candidates.csv --per-class 10 --csv -o chosen.csv
assay replicate match original.csv candidates.csv --annotators 5 --per-class 4
assay replicate match original.csv candidates.csv --annotators 5 --easy 2 --easy-annotators 4 --hits candidates-hits.csv
)";

std::string text_of(const MatchResult& result, const std::vector<MatchedAccuracy>& accuracy,
                    bool colour) {
    const auto cell = [](const MeanFrequency& m) { return percent_text(m.value, m.half_width()); };
    Table table({{"frequencies of"}, {"mean %", Align::right}},
                fmt::format("{} images of {} classes chosen from {} candidates, {} missing",
                            count_text(result.images.size()), count_text(result.classes.size()),
                            count_text(result.candidates), count_text(result.missing)));
    table.add({"reference", cell(result.reference)});
    table.add({"chosen, by the annotators who chose", cell(result.in_sample)});
    table.add(
        {"chosen, by annotators held out", result.held_out ? cell(*result.held_out) : "unknown"});
    if (result.difference) table.add({"held out minus reference", cell(*result.difference)});
    std::string out = table.text(colour);
    Table buckets(
        {{"bucket"}, {"wanted", Align::right}, {"there", Align::right}, {"taken", Align::right}});
    for (std::size_t b = 0; b < match_buckets; ++b) {
        std::uint64_t wanted = 0, there = 0, taken = 0;
        for (const ClassMatch& c : result.classes) {
            wanted += static_cast<std::uint64_t>(c.target[b]);
            there += static_cast<std::uint64_t>(c.available[b]);
            taken += static_cast<std::uint64_t>(c.taken[b]);
        }
        buckets.add({fmt::format("{:.1f} to {:.1f}", 0.2 * static_cast<double>(b),
                                 0.2 * static_cast<double>(b + 1)),
                     count_text(wanted), count_text(there), count_text(taken)});
    }
    out += "\n" + buckets.text(colour);
    if (!accuracy.empty()) {
        Table hits({{"classifier"}, {"accuracy on the chosen %", Align::right}});
        for (const MatchedAccuracy& a : accuracy) {
            hits.add({a.classifier,
                      a.interval ? percent_text(
                                       static_cast<double>(a.hits) / static_cast<double>(a.images),
                                       (a.interval->high - a.interval->low) / 2)
                                 : "–"});
        }
        out += "\n" + hits.text(colour);
    }
    return out;
}

}  // namespace

int replicate_match(std::vector<std::string> arguments) {
    auto app = make_app(
        "replicate match",
        "Choose candidates so that, class by class, their selection frequencies are distributed as "
        "those "
        "of a reference (buckets of 0.2). With --annotators N only N random annotators of each "
        "candidate "
        "choose, and the others show what was really got. Status 3: images or hits are missing.",
        examples);
    std::filesystem::path reference, candidates, hits_path;
    MatchOptions options;
    AnnotationFlags flags;
    Output output;
    app->add_option("reference", reference, "Annotations or frequencies of the reference")
        ->required()
        ->type_name("CSV");
    app->add_option("candidates", candidates, "Annotations or frequencies of the candidates")
        ->required()
        ->type_name("CSV");
    app->add_option("--per-class", options.per_class, "Images to choose for each class")
        ->capture_default_str()
        ->type_name("N");
    app->add_option("--annotators", options.annotators,
                    "Annotators who choose; the others are held out (0: all choose)")
        ->capture_default_str()
        ->type_name("N");
    app->add_option("--reference-annotators", options.reference_annotators,
                    "Annotators of the reference that count (0: all)")
        ->capture_default_str()
        ->type_name("N");
    app->add_option("--easy", options.easy_least,
                    "Candidates must be selected by N of --easy-annotators others")
        ->type_name("N");
    app->add_option("--easy-annotators", options.easy_annotators, "Annotators who say what is easy")
        ->type_name("N");
    app->add_option("--hits", hits_path,
                    "Hits on the candidates: the chosen images' accuracies are shown")
        ->type_name("PATH");
    flags.add_to(*app);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    options.seed = flags.seed;
    const PreparedSets prepared = prepare_sets({reference, candidates}, flags);
    const MatchResult result = match(prepared.sets[0], prepared.sets[1], prepared.names, options);
    std::vector<MatchedAccuracy> accuracy;
    if (!hits_path.empty())
        accuracy = matched_accuracies(result, prepared.sets[1], read_hits(hits_path, 1));
    std::uint64_t unknown = 0;
    for (const MatchedAccuracy& a : accuracy) unknown += result.images.size() - a.images;
    for (const std::string& text : prepared.warnings) warn(text);
    for (const std::string& text : result.warnings) warn(text);
    if (unknown > 0) {
        warn(fmt::format(
            "{}: {} of {} hits on the chosen images are missing; accuracies are of the others",
            hits_path.string(), count_text(unknown),
            count_text(accuracy.size() * result.images.size())));
    }
    if (output.json) {
        json out = to_json(result, prepared.names);
        out["annotations"] = to_json(prepared);
        for (const MatchedAccuracy& a : accuracy) {
            json row = {{"classifier", a.classifier}, {"hits", a.hits}, {"images", a.images}};
            if (a.interval)
                row["interval"] = {{"low", a.interval->low}, {"high", a.interval->high}};
            out["accuracy"].push_back(std::move(row));
        }
        output.write(json_text(out));
    } else if (output.csv) {
        output.write(matched_csv(result, prepared.sets[1], prepared.names));
    } else {
        output.write(text_of(result, accuracy, output.to_stdout() && stdout_is_terminal()));
    }
    return result.missing + unknown > 0 ? Status::partial : Status::done;
}

}  // namespace assay::cli
