#include "assay/annotation/aggregate_votes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "annotation/implied_labels.h"
#include "annotation/option_files.h"
#include "annotation/original_votes.h"
#include "assay/annotation/label_stats.h"
#include "assay/error.h"
#include "assay/store/open_labelled.h"
#include "core/file.h"
#include "core/text.h"
#include "data/crowd/crowd.h"
#include "data/label_rows.h"
#include "metric/number_list.h"

namespace assay {
namespace {

void check(const AggregateOptions& options) {
    const std::vector<std::string> known = {"dawid-skene", "majority", "weighted"};
    if (std::find(known.begin(), known.end(), options.method) == known.end()) {
        throw Error(ErrorCode::usage,
                    fmt::format("method `{}`{}", options.method, suggest(options.method, known)));
    }
    if (options.threshold && !(*options.threshold >= 0 && *options.threshold <= 1)) {
        throw Error(ErrorCode::usage,
                    fmt::format("threshold {} is not in [0, 1]", *options.threshold));
    }
    if (!options.weights.empty() && options.method != "weighted")
        throw Error(ErrorCode::usage, "--weights needs --method weighted");
}

/// Answers to "does it fit?" name no class unless the question's class is known.
void refuse_yes_and_no(const Votes& votes) {
    if (votes.labels.size() == 0) return;
    for (std::size_t l = 0; l < votes.labels.size(); ++l) {
        std::uint64_t number = 0;
        if (parse_number(votes.labels[l], number) || !crowd::said_by(votes.labels[l])) return;
    }
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "an answer is `{}`, but no column names the class that was asked about. Add a column "
            "label that names it. If the answers are classes, list them with --classes FILE",
            votes.labels[0]));
}

/// Reads the votes and their subjects. Missing inputs are derived from the votes.
void read_inputs(Aggregation& out) {
    const AggregateOptions& o = out.options;
    VotesOptions reading;
    reading.scale = answer_scale(o.answers);
    reading.repeats = repeats_named(o.repeats);
    reading.threads = o.em.threads;
    if (!o.known_annotators.empty()) reading.annotators = read_annotator_names(o.known_annotators);
    out.classes = classes_named(o.classes);
    if (!o.data.empty()) {
        out.dataset = open_labelled(o.data, out.classes, &out.assumed);
        if (out.classes.empty()) out.classes = out.dataset.classes;
    }
    reading.meanings = [&](const Votes& texts) {
        if (o.data.empty()) out.dataset = dataset_of_votes(texts);
        if (out.classes.empty()) out.classes = classes_of_votes(texts);
        VoteMeanings meanings = meanings_among(out.dataset, out.classes, texts);
        if (!o.hierarchy.empty() && texts.which_class) merge_synonyms(out.classes, meanings.labels);
        return meanings;
    };
    out.votes = read_votes(o.votes, reading);
    if (out.votes.read == 0)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: there are no votes to combine; give a file that has some: "
                                "assay labels aggregate VOTES.csv",
                                o.votes.string()));
    if (!reading.annotators.empty() && out.votes.questions() == 0)
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: no vote is by one of its {} (the first: `{}`); name annotators as the "
                        "votes do, or omit --known-annotators",
                        o.known_annotators.string(),
                        how_many(reading.annotators.size(), "annotator"), reading.annotators[0]));
    for (const std::string& line : out.votes.notes) out.assumed.push_back(line);
    if (out.votes.which_class && o.classes.empty() && o.data.empty()) refuse_yes_and_no(out.votes);
}

/// The classes on which the original labels vote; empty means all.
std::vector<int> voting_classes(const Aggregation& a) {
    const std::string& text = a.options.original_votes;
    if (text == "all") return {};
    const int last = static_cast<int>(a.classes.size()) - 1;
    const auto numbers = parse_number_list(text, 0, last);
    if (!numbers)
        throw Error(
            ErrorCode::usage,
            fmt::format("classes `{}` whose original labels vote: like 0-397 or 1,2,9, from "
                        "0 to {}, or all",
                        text, last));
    return *numbers;
}

void add_original_votes(Aggregation& out, const std::optional<LabelSets>& original) {
    if (!original)
        throw Error(
            ErrorCode::usage,
            "votes of the original labels need a data set with labels: pass it with --data");
    OriginalVotes given;
    out.votes = with_original_labels(out.votes, out.dataset, out.classes, *original,
                                     voting_classes(out), given);
    out.original_votes = given.votes;
    out.assumed.push_back(
        fmt::format("the original labels of {} images vote as one more annotator, `{}`: {} votes",
                    count_text(given.images), original_annotator, count_text(given.votes)));
    if (given.unlabelled > 0)
        out.assumed.push_back(
            fmt::format("{} images have no single original label, and no vote "
                        "of one",
                        count_text(given.unlabelled)));
    if (given.not_asked > 0)
        out.assumed.push_back(fmt::format("nobody was asked about the original label of {} images",
                                          count_text(given.not_asked)));
}

bool holds_votes(const std::filesystem::path& file) {
    if (lower_extension(file.string()) == ".npz") return true;
    const MappedFile mapped(file);
    return crowd::layout_of(mapped.text()) != crowd::Layout::none;
}

