// Counts for the gap from the stores of two data sets: every store is read once, shard by shard.
#include "assay/evaluate/gap.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "assay/evaluate/measure_options.h"
#include "assay/metric/metric.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "collective/rank_part.h"
#include "core/parallel.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/truth.h"
#include "metric/item_groups.h"
#include "store/same_data.h"
#include "store/same_models.h"

namespace assay {
namespace {

using std::filesystem::path;

/// Data about the images of one data set that all models share. It needs 5 bytes per image in
/// addition to the labels.
struct Images {
    StoreSpec spec;  ///< spec of the first store
    path first_store;
    LabelSets sets;
    ClassList classes;
    OnlyMembers own;                  ///< the data set's own single label, or -1
    bool several = false;             ///< an image has several own labels
    bool only_valid = false;          ///< no own labels: an image's only valid class is used
    std::vector<std::uint8_t> group;  ///< group of each image
};

void check_labels(const LabelSets& sets, const StoreSpec& spec, const char* what) {
    if (sets.size() != spec.rows) {
        throw Error(ErrorCode::bad_input, fmt::format("{} {} for {} images of {}", sets.size(),
                                                      what, spec.rows, spec.dataset_name));
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
        // Values are ascending, so the last one is the largest.
        if (const auto set = sets[i];
            !set.empty() && static_cast<std::uint32_t>(set.back()) >= spec.classes) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("label {} of image {} of {} is outside the {} classes of "
                                    "the scores",
                                    set.back(), i, spec.dataset_name, spec.classes));
        }
    }
}

Images images_of(const GapSide& side, const path& store_folder) {
    const PredictionStore store = PredictionStore::open(store_folder);
    Images p;
    p.spec = store.spec();
    p.first_store = store_folder;
    const Dataset& dataset = store.dataset();
    p.classes = dataset.classes;
    check_labels(dataset.labels, p.spec, "labels");
    p.sets = side.sets ? *side.sets : dataset.labels;
    check_labels(p.sets, p.spec, "label sets");
    p.group = groups_of_items(p.spec.rows);
    for (std::size_t i = 0; i < dataset.labels.size() && !p.several; ++i)
        p.several = dataset.labels[i].size() > 1;
    p.only_valid = only_valid_stands_in(dataset.labels, p.sets);
    p.own = OnlyMembers(p.only_valid ? p.sets : dataset.labels);
    return p;
}

GapDataSet describe(const Images& p, const std::string& name, std::uint32_t pooled_above) {
    GapDataSet set;
    set.name = name;
    set.images = p.spec.rows;
    set.with_labels.assign(pooled_above, 0);
    for (std::size_t i = 0; i < p.sets.size(); ++i) {
        const std::size_t g = p.sets[i].size();
        ++(g == 0 ? set.none : g <= pooled_above ? set.with_labels[g - 1] : set.more);
        set.single += p.own[i] >= 0 ? 1 : 0;
    }
    set.only_valid = p.only_valid;
    return set;
}

// Numbers of labels per image that both data sets have.
std::vector<int> present_in_both(const Images& one, const Images& two) {
    const auto numbers = [](const Images& p) {
        std::vector<int> list;
        for (std::size_t i = 0; i < p.sets.size(); ++i) {
            const auto g = static_cast<int>(p.sets[i].size());
            if (g == 0) continue;
            const auto at = std::lower_bound(list.begin(), list.end(), g);
            if (at == list.end() || *at != g) list.insert(at, g);
        }
        return list;
    };
    const auto a = numbers(one), b = numbers(two);
    std::vector<int> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    return common;
}

// The numbers of labels over which ASMA averages.
std::vector<std::uint32_t> subgroups_of(const GapOptions& options, const Images& one,
                                        const Images& two) {
    const GapSubgroups asked = gap_subgroups(options.subgroups);
    std::vector<int> list = asked.numbers;
    if (asked.present) {
        list.clear();
        const std::vector<int> both = present_in_both(one, two);
        std::set_intersection(both.begin(), both.end(), asked.numbers.begin(), asked.numbers.end(),
                              std::back_inserter(list));
    }
    return {list.begin(), list.end()};
}

