// Stores of two data sets -> counts for the gap: every store is read once, shard by shard.
#include "assay/evaluate/gap.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/metric/metric.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "report.h"

namespace assay {
namespace {

using std::filesystem::path;

/// What the images of one data set have in common for all models. 11 bytes an image beside the
/// labels.
struct Images {
    StoreSpec spec;  ///< of the first store
    path first_store;
    LabelSets sets;
    ClassList classes;
    std::vector<std::int32_t> own;       ///< the data set's own single label, or -1
    std::vector<std::uint8_t> group;     ///< of images
    std::vector<std::uint16_t> stratum;  ///< of the label count
};

void check_labels(const LabelSets& sets, const StoreSpec& spec, const char* what) {
    if (sets.size() != spec.rows) {
        throw Error(ErrorCode::bad_input, fmt::format("{} {} for {} images of {}", sets.size(),
                                                      what, spec.rows, spec.dataset_name));
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
        // Ascending: the last is the largest.
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
    const auto rows = static_cast<std::size_t>(p.spec.rows);
    p.own.resize(rows);
    p.group.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) p.own[i] = dataset.single_label(i);
    for (std::size_t first = 0; first < rows; first += group_stretch) {
        const auto places = group_places(first / group_stretch, p.spec.rows);
        for (std::size_t i = first; i < std::min<std::size_t>(rows, first + group_stretch); ++i)
            p.group[i] = static_cast<std::uint8_t>(places[i - first] % group_count);
    }
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
    return set;
}

// Label counts that both data sets have.
std::vector<std::uint32_t> present_in_both(const Images& one, const Images& two) {
    const auto counts = [](const Images& p) {
        std::vector<std::uint32_t> list;
        for (std::size_t i = 0; i < p.sets.size(); ++i) {
            const auto g = static_cast<std::uint32_t>(p.sets[i].size());
            if (g == 0) continue;
            const auto at = std::lower_bound(list.begin(), list.end(), g);
            if (at == list.end() || *at != g) list.insert(at, g);
        }
        return list;
    };
    const auto a = counts(one), b = counts(two);
    std::vector<std::uint32_t> common;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    if (common.size() > 64) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} different label counts are present in both data sets; name the "
                                "subgroups to average over, e.g. 1-5",
                                common.size()));
    }
    return common;
}

// One model's scores on one data set.
class Reader {
public:
    Reader(const PredictionStore& store, const Images& images, const LabelStrata& strata,
           SetAgreement agreement)
        : store_(store),
          rows_(store),
          images_(images),
          strata_(strata),
          agreement_(agreement),
          state_(empty_gap_state(strata)) {}

    /// Rows of the shard that have scores are added; the others are counted.
    void read(std::size_t shard_index) {
        const std::uint64_t first = shard_index * std::uint64_t{store_.spec().shard_rows};
        const std::uint64_t rows =
            std::min<std::uint64_t>(store_.spec().shard_rows, store_.rows() - first);
        GapState part = empty_gap_state(strata_);
        RowPrediction read;
        std::uint64_t bad = 0;
        for (std::uint64_t i = first; i < first + rows; ++i) {
            const auto row = static_cast<std::size_t>(i);
            const auto set = images_.sets[row];
            if (rows_.read(i, set, read, RowReader::Detail::ranking) != RowStatus::ok) {
                ++bad;
                continue;
            }
            GapFacts facts;
            facts.labels = static_cast<std::uint32_t>(set.size());
            facts.single = images_.own[row] >= 0;
            facts.top1 = facts.single && read.predicted == images_.own[row];
            facts.real = std::binary_search(set.begin(), set.end(), read.predicted);
            facts.hits_known = read.hits >= 0 || set.empty();
            facts.hits = static_cast<std::uint32_t>(std::max(0, read.hits));
            facts.group = images_.group[row];
            facts.stratum = images_.stratum[row];
            add_image(part, strata_, facts, agreement_);
        }
        not_scored_ += bad;
        const std::lock_guard lock(mutex_);
        for (std::size_t k = 0; k < part.size(); ++k) state_[k] += part[k];
    }

    GapState take() { return std::move(state_); }
    std::uint64_t not_scored() const { return not_scored_; }

private:
    const PredictionStore& store_;
    RowReader rows_;
    const Images& images_;
    const LabelStrata& strata_;
    SetAgreement agreement_;
    std::mutex mutex_;
    GapState state_;
    std::atomic<std::uint64_t> not_scored_ = 0;
};

using ByName = std::map<std::string, path>;

ByName by_name(const GapSide& side) {
    ByName models;
    for (const path& folder : side.stores) {
        const PredictionStore store = PredictionStore::open(folder);
        const auto [known, fresh] = models.emplace(store.spec().model_name, folder);
        if (!fresh) {
            throw Error(
                ErrorCode::usage,
                fmt::format("two stores of model `{}`: `{}` and `{}`; one data set is needed "
                            "on each side",
                            known->first, known->second.string(), folder.string()));
        }
    }
    return models;
}

std::vector<std::string> missing_from(const ByName& other, const ByName& models) {
    std::vector<std::string> names;
    for (const auto& [name, folder] : models) {
        if (!other.contains(name)) names.push_back(name);
    }
    return names;
}

// Names for a sentence; the report has them all.
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 12;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size()));
    return fmt::format(
        "{}{}", fmt::join(names.begin(), end, ", "),
        names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
}

