#include "assay/robustness/corrupted_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "assay/error.h"
#include "assay/robustness/attack.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"
#include "robustness/clean_images.h"
#include "store/outcomes.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

using robustness::CleanImages;

/// Per clean image.
using Outcomes = std::vector<RowOutcome>;

int as_count(RowOutcome outcome) {
    return outcome == RowOutcome::correct ? 1 : 0;
}

Estimate proportion_correct(const Outcomes& outcomes, double level) {
    return wilson_proportion(count_of(outcomes, RowOutcome::correct), outcomes.size(), level,
                             "no image");
}

/// No mean of some 75 outcomes, nor a ratio of two, comes so near to another one.
constexpr double rounding_only = 1e-12;

/// The standard error of the mean of a number per image; 0 where they differ by rounding alone.
double error_of_mean(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    if (values.size() < 2) return 0;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (*most - *least <= rounding_only) return 0;
    double sum = 0, squares = 0;
    for (const double v : values) sum += v;
    for (const double v : values) squares += (v - sum / n) * (v - sum / n);
    return std::sqrt(squares / (n - 1) / n);
}

double mean_of_images(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
}

/// `value` is the mean of values that are one per image, but for a constant.
Estimate of_images(double value, const std::vector<double>& influence, Unit unit, double most,
                   double level) {
    Estimate e;
    e.unit = unit;
    e.n = influence.size();
    e.value = value;
    const double error = error_of_mean(influence);
    if (error > 0) {
        e.standard_error = error;
        e.interval = symmetric_interval(value, error, level, "normal.images", 0);
        e.interval->low = std::max(e.interval->low, 0.0);
        e.interval->high = std::min(e.interval->high, most);
    } else if (unit == Unit::proportion) {
        e.interval = wilson_of_mean(value, e.n, level);
    } else {
        e.note = "no interval: all images agree";
    }
    return e;
}

Estimate not_measured(std::string why, Unit unit, std::uint64_t n) {
    Estimate e;
    e.unit = unit;
    e.n = n;
    e.undefined = std::move(why);
    return e;
}

/// What is known of one model.
class ModelVersions {
public:
    ModelVersions(CorruptedModel& model, Outcomes clean, std::vector<Outcomes> versions,
                  double level)
        : model_(model), level_(level), clean_(std::move(clean)), versions_(std::move(versions)) {
        keep_common_images();
        if (clean_.empty()) {
            refuse(
                fmt::format("no labelled image of `{}` has scores on the clean and on every "
                            "corrupted data set",
                            model.model));
        }
    }

