#include "evaluate/by_votes/by_votes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "assay/report.h"
#include "assay/robustness/derived_store.h"
#include "core/statistics.h"
#include "evaluate/by_votes/certain_sets.h"
#include "evaluate/by_votes/voted_images.h"
#include "evaluate/given_labels.h"
#include "metric/number_list.h"
#include "store/same_data.h"

namespace assay {
namespace {

using true_sets::Metric;
using true_sets::metric_count;

constexpr int most_labels = 64;
constexpr double least_images = 10;        ///< expected number of images in a subgroup
constexpr double least_information = 1.1;  ///< sum of sensitivity and specificity
constexpr double much_moved = .1;
constexpr std::size_t questions_a_model = 2000;

std::vector<int> subgroups_of(const std::vector<std::string>& given) {
    if (given.empty()) return {1, 2, 3, 4, 5};
    const std::string text = fmt::format("{}", fmt::join(given, ","));
    const auto numbers = parse_number_list(text, 1, most_labels);
    if (!numbers)
        throw Error(ErrorCode::usage,
                    fmt::format("subgroups `{}` with votes: numbers of labels from 1 to {} are "
                                "allowed, because votes leave open which of them occur; as in "
                                "`--subgroups 1-3`",
                                text, most_labels));
    return *numbers;
}

class Estimation {
public:
    Estimation(const VotedImages& images, const ByVotesOptions& options,
               std::span<const int> subgroups)
        : images_(images),
          options_(options),
          subgroups_(subgroups),
          layout_(images.asked),
          pieces_(true_sets::piece_count(subgroups)) {}

    /// `experts` may be nullptr.
    void fill(const ExpertSets* experts, ByVotes& out) {
        const true_sets::SetFit fit = fit_sets(images_.asked, layout_, options_.threads);
        add_rates(fit.parameters, out);
        const std::vector<double> given = given_pieces();
        const true_sets::SetValues values =
            set_values(images_.asked, layout_, fit.parameters, subgroups_, given, options_.threads);
        const auto plain = plain_values(
            images_.asked, layout_, true_sets::plain_posteriors(images_.asked), subgroups_, given);
        std::optional<true_sets::ExpertValues> corrected;
        true_sets::ExpertPieces judged;
        if (experts != nullptr) {
            judged = expert_pieces(*experts);
            corrected = corrected_by_experts(images_.asked, layout_, fit.parameters, subgroups_,
                                             given, values, judged);
            out.experts = experts->image.size();
        }
        if (!fit.converged)
            out.warnings.push_back(fmt::format(
                "the fit to the votes has not settled after {} steps; its values may still move",
                3 * fit.rounds));
        add_unsure(fit.parameters, out);
        for (std::size_t m = 0; m < images_.models.size(); ++m) {
            const CertainSets certain(images_, m, subgroups_);
            for (const Metric metric : {Metric::real_metric, Metric::asma_metric}) {
                ValueByVotes& value = out.values.emplace_back();
                value.thresholded = certain.value(metric, options_.level);
                name(value.value, out, m, metric, experts != nullptr);
                const std::span<const double> sums =
                    std::span(corrected ? corrected->sums : values.sums)
                        .subspan(m * pieces_, pieces_);
                value.value.n = images_of(sums, metric);
                value.value.left_out = images_.without_scores;
                if (leaves_undefined(sums, metric, value.value)) continue;
                const double by_votes = values.values[m][metric];
                const double moved = by_votes - plain[m][metric];
                value.moved = moved;
                set(value.value, corrected ? corrected->values[m][metric] : by_votes,
                    true_sets::variance_of_one_more(sums, metric) +
                        (corrected ? corrected->variance[m][metric]
                                   : true_sets::variance_by_votes(values.of(m, metric), moved)),
                    corrected ? "votes.experts" : "votes");
                if (!corrected && std::abs(moved) > much_moved)
                    out.warnings.push_back(
                        fmt::format("{}: {} changes by {:.1f} points with the assumptions, because "
                                    "there are too few votes. Collect more votes, or have experts "
                                    "judge some images (--expert-labels)",
                                    images_.models[m], value.value.key.metric, 100 * moved));
            }
            if (experts != nullptr) compare_with_experts(judged, values, m, out);
        }
    }

private:
    void name(Measurement& m, const ByVotes& out, std::size_t model, Metric metric,
              bool experts) const {
        const std::string own = metric == Metric::real_metric ? "real.votes" : "asma.votes";
        m.unit = Unit::proportion;
        m.key.metric = own;
        m.key.definition = own + (experts ? ".experts" : "");
        m.key.model = images_.models[model];
        m.key.dataset = out.dataset;
        if (metric == Metric::asma_metric)
            m.key.parameters["subgroups"] = number_list_text(subgroups_);
    }

