#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "assay/audit/audit.h"
#include "assay/data/class_list.h"
#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "audit/checked_labels.h"
#include "audit/combined.h"
#include "audit/corrections.h"
#include "audit/duplicates.h"
#include "audit/wrong_labels.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "store/full_rows.h"
#include "store/same_data.h"

namespace assay::audit {
namespace {

/// The two likeliest classes of an ambiguous image have this probability.
constexpr double ambiguous_probability = 0.25;
/// Models that miss at most this proportion of the labels have probably seen them.
constexpr double learned_missed = 0.005;

void check_options(const AuditOptions& options) {
    if (options.sample > 0 && options.questions.empty())
        throw Error(ErrorCode::usage,
                    "--sample: it adds questions to a file, and none is named. Add --questions "
                    "questions.csv, or omit --sample");
    if (!options.images.empty() && !options.pixels)
        throw Error(ErrorCode::usage,
                    "--images: images are only read for --pixels. Add --pixels, or omit --images");
    if (!options.confirm.empty() || !options.labels.empty()) return;
    if (options.level != AuditOptions().level)
        throw Error(ErrorCode::usage,
                    "--level: the intervals are of accuracies with corrected labels, of P(wrong) "
                    "and of the number of wrong labels, and no answer is given. Add --confirm "
                    "votes.csv or --labels LABELS, or omit --level");
    if (options.save_labels.empty()) return;
    throw Error(ErrorCode::usage,
                "--save-labels: no label is confirmed to be wrong. Write questions with "
                "--questions questions.csv, answer them, and add --confirm votes.csv");
}

std::vector<RowReader> opened_readers(const std::vector<PredictionStore>& stores) {
    if (stores.empty()) throw Error(ErrorCode::usage, "no predictions are named: assay audit RUNS");
    std::vector<RowReader> readers;
    for (const PredictionStore& store : stores) {
        store::require_full(store);
        store::require_same(stores.front(), store,
                            {.images = true, .classes = true, .labels = true});
        readers.emplace_back(store);
    }
    const std::string where = stores.front().folder().string();
    if (readers.front().classes() < 2)
        refuse(fmt::format("{}: it has one class, so no label can be wrong", where));
    return readers;
}

LabelledRows rows_to_audit(const std::vector<RowReader>& readers, LabelAudit& audit) {
    LabelledRows out;
    const PredictionStore& store = readers.front().store();
    const Dataset& dataset = store.dataset();
    for (std::uint64_t row = 0; row < store.rows(); ++row) {
        const std::int32_t given = dataset.single_label(static_cast<std::size_t>(row));
        if (given < 0 || static_cast<std::uint32_t>(given) >= store.classes()) {
            ++audit.unlabelled;
            continue;
        }
        const bool scored = std::ranges::all_of(
            readers, [&](const RowReader& reader) { return reader.status(row) == RowStatus::ok; });
        if (!scored) {
            ++audit.left_out;
            continue;
        }
        out.rows.push_back(row);
        out.given.push_back(given);
    }
    audit.images = out.rows.size();
    if (audit.unlabelled == store.rows())
        refuse(
            fmt::format("{}: no image has a single label to audit. Import the predictions with "
                        "labels: assay import SCORES --items ITEMS.csv",
                        store.folder().string()));
    if (out.rows.empty())
        refuse(
            fmt::format("{}: no labelled image has finite scores of every model; to see why, "
                        "type `assay verify {}`",
                        store.folder().string(), shell_word(store.folder().string())));
    return out;
}

std::vector<std::vector<std::int32_t>> predictions_of(const std::vector<RowReader>& readers,
                                                      const LabelledRows& labelled) {
    std::vector<std::vector<std::int32_t>> out;
    std::vector<RankedClass> best;
    for (const RowReader& reader : readers) {
        auto& predicted = out.emplace_back();
        for (const std::uint64_t row : labelled.rows) {
            reader.top(row, 1, best);
            predicted.push_back(best.empty() ? -1 : best[0].cls);
        }
    }
    return out;
}

std::string class_name(const Dataset& dataset, std::int32_t cls) {
    const auto c = static_cast<std::size_t>(cls);
    return c < dataset.classes.size() ? std::string(dataset.classes.name(c)) : std::to_string(cls);
}

Answer answer_about(const CheckedLabels& checked, std::uint64_t row, std::int32_t given) {
    const auto found = checked.of.find(row);
    if (found == checked.of.end()) return Answer::none;
    if (found->second.cannot_be_judged) return Answer::cannot_be_judged;
    if (is_wrong(found->second, given))
        return found->second.by_file ? Answer::wrong_by_file : Answer::wrong;
    return found->second.by_file ? Answer::from_file : Answer::correct;
}

std::string answer_text(Answer answer) {
    switch (answer) {
        case Answer::none:
            return "";
        case Answer::cannot_be_judged:
            return "cannot be judged";
        case Answer::wrong:
        case Answer::wrong_by_file:
            return "wrong";
        default:
            return "correct";
    }
}

/// The suspect labels, the most suspicious first.
class Suspects {
public:
    Suspects(const std::vector<CombinedImage>& images, const LabelledRows& labelled,
             const Dataset& dataset, const CheckedLabels& checked, std::size_t listed, double level)
        : images_(images), labelled_(labelled), dataset_(dataset) {
        for (std::size_t i = 0; i < images.size(); ++i)
            if (images[i].given_probability < images[i].suggested_probability) order_.push_back(i);
        std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) {
            return images[a].score < images[b].score;
        });
        std::vector<double> scores;
        for (const std::size_t i : order_) {
            scores.push_back(images[i].score);
            answers_.push_back(answer_about(checked, labelled.rows[i], labelled.given[i]));
        }
        wrong_ = estimate_wrong_labels(scores, answers_, listed, level);
    }
    std::size_t size() const { return order_.size(); }
    const Estimate& number_of_wrong() const { return wrong_.number; }
    std::uint64_t row(std::size_t place) const { return labelled_.rows[order_[place]]; }
    SuspectLabel label(std::size_t place, std::uint32_t voting) const {
        const CombinedImage& image = images_[order_[place]];
        const std::int32_t given = labelled_.given[order_[place]];
        return {.item = std::string(dataset_.ids[static_cast<std::size_t>(row(place))]),
                .given = class_id(dataset_, given),
                .suggested = class_id(dataset_, image.suggested),
                .given_name = class_name(dataset_, given),
                .suggested_name = class_name(dataset_, image.suggested),
                .score = image.score,
                .wrong_probability =
                    place < wrong_.probability.size() ? wrong_.probability[place] : Estimate(),
                .given_probability = image.given_probability,
                .suggested_probability = image.suggested_probability,
                .predict_suggested = image.predict_suggested,
                .voting = voting,
                .answer = answer_text(answers_[place])};
    }

private:
    const std::vector<CombinedImage>& images_;
    const LabelledRows& labelled_;
    const Dataset& dataset_;
    std::vector<std::size_t> order_;
    std::vector<Answer> answers_;
    WrongLabels wrong_;
};

