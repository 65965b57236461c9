// assay labels stats: counts of labels, and classes that come together more often than chance.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "assay/annotation/label_stats.h"
#include "cli/command.h"
#include "cli/labels.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr std::string_view examples = R"(
assay labels stats real.json
assay labels stats images/multi --pairs 30
assay labels stats runs/val --classes-table
assay labels stats labels.csv --json
)";

struct Shown {
    std::size_t pairs = 10;
    bool classes = false;
};

std::vector<std::size_t> by_count(const LabelStats& stats) {
    std::vector<std::size_t> order(stats.class_count.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return stats.class_count[a] > stats.class_count[b];
    });
    return order;
}

std::string label_of(const ClassList& classes, std::size_t c) {
    return classes.empty() ? std::to_string(c) : classes.name(c);
}

Table histogram_table(const LabelStats& stats, const std::string& title) {
    Table table(
        {{"labels", Align::right}, {"images", Align::right}, {"share %", Align::right}, {""}},
        title);
    std::uint64_t most = 1;
    for (const auto& [labels, images] : stats.histogram) most = std::max(most, images);
    for (const auto& [labels, images] : stats.histogram) {
        table.add({std::to_string(labels), count_text(images),
                   fmt::format("{:.2f}", 100.0 * static_cast<double>(images) /
                                             static_cast<double>(stats.items)),
                   bar(static_cast<double>(images) / static_cast<double>(most), 24)});
    }
    if (stats.mean_labels.value) {
        const auto& i = stats.mean_labels.interval;
        table.footer(
            fmt::format("{:.4f} labels a labelled image{}", *stats.mean_labels.value,
                        i ? fmt::format(" ({:.4f} – {:.4f})", i->low, i->high) : std::string()));
    } else {
        table.footer("labels an image: undefined: " + stats.mean_labels.undefined);
    }
    if (stats.histogram.contains(0))
        table.footer(fmt::format("{} images have no label: metrics leave them out",
                                 count_text(stats.histogram.at(0))));
    return table;
}

Table class_table(const LabelStats& stats, const ClassList& classes, std::size_t most) {
    Table table({{"class"},
                 {"name"},
                 {"images", Align::right},
                 {"alone", Align::right},
                 {"with others", Align::right}},
                "Classes");
    const auto order = by_count(stats);
    for (std::size_t n = 0; n < std::min(most, order.size()); ++n) {
        const std::size_t c = order[n];
        table.add({classes.empty() ? std::to_string(c) : classes.id(c), label_of(classes, c),
                   std::to_string(stats.class_count[c]), std::to_string(stats.class_alone[c]),
                   std::to_string(stats.class_count[c] - stats.class_alone[c])});
    }
    if (order.size() > most)
        table.footer(fmt::format("{} more: --classes-table", order.size() - most));
    if (stats.unused_classes > 0)
        table.footer(fmt::format("{} classes have no image", stats.unused_classes));
    return table;
}

Table pair_table(const LabelStats& stats, const ClassList& classes, std::size_t most,
                 std::uint64_t least) {
    Table table({{"class"},
                 {"and"},
                 {"together", Align::right},
                 {"of", Align::right},
                 {"and of", Align::right},
                 {"by chance", Align::right},
                 {"lift", Align::right},
                 {"interval", Align::right},
                 {"NPMI", Align::right}},
                "Classes that come together");
    for (std::size_t n = 0; n < std::min(most, stats.together.size()); ++n) {
        const ClassPair& p = stats.together[n];
        table.add({label_of(classes, static_cast<std::size_t>(p.a)),
                   label_of(classes, static_cast<std::size_t>(p.b)), std::to_string(p.together),
                   std::to_string(p.count_a), std::to_string(p.count_b),
                   fmt::format("{:.2f}", p.expected), fmt::format("{:.4g}", p.lift),
                   fmt::format("{:.4g} – {:.4g}", p.interval.low, p.interval.high),
                   fmt::format("{:.3f}", p.npmi)});
    }
    table.footer(fmt::format(
        "{} pairs seen, {} of them less than {} times and not listed; ordered by the lower end of "
        "the lift's interval",
        count_text(stats.pairs), count_text(stats.rare_pairs), least));
    if (stats.crowded > 0) {
        table.footer(fmt::format("{} images with more than {} labels are not in the pairs",
                                 stats.crowded, LabelStats::most_for_pairs));
    }
    return table;
}

