#include "study/quantities.h"

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"

namespace assay::study {

assay::Table quantities_of(const ResultType& type, const void* object, const std::string& value) {
    assay::Table table;
    table.columns = {{.name = "quantity", .numbers = false}, {.name = value}};
    for (const Part& part : type.parts) {
        nlohmann::json number;
        part.get(object, number);
        if (!number.is_number_integer()) continue;
        table.add({std::string(part.name), Count{number.get<std::uint64_t>()}});
    }
    return table;
}

}  // namespace assay::study