std::uint32_t voting_models(const LabelAudit& audit) {
    return static_cast<std::uint32_t>(std::ranges::count_if(
        audit.models, [](const AuditedModel& model) { return model.weight > 0; }));
}

void list_suspects(const Suspects& suspects, std::uint64_t top, LabelAudit& audit) {
    audit.suspects = suspects.size();
    audit.wrong_labels = suspects.number_of_wrong();
    const auto listed = static_cast<std::size_t>(std::min<std::uint64_t>(top, suspects.size()));
    for (std::size_t place = 0; place < listed; ++place)
        audit.listed.push_back(suspects.label(place, voting_models(audit)));
}

/// Writes questions about the listed labels, and about others at even distances, of which the last
/// suspect label is one.
void ask_about(const Suspects& suspects, const AuditOptions& options, const Dataset& dataset,
               LabelAudit& audit) {
    std::vector<SuspectLabel> labels = audit.listed;
    std::vector<std::uint64_t> rows;
    for (std::size_t place = 0; place < labels.size(); ++place) rows.push_back(suspects.row(place));
    const std::size_t others = suspects.size() - audit.listed.size();
    audit.sampled = std::min<std::uint64_t>(options.sample, others);
    for (std::uint64_t i = 1; i <= audit.sampled; ++i) {
        const std::size_t place = audit.listed.size() + i * others / audit.sampled - 1;
        labels.push_back(suspects.label(place, voting_models(audit)));
        rows.push_back(suspects.row(place));
    }
    write_questions(options.questions, dataset, labels, rows);
    audit.questions_file = options.questions;
    if (audit.sampled < options.sample)
        audit.notes.push_back(fmt::format(
            "--sample {}: the questions are about all suspect labels, of which {} {} not listed",
            options.sample, count_text(audit.sampled), audit.sampled == 1 ? "is" : "are"));
}

