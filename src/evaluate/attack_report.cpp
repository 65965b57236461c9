#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "evaluate/attack_cells.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/smallest_report.h"
#include "evaluate/transfer_report.h"

namespace assay {
namespace {

std::string definition(const AttackRunOptions& options) {
    std::string text = fmt::format("{}, norm {}, seed {}", name_of(options.space),
                                   name_of(options.norm), options.seed);
    if (options.paper_literal) text += ", pgd with steps of eps from the image itself";
    if (options.step)
        text += fmt::format(", pgd with steps of {}", step_text(*options.step, options.norm));
    if (options.restarts > 1) text += fmt::format(", the best of {} runs of pgd", options.restarts);
    return text;
}

/// The contents of one attack's files, and how to read them. `fooled` images fooled the model.
std::string saved_text(const SavedAttack& saved, std::string_view under, std::uint64_t fooled,
                       ImageForm form) {
    std::string text =
        fmt::format("{}: {} images in {}", under, count_text(saved.images), saved.folder.string());
    if (saved.accuracy.value) {
        text += fmt::format(
            "; classified from these files, {} % are correct",
            number_text(*saved.accuracy.value,
                        (saved.accuracy.interval->high - saved.accuracy.interval->low) / 2,
                        Unit::proportion));
    }
    if (form == ImageForm::npy) return text + " (float32, height x width x red, green, blue).";
    return text + fmt::format(
                      "; of the {} that fooled the model, {} no longer do after rounding to 8 "
                      "bits. Predict them with --crop-mode none and the model's own options.",
                      count_text(fooled), count_text(saved.lost));
}

/// True for a budget of a search whose totals another budget already shows.
bool is_repeated(const AttackCell& cell, const AttackedResult& result) {
    if (!cell.of_curve) return false;
    return &cell != &*std::ranges::find(result.cells, cell.attack, &AttackCell::attack);
}

/// The text for the verdict, and for how loose the bound is.
std::string verdict_text(const AttackControl& control, Norm norm) {
    std::string text = fmt::format("Verdict: {}", name_of(control.verdict));
    if (control.verdict == AttackVerdict::not_checked) {
        return text + (control.signs.empty() ? ", because no control ran."
                                             : fmt::format("; {}.", control.signs.front().text));
    }
    const auto tested = std::ranges::count_if(control.signs, &MaskingSign::tested);
    text += fmt::format(" ({} of {} signs could be tested; {} passes forward, {} with a gradient).",
                        tested, control.signs.size(), count_text(control.forward),
                        count_text(control.backward));
    if (control.images > 0) {
        text += fmt::format(
            " How loose the bound is: of {} at {} the attacks leave {}, and {} after them {}.",
            how_many(control.images, "control image"), budget_text(control.eps, norm), control.left,
            control.attack, control.left_by_control);
    }
    return text;
}

/// The text of a warning about a verdict that is not good; "" if it is good.
std::string doubt_text(const AttackControl& control) {
    if (control.verdict < AttackVerdict::doubtful) return {};
    const bool usable = control.verdict == AttackVerdict::doubtful;
    return fmt::format("the attack is {}: {}. {}", name_of(control.verdict), reason_of(control),
                       usable
                           ? "Robustness may be far lower: type `--attack autoattack`, or attack "
                             "the model without the step that hides its gradient"
                           : "Export the model in evaluation mode, with logits as outputs");
}

Table table_of(const AttackedResult& result, const AttackRunOptions& options) {
    Table table{.title = fmt::format("{} on {}", result.model, result.dataset),
                .columns = {{"attack", false},
                            {"eps"},
                            {"accuracy", true, Column::Show::value_and_interval},
                            {"of the correct ones", true, Column::Show::value_and_interval},
                            {"passes forward"},
                            {"backward"}},
                .rows = {},
                .notes = {}};
    table.add({std::string("none"), {}, result.clean});
    const bool curve_alone = std::ranges::all_of(result.cells, &AttackCell::of_curve);
    double eps = -1;
    for (const AttackCell& cell : result.cells) {
        if (cell.eps != eps && (eps < 0 || !curve_alone)) table.rule();
        eps = cell.eps;
        const std::string budget = budget_text(cell.eps, options.norm);
        if (is_repeated(cell, result)) {
            table.add({cell.attack, budget, cell.accuracy, cell.ratio, {}, {}});
        } else {
            table.add({cell.attack, budget, cell.accuracy, cell.ratio, Count{cell.forward},
                       Count{cell.backward}});
        }
        if (!cell.ratio.note.empty())
            table.notes.push_back(
                fmt::format("{} at {}: {}.", cell.attack, budget, cell.ratio.note));
        if (is_repeated(cell, result)) continue;
        const std::uint64_t counted = cell.attacked + cell.unreadable.images;
        if (counted < result.correct) {
            table.notes.push_back(fmt::format(
                "{} at {}: passes and signs of masked gradients are unknown for {} of the {} "
                "images, because the store has no counts of them.",
                cell.attack, budget, result.correct - counted, result.correct));
        }
        std::string by;
        for (const auto& [part, images] : cell.by)
            by += fmt::format("{}{} {}", by.empty() ? "" : ", ", part, images);
        if (!by.empty() && cell.attacked > 0) {
            table.notes.push_back(
                fmt::format("{} at {}: images first fooled by: {}.", cell.attack, budget, by));
        }
    }
    table.notes.push_back(verdict_text(result.control, options.norm));
    for (const AttackCell& cell : result.cells) {
        if (!cell.saved) continue;
        const std::string under =
            fmt::format("{} at {}", cell.attack, budget_text(cell.eps, options.norm));
        table.notes.push_back(
            saved_text(*cell.saved, under, result.correct - cell.robust, options.image_form));
    }
    for (const SmallestChanges& search : result.smallest) {
        table.notes.push_back(fmt::format(
            "{}: one run for all budgets, so its passes are given once. An image counts as robust "
            "at a budget if the smallest change that was found is larger.",
            search.attack));
        if (search.saved)
            table.notes.push_back(saved_text(*search.saved, search.attack,
                                             search.correct - search.not_fooled,
                                             options.image_form));
    }
    if (!result.examples.empty()) {
        table.notes.push_back(
            fmt::format("To see the images that fooled it next to the originals: `assay report {} "
                        "--thumbnails 200`",
                        shell_word(result.examples.string())));
    }
    for (const auto& [at, mean] : result.geometric_mean) {
        table.rule();
        table.add({std::string("geometric mean of fgsm and pgd"),
                   budget_text(at, options.norm),
                   {},
                   mean});
    }
    if (result.without > 0) {
        table.notes.push_back(
            fmt::format("{} images have no single label or no score and are skipped.",
                        count_text(result.without)));
    }
    return table;
}

/// A row of csv.
struct AttackRow {
    const AttackedResult* result;
    const AttackCell* cell;
    const TransferredAttack* transferred = nullptr;  ///< instead of the cell

