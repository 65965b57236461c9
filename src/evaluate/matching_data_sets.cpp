#include "evaluate/matching_data_sets.h"

#include <fmt/core.h>
#include <fnmatch.h>

#include <map>
#include <set>

#include "assay/error.h"
#include "store/same_models.h"

namespace assay::evaluate {

bool is_pattern(std::string_view text) {
    return text.find_first_of("*?[") != std::string_view::npos;
}

std::vector<PredictionStore> matching_data_sets(std::vector<PredictionStore> stores,
                                                const std::string& pattern,
                                                std::vector<std::string>& warnings) {
    std::set<std::string> names;
    std::vector<PredictionStore> chosen;
    std::map<std::string, std::string> files;  // files of the models
    std::set<std::string> several;             // models of more than one file
    for (PredictionStore& store : stores) {
        names.insert(store.spec().dataset_name);
        if (fnmatch(pattern.c_str(), store.spec().dataset_name.c_str(), 0) != 0) continue;
        const std::string &model = store.spec().model_name,
                          &file = store::model_file_of(store.spec());
        std::string& first = files[model];
        if (!store::same_model_file(first, file)) several.insert(model);
        if (first.empty()) first = file;
        chosen.push_back(std::move(store));
    }
    for (const std::string& model : several)
        warnings.push_back(
            "`" + model +
            "` is not the same file on every data set, so its mean mixes different models");
    if (chosen.empty()) {
        std::string known;
        for (const auto& name : names) known += (known.empty() ? "`" : ", `") + name + "`";
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` matches none of the data sets {}", pattern, known));
    }
    return chosen;
}

}  // namespace assay::evaluate