    void measure() {
        model_.images = clean_.size();
        model_.clean = proportion_correct(clean_, level_);
        for (std::size_t v = 0; v < versions_.size(); ++v)
            model_.versions[v].accuracy = proportion_correct(versions_[v], level_);
        for (const Corruption& c : corruptions()) {
            const auto own = [&](const CorruptedVersion& v) { return v.corruption == &c; };
            if (std::any_of(model_.versions.begin(), model_.versions.end(), own))
                model_.corruptions.push_back({&c, mean_of(own)});
        }
        const auto paper = [](const CorruptedVersion& v) { return !v.corruption->extra; };
        model_.present = mean_of(paper);
        const std::string missing = missing_versions();
        if (missing.empty()) {
            model_.paper = model_.present;
            model_.mce = corruption_error();
            return;
        }
        model_.paper = {not_measured(missing, Unit::proportion, model_.images),
                        not_measured(missing, Unit::number, model_.images)};
        model_.mce = not_measured(missing, Unit::number, model_.images);
    }

private:
    void keep_common_images() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < clean_.size(); ++i) {
            bool known = clean_[i] != RowOutcome::none;
            for (const Outcomes& v : versions_) known = known && v[i] != RowOutcome::none;
            if (!known) continue;
            clean_[kept] = clean_[i];
            for (Outcomes& v : versions_) v[kept] = v[i];
            ++kept;
        }
        clean_.resize(kept);
        for (Outcomes& v : versions_) v.resize(kept);
    }

    /// "12 of the 75 versions are missing: frost 1, ...".
    std::string missing_versions() const {
        std::string names;
        int missing = 0;
        for (const Corruption& c : corruptions()) {
            for (int severity = 1; !c.extra && severity <= corruption_severities; ++severity) {
                const auto same = [&](const CorruptedVersion& v) {
                    return v.corruption == &c && v.severity == severity;
                };
                if (std::any_of(model_.versions.begin(), model_.versions.end(), same)) continue;
                if (++missing <= 6)
                    names += fmt::format("{} {} {}", missing == 1 ? "" : ",", c.name, severity);
            }
        }
        if (missing == 0) return "";
        return fmt::format("{} of the 75 versions {} missing:{}{}", missing,
                           missing == 1 ? "is" : "are", names, missing > 6 ? ", ..." : "");
    }

    /// On how many versions of one corruption each image is right, and how many there are.
    struct Hits {
        std::vector<int> of_image;
        int versions = 0;
    };

    /// In the order of the table. `chosen` takes all versions of a corruption or none.
    template <typename Chosen>
    std::map<const Corruption*, Hits> hits_of(Chosen&& chosen) const {
        std::map<const Corruption*, Hits> hits;
        for (std::size_t v = 0; v < versions_.size(); ++v) {
            const CorruptedVersion& version = model_.versions[v];
            if (!chosen(version)) continue;
            Hits& own = hits[version.corruption];
            own.of_image.resize(clean_.size());
            for (std::size_t i = 0; i < clean_.size(); ++i)
                own.of_image[i] += as_count(versions_[v][i]);
            ++own.versions;
        }
        return hits;
    }

    /// Whole numbers are divided as late as can be: what is right everywhere has a mean of exactly
    /// 1, and none is above it.
    template <typename Chosen>
    CorruptedMean mean_of(Chosen&& chosen) const {
        const auto hits = hits_of(chosen);
        if (hits.empty()) {
            const std::string why = "none of the paper's corruptions is there";
            return {not_measured(why, Unit::proportion, model_.images),
                    not_measured(why, Unit::number, model_.images)};
        }
        std::vector<double> each(clean_.size());
        for (const auto& one : hits) {
            const Hits& own = one.second;
            for (std::size_t i = 0; i < each.size(); ++i)
                each[i] += static_cast<double>(own.of_image[i]) / own.versions;
        }
        for (double& v : each) v /= static_cast<double>(hits.size());
        const double mean = mean_of_images(each);
        CorruptedMean out;
        out.accuracy = of_images(mean, each, Unit::proportion, 1, level_);
        const double clean = *model_.clean.value;
        if (clean == 0) {
            out.relative = not_measured("the clean accuracy is 0", Unit::number, model_.images);
            return out;
        }
        for (std::size_t i = 0; i < each.size(); ++i)
            each[i] = (each[i] - mean / clean * as_count(clean_[i])) / clean;
        out.relative = of_images(mean / clean, each, Unit::number,
                                 std::numeric_limits<double>::infinity(), level_);
        return out;
    }

    Estimate corruption_error() const {
        std::vector<double> each(clean_.size());
        const auto hits = hits_of([](const CorruptedVersion& v) { return !v.corruption->extra; });
        for (const auto& one : hits) {
            const Hits& own = one.second;
            for (std::size_t i = 0; i < each.size(); ++i)
                each[i] += (own.versions - own.of_image[i]) / (75 * *one.first->alexnet_error);
        }
        return of_images(mean_of_images(each), each, Unit::number,
                         std::numeric_limits<double>::infinity(), level_);
    }

    CorruptedModel& model_;
    double level_;
    Outcomes clean_;
    std::vector<Outcomes> versions_;
};

/// A store that is not open.
struct ClosedStore {
    fs::path folder;
    std::string dataset, model, model_hash, preprocess_hash;
    VersionOf version;
    bool clean = false;
    bool complete = true;
    std::string writing;  ///< writer_warning()
};

std::vector<ClosedStore> look_at(const CorruptedAccuracyOptions& options) {
    std::vector<ClosedStore> found;
    for (const fs::path& folder :
         find_stores(std::vector<fs::path>(options.paths.begin(), options.paths.end()))) {
        const PredictionStore store = PredictionStore::open(folder);
        const StoreSpec& spec = store.spec();
        found.push_back({folder,
                         spec.dataset_name,
                         spec.model_name,
                         spec.model_hash,
                         spec.preprocess_hash,
                         {},
                         spec.dataset_name == options.clean,
                         store.complete(),
                         writer_warning(store)});
    }
    return found;
}

