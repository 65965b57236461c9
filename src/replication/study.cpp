#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/study.h"
#include "core/text.h"

namespace assay::replication {
namespace {

constexpr std::size_t row_step = 16;

std::string_view stem(std::string_view path) {
    return without_extension(base_name(path));
}

void check_unique(const Readings& readings) {
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        if (!seen.insert(readings.images[i]).second) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: image `{}` was judged under several labels, so it is "
                                    "unclear which one the hits belong to",
                                    readings.source, shortened(readings.images[i])));
        }
    }
}

/// The columns of `hits` for the common classifiers.
std::vector<std::size_t> columns_of(const Hits& hits, const std::vector<std::string>& classifiers) {
    std::unordered_map<std::string_view, std::size_t> place;
    for (std::size_t c = 0; c < hits.classifiers.size(); ++c) place.emplace(hits.classifiers[c], c);
    std::vector<std::size_t> columns;
    for (const std::string& name : classifiers) columns.push_back(place.at(name));
    return columns;
}

/// Places of the readings' images among those with labels.
std::vector<std::uint32_t> find_labels(const Readings& readings, const LabelCounts& labels,
                                       Study& study) {
    if (labels.source.empty()) return {};
    ImagePlaces found = find_images(readings, labels.images, labels.source);
    if (std::ranges::all_of(found.place,
                            [](std::uint32_t p) { return p == ImagePlaces::nowhere; })) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("no image of {} (e.g. `{}`) is in {} (e.g. `{}`)", readings.source,
                                shortened(readings.images[0]), labels.source,
                                labels.images.size() == 0 ? "" : shortened(labels.images[0])));
    }
    if (found.by_name)
        study.warnings.push_back(fmt::format("{}: images were matched to {} by file name only",
                                             readings.source, labels.source));
    return std::move(found.place);
}

StudySet join_set(const Readings& readings, const Hits& hits, const LabelCounts& labels,
                  const StudyOptions& options, Study& study) {
    check_unique(readings);
    const auto [places, by_name] = find_images(readings, hits.images, hits.source);
    const std::vector<std::uint32_t> labelled = find_labels(readings, labels, study);
    const auto columns = columns_of(hits, study.classifiers);
    StudySet set;
    std::size_t absent = 0, incomplete = 0, few = 0;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        if (places[i] == ImagePlaces::nowhere) {
            ++absent;
            continue;
        }
        const std::uint8_t* row =
            hits.hit.data() + std::size_t{places[i]} * hits.classifiers.size();
        if (std::any_of(columns.begin(), columns.end(),
                        [&](std::size_t c) { return row[c] == Hits::unknown; })) {
            ++incomplete;
            continue;
        }
        if (readings.annotators[i] < std::max(2, options.min_annotators)) {
            ++few;
            continue;
        }
        set.classes.push_back(readings.classes[i]);
        set.annotators.push_back(readings.annotators[i]);
        set.selected.push_back(readings.selected[i]);
        if (!labelled.empty())
            set.labels.push_back(labelled[i] == ImagePlaces::nowhere ? StudySet::unlabelled
                                                                     : labels.labels[labelled[i]]);
        const std::size_t begin = set.hits.size();
        set.hits.resize(begin + study.row_bytes, 0);
        for (std::size_t m = 0; m < columns.size(); ++m) set.hits[begin + m] = row[columns[m]];
    }
    if (absent == readings.size()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("no image of {} (e.g. `{}`) is in {} (e.g. `{}`)", readings.source,
                                shortened(readings.images[0]), hits.source,
                                hits.images.size() == 0 ? "" : shortened(hits.images[0])));
    }
    if (by_name) {
        study.warnings.push_back(fmt::format("{}: images were matched to {} by file name only",
                                             readings.source, hits.source));
    }
    if (absent + incomplete > 0) {
        study.partial = true;
        study.warnings.push_back(
            fmt::format("{}: {} of {} images have no hits and {} lack those of some classifier. "
                        "They are skipped, which is harmless only if they resemble the others",
                        readings.source, absent, readings.size(), incomplete));
    }
    if (few > 0) {
        study.warnings.push_back(
            fmt::format("{}: {} images with fewer than {} annotators are skipped", readings.source,
                        few, std::max(2, options.min_annotators)));
    }
    if (set.size() == 0) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: no image has hits of every classifier and at least {} annotators",
                        readings.source, std::max(2, options.min_annotators)));
    }
    return set;
}

void compare_classes(Study& study) {
    std::vector<std::uint8_t> seen(study.classes.size(), 0);
    for (const std::uint32_t c : study.first.classes) seen[c] |= 1;
    for (const std::uint32_t c : study.second.classes) seen[c] |= 2;
    std::string missing[3];
    std::size_t counts[3] = {0, 0, 0};
    for (std::size_t c = 0; c < seen.size(); ++c) {
        if (seen[c] != 1 && seen[c] != 2) continue;
        if (++counts[seen[c]] <= 3)
            missing[seen[c]] += (counts[seen[c]] > 1 ? ", `" : "`") + study.classes[c] + "`";
    }
    for (const int side : {1, 2}) {
        if (counts[side] == 0) continue;
        study.warnings.push_back(
            fmt::format("{} classes are only in the {} ({}{}), so a part of the gap comes from "
                        "different classes",
                        counts[side], side == 1 ? "original" : "replication", missing[side],
                        counts[side] > 3 ? ", ..." : ""));
    }
}

}  // namespace

CellCounts StudySet::cells() const {
    Readings readings;
    readings.annotators = annotators;
    readings.selected = selected;
    return readings.cells();
}

