// The shape bias of people, from their answers to cue-conflict images, for comparison with a
// classifier's (Geirhos et al. 2019).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/report.h"

namespace assay::quality {

struct PeopleShapeBias {
    std::string person;  ///< "" means all people together
    Estimate value;      ///< the interval uses two-way clusters, as for classifiers; it treats the
                         ///< people as fixed
    Estimate wilson;     ///< interval that treats answers as independent
    /// The numbers of answers that named the shape, answers that named the texture, and all
    /// answers. Images whose two cues have the same class are excluded.
    std::uint64_t shape = 0, texture = 0, answers = 0;
};

struct PeopleShapeBiasResult {
    PeopleShapeBias all;
    std::vector<PeopleShapeBias> people;  ///< by name
    double level = 0.95;
    std::vector<std::string> warnings;
};

/// Csv files, or folders of them, as PeopleOptions::answers. The category is the shape's class; the
/// texture's is in the image's name ("..._bird3-clock2.png": clock). If a person gave several
/// answers for one image, the first counts. Throws bad_input as compare_with_people() does, and for
/// an image whose name does not contain its two classes, or contains another shape than its
/// category.
PeopleShapeBiasResult shape_bias_of_people(const std::vector<std::filesystem::path>& answers,
                                           double level = 0.95);
/// Schema "assay.people_shape_bias/1". The CSV has a row per person; the first row is for all.
Report report_of(const PeopleShapeBiasResult& result);

}  // namespace assay::quality
