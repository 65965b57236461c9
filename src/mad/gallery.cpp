#include "assay/mad/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/gallery_sheet.h"
#include "mad/tally.h"

namespace assay::mad {
namespace {

constexpr std::size_t still_open = 4;  // index of open images in GallerySheet::cases

/// A pair with the images for its sheets.
struct GalleryPair {
    PairRow row;
    std::string file;  ///< name without extension
    std::vector<SelectedRow> images;
    std::uint64_t accepted = 0, duplicates = 0;
};

/// The layout of a sheet.
struct SheetPlan {
    GallerySheet result;
    std::vector<std::string> head;
    std::vector<SheetCell> cells;
};

void check_gallery_options(const Competition& competition, const GalleryOptions& options) {
    const auto need = [](bool holds, const std::string& message) {
        if (!holds) throw Error(ErrorCode::usage, message);
    };
    need(options.side >= 32 && options.side <= 1024,
         fmt::format("images of {} pixels; allowed: 32 to 1024", options.side));
    need(options.columns >= 1 && options.columns <= 50,
         fmt::format("{} columns; allowed: 1 to 50", options.columns));
    need(!options.out.empty(), "a gallery needs a folder");
    std::vector<std::string> known;
    for (const CompetitionClassifier& one : competition.active()) known.push_back(one.name);
    for (const std::string& name : options.models) {
        need(std::find(known.begin(), known.end(), name) != known.end(),
             fmt::format("`{}` is not a classifier of {}{}", shortened(name),
                         competition.folder().string(), suggest(name, known)));
    }
}

/// Returns "FIRST--SECOND" for each pair, unique and valid for any names.
class SheetNames {
public:
    std::string of(const std::string& first, const std::string& second) {
        const std::string wanted = part(first) + "--" + part(second);
        return unique(wanted);
    }
    std::string unique(const std::string& wanted) {
        std::string name = wanted;
        for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}-{}", wanted, n);
        return name;
    }

private:
    /// Two names and an extension fit into a file name of 255 bytes.
    static std::string part(const std::string& name) {
        std::string plain = folder_name_from(name);
        if (plain.size() <= 110) return plain;
        std::size_t end = 110;
        while (end > 0 && (static_cast<unsigned char>(plain[end]) & 0xC0U) == 0x80U) --end;
        return plain.substr(0, end);
    }
    std::set<std::string> taken_;
};

bool is_wanted_pair(const GalleryOptions& options, const std::string& first,
                    const std::string& second) {
    const auto named = [&](const std::string& name) {
        return std::find(options.models.begin(), options.models.end(), name) !=
               options.models.end();
    };
    if (options.models.empty()) return true;
    return options.models.size() == 1 ? named(first) || named(second)
                                      : named(first) && named(second);
}

/// All pairs get names, so that a sheet's name does not depend on which other sheets are
/// drawn.
std::vector<GalleryPair> gallery_pairs(const Competition& competition,
                                       const GalleryOptions& options, SheetNames& names) {
    const Database& database = competition.impl().database;
    const std::vector<CompetitionClassifier>& classifiers = competition.classifiers();
    std::vector<GalleryPair> pairs;
    std::map<std::int64_t, std::size_t> place;
    for (const PairRow& row : read_pairs(database)) {
        const std::string& first = classifiers.at(row.first).name;
        const std::string& second = classifiers.at(row.second).name;
        const std::string file = names.of(first, second);
        if (!is_wanted_pair(options, first, second)) continue;
        place[row.id] = pairs.size();
        pairs.push_back({.row = row, .file = file, .images = {}});
    }
    for (const SelectedRow& image : read_selected(database)) {
        const auto found = place.find(image.pair);
        if (found == place.end()) continue;
        GalleryPair& pair = pairs[found->second];
        pair.accepted += image.state == SelectedState::accepted ? 1 : 0;
        pair.duplicates += image.state == SelectedState::duplicate ? 1 : 0;
        if (image.state != SelectedState::duplicate) pair.images.push_back(image);
    }
    return pairs;
}

/// Short class names: the first of several names, unless another class also has it.
std::vector<std::string> short_names(const ClassList& classes) {
    std::map<std::string, int> count;
    std::vector<std::string> names;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const std::string& name = classes.name(c);
        names.push_back(name.substr(0, name.find(',')));
        ++count[names.back()];
    }
    for (std::size_t c = 0; c < names.size(); ++c)
        if (count[names[c]] > 1 || names[c].empty()) names[c] = classes.id(c);
    return names;
}

/// Formats ".93", truncated, because .999 must not appear as 1.
std::string confidence_text(std::uint8_t level) {
    const int percent = level * 100 / confidence_levels;
    return percent >= 100 ? "1.00" : fmt::format(".{:02}", percent);
}

