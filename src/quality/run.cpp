// Runs guards, predictions and the measurement, in this order. Every part can resume.
#include "assay/quality/run.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "assay/error.h"
#include "assay/evaluate/attack.h"
#include "core/add_once.h"
#include "core/file.h"
#include "core/json_text.h"
#include "core/text.h"
#include "evaluate/attack_cells.h"
#include "quality/run_work.h"

namespace assay::quality {
namespace {

/// The work of one call.
class QualityRun {
public:
    QualityRun(const QualityRunOptions& options, const RunWork& work,
               const ProgressCallback& progress)
        : options_(options), work_(work), progress_(progress) {}

    QualityRunResult all() {
        if (options_.check) guard();
        for (const auto& entry : options_.data) {
            over(models_on(options_, entry.first), entry.second,
                 std::string(facts_of(entry.first).name));
        }
        if (options_.corrupt) corruptions();
        if (options_.attack) attacks();
        add_halved();
        measure();
        return std::move(result_);
    }

private:
    void guard() {
        const Dataset& val = options_.data.at(Role::val);
        CheckOptions how;
        how.sample = options_.check_sample;
        how.threads = options_.predict.threads;
        // The effects of crops and interpolations deserve at most a note.
        how.geometry = false;
        Progress progress{.step = "check", .total = options_.models.size() * options_.check_sample};
        for (const LoadedModel& model : models_on(options_, Role::val)) {
            if (progress_) progress_(progress);
            result_.findings.push_back(
                {model.spec.name, val.name,
                 with_note(
                     fmt::format("checking `{}` (to skip this, set checks = false in [quality])",
                                 model.spec.name),
                     [&] { return check_model(*model.classifier, model.spec, val, how); })});
            progress.done += options_.check_sample;
        }
    }

    /// Facts recorded in the stores are part of the result, which is the same for any number of
    /// interruptions. Facts about only this run are reported separately.
    void keep(const std::vector<PredictResult>& results) {
        for (const PredictResult& result : results) {
            for (const std::string& note : result.dataset_notes) {
                add_once(result_.notes, fmt::format("{}: {}", result.dataset, note));
            }
            halved_[result.model] += result.halved;
        }
    }

    void lacks_scores(const std::string& model, const std::string& where, std::uint64_t bad,
                      std::uint64_t rows, const std::string& first) {
        result_.partial = true;
        lasting_.push_back(fmt::format("{} on {}: {} of {} rows {} no score; the first: {}", model,
                                       where, count_text(bad), count_text(rows),
                                       bad == 1 ? "has" : "have", first));
    }

    void over(const std::vector<LoadedModel>& models, const Dataset& dataset,
              const std::string& step) {
        const std::vector<PredictResult> results =
            with_note(fmt::format("predicting `{}` ({})", dataset.name, step), [&] {
                return predict(models, dataset, options_.predict, named_progress(progress_, step));
            });
        keep(results);
        for (const PredictResult& one : results) {
            if (one.bad_rows > 0)
                lacks_scores(one.model, one.dataset, one.bad_rows, one.rows, one.first_error);
        }
    }

    void corruptions() {
        if (work_.corrupted.name != options_.data.at(Role::val).name)
            over(models_on(options_, Role::val), work_.corrupted, "clean images of corruptions");
        const std::vector<PredictResult> results =
            predict_corrupted(models_on_corrupted(options_), work_.corrupted, *work_.versions,
                              options_.predict, named_progress(progress_, "corruptions"));
        keep(results);
        // An unreadable image is missing from all versions, so all are reported together.
        for (const LoadedModel& model : options_.models) {
            std::uint64_t bad = 0, rows = 0, versions = 0;
            const PredictResult* first = nullptr;
            for (const PredictResult& one : results) {
                if (one.model != model.spec.name) continue;
                bad += one.bad_rows;
                rows += one.rows;
                versions += one.bad_rows > 0 ? 1 : 0;
                if (first == nullptr && one.bad_rows > 0) first = &one;
            }
            if (first == nullptr) continue;
            lacks_scores(model.spec.name,
                         versions == 1
                             ? first->dataset
                             : fmt::format("{} corrupted versions of {} (the first: {})", versions,
                                           work_.corrupted.name, first->dataset),
                         bad, rows, first->first_error);
        }
    }