    const std::string& attack() const { return cell ? cell->attack : transferred->attack; }
    double eps() const { return cell ? cell->eps : transferred->eps; }
    std::uint64_t correct_before() const { return cell ? result->correct : transferred->both; }
    std::uint64_t robust() const { return cell ? cell->robust : transferred->robust; }
    const Estimate& accuracy() const { return cell ? cell->accuracy : transferred->accuracy; }
    const Estimate& ratio() const { return cell ? cell->ratio : transferred->ratio; }
    const std::filesystem::path& store() const { return cell ? cell->store : transferred->store; }
    AttackVerdict verdict() const { return cell ? result->control.verdict : transferred->verdict; }
};

ResultType result_type(ResultOf<AttackRow>) {
    static constexpr auto result = &AttackRow::result;
    static constexpr auto rows = describe_result<AttackRow>(
        {.name = "AttackRow",
         .columns = "model,dataset,attack,eps,correct_before,robust,accuracy*,ratio*,store,verdict,"
                    "made_on,fooled,transferred,rate*"},
        {
            part<result, &AttackedResult::model>({}),
            part<result, &AttackedResult::dataset>({}),
            part<&AttackRow::attack>({.name = "attack"}),
            part<&AttackRow::eps>({.name = "eps"}),
            part<&AttackRow::correct_before>({.name = "correct_before"}),
            part<&AttackRow::robust>({.name = "robust"}),
            part<&AttackRow::accuracy>({.name = "accuracy"}),
            part<&AttackRow::ratio>({.name = "ratio"}),
            part<&AttackRow::store>({.name = "store"}),
            part({.name = "verdict"},
                 [](const AttackRow& row) { return std::string(name_of(row.verdict())); }),
            part({.name = "made_on"},
                 [](const AttackRow& row) {
                     return row.transferred ? &row.transferred->made_on : nullptr;
                 }),
            part({.name = "fooled"},
                 [](const AttackRow& row) {
                     return row.transferred ? &row.transferred->fooled : nullptr;
                 }),
            part({.name = "transferred"},
                 [](const AttackRow& row) {
                     return row.transferred ? &row.transferred->transferred : nullptr;
                 }),
            part({.name = "rate"},
                 [](const AttackRow& row) {
                     return row.transferred ? &row.transferred->rate : nullptr;
                 }),
        });
    return rows;
}

/// Adds the images of `result` that were made on other models.
void add_transferred(const AttackedResult& result, Norm norm, Report& report) {
    for (const TransferredAttack& cell : result.transferred) {
        const std::string where =
            fmt::format("{} on {} under {} at {} made on {}", result.model, result.dataset,
                        cell.attack, budget_text(cell.eps, norm), cell.made_on);
        for (std::string& line :
             attack::unscored_lines(cell.ended_not_finite, cell.unreadable, where)) {
            report.partial = true;
            report.warnings.push_back(std::move(line));
        }
        report.values.push_back({{result.dataset, result.model,
                                  fmt::format("{} {} {} made on {}", cell.attack, name_of(norm),
                                              eps_text(cell.eps), cell.made_on),
                                  "accuracy"},
                                 cell.accuracy});
        add_row(report.records, AttackRow{&result, nullptr, &cell});
    }
}

}  // namespace

Report report_of(std::span<const AttackedResult> results, const AttackRunOptions& options) {
    Report report;
    Section section;
    section.blocks.emplace_back("attack space: " + definition(options));
    report.records = result_table<AttackRow>();
    for (const AttackedResult& result : results) {
        Table table = table_of(result, options);
        for (const std::string& note : result.notes)
            table.notes.push_back(fmt::format("{}: {}.", result.model, note));
        section.blocks.emplace_back(std::move(table));
        if (result.bad_rows > 0) {
            report.partial = true;
            report.warnings.push_back(
                fmt::format("{} on {}: {} images have no score; the first: {}", result.model,
                            result.dataset, count_text(result.bad_rows), result.first_error));
        }
        for (const AttackCell& cell : result.cells) {
            if (is_repeated(cell, result)) continue;
            std::string under =
                fmt::format("{} on {} under {}", result.model, result.dataset, cell.attack);
            if (!cell.of_curve) under += " at " + budget_text(cell.eps, options.norm);
            for (std::string& line :
                 attack::unscored_lines(cell.ended_not_finite, cell.unreadable, under)) {
                report.partial = true;
                report.warnings.push_back(std::move(line));
            }
        }
        if (const std::string doubt = doubt_text(result.control); !doubt.empty())
            report.warnings.push_back(
                fmt::format("{} on {}: {}", result.model, result.dataset, doubt));
        for (const std::string& sign : result.signs)
            report.warnings.push_back(
                fmt::format("{} on {}: {}", result.model, result.dataset, sign));
        report.values.push_back({{result.dataset, result.model, "clean_accuracy"}, result.clean});
        for (const AttackCell& cell : result.cells) {
            const bool in_255ths = options.norm == Norm::linf || options.norm == Norm::l2;
            const std::string under =
                fmt::format("{} {} {}", cell.attack, name_of(options.norm),
                            in_255ths ? eps_text(cell.eps) : budget_text(cell.eps, options.norm));
            report.values.push_back(
                {{result.dataset, result.model, under, "accuracy"}, cell.accuracy});
            report.values.push_back({{result.dataset, result.model, under, "ratio"}, cell.ratio});
            add_row(report.records, AttackRow{&result, &cell});
        }
        add_transferred(result, options.norm, report);
        for (const SmallestChanges& search : result.smallest) {
            report.values.push_back(
                {{result.dataset, result.model,
                  fmt::format("{} {}", search.attack, name_of(options.norm)), "median_change"},
                 search.median});
            if (std::string line = attack::unknown_line(result, search); !line.empty()) {
                report.partial = true;
                report.warnings.push_back(std::move(line));
            }
        }
    }
    for (Table& table : attack::transfer_tables(results, options))
        section.blocks.emplace_back(std::move(table));
    if (Table smallest = attack::table_of_smallest(results, options.norm); !smallest.rows.empty())
        section.blocks.emplace_back(std::move(smallest));
    std::vector<SmallestPair> pairs = compare_smallest(results, options.level);
    if (!pairs.empty()) section.blocks.emplace_back(attack::table_of_pairs(pairs, options.norm));
    report.sections.push_back(std::move(section));
    report.result = json_of(ShownAttacks{results, &options, std::move(pairs)});
    return report;
}

}  // namespace assay
