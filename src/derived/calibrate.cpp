#include "assay/derived/calibrate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/score.h"
#include "assay/robustness/derived_store.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/statistics.h"
#include "core/text.h"
#include "derived/fit_rows.h"
#include "derived/made_from.h"
#include "derived/scaling_fit.h"
#include "derived/shared_images.h"
#include "derived/written_rows.h"
#include "store/full_rows.h"
#include "store/parts.h"
#include "store/same_data.h"
#include "store/usable_stores.h"

namespace assay {
namespace derived {
namespace {

namespace fs = std::filesystem;

/// The name of the data set with the reported items of a store with a split.
std::string held_out_name(const std::string& dataset, const CalibrateOptions& options) {
    std::string name = fmt::format("{}-heldout{:g}", dataset, 100 * (1 - options.split));
    if (options.seed != 0) name += fmt::format("-seed{}", options.seed);
    return name;
}

Estimate with_error(double value, double error, const FittedScaling& fit, std::uint64_t n,
                    double level) {
    Estimate out;
    out.value = value;
    out.n = n;
    if (fit.degrees <= 0) {
        out.note = "no interval from so few items";
        return out;
    }
    out.standard_error = error;
    out.interval = symmetric_interval(value, error, level, "jackknife.t", fit.degrees);
    return out;
}

/// Computes the interval on the logarithmic scale, so that its ends are above 0.
Estimate temperature_of(const FittedScaling& fit, std::uint64_t n, double level) {
    const double weight = fit.parameters[0], ratio = fit.errors[0] / weight;
    Estimate out = with_error(1 / weight, ratio / weight, fit, n, level);
    if (!out.interval) return out;
    const Interval log = symmetric_interval(-std::log(weight), ratio, level, "", fit.degrees);
    out.interval = Interval{std::exp(log.low), std::exp(log.high), level, "jackknife.t.log"};
    return out;
}

void take_parameters(CalibratedStore& out, const FittedScaling& fit, const PredictionStore& store,
                     double level) {
    const std::size_t classes = store.classes();
    const bool biased = out.method == Scaling::vector;
    out.biases.assign(classes, 0.0);
    if (out.method == Scaling::temperature) {
        out.weights.assign(classes, fit.parameters[0]);
        out.temperature = temperature_of(fit, out.fit_items, level);
        return;
    }
    const ClassList& names = store.dataset().classes;
    for (std::size_t c = 0; c < classes; ++c) {
        out.weights.push_back(fit.parameters[c]);
        ClassScaling one;
        one.id = names.empty() ? std::to_string(c) : names.id(c);
        one.name = names.empty() ? std::to_string(c) : names.name(c);
        one.weight = with_error(fit.parameters[c], fit.errors[c], fit, out.fit_items, level);
        if (biased) {
            out.biases[c] = fit.parameters[classes + c];
            one.bias =
                with_error(out.biases[c], fit.errors[classes + c], fit, out.fit_items, level);
        } else {
            one.bias.undefined = "this method has none";
        }
        out.classes.push_back(std::move(one));
    }
}

/// Computes scaled logits. Other scores become normalized log-probabilities.
void fill_scaled(const RowReader& reader, const CalibratedStore& scaling, std::uint64_t row,
                 std::span<float> scores) {
    thread_local std::vector<float> buffer;
    thread_local std::vector<double> logits;
    logits.resize(scores.size());
    read_logits(reader, row, buffer, logits);
    double most = -INFINITY;
    for (std::size_t c = 0; c < scores.size(); ++c) {
        logits[c] = logits[c] * scaling.weights[c] + scaling.biases[c];
        most = std::max(most, logits[c]);
    }
    double shift = 0;
    if (reader.store().spec().kind != ScoreKind::logits) {
        double sum = 0;
        for (const double logit : logits) sum += std::exp(logit - most);
        shift = most + std::log(sum);
    }
    for (std::size_t c = 0; c < scores.size(); ++c)
        scores[c] = static_cast<float>(logits[c] - shift);
}

/// The record of a calibrated store, without the fitted numbers.
nlohmann::json plan_of(const CalibratedStore& one, const PredictionStore& source,
                       const CalibrateOptions& options) {
    nlohmann::json plan = {{"method", name_of(one.method)},
                           {"of", one.model},
                           {"of_store", source.spec().id},
                           {"fitted_on", one.fitted_on},
                           {"fit_items", one.fit_items}};
    if (options.fit.empty()) {
        plan["split"] = options.split;
        plan["seed"] = options.seed;
    }
    return plan;
}

nlohmann::json record_of(const CalibratedStore& one, const PredictionStore& source,
                         const CalibrateOptions& options) {
    nlohmann::json calibrated = plan_of(one, source, options);
    calibrated["weights"] = one.weights;
    if (one.method == Scaling::temperature) calibrated["weights"] = {one.weights[0]};
    if (one.method == Scaling::vector) calibrated["biases"] = one.biases;
    return {{"command", options.command}, {"calibrated", std::move(calibrated)}};
}

/// Refuses to continue if a store with another calibration exists, before anything is fitted.
void require_free(const fs::path& there, const nlohmann::json& plan) {
    if (!store::is_store_folder(there)) return;
    const StoreSpec spec = PredictionStore::open(there).spec();
    if (spec.provenance_json.empty()) return;
    constexpr int deepest = 64;
    const nlohmann::json made = parse_json(spec.provenance_json, deepest);
    if (!made.is_object() || !made.contains("calibrated")) return;
    nlohmann::json found = made.at("calibrated");
    if (!found.is_object()) return;
    found.erase("weights");
    found.erase("biases");
    if (found == plan) return;
    const auto on = found.find("fitted_on");
    refuse(fmt::format(
        "`{}` has another calibration, fitted on {}; this one is fitted "
        "on {}. Remove that folder first: rm -r {}",
        there.string(), on != found.end() && on->is_string() ? on->get<std::string>() : "others",
        plan.at("fitted_on").get<std::string>(), shell_word(there.string())));
}

/// Refuses items that are both fitted and reported.
void require_apart(const RowReader& fit, const RowReader& reported) {
    const SharedImages both = shared_images(fit, reported);
    if (both.images > 0)
        refuse(fmt::format(
            "{} of `{}` are also in `{}`, such as `{}`, but a fit must not use reported items; use "
            "--split",
            both.images, reported.store().spec().dataset_name, fit.store().spec().dataset_name,
            both.first));
}

/// The nll and ece of a store.
std::pair<Estimate, Estimate> measured(const PredictionStore& store,
                                       const CalibrateOptions& options) {
    ScoreOptions how;
    how.metrics = {parse_metric("nll"), parse_metric("ece")};
    how.resampling.level = options.level;
    how.threads = options.threads;
    how.confusions = 0;
    const ScoreReport report = score_store(store, how, *self_comm());
    return {report.measurements.at(0), report.measurements.at(1)};
}

CalibratedStore calibrate_one(const fs::path& folder, const CalibrateOptions& options) {
    const PredictionStore store = PredictionStore::open(folder);
    store::require_full(store);
    const bool split = options.fit.empty();
    // With a split, the store is fitted on a part of itself.
    std::optional<PredictionStore> other;
    if (!split) {
        const fs::path beside =
            folder.parent_path().parent_path() / options.fit / store.spec().model_name;
        other = PredictionStore::open(beside);
        store::require_full(*other);
        if (!store::same_class_ids(other->dataset().classes, store.dataset().classes) ||
            other->classes() != store.classes() || other->spec().kind != store.spec().kind)
            refuse(fmt::format("`{}` and `{}` have different classes or kinds of scores",
                               beside.string(), folder.string()));
    }
    const PredictionStore& source_of_fit = other ? *other : store;
    const RowReader reader(store), fit_reader(source_of_fit);
    if (other) require_apart(fit_reader, reader);

    CalibratedStore out;
    out.source = folder;
    out.model = store.spec().model_name;
    out.fitted_on =
        split ? fmt::format("{:g} % of {}", 100 * options.split, store.spec().dataset_name)
              : source_of_fit.spec().dataset_name;
    out.dataset =
        split ? held_out_name(store.spec().dataset_name, options) : store.spec().dataset_name;
    out.method = options.method;
    const std::vector<std::uint64_t> rows = rows_of_fit(fit_reader, !split, options);
    out.fit_items = rows.size();
    const std::string name = fmt::format("{}@{}", out.model, name_of(out.method));
    require_free(folder.parent_path().parent_path() / out.dataset / name,
                 plan_of(out, store, options));
    const FittedScaling fit = fit_scaling(scaling_rows(fit_reader, rows, options.method),
                                          options.method, options.threads);
    take_parameters(out, fit, store, options.level);

    MadeStore made;
    made.dataset = out.dataset;
    if (split) {
        const Dataset& dataset = store.dataset();
        for (std::uint32_t row = 0; row < store.rows(); ++row)
            if (!is_of_fit(dataset.ids[row], options.split, options.seed)) made.rows.push_back(row);
        if (made.rows.empty())
            refuse(fmt::format("--split leaves no item of `{}` to report; use a smaller proportion",
                               store.spec().dataset_name));
    }
    made.status = [&](std::uint64_t row) { return reader.status(row); };
    fs::path before = folder;
    if (split) {
        MadeStore own = made;
        own.model = out.model;
        own.kind = store.spec().kind;
        own.identity = fmt::format("rows of {}", store.spec().id);
        own.provenance = {{"command", options.command}, {"rows_of", store.spec().dataset_name}};
        own.fill = [&](std::uint64_t row, std::span<float> scores) {
            thread_local std::vector<float> buffer;
            std::ranges::copy(reader.scores(row, buffer), scores.begin());
        };
        before = write_store(reader, own, options.threads);
    }
    made.model = name;
    made.kind =
        store.spec().kind == ScoreKind::logits ? ScoreKind::logits : ScoreKind::log_probabilities;
    made.provenance = record_of(out, store, options);
    made.identity = made.provenance.at("calibrated").dump();
    made.fill = [&](std::uint64_t row, std::span<float> scores) {
        fill_scaled(reader, out, row, scores);
    };
    out.store = write_store(reader, made, options.threads);
    out.items = split ? made.rows.size() : store.rows();
    std::tie(out.nll_before, out.ece_before) = measured(PredictionStore::open(before), options);
    std::tie(out.nll_after, out.ece_after) = measured(PredictionStore::open(out.store), options);
    return out;
}

}  // namespace
}  // namespace derived

std::string_view name_of(Scaling method) {
    return words_of(method).at(static_cast<std::size_t>(method)).second;
}

CalibrateResult calibrate_stores(const CalibrateOptions& options,
                                 const ProgressCallback& progress) {
    std::vector<std::filesystem::path> folders;
    CalibrateResult result;
    std::uint64_t derived_stores = 0, of_fit = 0, damaged = 0;
    for (const std::filesystem::path& folder : find_stores(options.paths)) {
        const auto opened = store::open_unless_damaged(folder);
        if (!opened) {
            ++damaged;
            folders.push_back(folder);
            continue;
        }
        const PredictionStore& store = *opened;
        const std::string& dataset = store.spec().dataset_name;
        // this data set is the one for the fit
        if (!options.fit.empty() && dataset == options.fit) {
            ++of_fit;
            continue;
        }
        if (derived_of(store).is_variant() || derived::is_held_out(store)) {
            ++derived_stores;
        } else {
            folders.push_back(folder);
        }
    }
    if (derived_stores > 0 && !folders.empty())
        result.warnings.push_back(fmt::format(
            "skipped {} that {} calibrated, smoothed, attacked or of held-out items",
            how_many(derived_stores, "store", "stores"), derived_stores == 1 ? "is" : "are"));
    if (folders.empty() && of_fit > 0)
        throw Error(ErrorCode::usage,
                    fmt::format("all these stores belong to `{}`, the data set of --fit: name "
                                "another one to report, or use --split",
                                options.fit));
    if (folders.empty())
        throw Error(
            ErrorCode::usage,
            "all these stores are derived from others: name the stores of the models themselves");
    if (!options.layer.empty() && folders.size() - damaged > 1)
        throw Error(
            ErrorCode::usage,
            fmt::format("--layer describes one model, but {} stores are given; name one of them",
                        folders.size() - damaged));
    std::uint64_t done = 0;
    const std::vector<std::string> refusals =
        store::use_stores(folders, "calibrated", [&](const std::filesystem::path& folder) {
            if (progress)
                progress({.step = folder.string(), .done = done, .total = folders.size()});
            ++done;
            with_note("calibrating `" + folder.string() + "`",
                      [&] { result.stores.push_back(derived::calibrate_one(folder, options)); });
        });
    result.refused = refusals.size();
    result.warnings.insert(result.warnings.end(), refusals.begin(), refusals.end());
    if (progress) progress({.step = "", .done = done, .total = folders.size()});
    if (!options.layer.empty())
        write_file_atomically(options.layer, layer_text(result.stores.front()));
    return result;
}

}  // namespace assay