void StudySet::append(const StudySet& from, std::size_t image, std::size_t row_bytes) {
    classes.push_back(from.classes[image]);
    annotators.push_back(from.annotators[image]);
    selected.push_back(from.selected[image]);
    const auto row = from.hits.begin() + static_cast<std::ptrdiff_t>(image * row_bytes);
    hits.insert(hits.end(), row, row + static_cast<std::ptrdiff_t>(row_bytes));
}

std::vector<double> Study::correct(const StudySet& set, const CellGrid& grid) const {
    std::vector<double> sums(grid.size() * models(), 0.0);
    for (std::size_t i = 0; i < set.size(); ++i) {
        double* row = sums.data() + grid.cell(set.annotators[i], set.selected[i]) * models();
        const std::uint8_t* hit = set.hits.data() + i * row_bytes;
        for (std::size_t m = 0; m < models(); ++m) row[m] += hit[m];
    }
    return sums;
}

std::vector<double> Study::accuracies(const StudySet& set) const {
    std::vector<double> sums(models(), 0.0);
    for (std::size_t i = 0; i < set.size(); ++i) {
        const std::uint8_t* hit = set.hits.data() + i * row_bytes;
        for (std::size_t m = 0; m < models(); ++m) sums[m] += hit[m];
    }
    for (double& sum : sums) sum /= static_cast<double>(set.size());
    return sums;
}

ImagePlaces find_images(const Readings& readings, const StringColumn& images,
                        const std::string& source) {
    constexpr std::uint32_t nowhere = ImagePlaces::nowhere;
    ImagePlaces found;
    found.place.assign(readings.size(), nowhere);
    for (const bool loose : {false, true}) {
        std::unordered_map<std::string_view, std::uint32_t> index;
        std::unordered_map<std::string_view, std::uint32_t> readers;
        for (std::uint32_t i = 0; i < images.size(); ++i) {
            const std::string_view key = loose ? stem(images[i]) : images[i];
            if (index.emplace(key, i).second) continue;
            if (!loose) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("{}: image `{}` appears twice", source, shortened(key)));
            }
            index[key] = nowhere;  // a name of several images matches none of them
        }
        for (std::size_t i = 0; loose && i < readings.size(); ++i)
            ++readers[stem(readings.images[i])];
        bool any = false;
        for (std::size_t i = 0; i < readings.size(); ++i) {
            const std::string_view key = loose ? stem(readings.images[i]) : readings.images[i];
            // a name of several readings also matches none of them
            if (loose && readers[key] > 1) continue;
            const auto at = index.find(key);
            found.place[i] = at == index.end() ? nowhere : at->second;
            any = any || found.place[i] != nowhere;
        }
        found.by_name = loose;
        if (any) return found;
    }
    return found;
}

Study join_study(const Readings& first, const Hits& first_hits, const Readings& second,
                 const Hits& second_hits, const StudyNames& names, const StudyOptions& options,
                 const LabelCounts& first_labels, const LabelCounts& second_labels) {
    Study study;
    std::string lost;
    const std::unordered_set<std::string_view> of_first(first_hits.classifiers.begin(),
                                                        first_hits.classifiers.end());
    const std::unordered_set<std::string_view> of_second(second_hits.classifiers.begin(),
                                                         second_hits.classifiers.end());
    for (const std::string& name : first_hits.classifiers) {
        if (of_second.contains(name))
            study.classifiers.push_back(name);
        else
            lost += " " + name;
    }
    for (const std::string& name : second_hits.classifiers) {
        if (!of_first.contains(name)) lost += " " + name;
    }
    if (study.classifiers.empty()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("no classifier has hits on both sets: {} begins with `{}`, {} with `{}`",
                        first_hits.source,
                        first_hits.classifiers.empty() ? "" : first_hits.classifiers[0],
                        second_hits.source,
                        second_hits.classifiers.empty() ? "" : second_hits.classifiers[0]));
    }
    if (!lost.empty()) {
        study.warnings.push_back(fmt::format("classifiers with hits on one set only are skipped:{}",
                                             shortened(lost, 200)));
    }
    for (const Hits* hits : {&first_hits, &second_hits})
        study.warnings.insert(study.warnings.end(), hits->warnings.begin(), hits->warnings.end());
    study.classes = names.classes.all();
    study.row_bytes = (study.classifiers.size() + row_step - 1) / row_step * row_step;
    study.first = join_set(first, first_hits, first_labels, options, study);
    study.second = join_set(second, second_hits, second_labels, options, study);
    compare_classes(study);
    return study;
}

Study study_of(const Simulation& simulation) {
    Study study;
    const std::size_t models = simulation.truth.adjusted.size();
    const int annotators = simulation.options.annotators;
    for (std::size_t m = 0; m < models; ++m) study.classifiers.push_back(fmt::format("m{:02}", m));
    for (std::uint32_t c = 0; c < simulation.options.classes; ++c)
        study.classes.push_back(fmt::format("c{:04}", c));
    study.row_bytes = (models + row_step - 1) / row_step * row_step;
    const auto copy = [&](const SimulatedSet& from, StudySet& to) {
        to.classes = from.classes;
        to.annotators.assign(from.size(), static_cast<std::uint16_t>(annotators));
        to.hits.assign(from.size() * study.row_bytes, 0);
        for (std::size_t i = 0; i < from.size(); ++i) {
            to.selected.push_back(from.k(i, annotators));
            std::copy_n(from.hits.data() + i * models, models,
                        to.hits.data() + i * study.row_bytes);
        }
    };
    copy(simulation.first, study.first);
    copy(simulation.second, study.second);
    return study;
}

}  // namespace assay::replication
