#include "evaluate/given_labels.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <optional>

#include "assay/error.h"
#include "assay/report.h"
#include "assay/robustness/corrupted_accuracy.h"
#include "core/paths.h"
#include "data/label_rows.h"
#include "evaluate/matching_data_sets.h"
#include "store/same_data.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// For a store in memory, the folder is a name that another store may also have.
std::string key_of(const PredictionStore& store) {
    return store.spec().dataset_id + "/" + store.folder().string();
}

bool is_corrupted_version(const PredictionStore& store) {
    return version_of(store.dataset().root, store.spec().dataset_name).corruption != nullptr;
}

/// True if a file may be about both data sets. It may if images with the same names are equal. It
/// also may if they share no image name, and the file names its images (`by_name`). If it is not
/// known whether images are equal, data sets with the same name are assumed to have equal images.
bool can_share_labels(const PredictionStore& one, const PredictionStore& two, bool by_name) {
    const store::SameData same = store::same_data(one, two, {.labels = true, .name = true});
    if (!same.ids) {
        const store::CommonItems common = store::common_items(one, two);
        return common.items == 0 ? by_name : common.same_files.value_or(false);
    }
    const std::optional<bool> files = store::saw_same_files(one, two);
    if (files.value_or(false)) return true;
    if (same.labels && (is_corrupted_version(one) || is_corrupted_version(two))) return true;
    return !files && same.name;
}

}  // namespace

bool is_called(const PredictionStore& store, const std::string& name) {
    const std::string& own = store.spec().dataset_name;
    if (name == own || fnmatch(name.c_str(), own.c_str(), 0) == 0) return true;
    const std::string folder = store.folder().lexically_normal().parent_path().string();
    for (std::size_t begin = 0; begin != std::string::npos;) {
        if (fnmatch(name.c_str(), folder.c_str() + begin, FNM_PATHNAME) == 0) return true;
        const std::size_t slash = folder.find('/', begin);
        begin = slash == std::string::npos ? slash : slash + 1;
    }
    return false;
}

static LabelsText split_name(const std::string& text, std::string_view what) {
    LabelsText parsed{{}, text};
    const std::size_t sign = text.find('=');
    if (sign != std::string::npos && !is_there(text)) {
        parsed = {text.substr(0, sign), text.substr(sign + 1)};
        if (parsed.name.empty() || parsed.file.empty())
            throw Error(ErrorCode::usage,
                        fmt::format("{} `{}`: FILE or NAME=FILE is allowed", what, text));
    }
    return parsed;
}

LabelsText parse_labels(const std::string& text) {
    LabelsText parsed = split_name(text, "labels");
    require_labels(parsed.file);
    return parsed;
}

LabelsText parse_named_file(const std::string& text, std::string_view what) {
    LabelsText parsed = split_name(text, what);
    if (!is_there(parsed.file))
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} `{}`: the file does not exist", what, parsed.file.string()));
    return parsed;
}

/// Assigns the files to the data sets: one choice per data set.
class GivenLabels::Deciding {
public:
    Deciding(const std::vector<std::string>& given, std::span<const PredictionStore* const> stores,
             store::SoftFiles soft, const store::LabelTableColumns& columns,
             std::vector<Choice>& choices)
        : soft_(soft), columns_(columns), choices_(choices) {
        for (const std::string& text : given) given_.push_back(parse_labels(text));
        groups_ = store::groups_of(stores, {.classes = true, .name = true});
        for (const auto& group : groups_) sets_.push_back(stores[group.front()]);
        choices_.resize(sets_.size());
        named_.resize(sets_.size());
        why_own_.resize(sets_.size());
    }

    const std::vector<std::vector<std::size_t>>& groups() const { return groups_; }

    void decide() {
        for (const LabelsText& labels : given_) {
            if (!labels.name.empty()) give_named(labels);
        }
        for (std::size_t s = 0; s < sets_.size(); ++s) named_[s] = !choices_[s].file.empty();
        for (const LabelsText& labels : given_) {
            if (labels.name.empty()) give_to_all(labels);
        }
    }

