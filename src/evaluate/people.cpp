#include "assay/evaluate/people.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>

#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "core/text.h"
#include "evaluate/compare_pairing.h"
#include "evaluate/kappa.h"
#include "evaluate/people_answers.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// True if a person's or model's decision about an image was correct.
enum class Decided : std::uint8_t { incorrect, correct, none };

/// The images' names in the form for matching both sides: without folders and
/// extension.
std::string own_name(std::string_view path) {
    const std::string_view file = path.substr(path.find_last_of('/') + 1);
    return std::string(file.substr(0, file.find_last_of('.')));
}

/// Numbers of items keyed by their file names.
class ItemsByName {
public:
    explicit ItemsByName(const StringColumn& ids) {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const auto [at, fresh] = rows_.emplace(own_name(ids[i]), i);
            if (fresh) continue;
            throw Error(ErrorCode::bad_input,
                        fmt::format("`{}` and `{}` have the same file name, so it is unknown which "
                                    "of them people saw",
                                    ids[at->second], ids[i]));
        }
    }
    /// Searches by the whole name, then by the text after the first, second, ... underscore.
    std::optional<std::size_t> find(std::string_view image) const {
        const std::string name = own_name(image);
        for (std::size_t begin = 0;;) {
            const auto at = rows_.find(name.substr(begin));
            if (at != rows_.end()) return at->second;
            const std::size_t next = name.find('_', begin);
            if (next == std::string::npos) return std::nullopt;
            begin = next + 1;
        }
    }

private:
    std::unordered_map<std::string, std::size_t> rows_;
};

/// The answers, sorted by the items of one store.
struct SortedAnswers {
    std::vector<std::size_t> rows;                       ///< rows of the images, ascending
    std::vector<std::string> categories;                 ///< one per image
    std::map<std::string, std::vector<Decided>> people;  ///< one per image
    std::uint64_t used = 0, unanswered = 0, repeated = 0, elsewhere = 0;
    std::string first_elsewhere;
};

SortedAnswers sorted_by_items(const std::vector<PeoplesAnswer>& answers, const StringColumn& ids) {
    const ItemsByName items(ids);
    SortedAnswers out;
    std::vector<std::optional<std::size_t>> row_of(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        row_of[i] = items.find(answers[i].image);
        if (row_of[i]) {
            out.rows.push_back(*row_of[i]);
        } else if (out.elsewhere++ == 0) {
            out.first_elsewhere = answers[i].image;
        }
    }
    if (out.rows.empty()) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("none of the images that people saw is an item of the data set, for "
                        "example `{}`; items have ids like `{}`",
                        out.first_elsewhere, ids.size() > 0 ? std::string(ids[0]) : std::string()));
    }
    std::sort(out.rows.begin(), out.rows.end());
    out.rows.erase(std::unique(out.rows.begin(), out.rows.end()), out.rows.end());
    out.categories.resize(out.rows.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!row_of[i]) continue;
        const PeoplesAnswer& a = answers[i];
        const auto at = static_cast<std::size_t>(
            std::lower_bound(out.rows.begin(), out.rows.end(), *row_of[i]) - out.rows.begin());
        std::vector<Decided>& decided = out.people[a.person];
        decided.resize(out.rows.size(), Decided::none);
        if (decided[at] != Decided::none) {
            ++out.repeated;
            continue;
        }
        if (!out.categories[at].empty() && out.categories[at] != a.category) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("`{}` has the category `{}` and, in another answer, `{}`",
                                    a.image, out.categories[at], a.category));
        }
        out.categories[at] = a.category;
        decided[at] = a.right ? Decided::correct : Decided::incorrect;
        ++out.used;
        out.unanswered += a.given ? 0 : 1;
    }
    return out;
}

AgreementCells cells_of(std::span<const Decided> one, std::span<const Decided> other) {
    AgreementCells cells{};
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i] == Decided::none || other[i] == Decided::none) continue;
        ++cells[(one[i] == Decided::correct ? 0 : 2) + (other[i] == Decided::correct ? 0 : 1)];
    }
    return cells;
}

