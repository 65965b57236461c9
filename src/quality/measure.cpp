#include "assay/quality/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "core/statistics.h"
#include "core/text.h"
#include "quality/imagenet_map.h"
#include "quality/measured_dimension.h"
#include "quality/model_labels.h"
#include "store/same_data.h"
#include "store/same_models.h"

namespace assay::quality {
namespace {

bool are_imagenets(const ClassList& classes) {
    return classes.size() == imagenet_classes().size() &&
           map_of_imagenet("imagenet-1k", classes).has_value();
}

/// The predictions for val in the form that the metrics used.
Answers answers_of_val(PredictionStore store, const ScoredSet& set, Truth truth) {
    Answers answers{.store = std::move(store), .map = std::nullopt};
    answers.data = store::dataset_id_of(answers.store);
    answers.truth = std::move(truth);
    for (std::size_t i = 0; i < set.records.size(); ++i) {
        const ItemRecord& record = set.records[i];
        answers.predicted.push_back(record.scale.factor == 0 ? Answers::no_score
                                                             : record.predicted);
        const bool labelled = answers.truth.targets[i] >= 0;
        answers.n += answers.counts(i) ? 1 : 0;
        answers.hits += answers.counts(i) && answers.correct(i) ? 1 : 0;
        answers.unscored += labelled && !answers.counts(i) ? 1 : 0;
    }
    return answers;
}

using Corruptions = std::map<std::string, KnownCorruptions>;

/// The reason why a dimension of a model is skipped; nothing if it is measured.
const std::string* left_out(const MeasureQualityOptions& options, Dimension dimension,
                            const std::string& model) {
    for (const MissingDimension& one : options.left_out) {
        if (one.dimension == dimension && (one.model.empty() || one.model == model))
            return &one.why;
    }
    return nullptr;
}

Corruptions corruptions_of(const StoreIndex& index, MeasuredQuality& result) {
    Corruptions known;
    const MeasureQualityOptions& options = result.options;
    std::set<std::string> models;
    for (const std::string& model : index.models()) {
        if (left_out(options, Dimension::c_robustness, model) != nullptr) continue;
        if (index.has(index.corrupted(), model)) models.insert(model);
    }
    if (models.empty()) return known;
    robustness::HasVersion counts;
    if (options.versions) {
        counts = [&](const Corruption& corruption, int severity) {
            return is_among(*options.versions, corruption, severity);
        };
    }
    const auto add = [&](const std::set<std::string>& some) {
        const CorruptedAccuracyResult corrupted = robustness::corrupted_models(
            {.paths = {options.runs.string()},
             .clean = index.corrupted(),
             .level = options.level,
             .threads = options.threads},
            some,
            [&](const CorruptedModel& model, const StoreSpec&,
                const robustness::CorruptionRatio& ratio) {
                KnownCorruptions& own = known[model.model];
                own.ratio = ratio;
                own.ratio.influence = std::vector<double>();
                own.source = source_of_items("", ratio.influence, 0);
            },
            counts);
        result.partial = result.partial || corrupted.partial;
        result.notes.insert(result.notes.end(), corrupted.notes.begin(), corrupted.notes.end());
        result.warnings.insert(result.warnings.end(), corrupted.warnings.begin(),
                               corrupted.warnings.end());
    };
    // A failure in one dimension of one model, such as images that are too small for a corruption,
    // must not affect the others.
    const auto try_to = [](const auto& what) -> std::string {
        try {
            what();
            return {};
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            return error.message();
        }
    };
    if (try_to([&] { add(models); }).empty()) return known;
    known.clear();
    for (const std::string& model : models) {
        const std::string problem = try_to([&] { add({model}); });
        if (problem.empty()) continue;
        known[model].problem = problem;
        result.partial = true;
        result.warnings.push_back(fmt::format("{}: C-robustness: {}", model, problem));
    }
    return known;
}

class ModelMeasurement {
public:
    ModelMeasurement(const StoreIndex& index, const std::string& model,
                     const Corruptions& corruptions, MeasuredQuality& result)
        : options_(result.options),
          corruptions_(corruptions),
          result_(result),
          in_{.options = result.options, .index = index, .model = model} {
        measured_.model = model;
        row_.name = model;
    }