    void say(std::vector<std::string>& notes, std::vector<std::string>& warnings) const {
        for (std::size_t s = 0; s < sets_.size(); ++s) {
            const Choice& choice = choices_[s];
            if (!choice.file.empty()) {
                const LabelMatch& match = choice.fit.match;
                notes.insert(notes.end(), choice.fit.notes.begin(), choice.fit.notes.end());
                auto& lines = match.unnamed + match.others > 0 ? warnings : notes;
                lines.push_back(name_of(s) + ": " + describe(choice.fit, choice.file));
                if (!choice.fit.doubt.empty())
                    warnings.push_back(name_of(s) + ": " + choice.fit.doubt);
            } else {
                auto& lines = why_own_[s].empty() ? notes : warnings;
                lines.push_back(fmt::format("{}: its own labels{}", name_of(s), why_own_[s]));
            }
        }
    }

private:
    /// The name in messages and in --labels, with its folder if another data set has the same name.
    std::string name_of(std::size_t set) const {
        const std::string& name = sets_[set]->spec().dataset_name;
        const auto namesakes = std::count_if(sets_.begin(), sets_.end(),
                                             [&](const auto* s) { return is_called(*s, name); });
        return namesakes == 1 ? name : sets_[set]->folder().parent_path().string();
    }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (std::size_t s = 0; s < sets_.size(); ++s) all.push_back(name_of(s));
        return all;
    }
    std::string how_to_see(std::size_t set) const {
        return fmt::format("`assay export {} --top 0` lists its ids",
                           sets_[set]->folder().string());
    }

    void give(std::size_t set, const fs::path& file, store::LabelFit fit) {
        if (!choices_[set].file.empty())
            throw Error(ErrorCode::usage,
                        fmt::format("{} gets labels from {} and from {}: name one file for it, as "
                                    "in --labels {}={}",
                                    name_of(set), choices_[set].file.string(), file.string(),
                                    name_of(set), file.string()));
        choices_[set] = {file, std::move(fit)};
    }

    void give_named(const LabelsText& labels) {
        std::vector<std::size_t> called;
        for (std::size_t s = 0; s < sets_.size(); ++s) {
            if (is_called(*sets_[s], labels.name)) called.push_back(s);
        }
        if (called.empty())
            throw Error(ErrorCode::usage,
                        fmt::format("labels for `{}`, which is not a data set here{}", labels.name,
                                    suggest(labels.name, names())));
        for (const std::size_t s : called) {
            store::LabelFit fit =
                store::label_fit(labels.file, sets_[s]->dataset(), soft_, columns_);
            if (!fit.fits()) throw_misfit(s, fit);
            give(s, labels.file, std::move(fit));
        }
        if (!evaluate::is_pattern(labels.name)) refuse_two_data_sets(called, labels.file);
    }

    void give_to_all(const LabelsText& labels) {
        std::vector<std::size_t> about;
        std::vector<std::pair<std::size_t, store::LabelFit>> misfits;
        bool tried = false;
        for (std::size_t s = 0; s < sets_.size(); ++s) {
            if (named_[s]) continue;
            tried = true;
            store::LabelFit fit =
                store::label_fit(labels.file, sets_[s]->dataset(), soft_, columns_);
            if (!fit.fits()) {
                misfits.emplace_back(s, std::move(fit));
                continue;
            }
            about.push_back(s);
            give(s, labels.file, std::move(fit));
        }
        if (!tried)
            throw Error(ErrorCode::usage,
                        fmt::format("the labels {} are used for no data set, because each has its "
                                    "own NAME=FILE; remove them",
                                    labels.file.string()));
        if (about.empty()) throw_no_fit(labels.file, misfits);
        refuse_two_data_sets(about, labels.file);
        for (const auto& [s, fit] : misfits)
            why_own_[s] += fmt::format("; {} does not fit: {}", labels.file.string(), fit.misfit());
    }

    void refuse_two_data_sets(const std::vector<std::size_t>& about, const fs::path& file) const {
        for (std::size_t i = 1; i < about.size(); ++i) {
            const std::size_t a = about.front(), b = about[i];
            const bool by_name = choices_[a].fit.match.rows > 0 && choices_[b].fit.match.rows > 0;
            if (can_share_labels(*sets_[a], *sets_[b], by_name)) continue;
            throw Error(ErrorCode::usage,
                        fmt::format("{0} names images of {1} and of {2}. Images with the same name "
                                    "may differ. Name the data set of these labels: --labels "
                                    "{1}={0} (add --labels {2}={0} if they are for both)",
                                    file.string(), name_of(a), name_of(b)));
        }
    }

    [[noreturn]] void throw_misfit(std::size_t set, const store::LabelFit& fit) const {
        Error error = *fit.error;
        if (!fit.names_no_item) throw error;
        Error more(error.code(), error.message() + "; " + how_to_see(set));
        for (const std::string& text : error.notes()) more.add_note(text);
        throw more;
    }
    [[noreturn]] void throw_no_fit(
        const fs::path& file,
        const std::vector<std::pair<std::size_t, store::LabelFit>>& misfits) const {
        const auto& [first, fit] = misfits.front();
        constexpr std::size_t most_said = 3;
        std::string why;
        std::size_t said = 0;
        bool other_items = false, one_reason = true;
        for (const auto& [s, other] : misfits) {
            other_items = other_items || other.names_no_item;
            one_reason = one_reason && other.misfit() == fit.misfit();
            if (said++ < most_said) why += fmt::format("; {}", other.misfit());
        }
        // The reason is the same for all data sets if, for example, the file cannot be read.
        if (one_reason) throw_misfit(first, fit);
        throw Error(ErrorCode::bad_input,
                    fmt::format("the labels {} fit none of the {} data sets{}{}", file.string(),
                                misfits.size(), why,
                                other_items ? "; " + how_to_see(first) : std::string()));
    }

    const store::SoftFiles soft_;
    const store::LabelTableColumns columns_;
    std::vector<LabelsText> given_;
    std::vector<std::vector<std::size_t>> groups_;
    std::vector<const PredictionStore*> sets_;  ///< the first store of each data set
    std::vector<Choice>& choices_;
    std::vector<bool> named_;           ///< data sets whose file was given by name
    std::vector<std::string> why_own_;  ///< reason for own labels, by data set
};

