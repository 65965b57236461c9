// The shape bias of people, from their answers to cue-conflict images: what a classifier's is held
// against (Geirhos et al. 2019).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/report.h"

namespace assay::quality {

struct PeopleShapeBias {
    std::string person;  ///< "": all of them
    Estimate value;   ///< interval by two-way clusters, as of classifiers; people are these people
    Estimate wilson;  ///< answers taken as independent
    /// Answers that named the shape, the texture, and all; images whose two cues are of one class
    /// are left out.
    std::uint64_t shape = 0, texture = 0, answers = 0;
};

struct PeopleShapeBiasResult {
    PeopleShapeBias all;
    std::vector<PeopleShapeBias> people;  ///< by name
    double level = 0.95;
    std::vector<std::string> warnings;
};

/// Csv files, or folders of them, as PeopleOptions::answers. The category is the shape's class; the
/// texture's is in the image's name ("..._bird3-clock2.png": clock). Of several answers of one
/// person to one image the first counts. Throws bad_input: as compare_with_people(), an image whose
/// name does not tell its two classes, or tells another shape than its category.
PeopleShapeBiasResult shape_bias_of_people(const std::vector<std::filesystem::path>& answers,
                                           double level = 0.95);
/// "assay.people_shape_bias/1". CSV: a row for each person, the first for all.
Report report_of(const PeopleShapeBiasResult& result);

}  // namespace assay::quality