using TwoDeciders = std::pair<std::span<const Decided>, std::span<const Decided>>;

/// The mean kappa of pairs over the images. Without one image, a pair has one of five values,
/// because the image is in one of four cells or in none.
Estimate mean_kappa(const std::vector<TwoDeciders>& pairs, double level) {
    Estimate mean;
    std::vector<std::array<std::optional<double>, 5>> without;
    std::vector<TwoDeciders> used;
    double sum = 0;
    for (const TwoDeciders& pair : pairs) {
        const AgreementCells cells = cells_of(pair.first, pair.second);
        const std::optional<double> value = kappa_of(cells);
        if (!value) continue;
        sum += *value;
        used.push_back(pair);
        auto& left = without.emplace_back();
        for (std::size_t c = 0; c < 4; ++c) {
            AgreementCells less = cells;
            if (less[c]-- > 0) left[c] = kappa_of(less);
        }
        left[4] = value;
    }
    if (used.empty()) {
        mean.undefined = "no pair answered the same image and has errors";
        return mean;
    }
    const auto count = static_cast<double>(used.size());
    mean.value = sum / count;
    std::vector<double> left_out;
    for (std::size_t i = 0; i < used[0].first.size(); ++i) {
        double total = 0;
        bool decided = false;
        for (std::size_t p = 0; p < used.size(); ++p) {
            const Decided one = used[p].first[i], other = used[p].second[i];
            const bool both = one != Decided::none && other != Decided::none;
            decided = decided || both;
            const auto& value = without[p][both ? (one == Decided::correct ? 0 : 2) +
                                                      (other == Decided::correct ? 0 : 1)
                                                : 4];
            if (!value) {
                mean.note = "no interval: the value is undefined without one of the images";
                continue;
            }
            total += *value;
        }
        if (decided) left_out.push_back(total / count);
    }
    mean.n = left_out.size();
    if (!mean.note.empty()) return mean;
    const auto n = static_cast<double>(left_out.size());
    double centre = 0, squares = 0;
    for (const double value : left_out) centre += value / n;
    for (const double value : left_out) squares += (value - centre) * (value - centre);
    mean.standard_error = std::sqrt((n - 1) / n * squares);
    mean.interval = symmetric_interval(*mean.value, *mean.standard_error, level, "jackknife.items");
    mean.interval->low = std::max(-1.0, mean.interval->low);
    mean.interval->high = std::min(1.0, mean.interval->high);
    return mean;
}

Estimate accuracy_of(double hits, double n, double level) {
    Estimate out;
    out.unit = Unit::proportion;
    out.n = static_cast<std::uint64_t>(n);
    if (n == 0) {
        out.undefined = "no image was answered by both";
        return out;
    }
    out.value = hits / n;
    out.interval = wilson(static_cast<std::uint64_t>(hits), out.n, level);
    return out;
}

Consistency consistency_of(const std::string& person, std::span<const Decided> model,
                           std::span<const Decided> answers, double level) {
    const AgreementCells cells = cells_of(model, answers);
    const auto whole = [&](std::size_t c) { return static_cast<std::uint64_t>(cells[c]); };
    Consistency out;
    out.other = person;
    out.both_correct = whole(0);
    out.only_model_correct = whole(1);
    out.only_person_correct = whole(2);
    out.both_incorrect = whole(3);
    const double n = cells[0] + cells[1] + cells[2] + cells[3];
    out.model = accuracy_of(cells[0] + cells[1], n, level);
    out.person = accuracy_of(cells[0] + cells[2], n, level);
    if (n > 0) {
        out.observed = (cells[0] + cells[3]) / n;
        out.by_chance = agreement_by_chance(cells);
    }
    out.kappa = error_consistency(whole(0), whole(1), whole(2), whole(3), level);
    if (n == 0) out.kappa.undefined = "no image was answered by both";
    return out;
}