// Why top-1 is skipped, if it is: if few images of one data set have a single label, their gap
// represents neither data set.
std::string no_top1(const GapOptions& options, const std::array<Images, 2>& images,
                    const std::array<const GapSide*, 2>& sides) {
    for (std::size_t set = 0; set < 2 && !options.slivers; ++set) {
        const LabelCoverage coverage = coverage_of(images[set].own, images[set].sets);
        if (!is_sliver(coverage.single, coverage.labelled)) continue;
        return sliver_text(coverage.single, coverage.labelled, sides[set]->name);
    }
    return "";
}

/// Throws usage if ReaL and ASMA would use label sets on one data set and single labels on the
/// other. This happens if a file is given for only one of them.
void require_like_labels(const std::array<const GapSide*, 2>& sides,
                         const std::array<Images, 2>& images) {
    for (std::size_t set = 0; set < 2; ++set) {
        const std::size_t other = 1 - set;
        if (!sides[set]->sets || sides[other]->sets || images[other].several) continue;
        throw Error(
            ErrorCode::usage,
            fmt::format("{} has label sets and {} single labels: ReaL and ASMA would use different "
                        "definitions of correct; add --labels{} LABELS, or omit --labels{}",
                        sides[set]->name, sides[other]->name, other + 1, set + 1));
    }
}

/// Describes two data sets with the same images; "" if they are different. Throws usage if only the
/// labels differ.
std::string shared_images(const PredictionStore& one, const PredictionStore& two,
                          const std::array<const GapSide*, 2>& sides,
                          std::vector<std::string>& warnings) {
    const store::SameData same = store::same_data(one, two, {.images = true, .labels = true});
    if (!same.ids || same.files == false) return "";
    const std::string names = fmt::format("{} and {}", sides[0]->name, sides[1]->name);
    if (!same.corruption) {
        warnings.push_back(
            fmt::format("{} are the same images, one set of them corrupted: so the intervals of "
                        "gaps are wider than necessary; `assay robustness` compares image by image",
                        names));
        return "the two sets are the same images, corrupted and not";
    }
    const bool known = same.files == true || same.labels;
    if (known && (!same.labels || sides[0]->sets || sides[1]->sets)) {
        throw Error(
            ErrorCode::usage,
            fmt::format("{} are the same images under two sets of labels, which is not a gap; to "
                        "score one set under other labels, type `assay score RUNS --labels LABELS`",
                        names));
    }
    if (known) {
        warnings.push_back(
            fmt::format("{} are the same images, but a gap compares two sets of images. The "
                        "intervals assume independent images, so they are wrong. To compare models "
                        "on one set, use `assay compare`",
                        names));
        return "the two sets are the same images";
    }
    warnings.push_back(fmt::format(
        "{} have the same ids but different labels: if the images are the same, the intervals are "
        "wrong. To score one set under other labels, type `assay score RUNS --labels LABELS`",
        names));
    return "";
}

// Counts one model's scores on one data set.
class Counter {
public:
    static constexpr std::uint64_t unit_rows = 256;

    Counter(const PredictionStore& store, const Images& images, const GapScheme& scheme)
        : reader_(store), images_(images), scheme_(scheme), state_(scheme.empty()) {}