json as_json(const LabelStats& stats, const Dataset& dataset, std::size_t pairs) {
    json out = {{"schema", "assay.label_stats/1"},
                {"dataset", dataset.name},
                {"items", stats.items},
                {"labelled", stats.labelled},
                {"labels", stats.labels},
                {"labels_per_image", assay::to_json(stats.mean_labels)},
                {"histogram", json::object()},
                {"unused_classes", stats.unused_classes},
                {"classes", json::array()},
                {"pairs_seen", stats.pairs},
                {"pairs_rare", stats.rare_pairs},
                {"images_not_in_pairs", stats.crowded},
                {"pairs", json::array()}};
    for (const auto& [labels, images] : stats.histogram)
        out["histogram"][std::to_string(labels)] = images;
    const auto id = [&](std::size_t c) {
        return dataset.classes.empty() ? std::to_string(c) : dataset.classes.id(c);
    };
    for (std::size_t c = 0; c < stats.class_count.size(); ++c) {
        out["classes"].push_back({{"class", id(c)},
                                  {"name", label_of(dataset.classes, c)},
                                  {"images", stats.class_count[c]},
                                  {"alone", stats.class_alone[c]}});
    }
    for (std::size_t n = 0; n < std::min(pairs, stats.together.size()); ++n) {
        const ClassPair& p = stats.together[n];
        out["pairs"].push_back({{"a", id(static_cast<std::size_t>(p.a))},
                                {"b", id(static_cast<std::size_t>(p.b))},
                                {"together", p.together},
                                {"count_a", p.count_a},
                                {"count_b", p.count_b},
                                {"expected", p.expected},
                                {"lift", p.lift},
                                {"low", p.interval.low},
                                {"high", p.interval.high},
                                {"level", p.interval.level},
                                {"method", p.interval.method},
                                {"pmi", p.pmi},
                                {"npmi", p.npmi}});
    }
    return out;
}

}  // namespace

int labels_stats(std::vector<std::string> arguments) {
    auto app =
        make_app("labels stats",
                 "Count labels: how many an image has, how often each class, and which classes "
                 "come together "
                 "more often than chance. With --csv: the classes, or with --pairs N the pairs.",
                 examples);
    std::filesystem::path path;
    std::string classes;
    Shown shown;
    LabelStatsOptions options;
    Output output;
    app->add_option("data", path,
                    "Folder of images, store, or file of label sets (json, csv, txt, npy)")
        ->required()
        ->type_name("DATA");
    app->add_option("--classes", classes, "Class list file, or imagenet")->type_name("FILE");
    auto* pairs = app->add_option("--pairs", shown.pairs,
                                  "The N pairs of classes that are surest to belong together")
                      ->type_name("N")
                      ->capture_default_str();
    app->add_flag("--classes-table", shown.classes, "Every class, not only the ten most frequent");
    app->add_option("--least", options.least_together, "Pairs seen less often are not listed")
        ->type_name("N")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    std::vector<std::string> notes;
    const Dataset dataset = open_labelled(path, classes_named(classes), &notes);
    for (const std::string& line : notes) note(line);
    const LabelStats stats = label_stats(dataset.labels, dataset.classes.size(), options);
    if (output.json) {
        output.write(json_text(
            as_json(stats, dataset, pairs->count() > 0 ? shown.pairs : stats.together.size())));
        return Status::done;
    }
    if (output.csv) {
        output.write(
            pairs->count() > 0
                ? pair_table(stats, dataset.classes, shown.pairs, options.least_together).csv()
                : class_table(stats, dataset.classes, stats.class_count.size()).csv());
        return Status::done;
    }
    const bool colour = output.to_stdout() && stdout_is_terminal();
    std::string text =
        histogram_table(stats, fmt::format("{}: {} images, {} labels, {} classes", dataset.name,
                                           count_text(stats.items), count_text(stats.labels),
                                           count_text(dataset.classes.size())))
            .text(colour);
    text +=
        "\n" + class_table(stats, dataset.classes, shown.classes ? stats.class_count.size() : 10)
                   .text(colour);
    if (stats.pairs > 0 && shown.pairs > 0)
        text +=
            "\n" +
            pair_table(stats, dataset.classes, shown.pairs, options.least_together).text(colour);
    output.write(text);
    return Status::done;
}

}  // namespace assay::cli