/// The decisions of the store's model about the images.
std::vector<Decided> decisions(const RowReader& reader, const SortedAnswers& answers,
                               const ClassList& classes, int threads) {
    std::map<std::string, std::int32_t> numbers;
    for (const std::string& category : answers.categories) {
        const auto [at, fresh] = numbers.emplace(category, -1);
        if (!fresh) continue;
        const std::optional<std::int32_t> number = classes.find(category);
        if (!number) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("the category `{}` is not one of the {} classes of `{}`{}", category,
                            reader.classes(), reader.store().folder().string(),
                            reader.classes() == 16
                                ? ""
                                : "; for an ImageNet classifier, add --class-map 16-class"));
        }
        at->second = *number;
    }
    std::vector<Decided> out(answers.rows.size(), Decided::none);
    constexpr std::size_t block = 256;
    parallel_blocks((out.size() + block - 1) / block, resolve_threads(threads), [&](std::size_t b) {
        throw_if_stopped();
        const std::size_t end = std::min(out.size(), (b + 1) * block);
        for (std::size_t i = b * block; i < end; ++i) {
            RowPrediction row;
            const std::int32_t category = numbers.at(answers.categories[i]);
            if (reader.read(answers.rows[i], category, {}, row, RowReader::Detail::ranking) ==
                RowStatus::ok)
                out[i] = row.predicted == category ? Decided::correct : Decided::incorrect;
        }
    });
    return out;
}

}  // namespace

PeopleResult compare_with_people(const PeopleOptions& options) {
    check(options.measure, false);
    const std::vector<PeoplesAnswer> answers = read_peoples_answers(options.answers);
    PeopleResult result;
    const OpenedModels opened = open_models(options.stores);
    const std::vector<PredictionStore>& stores = opened.stores;
    if (!opened.skipped.empty()) result.warnings.push_back(opened.skipped);
    std::vector<const PredictionStore*> all;
    for (const PredictionStore& store : stores) all.push_back(&store);
    const std::vector<std::string> names = names_of(all);
    const double level = options.measure.resampling.level;
    for (std::size_t s = 0; s < stores.size(); ++s) {
        const PredictionStore& store = stores[s];
        if (std::string writing = writer_warning(store); !writing.empty())
            result.warnings.push_back(std::move(writing));
        std::optional<ClassMap> map;
        if (!options.measure.class_map.empty())
            map = class_map_named(options.measure.class_map, store.dataset().classes);
        const ClassList classes = map ? map->targets : store.dataset().classes;
        const SortedAnswers sorted = sorted_by_items(answers, store.dataset().ids);
        const std::vector<Decided> model =
            decisions(RowReader(store, map), sorted, classes, options.measure.threads);
        ModelAndPeople& one = result.models.emplace_back();
        one.model = names[s];
        one.dataset = store.spec().dataset_name;
        one.without_scores =
            static_cast<std::uint64_t>(std::count(model.begin(), model.end(), Decided::none));
        std::vector<TwoDeciders> pairs;
        for (const auto& [person, decided] : sorted.people) {
            one.people.push_back(consistency_of(person, model, decided, level));
            pairs.emplace_back(model, decided);
        }
        one.mean = mean_kappa(pairs, level);
        if (one.without_scores > 0)
            result.warnings.push_back(
                fmt::format("{}: {} of {} images that people saw have no scores", one.model,
                            one.without_scores, sorted.rows.size()));
        if (s > 0) continue;
        std::vector<TwoDeciders> between;
        for (auto a = sorted.people.begin(); a != sorted.people.end(); ++a) {
            for (auto b = std::next(a); b != sorted.people.end(); ++b)
                between.emplace_back(a->second, b->second);
        }
        result.between_people = mean_kappa(between, level);
        if (between.empty()) result.between_people.undefined = "there is one person";
        result.answers = sorted.used;
        result.unanswered = sorted.unanswered;
        if (sorted.elsewhere > 0)
            result.warnings.push_back(fmt::format(
                "{} of {} answers are about images that are not in the data set (the first: {})",
                sorted.elsewhere, answers.size(), sorted.first_elsewhere));
        if (sorted.repeated > 0)
            result.warnings.push_back(
                fmt::format("{} repeat a person's answer to the same image: the first counts",
                            how_many(sorted.repeated, "answer")));
    }
    return result;
}

}  // namespace assay
