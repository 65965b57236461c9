#include "assay/mad/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "mad/gallery_classes.h"
#include "mad/gallery_plan.h"
#include "mad/gallery_sheet.h"
#include "mad/image_tags.h"

namespace assay::mad {
namespace {

void check_gallery_options(const Competition& competition, const GalleryOptions& options) {
    const auto need = [](bool holds, const std::string& message) {
        if (!holds) throw Error(ErrorCode::usage, message);
    };
    need(options.side >= 32 && options.side <= 1024,
         fmt::format("images of {} pixels; allowed: 32 to 1024", options.side));
    need(options.columns >= 1 && options.columns <= 50,
         fmt::format("{} columns; allowed: 1 to 50", options.columns));
    need(!options.out.empty(), "a gallery needs a folder");
    need(options.by_tag || options.tags.empty(), "a file of tags needs by_tag");
    const bool beside = !options.beside.empty();
    need(!beside || !options.by_tag, "a sheet is of a tag or of a class: omit by_tag or beside");
    need(beside || (options.beside_list.empty() && options.beside_count == 0 &&
                    options.classes.empty() && options.top_classes == 0 && !options.confirmed),
         "beside_list, beside_count, classes, top_classes and confirmed need beside: name the "
         "labelled images");
    need(options.classes.empty() || options.top_classes == 0,
         "classes and top_classes both choose classes: omit one of them");
    std::vector<std::string> known;
    for (const CompetitionClassifier& one : competition.active()) known.push_back(one.name);
    for (const std::string& name : options.models) {
        need(std::find(known.begin(), known.end(), name) != known.end(),
             fmt::format("`{}` is not a classifier of {}{}", shortened(name),
                         competition.folder().string(), suggest(name, known)));
    }
}

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
                                       const GalleryOptions& options,
                                       const std::vector<SelectedRow>& selected,
                                       SheetNames& names) {
    const std::vector<CompetitionClassifier>& classifiers = competition.classifiers();
    std::vector<GalleryPair> pairs;
    std::map<std::int64_t, std::size_t> place;
    for (const PairRow& row : read_pairs(competition.impl().database)) {
        const std::string& first = classifiers.at(row.first).name;
        const std::string& second = classifiers.at(row.second).name;
        const std::string file = names.of(first, second);
        if (!is_wanted_pair(options, first, second)) continue;
        place[row.id] = pairs.size();
        pairs.push_back({.row = row, .file = file, .images = {}});
    }
    for (const SelectedRow& image : selected) {
        const auto found = place.find(image.pair);
        if (found == place.end()) continue;
        GalleryPair& pair = pairs[found->second];
        pair.accepted += image.state == SelectedState::accepted ? 1 : 0;
        pair.duplicates += image.state == SelectedState::duplicate ? 1 : 0;
        if (image.state != SelectedState::duplicate) pair.images.push_back(image);
    }
    return pairs;
}

/// Throws before anything is written if no selected image of any sheet can be read.
void check_some_image(const std::vector<SheetPlan>& sheets, const SheetForm& form) {
    std::string first_reason;
    std::filesystem::path first_path;
    for (const SheetPlan& sheet : sheets) {
        for (const SheetCell& cell : sheet.cells) {
            throw_if_stopped();
            std::string reason;
            cell_image(cell, form, reason);
            if (reason.empty()) return;
            if (first_reason.empty()) {
                first_reason = reason;
                first_path = cell.path;
            }
        }
    }
    refuse(fmt::format("no selected image can be read; the first, {}: {}", first_path.string(),
                       first_reason));
}

[[noreturn]] void refuse_unselected(const Competition& competition) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: no image is selected; run `assay mad select` first",
                            competition.folder().string()));
}

/// Plans the sheets of each pair, or of each tag.
class GallerySheets {
public:
    GallerySheets(const Competition& competition, const GalleryOptions& options)
        : competition_(competition),
          options_(options),
          form_({.side = options.side,
                 .columns = options.columns,
                 .named = options.by_tag || !options.beside.empty()}),
          selected_(read_selected(competition.impl().database)),
          pairs_(gallery_pairs(competition, options, selected_, names_)),
          planner_(competition) {
        if (options.by_tag)
            plan_tags();
        else if (!options.beside.empty())
            plan_classes();
        else
            plan_pairs();
    }