    void measure(Comm& comm, const ProgressCallback& progress) {
        const std::string val_name = in_.index.dataset_of(Role::val);
        PredictionStore val = in_.index.open(val_name, in_.model, in_.model);
        const StoreSpec& spec = val.spec();
        row_.file_hash = store::model_file_of(spec);
        if (!val.complete()) result_.partial = true;
        if (std::string writing = writer_warning(val); !writing.empty())
            result_.warnings.push_back(std::move(writing));
        in_.classes =
            val.dataset().classes.empty() ? numbered_classes(spec.classes) : val.dataset().classes;
        in_.imagenet = are_imagenets(in_.classes);
        in_.partial = &result_.partial;
        ScoreOptions scoring;
        scoring.metrics = val_requests();
        scoring.resampling.level = options_.level;
        scoring.resampling.seed = options_.seed;
        scoring.null_draws = options_.null_draws;
        scoring.threads = options_.threads;
        Truth truth;
        agree(comm, [&] { truth = truth_for(val, scoring); });
        ScoredSet scored;
        {
            const RowReader reader(val);
            scored = score_set(reader, truth, scoring, {}, "", comm, Keep::items, progress);
        }
        const Answers answers = answers_of_val(std::move(val), scored, std::move(truth));
        in_.val = &answers;
        in_.scored = &scored;
        if (const auto at = corruptions_.find(in_.model); at != corruptions_.end())
            in_.corruptions = &at->second;
        for (const std::string& warning : scored.report.warnings)
            result_.warnings.push_back(fmt::format("{}: {}", in_.model, warning));
        agree(comm, [&] {
            using D = Dimension;
            take(D::accuracy, measured_accuracy);
            take(D::adversarial_robustness, measured_adversarial);
            take(D::c_robustness, measured_corruptions);
            take(D::ood_robustness, measured_ood);
            take(D::calibration_error, measured_calibration);
            take(D::class_balance, measured_balance);
            take(D::object_focus, measured_focus);
            take(D::shape_bias, measured_shape_bias);
            take(D::parameters, [&](const MeasuredInputs&) { return parameters(); });
        });
        result_.models.push_back(std::move(measured_));
        result_.table.models.push_back(std::move(row_));
    }

private:
    /// Calls `measure` if the dimension is not skipped.
    template <class Measure>
    void take(Dimension dimension, Measure&& measure) {
        const std::string* const why = left_out(options_, dimension, in_.model);
        MeasuredDimension found = why != nullptr ? not_measurable(*why) : measure(in_);
        QualityCell& cell = row_.cells[static_cast<std::size_t>(dimension)];
        cell.n = found.value.n;
        cell.undefined = found.value.undefined;
        if (found.value.value) cell.note = found.value.note;
        if (found.value.value) {
            cell.value = found.value.value;
            if (!found.sources.empty()) {
                set_error(cell, found.sources);
                found.value.standard_error = cell.standard_error;
            }
            cell.definition = fmt::format("{}", fmt::join(found.differs, "; "));
        }
        for (QualityPart& part : found.parts) {
            part.dimension = dimension;
            measured_.parts.push_back(std::move(part));
        }
        measured_.values[static_cast<std::size_t>(dimension)] = std::move(found.value);
    }

    MeasuredDimension parameters() const {
        const auto at = options_.parameters.find(in_.model);
        if (at == options_.parameters.end())
            return not_measurable(
                "not given; stores do not contain them; count them with `assay cost`");
        MeasuredDimension found;
        found.value.value = at->second;
        return found;
    }