    void attacks() {
        if (work_.attackable.empty()) return;
        AttackRunOptions how;
        how.predict = options_.predict;
        how.attacks.assign(std::begin(run_attacks), std::end(run_attacks));
        how.eps = {options_.measure.eps};
        how.space = options_.measure.space;
        how.level = options_.measure.level;
        for (AttackedResult& attacked : attack_models(work_.attackable, work_.attacked, how,
                                                      named_progress(progress_, "attacks"))) {
            if (attacked.bad_rows > 0 && work_.attacked.name != options_.data.at(Role::val).name) {
                lacks_scores(attacked.model, attacked.dataset, attacked.bad_rows,
                             work_.attacked.size(), attacked.first_error);
            }
            for (const AttackCell& cell : attacked.cells) {
                for (std::string& line : attack::unscored_lines(
                         cell.ended_not_finite, cell.unreadable,
                         fmt::format("{} on {} under {} at {}", attacked.model, attacked.dataset,
                                     cell.attack, eps_text(cell.eps)))) {
                    result_.partial = true;
                    lasting_.push_back(std::move(line));
                }
            }
            signs_.emplace_back(attacked.model, std::move(attacked.signs));
        }
    }

    void add_halved() {
        for (const auto& [model, halved] : halved_) {
            if (halved == 0) continue;
            result_.warnings.push_back(
                fmt::format("{}: memory was short, so batches were halved {}; scores may "
                            "differ from whole batches by about 1e-5; a smaller batch size avoids "
                            "it",
                            model, how_many(halved, "time")));
        }
    }

    void measure() {
        MeasureQualityOptions how = options_.measure;
        how.runs = options_.predict.runs;
        how.threads = options_.predict.threads;
        how.data.clear();
        for (const auto& entry : options_.data) how.data[entry.first] = entry.second.name;
        how.corrupted = options_.corrupt ? work_.corrupted.name : "";
        how.versions.reset();
        if (work_.versions) how.versions.emplace(work_.versions->versions());
        how.attacked = options_.attack ? work_.attacked.name : "";
        how.left_out = left_out_of(options_, work_);
        how.models.clear();
        how.parameters.clear();
        for (const LoadedModel& model : options_.models) {
            how.models.push_back(model.spec.name);
            how.parameters[model.spec.name] =
                static_cast<double>(model.classifier->facts().parameters) / 1e6;
        }
        const auto comm = self_comm();
        result_.measured = measure_quality(how, *comm, named_progress(progress_, "measuring"));
        result_.partial |= result_.measured.partial;
        for (std::size_t m = 0; m < result_.measured.models.size(); ++m) annotate(m);
        result_.measured.partial = result_.partial;
        std::vector<std::string>& warnings = result_.measured.warnings;
        warnings.insert(warnings.begin(), lasting_.begin(), lasting_.end());
        write();
    }

    /// Adds facts about a model that are not in its stores.
    void annotate(std::size_t at) {
        MeasuredModel& model = result_.measured.models[at];
        QualityModel& row = result_.measured.table.models.at(at);
        for (const auto& [name, signs] : signs_) {
            if (name != model.model) continue;
            for (const std::string& sign : signs)
                note_cell(row, Dimension::adversarial_robustness, sign);
            model.notes.insert(model.notes.end(), signs.begin(), signs.end());
        }
        for (const CheckedPair& pair : result_.findings) {
            if (pair.model != model.model) continue;
            for (const Finding& finding : pair.findings) {
                if (finding.severity != Finding::Severity::error) continue;
                const std::string text =
                    fmt::format("assay check: {} ({})", finding.title, finding.id);
                result_.partial = true;
                lasting_.push_back(fmt::format("{}: {}", model.model, text));
                model.notes.push_back(text);
                for (const DimensionFacts& facts : dimension_facts()) {
                    if (facts.dimension != Dimension::parameters)
                        note_cell(row, facts.dimension, text);
                }
            }
        }
    }

    static void note_cell(QualityModel& row, Dimension dimension, const std::string& text) {
        QualityCell& cell = row.cells[static_cast<std::size_t>(dimension)];
        if (!cell.value) return;
        cell.note += (cell.note.empty() ? "" : "; ") + text;
    }

    void write() {
        result_.table = options_.predict.runs / "quality.json";
        write_file_atomically(options_.predict.runs / "quality.csv",
                              write_quality_csv(result_.measured.table));
        write_file_atomically(result_.table, json_text(report_of(result_).result));
    }

    const QualityRunOptions& options_;
    const RunWork& work_;
    const ProgressCallback& progress_;
    QualityRunResult result_;
    std::vector<std::string> lasting_;             ///< warnings that are part of the result
    std::map<std::string, std::uint64_t> halved_;  ///< batches of this run, by model
    std::vector<std::pair<std::string, std::vector<std::string>>> signs_;
};

}  // namespace

QualityRunResult run_quality(const QualityRunOptions& options, const ProgressCallback& progress) {
    const RunWork work = work_of(options);
    if (options.announce) options.announce(plan_of(options, work, progress));
    QualityRunResult result = QualityRun(options, work, progress).all();
    result.notes.insert(result.notes.begin(), work.notes.begin(), work.notes.end());
    return result;
}

}  // namespace assay::quality
