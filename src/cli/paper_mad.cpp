#include "cli/paper_mad.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "assay/report/distance_tree.h"
#include "cli/command.h"
#include "cli/paper_study.h"
#include "cli/progress.h"
#include "mad/rank_tables.h"
#include "mad/rank_tags.h"

namespace assay::cli {
namespace paper_mad {
namespace {

const mad::RankedClassifier& classifier_named(const mad::Ranking& ranking,
                                              const std::string& name) {
    return *std::ranges::find(ranking.classifiers, name, &mad::RankedClassifier::name);
}

/// The accuracies of the file that [paper] names, or of the control sample.
const mad::Comparison& comparison_of(const mad::Ranking& ranking, const PaperSettings& settings) {
    if (ranking.comparisons.empty())
        throw NoInput("set against in [paper], or draw a sample: assay mad select --control N");
    const auto file = std::ranges::find(ranking.comparisons, settings.against.filename().string(),
                                        &mad::Comparison::with);
    return file == ranking.comparisons.end() ? ranking.comparisons.front() : *file;
}

std::string correlation_note(const mad::Comparison& comparison) {
    const auto text = [](const Estimate& estimate) {
        if (!estimate.value) return "undefined: " + estimate.undefined;
        std::string out = fmt::format("{:.3f}", *estimate.value);
        if (estimate.interval)
            out += fmt::format(" ({:.0f} % CI {:.3f}-{:.3f})", 100 * estimate.interval->level,
                               estimate.interval->low, estimate.interval->high);
        return out;
    };
    return fmt::format("Spearman's correlation: {}. Kendall's: {}.", text(comparison.srcc),
                       text(comparison.kendall));
}

void require_tags(PaperStudy& study) {
    if (study.ranking().tags.empty())
        throw NoInput(
            "no image has a tag; add tags to answers in assay serve, or set tags in "
            "[paper]");
}

/// Classes of the figure with labelled images beside the selected ones.
constexpr std::uint64_t shown_classes = 5;

mad::Gallery drawn_sheets(PaperStudy& study, const mad::GalleryOptions& options) {
    ProgressLine line("gallery", "images");
    mad::Gallery gallery = mad::make_gallery(study.competition(), options, line);
    line.finish();
    return gallery;
}

}  // namespace

std::vector<mad::DistancePath> distances_of(const mad::Competition& competition) {
    const mad::DistanceReading reading = competition.settings().distance;
    if (mad::no_hierarchy(reading))
        throw NoInput(fmt::format("the distance {} of the competition uses no hierarchy",
                                  mad::spelled_distance(reading)));
    const std::vector<mad::GalleryImage> images = mad::gallery_images(competition);
    if (images.empty()) throw NoInput("no image is selected");
    const auto ends = std::ranges::minmax_element(images, {}, &mad::GalleryImage::distance);
    const Hierarchy& hierarchy = competition.hierarchy();
    const ClassList& classes = competition.classes();
    const std::vector<std::uint32_t> nodes = hierarchy.nodes_of(classes);
    const auto node_of = [&](const std::string& id) {
        return hierarchy.id(nodes.at(static_cast<std::size_t>(classes.find(id).value())));
    };
    std::vector<mad::DistancePath> out;
    for (const mad::GalleryImage* image : {&*ends.min, &*ends.max}) {
        if (!out.empty() && ends.min->distance == ends.max->distance) break;
        out.push_back(mad::distance_path(hierarchy, reading, node_of(image->first_label.id),
                                         node_of(image->second_label.id)));
    }
    return out;
}

std::pair<std::string, std::string> shown_pair(const PaperSettings& settings,
                                               const mad::Ranking& ranking) {
    if (!settings.pair.empty()) return {settings.pair[0], settings.pair[1]};
    const mad::RankedPair* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const mad::RankedPair& pair : ranking.pairs) {
        const double places = ranking.classifiers[pair.counts.first].place +
                              ranking.classifiers[pair.counts.second].place;
        if (pair.accepted == 0 || places >= least) continue;
        least = places;
        best = &pair;
    }
    if (best == nullptr) throw NoInput("no pair has images");
    return {ranking.classifiers[best->counts.first].name,
            ranking.classifiers[best->counts.second].name};
}

Table ranks(PaperStudy& study) {
    const mad::Ranking& ranking = study.ranking();
    const mad::Comparison& comparison = comparison_of(ranking, study.settings());
    if (comparison.ranks.empty())
        throw NoInput("no chain of pairs joins all classifiers, so they have no common order");
    const bool all = comparison.ranks.size() == ranking.classifiers.size();
    const std::string other =
        study.settings().against.empty() ? "accuracy" : study.settings().against.stem().string();
    Table table;
    table.title = fmt::format("Ranks by {} and in the competition", other);
    table.columns = {{.name = "classifier", .numbers = false},
                     {.name = "rank by " + other},
                     {.name = "rank by MAD", .show = Column::Show::value_and_interval},
                     {.name = "difference", .sign = true},
                     {.name = "score", .show = Column::Show::value_and_half}};
    const int digits = mad::digits_of_ranks(comparison);
    for (const mad::ComparedRank& one : comparison.ranks) {
        const mad::RankedClassifier& classifier = classifier_named(ranking, one.classifier);
        Estimate rank = mad::place_of(classifier);
        rank.value = one.rank;
        if (!all) rank.interval.reset();  // it is among all classifiers
        table.add({one.classifier, Number{.value = one.other, .digits = digits}, rank,
                   Number{.value = one.moved, .digits = digits, .sign = true}, classifier.score});
    }
    table.notes.push_back(correlation_note(comparison));
    table.notes.emplace_back("Difference: above 0 if the classifier ranks better by MAD.");
    return table;
}

Table correlations(PaperStudy& study) {
    comparison_of(study.ranking(), study.settings());
    return mad::comparison_table(study.ranking());
}

Table ways(PaperStudy& study) {
    Table table;
    table.title = "The way between two labels of a selected image";
    table.columns = {{.name = "labels", .numbers = false}, {.name = "step"},
                     {.name = "id", .numbers = false},     {.name = "name", .numbers = false},
                     {.name = "edge", .numbers = false},   {.name = "weight"},
                     {.name = "distance so far"}};
    const std::vector<mad::DistancePath>& paths = study.distances();
    for (const mad::DistancePath& path : paths) {
        const bool near = &path == &paths.front();
        double sum = 0;
        for (std::size_t i = 0; i < path.steps.size(); ++i) {
            const mad::DistanceStep& step = path.steps[i];
            sum += step.weight;
            table.add({std::string(near ? "nearest" : "farthest"), Count{i}, step.id, step.name,
                       step.edge, Number{step.weight}, Number{sum}});
        }
        table.notes.push_back(fmt::format("{}: {} and {}, {:.4g} apart ({})",
                                          near ? "Nearest" : "Farthest", path.steps.front().name,
                                          path.steps.back().name, path.distance, path.definition));
    }
    return table;
}

std::string drawn_ways(PaperStudy& study, PlotFormat format) {
    const std::vector<mad::DistancePath>& paths = study.distances();
    return draw(distance_tree(study.competition().hierarchy(), paths), format);
}

Table tags(PaperStudy& study) {
    require_tags(study);
    return mad::tag_table(study.ranking());
}

mad::Gallery pair_sheets(PaperStudy& study, const std::filesystem::path& folder) {
    const auto [first, second] = shown_pair(study.settings(), study.ranking());
    mad::GalleryOptions options;
    options.out = folder;
    options.models = {first, second};
    return drawn_sheets(study, options);
}

mad::Gallery tag_sheets(PaperStudy& study, const std::filesystem::path& folder) {
    require_tags(study);
    mad::GalleryOptions options;
    options.out = folder;
    options.by_tag = true;
    options.tags = study.settings().tags;
    return drawn_sheets(study, options);
}

mad::Gallery class_sheets(PaperStudy& study, const std::filesystem::path& folder) {
    if (mad::gallery_images(study.competition()).empty()) throw NoInput("no image is selected");
    mad::GalleryOptions options;
    options.out = folder;
    options.beside = study.settings().beside;
    options.beside_list = study.settings().beside_list;
    options.top_classes = shown_classes;
    return drawn_sheets(study, options);
}

}  // namespace paper_mad