    std::size_t units() const {
        return static_cast<std::size_t>((images_.spec.rows + unit_rows - 1) / unit_rows);
    }
    /// Adds the rows of a unit with scores, and counts other rows. Returns the number of rows.
    std::uint64_t read(std::size_t unit) {
        const std::uint64_t first = unit * unit_rows,
                            last = std::min(images_.spec.rows, first + unit_rows);
        std::vector<RowFacts> facts;
        facts.reserve(static_cast<std::size_t>(last - first));
        RowPrediction said;
        for (std::uint64_t row = first; row < last; ++row) {
            const auto i = static_cast<std::size_t>(row);
            const auto set = images_.sets[i];
            if (reader_.read(row, set, said, RowReader::Detail::ranking) != RowStatus::ok) continue;
            RowFacts& fact = facts.emplace_back();
            fact.group = images_.group[i];
            fact.predicted = said.predicted;
            fact.target = images_.own[i];
            // Top-1 only requires whether the rank is the first.
            fact.rank = fact.predicted == fact.target ? 0 : 1;
            fact.valid = static_cast<std::uint32_t>(set.size());
            fact.hits = said.hits;
            fact.in_set = std::binary_search(set.begin(), set.end(), fact.predicted);
        }
        const std::lock_guard lock(mutex_);
        for (const RowFacts& fact : facts) scheme_.add(state_, fact);
        not_scored_ += static_cast<std::int64_t>(last - first - facts.size());
        return last - first;
    }
    /// Combines the counts of all ranks. Collective.
    void join(Comm& comm, GapInput::Model& model, std::size_t set) {
        state_.push_back(not_scored_);
        comm.all_reduce(state_);
        model.not_scored[set] = static_cast<std::uint64_t>(state_.back());
        state_.pop_back();
        model.states[set] = std::move(state_);
        model.shapes[set] = scheme_.shape();
        model.shapes[set].full_rows = reader_.full();
        model.shapes[set].kept = reader_.full() ? 0 : reader_.depth();
    }

private:
    RowReader reader_;
    const Images& images_;
    const GapScheme& scheme_;
    std::mutex mutex_;
    GapState state_;
    std::int64_t not_scored_ = 0;
};

// The part of a store's rows that belongs to this rank.
void count_rows(Counter& counter, int threads, Comm& comm,
                const std::function<void(std::uint64_t)>& progress) {
    const RankPart units = part_of_rank(counter.units(), comm);
    parallel_blocks(units.size(), threads, [&](std::size_t unit) {
        throw_if_stopped();
        progress(counter.read(units.begin + unit));
    });
}

using ByName = std::map<std::string, path>;

ByName by_name(const GapSide& side) {
    ByName models;
    for (const path& folder : side.stores) {
        const PredictionStore store = PredictionStore::open(folder);
        const auto [known, fresh] = models.emplace(store.spec().model_name, folder);
        if (!fresh) {
            throw Error(
                ErrorCode::usage,
                fmt::format(
                    "two stores of model `{}`: `{}` and `{}`; name one data set on each side",
                    known->first, known->second.string(), folder.string()));
        }
    }
    return models;
}

std::vector<std::string> names_of_models(const ByName& models) {
    std::vector<std::string> names;
    for (const auto& [name, folder] : models) names.push_back(name);
    return names;
}

// The same name should mean the same classifier with the same preprocessing. Imports do not record
// this.
void compare_origins(const StoreSpec& one, const StoreSpec& two,
                     std::vector<std::string>& warnings) {
    if (!store::same_model_file(store::model_file_of(one), store::model_file_of(two))) {
        warnings.push_back(
            fmt::format("`{}` was a different model file on {} than on {}, so its gap includes the "
                        "difference between the files",
                        one.model_name, one.dataset_name, two.dataset_name));
    } else if (!store::same_preprocessing(one, two)) {
        warnings.push_back(fmt::format(
            "`{}` used different preprocessing on {} and {}, so its gap includes that difference",
            one.model_name, one.dataset_name, two.dataset_name));
    }
}

}  // namespace

