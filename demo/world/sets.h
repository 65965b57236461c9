// The table of sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "demo/world/recipe.h"

namespace assay::world {

/// The columns of the labels.csv next to the images other than path and labels, if it exists.
enum class LabelsCsv : std::uint8_t { none, sets, cues };

struct SetRow {
    std::string_view name;
    std::size_t tiny, small, full;  ///< images
    Recipe (*recipe)(const Plan&, std::size_t number);
    bool class_folders = true;
    LabelsCsv labels = LabelsCsv::none;
    bool annotations = false;  ///< a PASCAL-VOC file for each image
};
/// Sets in the order in which they are made.
std::span<const SetRow> set_rows();
/// Throws usage with the known names.
const SetRow& set_row(std::string_view name);
std::size_t count_of(const SetRow& row, WorldSize size);

Recipe v1_image(const Plan& plan, std::size_t number);
/// Candidate `number` for v2. Its class is number % 20, as in v1.
Recipe candidate(const Plan& plan, std::size_t number);

/// The data for the replication: an image of v1 or of the pool as judged by a few people.
struct Reading {
    std::uint32_t number = 0;
    float rate = 0;    ///< the true rate
    int selected = 0;  ///< selections by `annotators` people
    int annotators = 0;
    bool taken = false;  ///< for the pool: became an image of v2
};
struct Replication {
    std::vector<Reading> v1, pool;
};
/// Chooses v2 as Recht et al. (2019) did. Within each class, candidates are drawn so that the
/// histogram of their selection frequencies (five buckets) matches v1's. Fills plan.replicated. The
/// candidates were judged by few people, and are chosen by the same judgements. So the true
/// frequencies of the chosen candidates are lower than the observed frequencies. Engstrom et al.
/// (2020) describe this bias.
Replication replicate(Plan& plan);
inline constexpr int v1_annotators = 5, pool_annotators = 5;
inline constexpr std::size_t candidates_for_one = 6;

}  // namespace assay::world