    void set(Measurement& m, double value, double variance, const std::string& method) const {
        constexpr double end = 1e-9, least = 1e-12;
        const double inside = std::clamp(value, end, 1 - end);
        // values corrected by experts may be outside the range
        m.value = std::clamp(value, 0.0, 1.0);
        m.standard_error = std::sqrt(variance);
        m.interval =
            wilson_of_size(inside, inside * (1 - inside) / std::max(variance, least),
                           normal_quantile(.5 + options_.level / 2), options_.level, method);
    }

    /// The images with a label for ReaL, and the images of the subgroups for ASMA.
    std::uint64_t images_of(std::span<const double> sums, Metric metric) const {
        double images = metric == Metric::real_metric ? sums[1] : 0;
        for (std::size_t s = 0; metric == Metric::asma_metric && s < subgroups_.size(); ++s)
            images += sums[3 + 2 * s];
        return static_cast<std::uint64_t>(std::llround(images));
    }

    bool leaves_undefined(std::span<const double> sums, Metric metric, Measurement& m) const {
        if (metric == Metric::real_metric) {
            if (m.n == 0) m.undefined = "almost no image has a valid label";
            return m.n == 0;
        }
        std::vector<int> enough;
        std::size_t rare = subgroups_.size();
        for (std::size_t s = subgroups_.size(); s-- > 0;) {
            if (sums[3 + 2 * s] >= least_images)
                enough.insert(enough.begin(), subgroups_[s]);
            else
                rare = s;
        }
        if (rare == subgroups_.size()) return false;
        m.undefined = fmt::format(
            "about {:.1f} images have {} label{}, and at least {:.0f} are needed",
            sums[3 + 2 * rare], subgroups_[rare], subgroups_[rare] == 1 ? "" : "s", least_images);
        if (!enough.empty())
            m.undefined += fmt::format("; name the others: --subgroups {}", fmt::join(enough, ","));
        return true;
    }

    void add_rates(std::span<const double> parameters, ByVotes& out) const {
        const std::size_t r = images_.asked.answers,
                          all = std::size_t{images_.asked.annotators} * r;
        std::vector<double> votes(images_.asked.annotators);
        for (const std::uint32_t code : images_.asked.codes) votes[code / r] += 1;
        for (std::size_t a = 0; a < votes.size(); ++a) {
            for (std::size_t k = 0; k < r; ++k) {
                const double worth = static_cast<double>(k) / static_cast<double>(r - 1);
                const double* const rate = parameters.data() + layout_.rates + a * r + k;
                const double part = votes[a] / static_cast<double>(images_.asked.codes.size());
                out.sensitivity += part * worth * std::exp(rate[all]);
                out.specificity += part * (1 - worth) * std::exp(rate[0]);
            }
        }
        if (out.sensitivity + out.specificity <= least_information)
            throw Error(
                ErrorCode::bad_input,
                fmt::format("the votes about {} carry no information: annotators say yes "
                            "to {:.0f} % of the valid classes and to {:.0f} % of the "
                            "others. `assay labels aggregate VOTES --annotators` "
                            "shows who answers at random",
                            out.dataset, 100 * out.sensitivity, 100 - 100 * out.specificity));
    }

    void add_unsure(std::span<const double> parameters, ByVotes& out) const {
        constexpr double sure = .05;
        true_sets::SetPosterior room(images_.asked, layout_);
        std::uint64_t open = 0;
        for (std::size_t i = 0; i < images_.asked.images(); ++i) {
            room.compute(i, parameters);
            for (const double yes : room.yes()) open += yes >= sure && yes <= 1 - sure ? 1 : 0;
        }
        out.unsure = static_cast<double>(open) / static_cast<double>(out.questions);
    }

    std::vector<double> given_pieces() const {
        const std::size_t models = images_.models.size(), asked = images_.asked.images();
        std::vector<double> out((images_.rows.size() - asked) * models * pieces_);
        for (std::size_t i = asked; i < images_.rows.size(); ++i) {
            for (std::size_t m = 0; m < models; ++m)
                true_sets::add_pieces(
                    images_.given[i - asked], images_.best_of(i, m), subgroups_,
                    std::span(out).subspan(((i - asked) * models + m) * pieces_, pieces_));
        }
        return out;
    }