void check_same_images(const StoreSpec& spec, const Images& images, const path& folder) {
    const StoreSpec& reference = images.spec;
    if (spec.rows != reference.rows || spec.ids_hash != reference.ids_hash) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("`{}` and `{}` hold other images ({} and {}): the models of "
                        "one data set must share them",
                        folder.string(), images.first_store.string(), spec.rows, reference.rows));
    }
    if (spec.classes != reference.classes) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}` has {} classes and `{}` has {}", folder.string(),
                                spec.classes, images.first_store.string(), reference.classes));
    }
}

// The same name should mean the same classifier, shown the images in the same way. Imports do not
// tell.
void compare_origins(const StoreSpec& one, const StoreSpec& two,
                     std::vector<std::string>& warnings) {
    if (one.preprocess_hash.empty() || two.preprocess_hash.empty()) return;
    if (one.model_hash != two.model_hash) {
        warnings.push_back(
            fmt::format("`{}` was another model file on {} than on {}: its gap is also the "
                        "difference between the two",
                        one.model_name, one.dataset_name, two.dataset_name));
    } else if (one.preprocess_hash != two.preprocess_hash) {
        warnings.push_back(fmt::format(
            "`{}` saw {} and {} with other preprocessing: its gap holds that difference too",
            one.model_name, one.dataset_name, two.dataset_name));
    }
}

}  // namespace

GapReport gap_of_stores(const GapSide& first, const GapSide& second, const GapOptions& options,
                        const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    const std::array<const GapSide*, 2> sides{&first, &second};
    const std::array<ByName, 2> stores{by_name(first), by_name(second)};
    std::vector<std::string> names;
    for (const auto& [name, folder] : stores[0]) {
        if (stores[1].contains(name)) names.push_back(name);
    }
    if (names.empty()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("no model has scores on both {} and {}: {} has {}; {} has {}", first.name,
                        second.name, first.name, listed(missing_from({}, stores[0])), second.name,
                        listed(missing_from({}, stores[1]))));
    }
    if (options.pooled_above == 0 || options.pooled_above > 64)
        throw Error(ErrorCode::usage,
                    fmt::format("label counts pooled above {}: 1 to 64", options.pooled_above));

    std::array<Images, 2> images{images_of(first, stores[0].at(names[0])),
                                 images_of(second, stores[1].at(names[0]))};
    if (images[0].spec.classes != images[1].spec.classes) {
        throw Error(ErrorCode::bad_input, fmt::format("the models answer with {} classes on {} and "
                                                      "with {} on {}: their scores do not mean "
                                                      "the same",
                                                      images[0].spec.classes, first.name,
                                                      images[1].spec.classes, second.name));
    }
    GapInput input;
    input.classes = images[0].spec.classes;
    input.strata =
        LabelStrata(options.pooled_above,
                    options.present ? present_in_both(images[0], images[1]) : options.subgroups);
    std::vector<std::string> warnings;
    if (!images[0].classes.empty() && images[0].classes.ids() != images[1].classes.ids() &&
        !images[1].classes.empty()) {
        warnings.push_back(fmt::format(
            "{} and {} name their classes differently: are they the same, in the same order?",
            first.name, second.name));
    }
    std::uint64_t total = 0, done = 0;
    for (std::size_t set = 0; set < 2; ++set) {
        Images& p = images[set];
        input.sets[set] = describe(p, sides[set]->name, options.pooled_above);
        input.sets[set].unnamed = sides[set]->unnamed;
        input.sets[set].only_here = missing_from(stores[1 - set], stores[set]);
        if (!input.sets[set].only_here.empty()) {
            warnings.push_back(fmt::format("left out, with scores on {} only: {}", sides[set]->name,
                                           listed(input.sets[set].only_here)));
        }
        const GapDataSet& described = input.sets[set];
        if (described.none * 3 > described.images) {
            // A list may leave images out, so a file of another data set is not refused by the
            // reader.
            warnings.push_back(fmt::format(
                "{} of {} images of {} have no valid label: do the label sets belong to it?",
                described.none, described.images, sides[set]->name));
        }
        p.stratum.resize(p.sets.size());
        for (std::size_t i = 0; i < p.sets.size(); ++i)
            p.stratum[i] = static_cast<std::uint16_t>(input.strata.of(p.sets[i].size()));
        total += p.spec.rows * names.size();
    }

    std::mutex mutex;
    for (const std::string& name : names) {
        GapInput::Model& model = input.models.emplace_back();
        model.name = name;
        std::array<StoreSpec, 2> specs;
        for (std::size_t set = 0; set < 2; ++set) {
            const path& folder = stores[set].at(name);
            with_note("reading `" + folder.string() + "`", [&] {
                const PredictionStore store = PredictionStore::open(folder);
                specs[set] = store.spec();
                check_same_images(specs[set], images[set], folder);
                Reader reader(store, images[set], input.strata, options.agreement);
                parallel_blocks(store.shards(), resolve_threads(options.threads),
                                [&](std::size_t s) {
                                    throw_if_stopped();
                                    reader.read(s);
                                    const std::lock_guard lock(mutex);
                                    done += std::min<std::uint64_t>(
                                        specs[set].shard_rows,
                                        specs[set].rows - s * std::uint64_t{specs[set].shard_rows});
                                    if (progress) progress(done, total);
                                });
                model.not_scored[set] = reader.not_scored();
                model.states[set] = reader.take();
            });
            if (model.not_scored[set] > 0) {
                warnings.push_back(fmt::format(
                    "`{}`: {} of {} images of {} have no scores (unreadable, not finite, "
                    "or not there yet): its numbers are of the rest",
                    name, model.not_scored[set], specs[set].rows, sides[set]->name));
            }
        }
        compare_origins(specs[0], specs[1], warnings);
    }
    GapReport report = assemble_gap(input, options);
    report.warnings = std::move(warnings);
    return report;
}

}  // namespace assay