class GalleryPlanner {
public:
    explicit GalleryPlanner(const Competition& competition)
        : competition_(competition),
          tally_(tally_of(competition)),
          names_(short_names(competition.classes())) {
        for (const CompetitionClassifier& one : competition.classifiers())
            stored_.push_back(one.active ? std::make_optional(competition.predictions(one))
                                         : std::nullopt);
    }

    /// The sheets of a pair, each with at most `cells` images.
    std::vector<SheetPlan> sheets_of(const GalleryPair& pair, std::size_t cells) const {
        std::vector<SheetPlan> sheets;
        std::array<std::uint64_t, 5> all{};
        for (std::size_t i = 0; i < pair.images.size(); ++i) {
            if (i % cells == 0) {
                sheets.emplace_back();
                sheets.back().result.first = name_of(pair.row.first);
                sheets.back().result.second = name_of(pair.row.second);
            }
            std::size_t which = still_open;
            sheets.back().cells.push_back(cell_of(pair.row, pair.images[i], which));
            ++sheets.back().result.images;
            ++sheets.back().result.cases[which];
            ++all[which];
        }
        for (std::size_t s = 0; s < sheets.size(); ++s)
            sheets[s].head = head_of(pair, all, s + 1, sheets.size());
        return sheets;
    }

    GalleryImage image_of(const PairRow& pair, const SelectedRow& image) const {
        const std::optional<Case> known = case_of_place(tally_, image);
        return {
            .first = name_of(pair.first),
            .second = name_of(pair.second),
            .place = image.place + 1,
            .id = std::string(competition_.dataset().ids[static_cast<std::size_t>(image.image)]),
            .item = static_cast<std::uint64_t>(image.image),
            .first_label = data_of(pair.first, image.image, image.first_label),
            .second_label = data_of(pair.second, image.image, image.second_label),
            .distance = image.units * ClassDistances::unit,
            .outcome = known ? std::string(mad::name_of(*known)) : "open"};
    }

private:
    const std::string& name_of(std::uint32_t number) const {
        return competition_.classifiers().at(number).name;
    }

    SheetLabel label_of(std::uint32_t classifier, std::int64_t image, std::uint16_t label) const {
        const Predictions& stored = stored_.at(classifier).value().predictions();
        const auto at = static_cast<std::size_t>(image);
        if (image < 0 || at >= stored.labels.size() || label >= names_.size() ||
            stored.labels[at] != label) {
            refuse(
                fmt::format("{}: `{}` predicts a different label for image {} than when it was "
                            "selected; to find the damage, type `assay verify {}`",
                            competition_.folder().string(), name_of(classifier), image,
                            competition_.folder().string()));
        }
        SheetLabel shown{.name = names_[label],
                         .confidence = confidence_text(stored.confidences[at])};
        const QuestionTally* question = tally_.find(image, label);
        if (question != nullptr && question->known() && !question->outcome.unclear)
            shown.mark = question->outcome.yes ? SheetMark::yes : SheetMark::no;
        return shown;
    }

    GalleryLabel data_of(std::uint32_t classifier, std::int64_t image, std::uint16_t label) const {
        // checks that the prediction is the recorded one
        const SheetLabel shown = label_of(classifier, image, label);
        const Predictions& stored = stored_.at(classifier).value().predictions();
        GalleryLabel out{
            .id = competition_.classes().id(label),
            .name = competition_.classes().name(label),
            .confidence = static_cast<double>(stored.confidences[static_cast<std::size_t>(image)]) /
                          confidence_levels,
            .correct = {}};
        if (shown.mark != SheetMark::open) out.correct = shown.mark == SheetMark::yes;
        return out;
    }

    SheetCell cell_of(const PairRow& pair, const SelectedRow& image, std::size_t& which) const {
        SheetCell cell;
        cell.first = label_of(pair.first, image.image, image.first_label);
        cell.second = label_of(pair.second, image.image, image.second_label);
        cell.path = competition_.dataset().path_of(static_cast<std::size_t>(image.image));
        const std::optional<Case> known = case_of_place(tally_, image);
        which = known ? static_cast<std::size_t>(*known) : still_open;
        cell.below =
            fmt::format("{}: {:.3g} apart, {}", image.place + 1, image.units * ClassDistances::unit,
                        which == still_open ? "open" : mad::name_of(static_cast<Case>(which)));
        return cell;
    }