GapReport gap_of_stores(const GapSide& first, const GapSide& second, const GapOptions& options,
                        Comm& comm, const ProgressCallback& progress) {
    check(options);
    const std::array<const GapSide*, 2> sides{&first, &second};
    const std::array<ByName, 2> stores{by_name(first), by_name(second)};
    const store::SharedModels models =
        store::shared_models(names_of_models(stores[0]), names_of_models(stores[1]));
    require_shared(models, first.name, second.name);
    const std::vector<std::string>& names = models.both;
    std::array<Images, 2> images{images_of(first, stores[0].at(names[0])),
                                 images_of(second, stores[1].at(names[0]))};
    if (images[0].spec.classes != images[1].spec.classes) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "the models predict {} classes on {} but {} on {}: their scores are not comparable",
                images[0].spec.classes, first.name, images[1].spec.classes, second.name));
    }
    require_like_labels(sides, images);
    const GapScheme scheme(
        LabelStrata(options.pooled_above, subgroups_of(options, images[0], images[1])),
        images[0].spec.classes, options.agreement, no_top1(options, images, sides));
    GapInput input;
    std::vector<std::string> warnings;
    if (images[0].only_valid != images[1].only_valid) {
        const std::size_t set = images[0].only_valid ? 0 : 1;
        warnings.push_back(
            fmt::format("{} has no single labels of its own. Its top-1 uses images with one valid "
                        "class; the top-1 of {} uses all images with a label",
                        sides[set]->name, sides[1 - set]->name));
    }
    if (!sides[0]->sets && !sides[1]->sets && images[0].several != images[1].several) {
        const std::size_t several = images[0].several ? 0 : 1;
        warnings.push_back(
            fmt::format("{} is scored with sets of labels and {} with single labels, so their gaps "
                        "by ReaL and ASMA include that difference",
                        sides[several]->name, sides[1 - several]->name));
    }
    if (!images[0].classes.empty() && !images[1].classes.empty() &&
        !store::same_class_ids(images[0].classes, images[1].classes)) {
        warnings.push_back(fmt::format(
            "{} and {} name their classes differently: {}: are they the same, in the same order?",
            first.name, second.name,
            store::classes_difference(images[0].classes, images[1].classes,
                                      {first.name, second.name, second.name})));
    }
    std::uint64_t total = 0, done = 0;
    for (std::size_t set = 0; set < 2; ++set) {
        const Images& p = images[set];
        input.sets[set] = describe(p, sides[set]->name, options.pooled_above);
        input.sets[set].unnamed = sides[set]->unnamed;
        input.sets[set].only_here = set == 0 ? models.only_one : models.only_two;
        if (!input.sets[set].only_here.empty()) {
            warnings.push_back(fmt::format("skipped, with scores on {} only: {}", sides[set]->name,
                                           store::names_text(input.sets[set].only_here)));
        }
        const GapDataSet& described = input.sets[set];
        if (described.none * 3 > described.images) {
            // A list may omit images, so the reader does not refuse a file of another data set.
            warnings.push_back(fmt::format(
                "{} of {} images of {} have no valid label: do the label sets belong to it?",
                described.none, described.images, sides[set]->name));
        }
        total += p.spec.rows * names.size();
    }

    const std::array<PredictionStore, 2> firsts{PredictionStore::open(images[0].first_store),
                                                PredictionStore::open(images[1].first_store)};
    input.dependent = shared_images(firsts[0], firsts[1], sides, warnings);
    std::mutex mutex;
    const auto advance = [&](std::uint64_t rows) {
        const std::lock_guard lock(mutex);
        done += rows;
        if (progress) progress({.step = "reading", .done = done, .total = total});
    };
    for (const std::string& name : names) {
        GapInput::Model& model = input.models.emplace_back();
        model.name = name;
        std::array<StoreSpec, 2> specs;
        for (std::size_t set = 0; set < 2; ++set) {
            const path& folder = stores[set].at(name);
            with_note("reading `" + folder.string() + "`", [&] {
                const PredictionStore store = PredictionStore::open(folder);
                specs[set] = store.spec();
                if (std::string writing = writer_warning(store); !writing.empty())
                    warnings.push_back(std::move(writing));
                store::require_same(firsts[set], store, {.classes = true});
                Counter counter(store, images[set], scheme);
                agree(comm, [&] {
                    count_rows(counter, resolve_threads(options.threads), comm, advance);
                });
                counter.join(comm, model, set);
            });
            if (model.not_scored[set] > 0) {
                warnings.push_back(
                    fmt::format("`{}`: {} of {} images of {} have no scores (unreadable, not "
                                "finite, or missing): its results cover the rest",
                                name, model.not_scored[set], specs[set].rows, sides[set]->name));
            }
        }
        compare_origins(specs[0], specs[1], warnings);
    }
    GapReport report = assemble_gap(input, scheme, options);
    report.warnings = std::move(warnings);
    return report;
}

}  // namespace assay