    const SheetForm& form() const { return form_; }
    /// With the images, and without the sheets, which are not drawn yet.
    Gallery gallery;
    std::vector<SheetPlan> plans;

private:
    void plan_pairs() {
        for (const GalleryPair& pair : pairs_) {
            for (const SelectedRow& image : pair.images)
                gallery.shown.push_back(planner_.image_of(pair.row, image));
            const std::size_t before = plans.size();
            add(pair.file, planner_.sheets_of(pair, cells_of_a_sheet(form_)));
            if (plans.size() == before)
                gallery.warnings.push_back(
                    fmt::format("no image is selected for {} and {}, so they have no sheet",
                                competition_.classifiers().at(pair.row.first).name,
                                competition_.classifiers().at(pair.row.second).name));
        }
    }

    void plan_tags() {
        if (selected_.empty()) refuse_unselected(competition_);
        const ImagesOfTag tags =
            images_of_tags(competition_, selected_, options_.tags, gallery.warnings);
        const std::string folder = shell_word(competition_.folder().string());
        if (tags.empty()) {
            throw Error(
                ErrorCode::usage,
                fmt::format("{}: no answer about a selected image has a tag. Add tags in "
                            "`assay serve {}`, or name a csv of images and tags: `assay mad "
                            "gallery {} --out FOLDER --tags FILE`",
                            competition_.folder().string(), folder, folder));
        }
        std::map<std::int64_t, std::vector<std::string>> of_image;
        for (const auto& [tag, images] : tags) {
            const std::size_t before = plans.size();
            add(names_.of_tag(tag),
                planner_.sheets_of(tag, images, pairs_, cells_of_a_sheet(form_)));
            if (plans.size() == before)
                gallery.warnings.push_back(fmt::format(
                    "no image of these classifiers has the tag `{}`, so it has no sheet", tag));
            for (const std::int64_t image : images) of_image[image].push_back(tag);
        }
        if (plans.empty())
            throw Error(ErrorCode::usage,
                        fmt::format("{}: no selected image of these classifiers has a tag. For "
                                    "the tags of all pairs, omit --models: `assay mad gallery {} "
                                    "--out FOLDER {}`",
                                    competition_.folder().string(), folder,
                                    options_.tags.empty() ? "--by-tag" : "--tags FILE"));
        for (const GalleryPair& pair : pairs_) {
            for (const SelectedRow& image : pair.images) {
                const auto found = of_image.find(image.image);
                if (found == of_image.end() || image.state != SelectedState::accepted) continue;
                gallery.shown.push_back(planner_.image_of(pair.row, image));
                gallery.shown.back().tags = found->second;
            }
        }
    }

    void plan_classes() {
        if (selected_.empty()) refuse_unselected(competition_);
        class_planner_.emplace(competition_, options_, pairs_, planner_, gallery);
        // Both parts of a sheet are in memory until they are joined.
        const std::size_t half = cells_of_a_sheet(form_) / 2 / form_.columns;
        const std::size_t cells = std::max<std::size_t>(1, half) * form_.columns;
        // All classes get a name, so that it does not depend on which sheets are drawn.
        std::vector<std::string> files;
        for (std::size_t c = 0; c < competition_.classes().size(); ++c)
            files.push_back(names_.of_class(planner_.short_name(static_cast<std::uint16_t>(c))));
        std::map<std::uint16_t, const PlannedClass*> drawn;
        for (const PlannedClass& planned : class_planner_->classes()) {
            drawn[planned.label] = &planned;
            const std::size_t before = plans.size();
            add(files.at(planned.label), class_planner_->sheets_of(planned, cells));
            gallery.classes.push_back(planned.counts);
            gallery.classes.back().sheet = plans.at(before).result.file;
        }
        const auto is_drawn = [&](const SelectedRow& image) {
            const auto questions = questions_of(image);
            return std::any_of(questions.begin(), questions.end(), [&](const QuestionKey& key) {
                const auto found = drawn.find(key.second);
                return found != drawn.end() && found->second->images.contains(image.image);
            });
        };
        for (const GalleryPair& pair : pairs_)
            for (const SelectedRow& image : pair.images)
                if (image.state == SelectedState::accepted && is_drawn(image))
                    gallery.shown.push_back(planner_.image_of(pair.row, image));
    }

