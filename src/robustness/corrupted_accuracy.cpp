#include "assay/robustness/corrupted_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "assay/error.h"
#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Per clean image: 1 correct, 0 not, -1 not known.
using Outcomes = std::vector<std::int8_t>;

/// Finds the clean image that a corrupted one was.
class CleanImages {
public:
    explicit CleanImages(const Dataset& dataset) : size_(dataset.size()) {
        for (std::size_t i = 0; i < size_; ++i) {
            by_id_.emplace(without_extension(dataset.ids[i]), i);
            const auto [at, fresh] = by_name_.emplace(name_of_file(dataset.ids[i]), i);
            if (!fresh) at->second = none;
        }
    }
    std::size_t size() const { return size_; }
    /// `none` where it is not there, or not the only one of its name.
    std::size_t find(std::string_view id) const {
        const auto whole = by_id_.find(std::string(without_extension(id)));
        if (whole != by_id_.end()) return whole->second;
        const auto name = by_name_.find(name_of_file(id));
        return name == by_name_.end() ? none : name->second;
    }
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

private:
    static std::string name_of_file(std::string_view id) {
        return std::string(base_name(without_extension(id)));
    }
    std::size_t size_;
    std::unordered_map<std::string, std::size_t> by_id_, by_name_;
};

Outcomes outcomes_of(const PredictionStore& store, const CleanImages& clean, int threads) {
    const RowReader reader(store);
    const Dataset& dataset = store.dataset();
    Outcomes own(dataset.size(), -1), out(clean.size(), -1);
    constexpr std::size_t block = 1024;
    parallel_blocks((own.size() + block - 1) / block, threads, [&](std::size_t b) {
        throw_if_stopped();
        RowPrediction row;
        for (std::size_t i = b * block; i < std::min(own.size(), (b + 1) * block); ++i) {
            const std::int32_t label = dataset.single_label(i);
            if (label < 0) continue;
            const std::span<const std::int32_t> valid(&label, 1);
            if (reader.read(i, label, valid, row, RowReader::Detail::ranking) == RowStatus::ok)
                own[i] = row.predicted == label ? 1 : 0;
        }
    });
    for (std::size_t i = 0; i < own.size(); ++i) {
        const std::size_t at = clean.find(dataset.ids[i]);
        if (at != CleanImages::none) out[at] = own[i];
    }
    return out;
}

Estimate proportion_correct(const Outcomes& outcomes, double level) {
    const auto hits = static_cast<std::uint64_t>(std::count(outcomes.begin(), outcomes.end(), 1));
    Estimate e;
    e.unit = Unit::proportion;
    e.n = outcomes.size();
    e.value = static_cast<double>(hits) / static_cast<double>(e.n);
    e.interval = wilson(hits, e.n, level);
    return e;
}

/// The standard error of the mean of a number per image.
double error_of_mean(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    if (values.size() < 2) return 0;
    double sum = 0, squares = 0;
    for (const double v : values) sum += v;
    for (const double v : values) squares += (v - sum / n) * (v - sum / n);
    return std::sqrt(squares / (n - 1) / n);
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
            bool known = clean_[i] >= 0;
            for (const Outcomes& v : versions_) known = known && v[i] >= 0;
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

    /// How many severities of each corruption are chosen.
    template <typename Chosen>
    std::map<const Corruption*, double> severities_of(Chosen&& chosen) const {
        std::map<const Corruption*, double> count;
        for (const CorruptedVersion& v : model_.versions) {
            if (chosen(v)) count[v.corruption] += 1;
        }
        return count;
    }

    template <typename Chosen>
    CorruptedMean mean_of(Chosen&& chosen) const {
        const auto severities = severities_of(chosen);
        if (severities.empty()) {
            const std::string why = "none of the paper's corruptions is there";
            return {not_measured(why, Unit::proportion, model_.images),
                    not_measured(why, Unit::number, model_.images)};
        }
        std::vector<double> each(clean_.size());
        for (std::size_t v = 0; v < versions_.size(); ++v) {
            const CorruptedVersion& version = model_.versions[v];
            if (!chosen(version)) continue;
            const double weight =
                1 / (static_cast<double>(severities.size()) * severities.at(version.corruption));
            for (std::size_t i = 0; i < each.size(); ++i) each[i] += weight * versions_[v][i];
        }
        double mean = 0;
        for (const double v : each) mean += v / static_cast<double>(each.size());
        CorruptedMean out;
        out.accuracy = of_images(mean, each, Unit::proportion, 1, level_);
        const double clean = *model_.clean.value;
        if (clean == 0) {
            out.relative = not_measured("the clean accuracy is 0", Unit::number, model_.images);
            return out;
        }
        for (std::size_t i = 0; i < each.size(); ++i)
            each[i] = (each[i] - mean / clean * clean_[i]) / clean;
        out.relative = of_images(mean / clean, each, Unit::number,
                                 std::numeric_limits<double>::infinity(), level_);
        return out;
    }

    Estimate corruption_error() const {
        std::vector<double> each(clean_.size());
        for (std::size_t v = 0; v < versions_.size(); ++v) {
            const Corruption& c = *model_.versions[v].corruption;
            if (c.extra) continue;
            for (std::size_t i = 0; i < each.size(); ++i)
                each[i] += (1 - versions_[v][i]) / (75 * *c.alexnet_error);
        }
        double mean = 0;
        for (const double v : each) mean += v / static_cast<double>(each.size());
        return of_images(mean, each, Unit::number, std::numeric_limits<double>::infinity(), level_);
    }

    CorruptedModel& model_;
    double level_;
    Outcomes clean_;
    std::vector<Outcomes> versions_;
};