ReferenceDecisions read_reference(Aggregation& a) {
    const std::filesystem::path& file = a.options.against;
    if (holds_votes(file)) {
        VotesOptions reading;
        reading.scale = a.votes.scale;
        reading.repeats = repeats_named(a.options.repeats);
        reading.threads = a.options.em.threads;
        reading.meanings = [&](const Votes& texts) {
            return meanings_among(a.dataset, a.classes, texts);
        };
        const Votes experts = read_votes(file, reading);
        for (const std::string& line : experts.notes) a.assumed.push_back(line);
        a.assumed.push_back(fmt::format(
            "{} holds votes of {} annotators: {} is compared with", file.filename().string(),
            experts.annotators.size(),
            experts.which_class ? "the class with the most votes of an image" : "their majority"));
        return reference_of(a.built, experts, a.dataset, a.classes);
    }
    LabelMatch match;
    const LabelSets sets = read_label_sets(file, a.dataset, a.classes, match, a.assumed);
    if (match.unnamed > 0)
        a.assumed.push_back(
            fmt::format("{} leaves {} images out: it counts as rejecting their "
                        "labels",
                        file.filename().string(), count_text(match.unnamed)));
    return reference_of(a.built, sets);
}

/// Adds the labels that the kept ones imply.
void add_implied(Aggregation& out) {
    if (out.options.hierarchy.empty()) return;
    const ImpliedLabels added =
        add_implied_labels(implied_classes(out.options.hierarchy, out.classes), out.votes,
                           out.dataset, out.classes, out.built);
    out.implied_labels = added.labels;
    out.contradictions = added.contradictions;
    out.assumed.push_back(fmt::format("hierarchy: added {} that the kept labels imply",
                                      how_many(added.labels, "label")));
    if (added.contradictions > 0)
        out.assumed.push_back(
            fmt::format("hierarchy: annotators rejected {} of them, although they accepted a class "
                        "below: {}",
                        count_text(added.contradictions), fmt::join(added.examples, ", ")));
}

/// The latent classes are the classes, and the prior replaces smoothing.
void check_for_classes(const DawidSkeneOptions& em) {
    const DawidSkeneOptions usual;
    if (em.latents != usual.latents)
        throw Error(ErrorCode::usage, fmt::format("{} latent classes: votes that name a class have "
                                                  "one latent class per class; omit --latents",
                                                  em.latents));
    if (em.smoothing != usual.smoothing)
        throw Error(ErrorCode::usage,
                    fmt::format("smoothing {}: votes that name a class are smoothed by what all "
                                "annotators say; omit --smoothing",
                                em.smoothing));
}

void decide(Aggregation& out) {
    AggregateOptions& o = out.options;
    if (out.votes.which_class && o.method == "dawid-skene") {
        check_for_classes(o.em);
        out.which = fit_which_class(
            out.votes,
            {.tolerance = o.em.tolerance, .max_passes = o.em.max_passes, .threads = o.em.threads});
        most_voted(out.votes, vote_proportions(out.votes), out.vote_ties);
        out.votes = with_unchosen_classes(out.votes, out.which->unchosen);
        out.yes = out.which->posterior;
        for (const UnchosenClass& one : out.which->unchosen) out.yes.push_back(one.posterior);
    } else if (o.method == "dawid-skene") {
        out.fitted = dawid_skene(out.votes, o.em);
        out.yes = out.fitted->yes;
    } else if (o.method == "weighted") {
        out.weights = o.weights.empty() ? agreement_weights(out.votes)
                                        : read_annotator_weights(o.weights, out.votes);
        out.yes = weighted_proportions(out.votes, out.weights, &out.unweighted);
    } else {
        out.yes = vote_proportions(out.votes);
    }
    out.rule.threshold = o.threshold.value_or(out.fitted ? 0.8 : 0.5);
    out.rule.above = !out.fitted && !o.threshold;
    if (out.votes.which_class) {
        out.rule = {.threshold = o.threshold.value_or(0), .above = false};
        out.rule.most = most_voted(out.votes, out.yes, out.ties, out.which ? 1e-9 : 1e-12);
        // A tie of the posteriors is usually a tie of the votes, and is reported once.
        out.vote_ties -= std::min(out.vote_ties, out.ties);
    }
}

}  // namespace

std::vector<LabelsPerImage> labels_per_image(const LabelSets& sets) {
    std::vector<LabelsPerImage> rows = {{"1", 0}, {"2", 0},  {"3", 0},   {"4", 0},
                                        {"5", 0}, {">5", 0}, {"none", 0}};
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const std::size_t n = sets[i].size();
        ++rows[n == 0 ? 6 : std::min<std::size_t>(n, 6) - 1].images;
    }
    return rows;
}

Aggregation aggregate_votes(const AggregateOptions& options) {
    check(options);
    Aggregation out;
    out.options = options;
    read_inputs(out);
    std::optional<LabelSets> original;
    if (!options.original.empty()) {
        original = read_label_sets(options.original, out.dataset, out.classes);
    } else if (!options.data.empty()) {
        original = out.dataset.labels;
    }
    out.agreement = out.votes.which_class ? class_agreement(out.votes, options.level)
                                          : answer_agreement(out.votes, options.level);
    if (!options.original_votes.empty()) add_original_votes(out, original);
    decide(out);
    out.built = build_label_sets(out.votes, out.yes, out.rule, out.dataset, out.classes,
                                 original ? &*original : nullptr);
    add_implied(out);
    out.histogram = labels_per_image(out.built.sets);
    out.annotators = annotator_quality(out.votes, out.yes, options.em.smoothing,
                                       out.fitted ? &*out.fitted : nullptr, options.level);
    if (!options.against.empty()) {
        const ReferenceDecisions reference = read_reference(out);
        out.comparison = compare_label_sets(out.built, reference, options.level);
        out.curve = threshold_curve(out.votes, out.yes, out.built, reference, out.rule.most);
    }
    return out;
}

LabelSetFormat label_set_format_for(const std::filesystem::path& file, std::string_view name) {
    if (!name.empty()) return label_set_format_named(name);
    return file.extension() == ".csv" ? LabelSetFormat::csv : LabelSetFormat::object;
}

}  // namespace assay
