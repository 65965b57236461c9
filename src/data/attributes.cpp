#include "data/attributes.h"

#include "assay/describe_result.h"

namespace assay {

ResultType result_type(ResultOf<AttributeValue>) {
    static constexpr auto rows = describe_result<AttributeValue>(
        {.name = "AttributeValue"},
        {part<&AttributeValue::name>({}), part<&AttributeValue::value>({})});
    return rows;
}

std::vector<AttributeValue> attributes_of(const Dataset& dataset, std::size_t item) {
    std::vector<AttributeValue> values = attribute_names(dataset);
    for (std::size_t a = 0; a < values.size(); ++a)
        values[a].value = dataset.attributes[a].values[item];
    return values;
}

std::vector<AttributeValue> attribute_names(const Dataset& dataset) {
    std::vector<AttributeValue> names;
    for (const Dataset::Attribute& attribute : dataset.attributes)
        names.push_back({attribute.name, {}});
    return names;
}

}  // namespace assay
