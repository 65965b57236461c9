// Finds the models that two results share, in stores of two data sets or tables of published
// values. Also checks whether results with the same name are from one model.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay::store {

/// Names of models. Each list is in byte order.
struct SharedModels {
    std::vector<std::string> both, only_one, only_two;
};
SharedModels shared_models(std::span<const std::string> one, std::span<const std::string> two);

/// Returns text such as "a, b, c and 7 more", with at most 12 names.
std::string names_text(const std::vector<std::string>& names);

/// Throws bad_input, with names of both, if they share no model. `one` and `two` name the results.
void require_shared(const SharedModels& models, const std::string& one, const std::string& two);

/// Compares the recorded origins of the scores of two stores.
struct SameOrigin {
    bool file = true;           ///< the model's file, or for imports the file of scores
    bool preprocessing = true;  ///< including the precision
    bool rows = true;  ///< for imports: the file's row of each item, and the column of each class
};
SameOrigin same_origin(const StoreSpec& one, const StoreSpec& two);

/// The hash of the model's file. "" for imports, whose hash is that of their scores, so it differs
/// between data sets.
const std::string& model_file_of(const StoreSpec& store);
/// False only if both hashes are known and differ.
bool same_model_file(const std::string& one, const std::string& two);
/// The same for preprocessing, which includes the precision.
bool same_preprocessing(const StoreSpec& one, const StoreSpec& two);
/// True if a store's scores are from the model in this file. Cost: reads the file.
bool made_by(const PredictionStore& store, const std::filesystem::path& model);

}  // namespace assay::store
