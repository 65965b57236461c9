#include "cli/prediction.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/model/model_spec.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {

void StoreFlags::add_to(CLI::App& app) {
    const std::string group = "Results";
    app.add_option("--out", out, "Folder of the results")
        ->type_name("RUNS")
        ->capture_default_str()
        ->group(group);
    app.add_option("--storage", storage, "full (float32), f16, topK (top5, ...), label")
        ->capture_default_str()
        ->group(group);
    app.add_option(
           "--batch", batch,
           "Images per batch (default: 8 on a CPU, 64 on a GPU); part of the store's identity")
        ->type_name("N")
        ->group(group);
    app.add_option("--shard-rows", shard_rows, "Images per shard (default: about 4 MiB)")
        ->type_name("N")
        ->group(group);
    app.add_option("-j,--threads", threads, "Threads (default: one per core); changes no bit")
        ->type_name("N")
        ->group(group);
    app.add_flag("-q,--quiet", quiet, "No progress, no notes")->group(group);
    app.add_flag("--dry-run", dry_run, "Print what the settings resolve to and stop")->group(group);
}

std::string describe_models(const std::vector<ModelSpec>& specs, bool json) {
    if (json) {
        nlohmann::json all = nlohmann::json::array();
        for (const ModelSpec& spec : specs) all.push_back(to_json(spec));
        return json_text(all);
    }
    std::string out;
    for (const ModelSpec& spec : specs) {
        out += fmt::format("{}: {}; {} (from {})\n", spec.name, describe(spec.preprocess),
                           name_of(spec.outputs),
                           !spec.sidecar.empty()  ? spec.sidecar.string()
                           : !spec.preset.empty() ? "preset " + spec.preset
                                                  : "flags");
    }
    return out;
}

void Prediction::load(const std::vector<ModelSpec>& specs) {
    for (const ModelSpec& spec : specs) {
        if (!flags_.quiet) {
            std::string line = describe_models({spec}, false);
            line.pop_back();
            note(line);
        }
        models_.push_back(load_model(spec, {device_}));
    }
}

const ClassList& Prediction::classes() const {
    return models_.at(0).spec.classes;
}

void Prediction::over(const Dataset& dataset) {
    const StorageChoice storage = storage_format_named(flags_.storage);
    PredictOptions options;
    options.runs = flags_.out;
    options.storage = storage.storage;
    options.top_k = storage.top_k;
    options.shard_rows = flags_.shard_rows;
    options.batch_size = flags_.batch;
    options.threads = flags_.threads;
    options.command = command_line();

    const auto start = std::chrono::steady_clock::now();
    std::vector<PredictResult> results;
    {
        ProgressLine progress(dataset.name, models_.size() == 1 ? "images" : "images x models",
                              flags_.quiet);
        results = predict(models_, dataset, options, progress);
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const PredictResult& result : results) {
        if (result.bad_rows > 0) {
            warn(fmt::format("{} on {}: {} of {} rows have no score; the first: {}", result.model,
                             dataset.name, count_text(result.bad_rows), count_text(result.rows),
                             result.first_error));
        }
        if (result.halved > 0) {
            warn(
                fmt::format("{}: memory was short, so batches were halved {} times; scores may "
                            "differ from whole batches by "
                            "about 1e-5; a smaller --batch avoids it",
                            result.model, result.halved));
        }
        rows_.push_back({dataset.name, result, seconds});
    }
}

/// Many models on many data sets: a line for each data set is what a person can take in.
Table Prediction::by_dataset() const {
    Table table({{"data set"},
                 {"images", Align::right},
                 {"models", Align::right},
                 {"computed now", Align::right},
                 {"without score", Align::right},
                 {"stores in"}});
    for (std::size_t begin = 0, end = 0; begin < rows_.size(); begin = end) {
        std::uint64_t computed = 0, bad = 0;
        for (end = begin; end < rows_.size() && rows_[end].dataset == rows_[begin].dataset; ++end) {
            computed += rows_[end].result.predicted;
            bad += rows_[end].result.bad_rows;
        }
        const PredictResult& first = rows_[begin].result;
        table.add({rows_[begin].dataset, count_text(first.rows), std::to_string(end - begin),
                   count_text(computed), count_text(bad), first.store.parent_path().string()});
    }
    return table;
}

void Prediction::print(const Output& output) const {
    Table table({{"model"},
                 {"data set"},
                 {"images", Align::right},
                 {"computed now", Align::right},
                 {"without score", Align::right},
                 {"store"}});
    nlohmann::json all = nlohmann::json::array();
    double seconds = 0;
    std::uint64_t computed = 0;
    std::string last_dataset;
    for (const Row& row : rows_) {
        const PredictResult& r = row.result;
        table.add({r.model, row.dataset, count_text(r.rows), count_text(r.predicted),
                   count_text(r.bad_rows), r.store.string()});
        all.push_back({{"model", r.model},
                       {"dataset", row.dataset},
                       {"rows", r.rows},
                       {"computed", r.predicted},
                       {"without_score", r.bad_rows},
                       {"store", r.store.string()}});
        computed += r.predicted;
        if (row.dataset != last_dataset) seconds += row.seconds;
        last_dataset = row.dataset;
    }
    if (output.json) {
        output.write(json_text(all));
    } else if (output.csv) {
        output.write(table.csv());
    } else {
        const bool colour = output.to_stdout() && stdout_is_terminal();
        output.write(rows_.size() <= 12 ? table.text(colour) : by_dataset().text(colour));
    }
    if (!flags_.quiet) {
        note(computed == 0 ? std::string("everything was there already")
                           : fmt::format("{} predictions in {}, {:.0f} a second",
                                         count_text(computed), duration_text(seconds),
                                         static_cast<double>(computed) / std::max(seconds, 1e-9)));
        note(fmt::format("next: assay score {}", flags_.out.string()));
    }
}

int Prediction::status() const {
    for (const Row& row : rows_) {
        if (row.result.bad_rows > 0) return Status::partial;
    }
    return Status::done;
}

std::vector<std::string> Prediction::datasets() const {
    std::vector<std::string> names;
    for (const Row& row : rows_) {
        if (names.empty() || names.back() != row.dataset) names.push_back(row.dataset);
    }
    return names;
}

}  // namespace assay::cli
