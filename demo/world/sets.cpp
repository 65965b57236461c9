#include "demo/world/sets.h"

#include <array>
#include <string>
#include <vector>

#include "assay/error.h"
#include "demo/world/variants.h"

namespace assay::world {
namespace {

constexpr PhotoManner usual{.wrong = 0.015};
/// Search engine results for a class are harder, less clean, and often show other things.
constexpr PhotoManner found{.hardness = 0.65, .wrong = 0.2, .company = 0.3};

Recipe of_class(const Plan& plan, std::string_view purpose, std::size_t number,
                const PhotoManner& manner) {
    const int cls = static_cast<int>(number % class_count);
    Recipe recipe = photograph(plan, purpose, number, cls, manner);
    recipe.path = class_path(cls, number / class_count);
    return recipe;
}

Recipe train_image(const Plan& plan, std::size_t number) {
    return of_class(plan, "world/train", number, usual);
}

Recipe v2_image(const Plan& plan, std::size_t number) {
    Recipe recipe = candidate(plan, plan.replicated.at(number));
    recipe.path = class_path(recipe.cls, number / class_count);
    return recipe;
}

// clang-format off
constexpr std::array<SetRow, 14> table_of_sets = {{
    {.name = "train",        .tiny = 100, .small = 4800, .full = 24000,  .recipe = train_image},
    {.name = "v1",           .tiny = 100, .small = 1600, .full = 8000,   .recipe = v1_image},
    {.name = "v2",           .tiny = 100, .small = 1600, .full = 8000,   .recipe = v2_image},
    {.name = "multi",        .tiny = 40,  .small = 600,  .full = 4000,   .recipe = multi_image, .class_folders = false,
     .labels = LabelsCsv::sets, .annotations = true},
    {.name = "cue-conflict", .tiny = 380, .small = 380,  .full = 1520,   .recipe = cue_conflict_image, .labels = LabelsCsv::cues},
    {.name = "sketch",       .tiny = 20,  .small = 400,  .full = 1600,   .recipe = sketch_image},
    {.name = "edges",        .tiny = 20,  .small = 400,  .full = 1600,   .recipe = edges_image},
    {.name = "silhouette",   .tiny = 20,  .small = 400,  .full = 1600,   .recipe = silhouette_image},
    {.name = "retextured",   .tiny = 20,  .small = 400,  .full = 1600,   .recipe = retextured_image},
    {.name = "rendition",    .tiny = 20,  .small = 400,  .full = 1600,   .recipe = rendition_image},
    {.name = "original",     .tiny = 40,  .small = 600,  .full = 3200,   .recipe = original_image},
    {.name = "mixed-same",   .tiny = 40,  .small = 600,  .full = 3200,   .recipe = mixed_same_image},
    {.name = "mixed-rand",   .tiny = 40,  .small = 600,  .full = 3200,   .recipe = mixed_rand_image},
    {.name = "unlabelled",   .tiny = 200, .small = 2000, .full = 100000, .recipe = unlabelled_image, .class_folders = false},
}};
// clang-format on

}  // namespace

Recipe v1_image(const Plan& plan, std::size_t number) {
    return of_class(plan, "world/v1", number, usual);
}

Recipe candidate(const Plan& plan, std::size_t number) {
    return of_class(plan, "world/candidate", number, found);
}

std::span<const SetRow> set_rows() {
    return table_of_sets;
}

const SetRow& set_row(std::string_view name) {
    std::vector<std::string> names;
    for (const SetRow& row : table_of_sets) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    throw Error(ErrorCode::usage,
                "no set `" + std::string(name) + "` in a world" + suggest(name, names));
}

std::size_t count_of(const SetRow& row, WorldSize size) {
    switch (size) {
        case WorldSize::tiny:
            return row.tiny;
        case WorldSize::small:
            return row.small;
        case WorldSize::full:
            break;
    }
    return row.full;
}

}  // namespace assay::world
