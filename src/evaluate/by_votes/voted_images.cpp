#include "evaluate/by_votes/voted_images.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/annotation/votes.h"
#include "assay/error.h"
#include "assay/report.h"
#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "data/label_rows.h"

namespace assay {
namespace {

constexpr std::size_t agreement_depth = 3;

/// The classes are numbers if the data set has no class names.
ClassList classes_of(const PredictionStore& store) {
    const ClassList& own = store.dataset().classes;
    return own.empty() ? numbered_classes(store.classes()) : own;
}

Votes votes_about(const std::filesystem::path& file, const Dataset& dataset,
                  const ClassList& classes, int threads) {
    VotesOptions reading;
    reading.threads = threads;
    reading.meanings = [&](const Votes& texts) { return meanings_among(dataset, classes, texts); };
    try {
        return read_votes(file, reading);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        try {
            read_label_sets(file, dataset, classes);
        } catch (const Error&) {
            throw error;
        }
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} holds label sets, and sets do not say how sure they are. Give "
                                "the votes they were made of, or `assay score RUNS --labels {}`",
                                file.string(), file.string()));
    }
}

void check_votes(const Votes& votes, const std::filesystem::path& file) {
    const std::string name = file.string();
    if (votes.which_class)
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: annotators chose one class of each image. Values by votes need "
                        "answers to \"does this label fit?\"; `assay labels aggregate {}` "
                        "makes labels of these votes",
                        name, name));
    if (votes.annotators.size() < 2)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} has votes of {} annotator{}; at least 2 are needed, because "
                                "how often one errs cannot be seen without another. `assay labels "
                                "aggregate {}` takes the votes as they are",
                                name, votes.annotators.size(),
                                votes.annotators.size() == 1 ? "" : "s", name));
}

/// The best classes of each image for each model; an image without scores from some model gets no
/// classes.
std::vector<std::vector<std::int32_t>> best_classes(std::span<const PredictionStore* const> stores,
                                                    std::size_t depth, int below, int threads) {
    std::vector<RowReader> readers;
    for (const PredictionStore* store : stores) {
        const RowReader& reader = readers.emplace_back(*store);
        if (reader.depth() < static_cast<std::uint32_t>(below) &&
            reader.depth() < reader.classes()) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} keeps the {} best classes of an image, and subgroups up to "
                                    "{} labels need {}: `--subgroups 1-{}`, or predict again with "
                                    "`--storage top{}`",
                                    store->folder().string(), reader.depth(), below, below,
                                    reader.depth(), below));
        }
    }
    const std::size_t models = stores.size(), items = stores.front()->rows();
    std::vector<std::vector<std::int32_t>> out(items * models);
    constexpr std::size_t block = 512;
    parallel_blocks((items + block - 1) / block, resolve_threads(threads), [&](std::size_t b) {
        throw_if_stopped();
        std::vector<RankedClass> top;
        for (std::size_t i = b * block; i < std::min(items, (b + 1) * block); ++i) {
            bool all = true;
            for (std::size_t m = 0; m < models && all; ++m) {
                all = readers[m].top(i, depth, top) == RowStatus::ok;
                for (const RankedClass& c : top) out[i * models + m].push_back(c.cls);
            }
            for (std::size_t m = 0; m < models && !all; ++m) out[i * models + m].clear();
        }
    });
    return out;
}

std::uint16_t rank_in(std::span<const std::int32_t> best, std::int32_t cls, int below) {
    const auto at = std::ranges::find(best, cls) - best.begin();
    return static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(at, below));
}

void say_problems(const BuiltLabelSets& built, const Votes& votes, VotedImages& out) {
    for (const VoteProblems* problems : {&votes.problems, &built.problems}) {
        for (const VoteProblems::Kind& kind : problems->kinds())
            out.warnings.push_back(fmt::format("{} vote{} or question{} not used, {}: {}",
                                               count_text(kind.count), kind.count == 1 ? "" : "s",
                                               kind.count == 1 ? "" : "s", kind.what,
                                               kind.examples.empty() ? "" : kind.examples.front()));
    }
}

}  // namespace