/// Of the stores of models that have a clean one: a data set is read once for it, whatever its
/// models are.
void find_versions(std::vector<ClosedStore>& stores, const std::vector<std::string>& models) {
    std::map<fs::path, VersionOf> versions;
    for (ClosedStore& one : stores) {
        if (one.clean || std::find(models.begin(), models.end(), one.model) == models.end())
            continue;
        const auto [at, fresh] = versions.emplace(one.folder.parent_path(), VersionOf{});
        if (fresh)
            at->second = version_of(PredictionStore::open(one.folder).dataset().root, one.dataset);
        one.version = at->second;
    }
}

/// The stores of one model.
struct StoresOfModel {
    const ClosedStore* clean = nullptr;
    std::vector<const ClosedStore*> versions;  ///< in the order of the table, by severity
};

StoresOfModel stores_of(const std::string& model, const std::vector<ClosedStore>& stores) {
    StoresOfModel own;
    for (const ClosedStore& store : stores) {
        if (store.model != model) continue;
        if (store.clean && own.clean != nullptr) {
            refuse(fmt::format("{} and {} are both predictions of `{}` on `{}`: name one of them",
                               own.clean->folder.string(), store.folder.string(), model,
                               store.dataset));
        }
        if (store.clean) own.clean = &store;
        if (store.version.corruption != nullptr) own.versions.push_back(&store);
    }
    const auto key = [](const ClosedStore* store) {
        return std::pair(store->version.corruption, store->version.severity);
    };
    std::sort(own.versions.begin(), own.versions.end(),
              [&](const auto* a, const auto* b) { return key(a) < key(b); });
    for (std::size_t i = 1; i < own.versions.size(); ++i) {
        const ClosedStore &one = *own.versions[i - 1], &other = *own.versions[i];
        if (key(&one) == key(&other)) {
            refuse(fmt::format("{} and {} are both {} at severity {}", one.folder.string(),
                               other.folder.string(), one.version.corruption->name,
                               one.version.severity));
        }
    }
    return own;
}

/// What makes the stores of one model less than one measurement.
void look_for_differences(const std::string& model, const StoresOfModel& own,
                          CorruptedAccuracyResult& result) {
    std::set<std::string> files, steps;
    const auto look = [&](const ClosedStore& store) {
        if (!store.complete) {
            result.partial = true;
            result.warnings.push_back(store.folder.string() + " is not complete");
        }
        if (!store.writing.empty()) result.warnings.push_back(store.writing);
        // The hash of an import is that of its scores, another on every data set.
        if (!store.preprocess_hash.empty()) files.insert(store.model_hash);
    };
    look(*own.clean);
    for (const ClosedStore* store : own.versions) {
        look(*store);
        if (!store->preprocess_hash.empty()) steps.insert(store->preprocess_hash);
    }
    if (files.size() > 1) {
        result.warnings.push_back(
            fmt::format("`{}` is not the same file on every data set: its figures are of different "
                        "models",
                        model));
    }
    if (steps.size() > 1) {
        result.warnings.push_back(
            fmt::format("{}: the corrupted data sets were preprocessed in {} ways: their mean is "
                        "of different measurements",
                        model, steps.size()));
    } else if (steps.size() == 1 && !own.clean->preprocess_hash.empty() &&
               *steps.begin() != own.clean->preprocess_hash) {
        result.notes.push_back(
            fmt::format("{}: the corrupted images were preprocessed in another way than the clean "
                        "ones",
                        model));
    }
}

/// A store that `assay attack` left beside that of another of the models.
bool is_of_an_attack(const std::string& model, const std::vector<std::string>& models) {
    const auto at = model.rfind('@');
    if (at == std::string::npos) return false;
    const std::string_view rest = std::string_view(model).substr(at + 1);
    const auto begins = [&](std::string_view name) {
        return rest.size() > name.size() && rest.starts_with(name) && rest[name.size()] == '-';
    };
    const bool known = begins("autoattack") || std::ranges::any_of(attacks(), [&](const Attack& a) {
                           return begins(a.name);
                       });
    return known && std::find(models.begin(), models.end(), model.substr(0, at)) != models.end();
}

