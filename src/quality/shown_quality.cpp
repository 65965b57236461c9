// The JSON of a table of dimensions, with the additions of measurements and runs.
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "quality/described_quality.h"

namespace assay::quality {

std::vector<ShownFinding> found_faults(const std::vector<CheckedPair>& pairs) {
    using Severity = Finding::Severity;
    std::vector<ShownFinding> out;
    for (const CheckedPair& pair : pairs) {
        for (const Finding& finding : pair.findings) {
            if (finding.severity == Severity::error || finding.severity == Severity::warning)
                out.push_back({&pair, &finding});
        }
    }
    return out;
}

namespace {

/// A cell and its measurements.
struct ShownCell {
    const QualityCell* cell;
    const Estimate* measured;  ///< nullptr if it was read from a table
};
struct ShownQualityModel {
    const QualityTable* table;
    const QualityModel* model;
    const MeasuredModel* measured;

    std::map<std::string, ShownCell> dimensions() const {
        PerDimension<ShownCell> cells{};
        for (std::size_t d = 0; d < dimension_count; ++d)
            cells[d] = {&model->cells[d], measured ? &measured->values[d] : nullptr};
        return by_name(cells);
    }
    std::map<std::string, std::string> tags() const {
        std::map<std::string, std::string> out;
        for (std::size_t t = 0; t < table->tags.size(); ++t)
            out[table->tags[t]] = model->tags.at(t);
        return out;
    }
};

std::vector<ShownQualityModel> models_of(const ShownQuality& shown) {
    std::vector<ShownQualityModel> models;
    for (std::size_t m = 0; m < shown.table->models.size(); ++m) {
        models.push_back({shown.table, &shown.table->models[m],
                          shown.measured ? &shown.measured->models[m] : nullptr});
    }
    return models;
}

std::map<std::string, std::string> data_of(const MeasuredQuality& measured) {
    std::map<std::string, std::string> data;
    for (const auto& [role, name] : measured.options.data)
        data[std::string(facts_of(role).name)] = name;
    return data;
}

}  // namespace

ResultType result_type(ResultOf<ErrorShare>) {
    static constexpr auto rows = describe_result<ErrorShare>(
        {.name = "ErrorShare", .help = "How the error of a cell depends on some images"},
        {
            part<&ErrorShare::data>({.help = "Identity of a data set's images"}),
            part<&ErrorShare::parts>(
                {.help = "One number for each of at most 128 groups of images"}),
        });
    return rows;
}

namespace {

ResultType result_type(ResultOf<ShownCell>) {
    static constexpr auto rows = describe_result<ShownCell>(
        {.name = "QualityCell", .help = "One dimension of a model"},
        {
            part<&ShownCell::cell, &QualityCell::value>({.help = "Null if it was not measured"}),
            part<&ShownCell::cell, &QualityCell::undefined>(
                {.help = "Why there is no value", .omitted = true}),
            part<&ShownCell::cell, &QualityCell::standard_error>({.omitted = true}),
            part<&ShownCell::cell, &QualityCell::n>({.help = "Images", .omitted = true}),
            part<&ShownCell::cell, &QualityCell::definition>(
                {.help = "The data set; absent for the published table", .omitted = true}),
            part<&ShownCell::cell, &QualityCell::note>({.omitted = true}),
            part<&ShownCell::cell, &QualityCell::shares>(
                {.help = "Shares whose squares add up to the squared standard error",
                 .omitted = true}),
            part({.help = "For a measured value",
                  .name = "unit",
                  .script = "Estimate[\"unit\"]",
                  .omitted = true},
                 [](const ShownCell& shown) {
                     return shown.measured && shown.measured->value
                                ? std::optional(shown.measured->unit)
                                : std::nullopt;
                 }),
            part({.help = "For a measured value", .name = "interval", .omitted = true},
                 [](const ShownCell& shown) {
                     return shown.measured && shown.measured->value ? shown.measured->interval
                                                                    : std::nullopt;
                 }),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<QualityPart>) {
    static constexpr auto rows = describe_result<QualityPart>(
        {.name = "QualityPart", .help = "A measurement behind a dimension"},
        {
            part<&QualityPart::value>({.inlined = true}),
            part<&QualityPart::name>({.name = "part"}),
            part<&QualityPart::dimension>({}),
            part<&QualityPart::definition>({}),
            part<&QualityPart::dataset>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<MeasuredModel>) {
    static constexpr auto rows = describe_result<MeasuredModel>(
        {.name = "MeasuredQualityModel", .help = "Fields that measuring adds to a model"},
        {part<&MeasuredModel::parts>({}), part<&MeasuredModel::notes>({})});
    return rows;
}

namespace {

ResultType result_type(ResultOf<ShownQualityModel>) {
    static constexpr auto rows = describe_result<ShownQualityModel>(
        {.name = "QualityModel"},
        {
            part<&ShownQualityModel::model, &QualityModel::name>({}),
            part<&ShownQualityModel::model, &QualityModel::file_hash>(
                {.help = "Hash of the model's file", .omitted = true}),
            part<&ShownQualityModel::model, &QualityModel::note>({.omitted = true}),
            part<&ShownQualityModel::tags>({}),
            part<&ShownQualityModel::dimensions>({}),
            part<&ShownQualityModel::measured>({.inlined = true}),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<MeasuredQuality>) {
    static constexpr auto rows = describe_result<MeasuredQuality>(
        {.name = "MeasuredQuality", .help = "Fields that measuring adds to a table"},
        {
            part({.help = "Names of data sets, by role", .name = "data"},
                 [](const MeasuredQuality& measured) { return data_of(measured); }),
            part<&MeasuredQuality::options, &MeasureQualityOptions::eps>(
                {.help = "Of the attacks"}),
            part<&MeasuredQuality::options, &MeasureQualityOptions::space>({}),
            part<&MeasuredQuality::options, &MeasureQualityOptions::level>(
                {.help = "Of the intervals"}),
            part<&MeasuredQuality::options, &MeasureQualityOptions::seed>({}),
            part<&MeasuredQuality::options, &MeasureQualityOptions::null_draws>(
                {.help = "Draws of labels for a perfectly calibrated classifier"}),
            part<&MeasuredQuality::partial>(
                {.help = "True if a store that was used is not complete"}),
            part<&MeasuredQuality::notes>({}),
            part<&MeasuredQuality::warnings>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<ShownQuality>) {
    static constexpr auto rows = describe_result<ShownQuality>(
        {.name = "Quality",
         .help = "Models and their nine quality dimensions",
         .schema = "assay.quality/1"},
        {
            part<&ShownQuality::table, &QualityTable::tags>({.help = "Their names"}),
            part({.name = "models"}, [](const ShownQuality& shown) { return models_of(shown); }),
            part<&ShownQuality::measured>({.inlined = true}),
            part<&ShownQuality::score>(
                {.help = "For a run: models that have all dimensions", .omitted = true}),
            part({.help = "For a run: warnings of `assay check`",
                  .name = "findings",
                  .omitted = true},
                 [](const ShownQuality& shown) {
                     return shown.run ? std::optional(found_faults(shown.run->findings))
                                      : std::nullopt;
                 }),
        });
    return rows;
}

}  // namespace assay::quality
