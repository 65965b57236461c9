#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <utility>

#include "assay/evaluate/attack.h"
#include "core/shell_word.h"
#include "evaluate/attack_cells.h"

namespace assay {
namespace {

std::string definition(const AttackRunOptions& options) {
    return fmt::format(
        "{}, norm {}, seed {}{}", name_of(options.space), name_of(options.norm), options.seed,
        options.paper_literal ? ", pgd with steps of eps from the image itself" : "");
}

/// What the files of one attack hold, and how to read them.
std::string saved_text(const AttackCell& cell, const AttackedResult& result, ImageForm form) {
    const SavedAttack& saved = *cell.saved;
    std::string text = fmt::format("{} at {}: {} images in {}", cell.attack, eps_text(cell.eps),
                                   count_text(saved.images), saved.folder.string());
    if (saved.accuracy.value) {
        text += fmt::format(
            "; classified from these files, {} % are correct",
            number_text(*saved.accuracy.value,
                        (saved.accuracy.interval->high - saved.accuracy.interval->low) / 2,
                        Unit::proportion));
    }
    if (form == ImageForm::npy) return text + " (float32, height x width x red, green, blue).";
    return text + fmt::format(
                      "; of the {} that fooled the model, {} no longer do, rounded to 8 "
                      "bits. assay predict reads them with --crop-mode none beside the "
                      "model's own options.",
                      count_text(result.correct - cell.robust), count_text(saved.lost));
}

Table table_of(const AttackedResult& result, ImageForm form) {
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
    double eps = -1;
    for (const AttackCell& cell : result.cells) {
        if (cell.eps != eps) table.rule();
        eps = cell.eps;
        table.add({cell.attack, eps_text(cell.eps), cell.accuracy, cell.ratio, Count{cell.forward},
                   Count{cell.backward}});
        if (!cell.ratio.note.empty())
            table.notes.push_back(
                fmt::format("{} at {}: {}.", cell.attack, eps_text(cell.eps), cell.ratio.note));
        if (cell.attacked < result.correct) {
            table.notes.push_back(fmt::format(
                "{} at {}: of {} of the {} images the passes and the signs of masked gradients are "
                "not known: the store has no counts of them.",
                cell.attack, eps_text(cell.eps), result.correct - cell.attacked, result.correct));
        }
        std::string by;
        for (const auto& [part, images] : cell.by)
            by += fmt::format("{}{} {}", by.empty() ? "" : ", ", part, images);
        if (!by.empty() && cell.attacked > 0) {
            table.notes.push_back(fmt::format("{} at {}: images first fooled by: {}.", cell.attack,
                                              eps_text(cell.eps), by));
        }
    }
    for (const AttackCell& cell : result.cells) {
        if (cell.saved) table.notes.push_back(saved_text(cell, result, form));
    }
    if (!result.examples.empty()) {
        table.notes.push_back(
            fmt::format("Images that fooled it beside what they were: `assay report {} "
                        "--thumbnails 200`",
                        shell_word(result.examples.string())));
    }
    for (const auto& [at, mean] : result.geometric_mean) {
        table.rule();
        table.add({std::string("geometric mean of fgsm and pgd"), eps_text(at), {}, mean});
    }
    if (result.without > 0) {
        table.notes.push_back(
            fmt::format("{} images have no single label or no score and are left out.",
                        count_text(result.without)));
    }
    return table;
}

nlohmann::json json_of(const AttackedResult& result) {
    nlohmann::json cells = nlohmann::json::array();
    for (const AttackCell& cell : result.cells) {
        nlohmann::json by = nlohmann::json::object();
        for (const auto& [part, images] : cell.by) by[part] = images;
        nlohmann::json saved;
        if (cell.saved) {
            saved = {{"folder", cell.saved->folder.string()},
                     {"images", cell.saved->images},
                     {"robust", cell.saved->robust},
                     {"lost", cell.saved->lost},
                     {"accuracy", to_json(cell.saved->accuracy)}};
        }
        cells.push_back({{"attack", cell.attack},
                         {"eps", cell.eps},
                         {"store", cell.store.string()},
                         {"robust", cell.robust},
                         {"ended_not_finite", cell.ended_not_finite.images},
                         {"unreadable", cell.unreadable.images},
                         {"accuracy", to_json(cell.accuracy)},
                         {"ratio", to_json(cell.ratio)},
                         {"attacked", cell.attacked},
                         {"zero_gradients", cell.zero_gradients},
                         {"not_finite", cell.not_finite},
                         {"forward", cell.forward},
                         {"backward", cell.backward},
                         {"repeated", cell.repeated},
                         {"repeated_fooled", cell.repeated_fooled},
                         {"repeated_fooled_longer", cell.repeated_fooled_longer},
                         {"first_fooled_by", by},
                         {"saved", saved}});
    }
    nlohmann::json means = nlohmann::json::array();
    for (const auto& [eps, mean] : result.geometric_mean)
        means.push_back({{"eps", eps}, {"value", to_json(mean)}});
    return {{"model", result.model},
            {"dataset", result.dataset},
            {"images", result.images},
            {"left_out", result.without},
            {"correct", result.correct},
            {"clean", to_json(result.clean)},
            {"attacks", cells},
            {"geometric_mean", means},
            {"examples",
             result.examples.empty() ? nlohmann::json() : nlohmann::json(result.examples.string())},
            {"signs", result.signs},
            {"notes", result.notes}};
}

}  // namespace

Report report_of(std::span<const AttackedResult> results, const AttackRunOptions& options) {
    Report report;
    Section section;
    section.blocks.emplace_back("attack space: " + definition(options));
    report.records.columns = {{"model", false},
                              {"dataset", false},
                              {"attack", false},
                              {"eps"},
                              {"correct_before"},
                              {"robust"},
                              {"accuracy", true, Column::Show::every_part},
                              {"ratio", true, Column::Show::every_part},
                              {"store", false}};
    nlohmann::json models = nlohmann::json::array();
    for (const AttackedResult& result : results) {
        Table table = table_of(result, options.image_form);
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
            for (std::string& line : attack::unscored_lines(
                     cell, fmt::format("{} on {} under {} at {}", result.model, result.dataset,
                                       cell.attack, eps_text(cell.eps)))) {
                report.partial = true;
                report.warnings.push_back(std::move(line));
            }
        }
        for (const std::string& sign : result.signs)
            report.warnings.push_back(
                fmt::format("{} on {}: {}", result.model, result.dataset, sign));
        report.values.push_back({{result.dataset, result.model, "clean_accuracy"}, result.clean});
        for (const AttackCell& cell : result.cells) {
            const std::string under =
                fmt::format("{} {} {}", cell.attack, name_of(options.norm), eps_text(cell.eps));
            report.values.push_back(
                {{result.dataset, result.model, under, "accuracy"}, cell.accuracy});
            report.values.push_back({{result.dataset, result.model, under, "ratio"}, cell.ratio});
            report.records.add({result.model, result.dataset, cell.attack,
                                Number{.value = cell.eps, .digits = -1}, Count{result.correct},
                                Count{cell.robust}, cell.accuracy, cell.ratio,
                                cell.store.string()});
        }
        models.push_back(json_of(result));
    }
    report.sections.push_back(std::move(section));
    report.result = {
        {"schema", "assay.attack/1"},
        {"space", name_of(options.space)},
        {"norm", name_of(options.norm)},
        {"seed", options.seed},
        {"paper_literal", options.paper_literal},
        {"image_form",
         options.images.empty() ? nlohmann::json() : nlohmann::json(name_of(options.image_form))},
        {"models", std::move(models)}};
    return report;
}

}  // namespace assay
