#include "metric/measurement_result.h"

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"

namespace assay {

ResultType result_type(ResultOf<MeasurementKey>) {
    static constexpr auto rows = describe_result<MeasurementKey>(
        {.name = "MeasurementKey"},
        {
            part<&MeasurementKey::metric>({}),
            part<&MeasurementKey::definition>({}),
            part<&MeasurementKey::parameters>({.omitted = true}),
            part<&MeasurementKey::model>({.omitted = true, .usual = true}),
            part<&MeasurementKey::dataset>({.omitted = true, .usual = true}),
            part<&MeasurementKey::subgroup>({.omitted = true}),
            part<&MeasurementKey::cls>({.name = "class", .omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<CalibratedNull>) {
    static constexpr auto rows = describe_result<CalibratedNull>(
        {.name = "CalibratedNull",
         .help = "The value of a perfectly calibrated classifier with the same probabilities"},
        {
            part<&CalibratedNull::mean>({}),
            part<&CalibratedNull::p>({}),
            part<&CalibratedNull::draws>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<Measurement>) {
    static constexpr auto rows = describe_result<Measurement>(
        {.name = "Measurement",
         .help = "An estimate with the definition that it measures",
         .columns = "model,dataset,subgroup,metric,definition,parameters,value,low=interval.low,"
                    "high=interval.high,level=interval.level,method=interval.method,n,left_out,"
                    "undefined,note"},
        {
            part({.inlined = true}, [](const Measurement& m) -> const Estimate& { return m; }),
            part<&Measurement::key>({.inlined = true}),
            part<&Measurement::left_out>({.help = "Items without a valid label or without scores"}),
            part<&Measurement::calibrated_null>({.help = "With `--null`", .omitted = true}),
            part<&Measurement::higher_is_better>({}),
        });
    return rows;
}

nlohmann::json to_json(const Measurement& measurement) {
    return json_of(measurement);
}

}  // namespace assay