void list_ambiguous(const std::vector<CombinedImage>& images, const LabelledRows& labelled,
                    const Dataset& dataset, std::uint64_t top, LabelAudit& audit) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < images.size(); ++i)
        if (images[i].second_probability >= ambiguous_probability) order.push_back(i);
    audit.ambiguous = order.size();
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return images[a].second_probability > images[b].second_probability;
    });
    if (order.size() > top) order.resize(static_cast<std::size_t>(top));
    for (const std::size_t i : order)
        audit.listed_ambiguous.push_back(
            {.item = std::string(dataset.ids[static_cast<std::size_t>(labelled.rows[i])]),
             .given = class_name(dataset, labelled.given[i]),
             .first = class_name(dataset, images[i].first),
             .second = class_name(dataset, images[i].second),
             .first_probability = images[i].first_probability,
             .second_probability = images[i].second_probability});
}

void count_checked(const CheckedLabels& checked, const Dataset& dataset, LabelAudit& audit) {
    audit.answers_ignored = checked.ignored;
    audit.half_answered = checked.half_answered;
    for (const auto& [row, label] : checked.of) {
        const std::int32_t given = dataset.single_label(static_cast<std::size_t>(row));
        ++audit.checked;
        if (label.cannot_be_judged) ++audit.unjudged;
        if (!label.cannot_be_judged && label.classes.size() > 1) ++audit.several_classes;
        if (!is_wrong(label, given)) continue;
        ++audit.confirmed_wrong;
        ++(label.classes.empty() ? audit.without_class : audit.corrected);
    }
    for (const std::string& note : checked.notes) audit.notes.push_back(note);
    if (audit.answers_ignored > 0)
        audit.warnings.push_back(fmt::format("not used: {} about other images or labels",
                                             how_many(audit.answers_ignored, "answer")));
    if (audit.half_answered > 0)
        audit.warnings.push_back(fmt::format(
            "not used: answers about {} that are not about the given label (first: {}); ask "
            "about both classes",
            how_many(audit.half_answered, "image"), checked.first_half_answered));
    if (audit.checked == 0)
        refuse(
            fmt::format("no answer is about a label of `{}`; to write questions about them, type "
                        "`assay audit RUNS --questions questions.csv`",
                        audit.dataset));
}

/// Warns of voting models that may have learned the labels, because they hide wrong labels.
void warn_of_learned(const std::vector<double>& missed, LabelAudit& audit) {
    for (std::size_t m = 0; m < missed.size(); ++m)
        if (audit.models[m].weight > 0 && missed[m] <= learned_missed)
            audit.warnings.push_back(fmt::format(
                "{} predicts {:.1f} % of all labels. If it was trained on these images, it hides "
                "wrong labels: audit without it",
                audit.models[m].model, 100 * (1 - missed[m])));
}

