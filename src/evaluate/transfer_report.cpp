#include "evaluate/transfer_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "assay/describe_result.h"
#include "core/text.h"
#include "evaluate/described_evaluate.h"

namespace assay {
namespace attack {
namespace {

/// An attack with one budget on one data set, and the models of its matrix. Each of them classified
/// the images that were made on each other one.
struct Matrix {
    std::string dataset, attack;
    double eps = 0;
    std::vector<const AttackedResult*> models;

    const AttackCell* own(const AttackedResult& model) const {
        for (const AttackCell& cell : model.cells) {
            if (cell.attack == attack && cell.eps == eps) return &cell;
        }
        return nullptr;
    }
    const TransferredAttack* cell(const AttackedResult& made_on,
                                  const AttackedResult& model) const {
        for (const TransferredAttack& one : model.transferred) {
            if (one.made_on == made_on.model && one.attack == attack && one.eps == eps) return &one;
        }
        return nullptr;
    }
};

std::vector<Matrix> matrices_of(std::span<const AttackedResult> results) {
    std::vector<Matrix> out;
    for (const AttackedResult& result : results) {
        for (const TransferredAttack& cell : result.transferred) {
            auto found = std::ranges::find_if(out, [&](const Matrix& one) {
                return one.dataset == result.dataset && one.attack == cell.attack &&
                       one.eps == cell.eps;
            });
            if (found == out.end()) {
                out.push_back({result.dataset, cell.attack, cell.eps, {}});
                found = out.end() - 1;
            }
            if (std::ranges::find(found->models, &result) == found->models.end())
                found->models.push_back(&result);
        }
    }
    return out;
}

Table empty_table(const Matrix& matrix, std::string title, std::string first) {
    Table table{.title = std::move(title), .columns = {}, .rows = {}, .notes = {}};
    table.columns.push_back({std::move(first), false});
    for (const AttackedResult* model : matrix.models)
        table.columns.push_back({model->model, true, Column::Show::value_and_interval});
    return table;
}

/// "200" or "196 to 200".
std::string range_text(std::vector<std::uint64_t> counts) {
    const auto [least, most] = std::ranges::minmax(counts);
    return least == most ? count_text(most)
                         : fmt::format("{} to {}", count_text(least), count_text(most));
}

Table accuracy_table(const Matrix& matrix, const std::string& under) {
    Table table = empty_table(
        matrix, fmt::format("Transfer of {}: accuracy of each column's model", under), "made on");
    std::vector<Cell> clean = {std::string("no attack")};
    for (const AttackedResult* model : matrix.models) clean.emplace_back(model->clean);
    table.add(std::move(clean));
    std::vector<std::uint64_t> images;
    for (const AttackedResult* model : matrix.models) images.push_back(model->clean.n);
    for (const AttackedResult* made_on : matrix.models) {
        std::vector<Cell> row = {made_on->model};
        for (const AttackedResult* model : matrix.models) {
            const Estimate& accuracy = model == made_on ? matrix.own(*model)->accuracy
                                                        : matrix.cell(*made_on, *model)->accuracy;
            images.push_back(accuracy.n);
            row.emplace_back(accuracy);
        }
        table.add(std::move(row));
    }
    table.notes.push_back(fmt::format(
        "Each value is over {} images. Images that the model of the row misclassifies are "
        "unchanged. The models get the same pixels, before each model's own normalisation.",
        range_text(std::move(images))));
    for (const AttackedResult* made_on : matrix.models) {
        if (made_on->control.verdict < AttackVerdict::doubtful) continue;
        table.notes.push_back(
            fmt::format("{}: its own attack is {}, so images that are made on it say little.",
                        made_on->model, name_of(made_on->control.verdict)));
    }
    return table;
}

Table rate_table(const Matrix& matrix, const std::string& under) {
    Table table =
        empty_table(matrix, fmt::format("Transfer of {}: rate of transfer", under), "made on");
    std::vector<std::uint64_t> images;
    for (const AttackedResult* made_on : matrix.models) {
        std::vector<Cell> row = {made_on->model};
        for (const AttackedResult* model : matrix.models) {
            const TransferredAttack* cell = matrix.cell(*made_on, *model);
            row.push_back(cell != nullptr ? Cell{cell->rate} : Cell{});
            if (cell != nullptr) images.push_back(cell->fooled);
        }
        table.add(std::move(row));
    }
    table.notes.push_back(fmt::format(
        "Only images that both models classify correctly without an attack count. Of the {} that "
        "fool the model of the row, this proportion also fools the model of the column.",
        range_text(std::move(images))));
    return table;
}

}  // namespace

std::vector<Table> transfer_tables(std::span<const AttackedResult> results,
                                   const AttackRunOptions& options) {
    std::vector<Table> tables;
    for (const Matrix& matrix : matrices_of(results)) {
        const std::string under = fmt::format(
            "{} at {}, {}", matrix.attack, budget_text(matrix.eps, options.norm), matrix.dataset);
        tables.push_back(accuracy_table(matrix, under));
        tables.push_back(rate_table(matrix, under));
    }
    return tables;
}

}  // namespace attack

ResultType result_type(ResultOf<TransferredAttack>) {
    static constexpr auto images = &AttackCell::Unscored::images;
    static constexpr auto rows = describe_result<TransferredAttack>(
        {.name = "TransferredAttack",
         .help = "A model on the images that an attack made on another model"},
        {
            part<&TransferredAttack::attack>({}),
            part<&TransferredAttack::eps>({}),
            part<&TransferredAttack::made_on>({.help = "The other model"}),
            part({.help = "Of the attack on the other model", .name = "verdict"},
                 [](const TransferredAttack& t) { return std::string(name_of(t.verdict)); }),
            part<&TransferredAttack::store>({.help = "Scores of this model on the images"}),
            part<&TransferredAttack::ended_not_finite, images>(
                {.help = "Images for which this model gives scores that are not finite; they count "
                         "as misclassified",
                 .name = "ended_not_finite"}),
            part<&TransferredAttack::unreadable, images>(
                {.help = "Images without scores for another reason; they are not counted",
                 .name = "unreadable"}),
            part<&TransferredAttack::accuracy>(
                {.help = "Accuracy of all images; those that the other model misclassifies are "
                         "unchanged"}),
            part<&TransferredAttack::both>(
                {.help = "Images that both classify correctly without an attack"}),
            part<&TransferredAttack::robust>(
                {.help = "Of these, still classified correctly by this model"}),
            part<&TransferredAttack::ratio>({.help = "`robust` / `both`"}),
            part<&TransferredAttack::fooled>({.help = "Of `both`, fool the other model"}),
            part<&TransferredAttack::transferred>({.help = "Of `fooled`, fool this model, too"}),
            part<&TransferredAttack::rate>({.help = "`transferred` / `fooled`"}),
        });
    return rows;
}

}  // namespace assay