const mad::Competition& PaperStudy::competition() {
    return once(competition_, PaperSource::pair,
                [&] { return mad::Competition::open(settings().competition); });
}

const mad::Ranking& PaperStudy::ranking() {
    return once(ranking_, PaperSource::ranking, [&] {
        mad::RankOptions options;
        options.ablation = true;
        options.against = settings().against;
        options.tags = settings().tags;
        mad::Ranking ranking = mad::rank_classifiers(competition(), options);
        partial_ = partial_ || ranking.open > 0;
        add_warnings(ranking.warnings);
        if (ranking.open > 0)
            add_warnings({fmt::format("{} {} open; type `assay mad status {}`", ranking.open,
                                      ranking.open == 1 ? "question is" : "questions are",
                                      as_typed(settings().competition.string()))});
        return ranking;
    });
}

const std::vector<mad::DistancePath>& PaperStudy::distances() {
    return once(distances_, PaperSource::distances, [&] {
        std::vector<mad::DistancePath> paths = paper_mad::distances_of(competition());
        for (const mad::DistancePath& path : paths)
            results_[&path == &paths.front() ? "nearest.json" : "farthest.json"] =
                report_of(path).result;
        return paths;
    });
}

std::string PaperStudy::competition_command(PaperSource source) const {
    const std::string folder = as_typed(settings().competition.string());
    if (source == PaperSource::distances) {
        const std::vector<mad::DistancePath>& paths = distances_.value();
        const auto classes = [](const mad::DistancePath& path) {
            return as_typed(path.first) + " " + as_typed(path.second);
        };
        std::string command =
            fmt::format("assay mad distance {} --competition {} --plot figure-2.svg",
                        classes(paths.front()), folder);
        for (std::size_t i = 1; i < paths.size(); ++i)
            command += fmt::format(" --beside {0}; assay mad distance {0} --competition {1}",
                                   classes(paths[i]), folder);
        return command;
    }
    if (source == PaperSource::pair) {
        const auto [first, second] = paper_mad::shown_pair(settings(), ranking_.value());
        return fmt::format("assay mad gallery {} --out sheets --models {} {}", folder,
                           as_typed(first), as_typed(second));
    }
    if (source == PaperSource::tagged) {
        const std::string tags = option_text("--tags", settings().tags.string());
        return "assay mad gallery " + folder + " --out sheets" +
               (tags.empty() ? " --by-tag" : tags);
    }
    if (source == PaperSource::classed)
        return fmt::format("assay mad gallery {} --out sheets{}{} --top-classes {}", folder,
                           option_text("--beside", settings().beside.string()),
                           option_text("--list", settings().beside_list.string()),
                           paper_mad::shown_classes);
    return "assay mad rank " + folder + " --ablation" +
           option_text("--against", settings().against.string()) +
           option_text("--tags", settings().tags.string());
}

}  // namespace assay::cli
