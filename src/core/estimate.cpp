#include "assay/estimate.h"

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"

namespace assay {

std::string_view name_of(Unit unit) {
    switch (unit) {
        case Unit::number:
            return "number";
        case Unit::proportion:
            return "proportion";
        case Unit::nats:
            return "nats";
        case Unit::rank:
            return "rank";
    }
    return "number";
}

double half_width(const Estimate& estimate) {
    return estimate.interval ? (estimate.interval->high - estimate.interval->low) / 2 : 0;
}

ResultType result_type(ResultOf<Interval>) {
    static constexpr auto rows = describe_result<Interval>(
        {.name = "Interval"}, {part<&Interval::low>({}), part<&Interval::high>({}),
                               part<&Interval::level>({}), part<&Interval::method>({})});
    return rows;
}

ResultType result_type(ResultOf<Estimate>) {
    static constexpr auto rows = describe_result<Estimate>(
        {.name = "Estimate", .help = "A number with its uncertainty"},
        {
            part<&Estimate::value>({}),
            part({.help = "Why there is no value", .name = "undefined", .omitted = true},
                 [](const Estimate& estimate) {
                     return estimate.value ? std::optional<std::string>() : estimate.undefined;
                 }),
            part({.help = "Absent for a number without a unit",
                  .name = "unit",
                  .script = R"("number" | "proportion" | "nats" | "rank")",
                  .omitted = true},
                 [](const Estimate& estimate) {
                     return estimate.unit == Unit::number ? std::string_view()
                                                          : name_of(estimate.unit);
                 }),
            part<&Estimate::n>({.help = "Items that entered"}),
            part<&Estimate::interval>({.omitted = true}),
            part<&Estimate::standard_error>({.omitted = true}),
            part<&Estimate::note>({.help = "What a reader must know about it", .omitted = true}),
        });
    return rows;
}

nlohmann::json to_json(const Interval& interval) {
    return json_of(interval);
}

nlohmann::json to_json(const Estimate& estimate) {
    return json_of(estimate);
}

}  // namespace assay
