#include "core/record_file.h"

#include <algorithm>

namespace assay {

bool read_fields(const nlohmann::json& record, void* object, std::span<const Field> fields) {
    return record.is_object() && std::ranges::all_of(fields, [&](const Field& field) {
               const auto found = record.find(std::string(field.name));
               return found != record.end() && field.set(object, *found);
           });
}

}  // namespace assay