GivenLabels::GivenLabels(const std::vector<std::string>& given,
                         std::span<const PredictionStore* const> stores, store::SoftFiles soft,
                         const store::LabelTableColumns& columns) {
    if (given.empty()) return;
    Deciding deciding(given, stores, soft, columns, choices_);
    deciding.decide();
    deciding.say(notes_, warnings_);
    for (std::size_t g = 0; g < deciding.groups().size(); ++g) {
        for (const std::size_t s : deciding.groups()[g]) choice_of_[key_of(*stores[s])] = g;
    }
}

MeasureOptions GivenLabels::measure_for(const MeasureOptions& measure,
                                        const PredictionStore& store) const {
    MeasureOptions own = measure;
    const auto at = choice_of_.find(key_of(store));
    if (at == choice_of_.end()) return own;
    own.labels.clear();
    own.label_column.clear();
    own.image_column.clear();
    own.label_votes = false;
    const Choice& choice = choices_[at->second];
    if (choice.file.empty()) return own;
    if (choice.fit.soft) {
        own.soft_labels = choice.fit.soft;
        return own;
    }
    own.label_sets = choice.fit.sets;
    own.unnamed = choice.fit.match.unnamed;
    return own;
}

GivenLabels labels_of_stores(const std::vector<std::string>& given,
                             const std::vector<fs::path>& folders) {
    if (given.empty()) return {};
    std::vector<PredictionStore> stores;
    for (const fs::path& folder : folders) stores.push_back(PredictionStore::open(folder));
    std::vector<const PredictionStore*> all;
    for (const PredictionStore& store : stores) all.push_back(&store);
    return GivenLabels(given, all);
}

}  // namespace assay
