#include <fmt/format.h>

#include "assay/error.h"
#include "assay/evaluate/predict.h"

namespace assay {

void Kind<StorageChoice>::to(const StorageChoice& value, nlohmann::json& out) {
    switch (value.storage) {
        case StorageFormat::full_f32:
            return detail::put(out, std::string_view("full"));
        case StorageFormat::full_f16:
            return detail::put(out, std::string_view("f16"));
        case StorageFormat::top_k:
            return detail::put(out, std::string_view(fmt::format("top{}", value.top_k)));
        case StorageFormat::label:
            return detail::put(out, std::string_view("label"));
    }
}

bool Kind<StorageChoice>::from(const nlohmann::json& value, StorageChoice& out) {
    std::string text;
    if (!detail::take(value, text)) return false;
    try {
        out = storage_choice_named(text);
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace assay