    void add(const std::string& file, std::vector<SheetPlan> sheets) {
        for (std::size_t s = 0; s < sheets.size(); ++s) {
            const std::string name =
                s == 0 ? file : names_.unique(fmt::format("{}-{}", file, s + 1));
            sheets[s].result.file = options_.out / (name + ".png");
            plans.push_back(std::move(sheets[s]));
        }
    }

    const Competition& competition_;
    const GalleryOptions& options_;
    SheetForm form_;
    SheetNames names_;
    std::vector<SelectedRow> selected_;
    std::vector<GalleryPair> pairs_;
    GalleryPlanner planner_;
    std::optional<ClassPlanner> class_planner_;
};

/// Draws sheets, in any number of threads.
class SheetDrawer {
public:
    SheetDrawer(const SheetForm& form, Progress total, const ProgressCallback& progress)
        : form_(form), state_(total), progress_(progress) {}

    /// Counts the images that cannot be read in the plan's result, and returns the first reason.
    std::string draw(SheetPlan& plan) {
        std::string reason;
        // Both parts have the width of the wider one, so that each head has room.
        SheetForm form = form_;
        form.least_cells = std::max(plan.cells.size(), plan.beside.size());
        Image sheet = part_of(plan, plan.head, plan.cells, form, reason);
        if (!plan.beside.empty()) {
            SheetForm plain = form;
            plain.plain = true;
            sheet =
                stacked_sheets(sheet, part_of(plan, plan.head_beside, plan.beside, plain, reason));
        }
        save_png(sheet, plan.result.file);
        return reason;
    }

private:
    Image part_of(SheetPlan& plan, const std::vector<std::string>& head,
                  const std::vector<SheetCell>& cells, const SheetForm& form,
                  std::string& first_reason) {
        Image part = empty_sheet(head, cells, form);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            throw_if_stopped();
            std::string reason;
            put_cell(part, cell_image(cells[i], form, reason), i, head.size(), form);
            if (!reason.empty() && ++plan.result.unreadable == 1)
                first_reason = cells[i].path.string() + ": " + reason;
            const std::lock_guard hold(mutex_);
            ++state_.done;
            state_.failed += reason.empty() ? 0 : 1;
            if (progress_) progress_(state_);
        }
        return part;
    }

    const SheetForm& form_;
    Progress state_;
    const ProgressCallback& progress_;
    std::mutex mutex_;
};

}  // namespace

std::vector<GalleryImage> gallery_images(const Competition& competition) {
    SheetNames names;
    const GalleryPlanner planner(competition);
    std::vector<GalleryImage> images;
    const std::vector<SelectedRow> selected = read_selected(competition.impl().database);
    for (const GalleryPair& pair : gallery_pairs(competition, {}, selected, names))
        for (const SelectedRow& image : pair.images)
            images.push_back(planner.image_of(pair.row, image));
    return images;
}

Gallery make_gallery(const Competition& competition, const GalleryOptions& options,
                     const ProgressCallback& progress) {
    check_gallery_options(competition, options);
    GallerySheets sheets(competition, options);
    Gallery gallery = std::move(sheets.gallery);
    std::vector<SheetPlan>& plans = sheets.plans;
    const SheetForm& form = sheets.form();
    Progress state;
    for (const SheetPlan& plan : plans) state.total += plan.cells.size() + plan.beside.size();
    if (plans.empty()) refuse_unselected(competition);
    check_some_image(plans, form);

    make_folders(options.out);
    SheetDrawer drawer(form, state, progress);
    std::vector<std::string> reasons(plans.size());
    parallel_blocks(plans.size(), options.threads == 0 ? resolve_threads(0) : options.threads,
                    [&](std::size_t s) { reasons[s] = drawer.draw(plans[s]); });
    std::string first_reason;
    for (std::size_t s = 0; s < plans.size(); ++s) {
        if (first_reason.empty()) first_reason = reasons[s];
        gallery.images += plans[s].result.images;
        gallery.beside += plans[s].result.beside;
        gallery.unreadable += plans[s].result.unreadable;
        gallery.sheets.push_back(std::move(plans[s].result));
    }
    if (gallery.unreadable > 0)
        gallery.warnings.push_back(
            fmt::format("{} of {} images cannot be read and are shown in grey; the first, {}",
                        gallery.unreadable, gallery.images + gallery.beside, first_reason));
    return gallery;
}

}  // namespace assay::mad