CorruptedModel measure_model(const std::string& model, const StoresOfModel& own,
                             const CorruptedAccuracyOptions& options,
                             CorruptedAccuracyResult& result) {
    const int threads = resolve_threads(options.threads);
    const PredictionStore clean = PredictionStore::open(own.clean->folder);
    const CleanImages images(clean.dataset());
    CorruptedModel measured;
    measured.model = model;
    std::vector<Outcomes> outcomes;
    std::uint64_t relabelled = 0, ambiguous = 0;
    for (const ClosedStore* one : own.versions) {
        measured.versions.push_back(
            {one->version.corruption, one->version.severity, one->dataset, Estimate{}});
        const PredictionStore store = PredictionStore::open(one->folder);  // closed before the next
        CleanImages::ByImage own_outcomes =
            images.by_image(store.dataset(), outcomes_of(store, threads));
        outcomes.push_back(std::move(own_outcomes.outcomes));
        relabelled += own_outcomes.relabelled;
        ambiguous = std::max(ambiguous, own_outcomes.ambiguous);
    }
    ModelVersions(measured, images.by_image(clean.dataset(), outcomes_of(clean, threads)).outcomes,
                  std::move(outcomes), options.level)
        .measure();
    if (ambiguous > 0) {
        result.warnings.push_back(
            fmt::format("{}: {} clean images are called like another one but for the extension: "
                        "which corrupted image is of which is not known; not counted",
                        model, ambiguous));
    }
    if (relabelled > 0) {
        result.warnings.push_back(
            fmt::format("{}: {} corrupted image{} another label than the clean one: not counted",
                        model, relabelled, relabelled == 1 ? " has" : "s have"));
    }
    if (measured.images < images.size()) {
        result.warnings.push_back(
            fmt::format("{}: {} of the {} clean images are in every data set, with a single "
                        "label and scores; the others do not count",
                        model, measured.images, images.size()));
    }
    return measured;
}

}  // namespace

VersionOf version_of(const fs::path& folder, std::string_view name) {
    const auto severity_in = [](std::string_view text) {
        return text.size() == 1 && text[0] >= '1' && text[0] <= '5' ? text[0] - '0' : 0;
    };
    const std::string own = folder.filename().string();
    const std::string parent = folder.parent_path().filename().string();
    VersionOf found;
    for (const Corruption& c : corruptions()) {
        if (c.name == parent && severity_in(own) > 0) return {&c, severity_in(own)};
        if (name.size() < c.name.size() + 2) continue;
        const std::string_view end = name.substr(name.size() - c.name.size() - 2);
        const bool begins = end.size() == name.size() ||
                            std::string_view("_-. ").find(name[name.size() - end.size() - 1]) !=
                                std::string_view::npos;
        const bool parted =
            std::string_view("_-. ").find(end[c.name.size()]) != std::string_view::npos;
        if (begins && parted && end.starts_with(c.name) &&
            severity_in(end.substr(end.size() - 1)) > 0)
            found = {&c, severity_in(end.substr(end.size() - 1))};
    }
    return found;
}

CorruptedAccuracyResult measure_corrupted(const CorruptedAccuracyOptions& options) {
    std::vector<ClosedStore> stores = look_at(options);
    CorruptedAccuracyResult result;
    result.clean = options.clean;
    std::vector<std::string> models, datasets;
    for (const ClosedStore& store : stores) {
        if (store.clean && std::find(models.begin(), models.end(), store.model) == models.end())
            models.push_back(store.model);
        datasets.push_back(store.dataset);
    }
    if (models.empty()) {
        throw Error(ErrorCode::usage, fmt::format("no data set is called `{}`{}", options.clean,
                                                  suggest(options.clean, datasets)));
    }
    find_versions(stores, models);
    std::size_t attack_stores = 0;
    for (const std::string& model : models) {
        const StoresOfModel own = stores_of(model, stores);
        if (own.versions.empty() && is_of_an_attack(model, models)) {
            ++attack_stores;
        } else if (own.versions.empty()) {
            result.warnings.push_back(
                fmt::format("`{}` has no predictions on corrupted images: data sets whose folder "
                            "is <corruption>/<severity>, or whose name ends so (fog_3)",
                            model));
        } else {
            look_for_differences(model, own, result);
            result.models.push_back(measure_model(model, own, options, result));
        }
    }
    if (attack_stores > 0) {
        result.notes.push_back(
            fmt::format("{} of attacks (MODEL@ATTACK-...) {} left out: assay attack measures these",
                        attack_stores == 1 ? "a store" : fmt::format("{} stores", attack_stores),
                        attack_stores == 1 ? "is" : "are"));
    }
    if (result.models.empty()) throw Error(ErrorCode::usage, result.warnings.back());
    return result;
}

}  // namespace assay