/// Warns if most labels are suspect. Shuffled labels or classes are the cause only if no voting
/// model predicts clearly more labels than chance does.
void warn_of_many_suspects(const std::vector<double>& missed, std::uint32_t classes,
                           LabelAudit& audit) {
    if (2 * audit.suspects <= audit.images) return;
    double best = 0;
    for (std::size_t m = 0; m < missed.size(); ++m)
        if (audit.models[m].weight > 0) best = std::max(best, 1 - missed[m]);
    const double chance = 1 / static_cast<double>(classes);
    // For few images, chance alone may predict more than twice as many as expected.
    const double error = std::sqrt(chance * (1 - chance) / static_cast<double>(audit.images));
    if (best < 2 * chance + 3 * error) {
        audit.warnings.push_back(
            "more than half of the labels are suspect: the labels or classes are probably in "
            "another order than the scores; type `assay check -m MODEL -d IMAGES`");
        return;
    }
    audit.warnings.push_back(fmt::format(
        "more than half of the labels are suspect. No voting model predicts more than {:.1f} % of "
        "all labels, so the models are too weak to judge the labels of these images. Add the "
        "scores of a more accurate one: assay predict -m MODEL -d IMAGES",
        100 * best));
}

void add_model_notes(LabelAudit& audit) {
    std::uint64_t learned = 0;
    for (const AuditedModel& model : audit.models) {
        if (model.weight > 0) continue;
        ++learned;
        audit.warnings.push_back(fmt::format(
            "{} does not vote: it has probably learned these labels. All other models are sure of "
            "another class for {} images ({:.1f} expected), but this model predicts the label of "
            "{} of them",
            model.model, model.opposed, model.expected, model.repeated));
    }
    if (audit.models.size() - learned == 1)
        audit.notes.push_back("one model votes; several differ in their errors and find more");
}

}  // namespace

LabelAudit audit_labels(const AuditOptions& options, const ProgressCallback& progress) {
    check_options(options);
    LabelAudit audit;
    const OpenedModels opened = open_models(options.stores);
    if (!opened.skipped.empty()) audit.warnings.push_back(opened.skipped);
    const std::vector<RowReader> readers = opened_readers(opened.stores);
    const PredictionStore& store = opened.stores.front();
    const Dataset& dataset = store.dataset();
    audit.dataset = store.spec().dataset_name;
    audit.images_folder = options.images.empty() ? dataset.root : options.images;
    const LabelledRows labelled = rows_to_audit(readers, audit);
    const auto predicted = predictions_of(readers, labelled);
    const CheckedLabels checked = read_checked(options, dataset, store.classes());
    const bool answered = !options.confirm.empty() || !options.labels.empty();
    if (answered) count_checked(checked, dataset, audit);

    std::vector<std::string> fit_warnings;
    WeighedModels weighed =
        weigh_models(readers, labelled, predicted, options.threads, fit_warnings, progress);
    const std::vector<CombinedImage> images =
        combine(readers, weighed, labelled, predicted, options.threads, progress);
    audit.models = std::move(weighed.models);
    const Suspects suspects(images, labelled, dataset, checked,
                            static_cast<std::size_t>(options.top), options.level);
    list_suspects(suspects, options.top, audit);
    list_ambiguous(images, labelled, dataset, options.top, audit);
    find_duplicates(readers, options, audit, progress);
    add_model_notes(audit);
    warn_of_many_suspects(weighed.missed, store.classes(), audit);
    warn_of_learned(weighed.missed, audit);
    for (std::string& warning : fit_warnings) audit.warnings.push_back(std::move(warning));

    if (answered)
        audit.corrected_models =
            corrected_models(readers, labelled, predicted, checked, options.level);
    if (!options.questions.empty()) ask_about(suspects, options, dataset, audit);
    if (!options.save_labels.empty()) {
        write_corrected(options.save_labels, dataset, checked);
        audit.labels_file = options.save_labels;
    }
    return audit;
}

}  // namespace assay::audit