    true_sets::ExpertPieces expert_pieces(const ExpertSets& experts) const {
        const std::size_t models = images_.models.size();
        true_sets::ExpertPieces out{.image = experts.image, .pieces = {}};
        out.pieces.resize(experts.image.size() * models * pieces_);
        for (std::size_t e = 0; e < experts.image.size(); ++e) {
            for (std::size_t m = 0; m < models; ++m)
                true_sets::add_pieces(
                    experts.sets[e], images_.best_of(experts.image[e], m), subgroups_,
                    std::span(out.pieces).subspan((e * models + m) * pieces_, pieces_));
        }
        return out;
    }

    /// Errors that annotators share with the models are not visible in votes, only here.
    void compare_with_experts(const true_sets::ExpertPieces& judged,
                              const true_sets::SetValues& values, std::size_t m,
                              ByVotes& out) const {
        double hits = 0, n = 0;
        for (std::size_t e = 0; e < judged.image.size(); ++e) {
            hits += judged.pieces[(e * images_.models.size() + m) * pieces_];
            n += judged.pieces[(e * images_.models.size() + m) * pieces_ + 1];
        }
        if (n == 0) return;
        const double alone = hits / n, error = std::sqrt(alone * (1 - alone) / n);
        const double by_votes = values.values[m][Metric::real_metric];
        if (by_votes > alone + 2 * error)
            out.warnings.push_back(
                fmt::format("{}: ReaL by votes alone is {:.1f} %, and {:.1f} % on the experts' "
                            "images alone: annotators may err on the same images as the models. "
                            "The value is corrected by the experts",
                            images_.models[m], 100 * by_votes, 100 * alone));
    }