VotedImages voted_images(std::span<const PredictionStore* const> stores,
                         const std::filesystem::path& file, const LabelSets& labels,
                         std::span<const int> subgroups, int threads) {
    const Dataset& dataset = stores.front()->dataset();
    const ClassList classes = classes_of(*stores.front());
    const Votes votes = votes_about(file, dataset, classes, threads);
    check_votes(votes, file);
    VotedImages out;
    for (const PredictionStore* store : stores) out.models.push_back(store->spec().model_name);
    const DawidSkene fitted = dawid_skene(votes, {.threads = threads});
    const LabelSets* original = labels.size() == dataset.size() ? &labels : nullptr;
    const BuiltLabelSets built =
        build_label_sets(votes, fitted.yes, {}, dataset, classes, original);
    out.notes = votes.notes;
    say_problems(built, votes, out);

    std::vector<std::vector<std::uint32_t>> questions(dataset.size());
    for (std::uint32_t q = 0; q < votes.questions(); ++q) {
        if (built.item_of_question[q] >= 0 && built.class_of_question[q] >= 0 &&
            !votes.of(q).empty())
            questions[static_cast<std::size_t>(built.item_of_question[q])].push_back(q);
    }
    const int below = subgroups.back();
    auto best = best_classes(stores, std::max<std::size_t>(agreement_depth, below), below, threads);
    const std::size_t models = stores.size();
    true_sets::AskedImages& asked = out.asked;
    asked.annotators = static_cast<std::uint32_t>(votes.annotators.size());
    asked.answers = static_cast<std::uint32_t>(votes.answers());
    asked.models = static_cast<std::uint32_t>(models);
    std::vector<true_sets::Agreement> agreement;
    // First the images about which people were asked, then other images.
    for (const bool wanted : {true, false}) {
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            if (questions[i].empty() == wanted) continue;
            const auto of_image = std::span(best).subspan(i * models, models);
            if (of_image.front().empty()) {
                ++out.without_scores;
                continue;
            }
            if (wanted) {
                for (const std::uint32_t q : questions[i]) {
                    const auto codes = votes.of(q);
                    asked.codes.insert(asked.codes.end(), codes.begin(), codes.end());
                    asked.votes_begin.push_back(asked.codes.size());
                    for (const auto& list : of_image)
                        asked.rank.push_back(rank_in(list, built.class_of_question[q], below));
                }
                asked.begin.push_back(static_cast<std::uint32_t>(asked.votes_begin.size() - 1));
                agreement.push_back(true_sets::agreement_of(of_image));
            } else {
                out.given.append(built.sets[i]);
            }
            out.thresholded.append(built.sets[i]);
            out.rows.push_back(i);
            for (auto& list : of_image) out.best.push_back(std::move(list));
        }
    }
    if (asked.questions() == 0)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: no vote is about a class of an image of {} that all models "
                                "have scores of; `assay export {} --top 0` lists the images",
                                file.string(), dataset.name, stores.front()->folder().string()));
    const double each =
        static_cast<double>(asked.codes.size()) / static_cast<double>(asked.questions());
    if (each < 2)
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{} has {:.2f} votes per question; at least 2 are needed, because "
                        "annotators' errors only show if two answer the same question. `assay "
                        "labels aggregate {}` makes labels of one vote per question, too",
                        file.string(), each, file.string()));
    asked.cell = true_sets::cells_of(asked, agreement);
    return out;
}

ExpertSets expert_sets(const std::filesystem::path& file, const PredictionStore& store,
                       VotedImages& images) {
    const Dataset& dataset = store.dataset();
    std::vector<char> named;
    LabelMatch match;
    const LabelSets sets = read_label_sets(file, dataset, classes_of(store), match, images.notes,
                                           {.minus_one_unlabelled = true, .named = &named});
    if (match.others > 0)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} names {} images that are not in {} (first: `{}`); experts' "
                                "images must be drawn from the data set. `assay export {} --top 0` "
                                "lists its images",
                                file.string(), count_text(match.others), dataset.name,
                                match.first_other, store.folder().string()));
    ExpertSets out;
    std::uint64_t given = 0, unscored = 0;
    std::vector<std::int64_t> place(dataset.size(), -1);
    for (std::size_t i = 0; i < images.rows.size(); ++i)
        place[images.rows[i]] = static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < named.size(); ++i) {
        if (named[i] == 0) continue;
        if (place[i] < 0) {
            ++unscored;
            continue;
        }
        given += static_cast<std::size_t>(place[i]) >= images.asked.images() ? 1 : 0;
        out.image.push_back(static_cast<std::size_t>(place[i]));
        out.sets.append(sets[i]);
    }
    if (out.image.size() < 2)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} gives the sets of {} images; at least 2 are needed, and some "
                                "150 to be of use. `assay labels propose RUNS --draw-gold 150` "
                                "draws them",
                                file.string(), out.image.size()));
    if (given > 0)
        images.notes.push_back(
            fmt::format("{} of the experts' {} images have no votes: there the experts correct the "
                        "given labels",
                        count_text(given), count_text(out.image.size())));
    if (unscored > 0)
        images.warnings.push_back(
            fmt::format("{} of the experts' images lack the scores of at least one "
                        "model, and are not used",
                        count_text(unscored)));
    return out;
}

}  // namespace assay