struct FoundVersion {
    VersionOf version;
    const PredictionStore* store;
};

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
    std::vector<PredictionStore> stores;
    for (const fs::path& folder :
         find_stores(std::vector<fs::path>(options.paths.begin(), options.paths.end())))
        stores.push_back(PredictionStore::open(folder));
    CorruptedAccuracyResult result;
    result.clean = options.clean;
    std::vector<std::string> models, datasets;
    for (const PredictionStore& store : stores) {
        if (store.spec().dataset_name == options.clean) models.push_back(store.spec().model_name);
        datasets.push_back(store.spec().dataset_name);
        if (std::string writing = writer_warning(store); !writing.empty())
            result.warnings.push_back(std::move(writing));
        if (!store.complete()) {
            result.partial = true;
            result.warnings.push_back(store.folder().string() + " is not complete");
        }
    }
    if (models.empty()) {
        throw Error(ErrorCode::usage, fmt::format("no data set is called `{}`{}", options.clean,
                                                  suggest(options.clean, datasets)));
    }
    const int threads = resolve_threads(options.threads);
    for (const std::string& model : models) {
        const PredictionStore* clean = nullptr;
        std::vector<FoundVersion> found;
        for (const PredictionStore& store : stores) {
            if (store.spec().model_name != model) continue;
            if (store.spec().dataset_name == options.clean) {
                clean = &store;
                continue;
            }
            const VersionOf version = version_of(store.dataset().root, store.spec().dataset_name);
            if (version.corruption != nullptr) found.push_back({version, &store});
        }
        if (found.empty()) {
            result.warnings.push_back(
                fmt::format("`{}` has no predictions on corrupted images: data sets whose folder "
                            "is <corruption>/<severity>, or whose name ends so (fog_3)",
                            model));
            continue;
        }
        const auto key = [](const FoundVersion& v) {
            return std::pair(v.version.corruption, v.version.severity);
        };
        std::sort(found.begin(), found.end(),
                  [&](const auto& a, const auto& b) { return key(a) < key(b); });
        for (std::size_t i = 1; i < found.size(); ++i) {
            if (key(found[i]) == key(found[i - 1])) {
                refuse(fmt::format("{} and {} are both {} at severity {}",
                                   found[i - 1].store->folder().string(),
                                   found[i].store->folder().string(),
                                   found[i].version.corruption->name, found[i].version.severity));
            }
        }
        const CleanImages images(clean->dataset());
        CorruptedModel measured;
        measured.model = model;
        std::vector<Outcomes> outcomes;
        for (const FoundVersion& v : found) {
            measured.versions.push_back({v.version.corruption, v.version.severity,
                                         v.store->spec().dataset_name, Estimate{}});
            outcomes.push_back(outcomes_of(*v.store, images, threads));
        }
        ModelVersions(measured, outcomes_of(*clean, images, threads), std::move(outcomes),
                      options.level)
            .measure();
        if (measured.images < images.size()) {
            result.warnings.push_back(
                fmt::format("{}: {} of the {} clean images are in every data set, with a single "
                            "label and scores; the others do not count",
                            model, measured.images, images.size()));
        }
        result.models.push_back(std::move(measured));
    }
    if (result.models.empty()) throw Error(ErrorCode::usage, result.warnings.back());
    return result;
}

}  // namespace assay
