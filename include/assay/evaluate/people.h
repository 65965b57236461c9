// Do classifiers make errors on the same images as people? This is the error consistency with the
// answers of people. Source: Geirhos, Meding and Wichmann 2020, "Beyond accuracy: quantifying
// trial-by-trial behaviour of CNNs and humans by measuring error consistency".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/evaluate/measure_options.h"
#include "assay/result_type.h"

namespace assay {

struct Report;

struct PeopleOptions {
    std::vector<std::filesystem::path> stores;  ///< inputs of model_stores()
    /// Csv files, or folders of them, with a row for each answer. The columns are the person (subj,
    /// subject or participant), what they saw (object_response or response), what it is (category),
    /// and the image (imagename or image). This is the format of model-vs-human.
    std::vector<std::filesystem::path> answers;
    MeasureOptions measure;  ///< class_map, level and threads are used
};

/// A model and a person, or two persons, on the images that both classified.
struct Consistency {
    std::string other;  ///< the person
    std::uint64_t both_correct = 0, only_model_correct = 0, only_person_correct = 0,
                  both_incorrect = 0;
    Estimate model, person;  ///< accuracies on these images (Wilson's intervals)
    /// `observed` is how often both are correct or both incorrect. `by_chance` is its expectation
    /// for independent errors: p q + (1 - p)(1 - q) for accuracies p and q.
    double observed = 0, by_chance = 0;
    Estimate kappa;  ///< error_consistency() of compare.h
};
ResultType result_type(ResultOf<Consistency>);

struct ModelAndPeople {
    std::string model, dataset;
    std::vector<Consistency> people;  ///< in the order of their names
    /// The mean over the people who have a value. The interval uses the delete-one jackknife over
    /// the images; it treats the people as fixed.
    Estimate mean;
    std::uint64_t without_scores =
        0;  ///< images that somebody answered but that have no scores in the store
};
ResultType result_type(ResultOf<ModelAndPeople>);

struct PeopleResult {
    std::vector<ModelAndPeople> models;
    /// Error consistency of any two people, over the images of the first store.
    Estimate between_people;
    std::uint64_t answers = 0;     ///< that entered
    std::uint64_t unanswered = 0;  ///< answers among these without a class (`na`); they count as
                                   ///< incorrect
    std::vector<std::string> warnings;
};

/// An answer is correct if it equals the image's category in the file. The same rule applies to
/// predictions, with the store's classes or those of the class map. An image is found by its file
/// name without folders and extension. In the csv's name, any text up to an underscore may precede
/// it ("0001_s5n_s01_0_bird_00_bird3-bird2.png" is bird/bird3-bird2.png). If a person gave several
/// answers for one image, the first counts. Throws bad_input for csv files that lack these columns
/// or name none of the images. Also throws bad_input for a category that is not a class, and for
/// two items with the same file name.
PeopleResult compare_with_people(const PeopleOptions& options);

/// The report has a table per model with a row per person. JSON: `assay.people/1` in
/// docs/results.md. The CSV has a line for each model and person.
Report report_of(const PeopleResult& result);
ResultType result_type(ResultOf<PeopleResult>);

}  // namespace assay
