// Which models two results are both about: stores of two data sets, or tables of published values.
// And whether what is called alike was made by one model.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay::store {

/// By name, each list in byte order.
struct SharedModels {
    std::vector<std::string> both, only_one, only_two;
};
SharedModels shared_models(std::span<const std::string> one, std::span<const std::string> two);

/// "a, b, c and 7 more": at most 12 names.
std::string names_text(const std::vector<std::string>& names);

/// Throws bad_input where no model is in both, with names of both; `one` and `two` call the
/// results.
void require_shared(const SharedModels& models, const std::string& one, const std::string& two);

/// What two stores record of where their scores come from.
struct SameOrigin {
    bool file = true;           ///< of the model; of imports, of the scores
    bool preprocessing = true;  ///< and the precision
    bool rows =
        true;  ///< of imports: which row of the file each item has, and which column a class
};
SameOrigin same_origin(const StoreSpec& one, const StoreSpec& two);

/// The hash of the model's file; "" of imports, whose hash is that of their scores, another on
/// every data set.
const std::string& model_file_of(const StoreSpec& store);
/// False only where both hashes are known, and differ.
bool same_model_file(const std::string& one, const std::string& two);
/// Likewise; the precision is a part of it.
bool same_preprocessing(const StoreSpec& one, const StoreSpec& two);
/// Whether a store holds the scores of the model in this file. Cost: reads the file.
bool made_by(const PredictionStore& store, const std::filesystem::path& model);

}  // namespace assay::store