    const VotedImages& images_;
    const ByVotesOptions& options_;
    const std::span<const int> subgroups_;
    const true_sets::Layout layout_;
    const std::size_t pieces_;
};

void say_what_was_taken(const VotedImages& images, ByVotes& out) {
    out.notes.push_back(
        out.experts > 0
            ? fmt::format("taken as true: the sets that experts gave {} images, which stand for "
                          "all images if they were drawn at random",
                          count_text(out.experts))
            : "taken as true: annotators err independently of each other and of the models (no "
              "images judged by experts)");
    if (out.experts == 0)
        out.notes.emplace_back(
            "classes that nobody was asked about count as not valid; only images judged by experts "
            "show what this misses");
    if (out.given > 0)
        out.notes.push_back(
            fmt::format("nobody was asked about {} images: their given labels "
                        "count as true",
                        count_text(out.given)));
    if (images.models.size() == 1)
        out.notes.emplace_back(
            "only one model: the agreement of two models says more about the labels, so score two "
            "models together for better values");
    std::uint64_t single = 0;
    for (std::size_t i = 0; i < images.asked.images(); ++i)
        single += images.asked.asked(i) == 1 ? 1 : 0;
    if (2 * single > images.asked.images())
        out.warnings.push_back(fmt::format(
            "{} of {} images have only one question, so the votes say little about further labels",
            count_text(single), count_text(images.asked.images())));
}

/// The text of --votes or --expert-labels for the data set of `store`; "" if there is none.
std::filesystem::path file_for(const std::vector<std::string>& given, const PredictionStore& store,
                               std::size_t datasets, std::string_view option) {
    std::filesystem::path found;
    for (const std::string& text : given) {
        const LabelsText parsed = parse_named_file(text, option);
        if (!parsed.name.empty() && !is_called(store, parsed.name)) continue;
        if (parsed.name.empty() && datasets > 1)
            throw Error(ErrorCode::usage,
                        fmt::format("{} data sets: say which one {} is about, as in {} {}={}",
                                    datasets, parsed.file.string(), option,
                                    store.spec().dataset_name, parsed.file.string()));
        if (!found.empty())
            throw Error(ErrorCode::usage,
                        fmt::format("{} gets {} and {} by {}: name one file for it",
                                    store.spec().dataset_name, found.string(), parsed.file.string(),
                                    option));
        found = parsed.file;
    }
    return found;
}

void require_called(const std::vector<std::string>& given,
                    const std::vector<const PredictionStore*>& first, std::string_view option) {
    std::vector<std::string> names;
    for (const PredictionStore* store : first) names.push_back(store->spec().dataset_name);
    for (const std::string& text : given) {
        const LabelsText parsed = parse_named_file(text, option);
        const bool known = parsed.name.empty() || std::ranges::any_of(first, [&](const auto* s) {
                               return is_called(*s, parsed.name);
                           });
        if (!known)
            throw Error(ErrorCode::usage,
                        fmt::format("{} for `{}`, which is no data set here{}", option, parsed.name,
                                    suggest(parsed.name, names)));
    }
}

}  // namespace

void check(const ByVotesOptions& options) {
    if (options.votes.empty()) {
        if (options.experts.empty()) return;
        throw Error(ErrorCode::usage,
                    "--expert-labels correct values by votes: add --votes FILE. To take the sets "
                    "of experts as they are, use --labels FILE");
    }
    for (const std::string& text : options.votes) parse_named_file(text, "--votes");
    for (const std::string& text : options.experts) parse_named_file(text, "--expert-labels");
    subgroups_of(options.subgroups);
}

std::vector<ByVotes> values_by_votes(std::span<const PredictionStore* const> all,
                                     const ByVotesOptions& options, const LabelsOf& labels_of) {
    std::vector<const PredictionStore*> stores;
    std::size_t apart = 0;
    for (const PredictionStore* store : all) {
        if (derived_of(*store).is_apart()) {
            ++apart;
        } else {
            stores.push_back(store);
        }
    }
    if (stores.empty() && !options.votes.empty())
        throw Error(ErrorCode::usage,
                    "--votes is about models, and all stores here are of attacks on them or of "
                    "smoothed models: name the models' own stores");
    const auto groups = store::groups_of(stores, {.classes = true, .name = true});
    std::vector<const PredictionStore*> first;
    for (const auto& group : groups) first.push_back(stores[group.front()]);
    require_called(options.votes, first, "--votes");
    require_called(options.experts, first, "--expert-labels");
    const std::vector<int> subgroups = subgroups_of(options.subgroups);
    std::vector<ByVotes> results;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto votes = file_for(options.votes, *first[g], groups.size(), "--votes");
        const auto experts = file_for(options.experts, *first[g], groups.size(), "--expert-labels");
        if (votes.empty() && experts.empty()) continue;
        if (votes.empty())
            throw Error(ErrorCode::usage, fmt::format("{0} has --expert-labels and no votes: add "
                                                      "--votes {0}=FILE",
                                                      first[g]->spec().dataset_name));
        std::vector<const PredictionStore*> own;
        for (const std::size_t s : groups[g]) own.push_back(stores[s]);
        with_note(fmt::format("scoring `{}` by votes", first[g]->spec().dataset_name), [&] {
            VotedImages images =
                voted_images(own, votes, labels_of(*first[g]), subgroups, options.threads);
            ByVotes out;
            out.dataset = first[g]->spec().dataset_name;
            out.images = images.rows.size();
            out.asked = images.asked.images();
            out.given = static_cast<std::uint64_t>(
                std::count_if(images.given.offsets().begin() + 1, images.given.offsets().end(),
                              [before = std::uint64_t{0}](std::uint64_t end) mutable {
                                  return end > std::exchange(before, end);
                              }));
            out.questions = images.asked.questions();
            out.votes = images.asked.codes.size();
            out.annotators = images.asked.annotators;
            const std::size_t most =
                std::max<std::size_t>(2, images.asked.questions() / questions_a_model);
            if (own.size() > most)
                throw Error(ErrorCode::usage,
                            fmt::format("{} models, and {} questions are enough for {}: name the "
                                        "stores to score, as in `assay score {} {} --votes {}`",
                                        own.size(), count_text(out.questions), most,
                                        own[0]->folder().string(), own[1]->folder().string(),
                                        votes.string()));
            std::optional<ExpertSets> judged;
            if (!experts.empty()) judged = expert_sets(experts, *first[g], images);
            Estimation(images, options, subgroups).fill(judged ? &*judged : nullptr, out);
            out.notes = images.notes;
            say_what_was_taken(images, out);
            if (apart > 0)
                images.warnings.push_back(
                    fmt::format("stores of attacks and of smoothed models are skipped: {} are not "
                                "scored by votes",
                                apart));
            out.warnings.insert(out.warnings.begin(), images.warnings.begin(),
                                images.warnings.end());
            results.push_back(std::move(out));
        });
    }
    return results;
}

}  // namespace assay