    const MeasureQualityOptions& options_;
    const Corruptions& corruptions_;
    MeasuredQuality& result_;
    MeasuredInputs in_;
    MeasuredModel measured_;
    QualityModel row_;
};

}  // namespace

MeasuredDimension not_measurable(std::string why) {
    MeasuredDimension out;
    out.value.undefined = std::move(why);
    return out;
}

QualityPart accuracy_part(std::string name, std::string definition, std::string dataset, Hits hits,
                          double level) {
    QualityPart part;
    part.name = std::move(name);
    part.definition = std::move(definition);
    part.dataset = std::move(dataset);
    part.value = wilson_proportion(hits.hits, hits.n, level, "no image has a label and a score");
    if (part.value.value) part.value.standard_error = std::sqrt(proportion_variance(hits, level));
    return part;
}

void add_note(Estimate& value, const std::string& note) {
    value.note += (value.note.empty() ? "" : "; ") + note;
}

void note_unscored(Estimate& value, std::uint64_t images) {
    if (images > 0) {
        add_note(value, fmt::format("{} without scores {} not count", how_many(images, "image"),
                                    images == 1 ? "does" : "do"));
    }
}

std::unique_ptr<Answers> MeasuredInputs::answers_of(Role role, std::string& why) const {
    const std::string dataset = index.dataset_of(role);
    if (dataset.empty()) {
        why = "no data set is assigned to it";
        return nullptr;
    }
    if (!index.has(dataset, model)) {
        why = fmt::format("no predictions on `{}`", dataset);
        return nullptr;
    }
    PredictionStore store = index.open(dataset, model, model);
    if (!store.complete()) *partial = true;
    std::optional<ClassMap> map;
    if (!(role == Role::sketch && options.own_class_sketch))
        map = question_of(role, store.dataset(), classes);
    const bool whole = store.spec().storage == StorageFormat::full_f32 ||
                       store.spec().storage == StorageFormat::full_f16;
    if (map && map->decision != ClassMap::Decision::map_argmax && !whole) {
        why = fmt::format(
            "the predictions on `{}` do not have the scores of all classes, which `{}` needs",
            dataset, map->name);
        return nullptr;
    }
    return std::make_unique<Answers>(
        read_answers(std::move(store), std::move(map), options.threads));
}

std::vector<std::string> differences_of(const MeasuredInputs& in, Role role,
                                        const PredictionStore& store, bool asked, std::uint64_t n) {
    std::vector<std::string> all;
    if (!asked && !in.imagenet)
        all.push_back("the classifier's own " + how_many(in.classes.size(), "class", "classes"));
    if (n != facts_of(role).published)
        all.push_back(fmt::format("{} of {}", how_many(n, "image"), store.spec().dataset_name));
    return all;
}

std::vector<std::string> differences_of(const MeasuredInputs& in, Role role,
                                        const Answers& answers) {
    return differences_of(in, role, answers.store, answers.map.has_value(), answers.n);
}

void add_differences(std::vector<std::string>& all, const std::vector<std::string>& more) {
    for (const std::string& text : more) {
        if (std::ranges::find(all, text) == all.end()) all.push_back(text);
    }
}

MeasuredQuality measure_quality(const MeasureQualityOptions& options, Comm& comm,
                                const ProgressCallback& progress) {
    MeasuredQuality result;
    result.options = options;
    std::optional<StoreIndex> index;
    Corruptions corruptions;
    agree(comm, [&] {
        index.emplace(result.options);
        corruptions = corruptions_of(*index, result);
    });
    result.table.source = options.runs.string();
    for (const std::string& model : index->models())
        ModelMeasurement(*index, model, corruptions, result).measure(comm, progress);
    for (const auto& [model, millions] : options.parameters) {
        (void)millions;
        if (std::ranges::find(index->models(), model) == index->models().end()) {
            result.warnings.push_back(
                fmt::format("parameters are given for `{}`, which has no predictions on `{}`",
                            model, index->dataset_of(Role::val)));
        }
    }
    label_models(result.table);
    return result;
}

}  // namespace assay::quality