    std::vector<std::string> head_of(const GalleryPair& pair,
                                     const std::array<std::uint64_t, 5>& cases, std::size_t sheet,
                                     std::size_t sheets) const {
        std::string counts = fmt::format(
            "{} of {} images, {} candidates; case I {}, II {}, III {}, replaced {}, open {}",
            pair.accepted, pair.row.k, pair.row.candidates, cases[0], cases[1], cases[2], cases[3],
            cases[4]);
        if (pair.duplicates > 0)
            counts += fmt::format("; {} near duplicates are not shown", pair.duplicates);
        if (sheets > 1) counts += fmt::format("; sheet {} of {}", sheet, sheets);
        return {"A: " + name_of(pair.row.first), "B: " + name_of(pair.row.second), counts,
                "Largest distance of the labels first. Green: people say yes; red: no."};
    }

    const Competition& competition_;
    Tally tally_;
    std::vector<std::string> names_;
    std::vector<std::optional<StoredPredictions>> stored_;
};

/// Throws before anything is written if no image of any sheet can be read.
void check_some_image(const std::vector<SheetPlan>& sheets, const SheetForm& form) {
    std::string first_reason;
    std::filesystem::path first_path;
    for (const SheetPlan& sheet : sheets) {
        for (const SheetCell& cell : sheet.cells) {
            throw_if_stopped();
            std::string reason;
            cell_image(cell.path, form, reason);
            if (reason.empty()) return;
            if (first_reason.empty()) {
                first_reason = reason;
                first_path = cell.path;
            }
        }
    }
    refuse(
        fmt::format("no image can be read; the first, {}: {}", first_path.string(), first_reason));
}

}  // namespace

std::vector<GalleryImage> gallery_images(const Competition& competition) {
    SheetNames names;
    const GalleryPlanner planner(competition);
    std::vector<GalleryImage> images;
    for (const GalleryPair& pair : gallery_pairs(competition, {}, names))
        for (const SelectedRow& image : pair.images)
            images.push_back(planner.image_of(pair.row, image));
    return images;
}

Gallery make_gallery(const Competition& competition, const GalleryOptions& options,
                     const ProgressCallback& progress) {
    check_gallery_options(competition, options);
    SheetNames names;
    const std::vector<GalleryPair> pairs = gallery_pairs(competition, options, names);
    const SheetForm form{.side = options.side, .columns = options.columns};

    Gallery gallery;
    std::vector<SheetPlan> plans;
    Progress state;
    const GalleryPlanner planner(competition);
    for (const GalleryPair& pair : pairs) {
        std::vector<SheetPlan> sheets = planner.sheets_of(pair, cells_of_a_sheet(form));
        for (const SelectedRow& image : pair.images)
            gallery.shown.push_back(planner.image_of(pair.row, image));
        for (std::size_t s = 0; s < sheets.size(); ++s) {
            const std::string file =
                s == 0 ? pair.file : names.unique(fmt::format("{}-{}", pair.file, s + 1));
            sheets[s].result.file = options.out / (file + ".png");
            state.total += sheets[s].cells.size();
            plans.push_back(std::move(sheets[s]));
        }
        if (sheets.empty()) {
            gallery.warnings.push_back(
                fmt::format("no image is selected for {} and {}, so they have no sheet",
                            competition.classifiers().at(pair.row.first).name,
                            competition.classifiers().at(pair.row.second).name));
        }
    }
    if (plans.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("{}: no image is selected; run `assay mad select` first",
                                competition.folder().string()));
    check_some_image(plans, form);

    make_folders(options.out);
    std::mutex mutex;
    std::vector<std::string> reasons(plans.size());
    parallel_blocks(plans.size(), options.threads == 0 ? resolve_threads(0) : options.threads,
                    [&](std::size_t s) {
                        SheetPlan& plan = plans[s];
                        Image sheet = empty_sheet(plan.head, plan.cells, form);
                        for (std::size_t i = 0; i < plan.cells.size(); ++i) {
                            throw_if_stopped();
                            std::string reason;
                            put_cell(sheet, cell_image(plan.cells[i].path, form, reason), i,
                                     plan.head.size(), form);
                            if (!reason.empty() && ++plan.result.unreadable == 1)
                                reasons[s] = plan.cells[i].path.string() + ": " + reason;
                            const std::lock_guard hold(mutex);
                            ++state.done;
                            state.failed += reason.empty() ? 0 : 1;
                            if (progress) progress(state);
                        }
                        save_png(sheet, plan.result.file);
                    });
    std::string first_reason;
    for (std::size_t s = 0; s < plans.size(); ++s) {
        if (first_reason.empty()) first_reason = reasons[s];
        gallery.images += plans[s].result.images;
        gallery.unreadable += plans[s].result.unreadable;
        gallery.sheets.push_back(std::move(plans[s].result));
    }
    if (gallery.unreadable > 0)
        gallery.warnings.push_back(
            fmt::format("{} of {} images cannot be read and are shown in grey; the first, {}",
                        gallery.unreadable, gallery.images, first_reason));
    return gallery;
}

}  // namespace assay::mad
