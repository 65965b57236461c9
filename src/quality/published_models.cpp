#include <algorithm>
#include <cmath>
#include <string>

#include "assay/quality/quba.h"
#include "assay/quality/table.h"
#include "quality/model_labels.h"

namespace assay::quality {
namespace {

constexpr std::string_view published_csv =
#include "published_models.inc"
    ;

constexpr double clean_images = 50'000;

/// Mean contributions of the sampling errors of these dimensions to QUBA's standard error over the
/// 326 models, with the default weights. They come from the sizes of the dimensions' sets. They are
/// constants because they depend on pairs of predictions that the table does not hold.
constexpr double calibration_part = 0.008, balance_part = 0.015, focus_part = 0.024;

/// The error of a proportion `q` divided by a proportion that is much more precise.
double error_of_ratio(double q, double accuracy, double images) {
    q = std::min(std::max(q, 0.0), 1.0);
    return std::sqrt(q * (1 - q) / images) / accuracy;
}

double error_of_ood(double ratio, double accuracy) {
    // For renditions, sketches, stylized images, edges and silhouettes. Each accuracy is assumed to
    // equal their geometric mean.
    constexpr double sizes[] = {30'000, 800, 800, 160, 160};
    const double q = std::min(ratio * accuracy, 0.999);
    double variance = (1 - accuracy) / (clean_images * accuracy);
    for (const double n : sizes) variance += (1 - q) / (n * q) / 25;
    return ratio * std::sqrt(variance);
}

/// The standard error that contributes `part` to QUBA's: w / 6 / sigma times the error.
double error_from_part(Dimension dimension, double part) {
    const auto d = static_cast<std::size_t>(dimension);
    return part * 6 / facts_of(dimension).weight * published_constants().deviation[d];
}

void add_notes(QualityTable& table) {
    for (QualityModel& model : table.models) {
        const auto tag = [&](std::string_view name) -> std::string_view {
            for (std::size_t t = 0; t < table.tags.size(); ++t) {
                if (table.tags[t] == name) return model.tags[t];
            }
            return {};
        };
        const auto cell = [&](Dimension d) -> QualityCell& {
            return model.cells[static_cast<std::size_t>(d)];
        };
        const bool hiera = model.name.starts_with("Hiera") || model.name.starts_with("hiera");
        if (tag("architecture") == "Vision-language models" || hiera) {
            for (const Dimension d : {Dimension::calibration_error, Dimension::class_balance})
                cell(d).note = "softmax was probably applied twice";
        }
        if (tag("training") != "Adversarial training")
            cell(Dimension::adversarial_robustness).note =
                "attacked in normalised units, about 1.8/255 in pixels";
        if (*cell(Dimension::c_robustness).value < 0.2) {
            cell(Dimension::c_robustness).note =
                "probably measured with the batch statistics of one class (training mode)";
        }
    }
    const auto rename = [&](std::size_t row, const char* name, const char* why) {
        table.models[row].name = name;
        table.models[row].note = why;
    };
    rename(145, "ViT-b/32",
           "the source page has the name ViT-l/16, with the parameters of ViT-b/32");
    rename(146, "ViT-l/16",
           "the source page has the name ViT-b/32, with the parameters of ViT-l/16");
    constexpr auto tuned = "fine-tuned; the source page has LP (linear probe) in the name";
    rename(321, "ViT-L/14-DINOv2-reg-FT", tuned);
    rename(322, "ViT-B/14-DINOv2-reg-FT", tuned);
    rename(323, "ViT-S/14-DINOv2-reg-FT", tuned);
    label_models(table);
}

}  // namespace

const QubaConstants& published_constants() {
    // The constants in the order of the enumeration, with the digits of the published program.
    static const QubaConstants constants = {
        {0.7990557251908397, 0.18583778826016084, 0.5298791080592711, 0.5664841617855405,
         0.004479927389289115, 0.783356376851669, 0.9286352601551336, 0.30548520497464765,
         55.28778625954198},
        {0.034685710545946026, 0.11083062192390095, 0.23383978329969085, 0.14548627504237352,
         0.0026752085291489288, 0.024047971612660052, 0.017724144886557092, 0.08354531823072534,
         42.8890536095964},
        "the constants of the published 326 models"};
    return constants;
}

std::optional<double> assumed_error(const QualityModel& model, Dimension dimension) {
    const std::optional<double> accuracy = model.cell(Dimension::accuracy).value;
    const std::optional<double> value = model.cell(dimension).value;
    if (!value || !accuracy || *accuracy <= 0) return std::nullopt;
    switch (dimension) {
        case Dimension::accuracy:
            return std::sqrt(*accuracy * (1 - *accuracy) / clean_images);
        case Dimension::adversarial_robustness:
        case Dimension::c_robustness:  // an upper bound: it treats the 75 versions of an image as
                                       // one
            return error_of_ratio(*value * *accuracy, *accuracy, clean_images);
        case Dimension::ood_robustness:
            return error_of_ood(*value, *accuracy);
        case Dimension::calibration_error:
            return error_from_part(dimension, calibration_part);
        case Dimension::class_balance:
            return error_from_part(dimension, balance_part);
        case Dimension::object_focus:
            return error_from_part(dimension, focus_part);
        case Dimension::shape_bias:  // either cue decides for about 720 images
            return std::sqrt(*value * (1 - *value) / 720);
        case Dimension::parameters:
            break;
    }
    return std::nullopt;
}

const QualityTable& published_models() {
    static const QualityTable table = [] {
        QualityTable read = parse_quality_table(published_csv, "the published models");
        add_notes(read);
        read.published = true;
        for (QualityModel& model : read.models) {
            for (const DimensionFacts& facts : dimension_facts()) {
                model.cells[static_cast<std::size_t>(facts.dimension)].standard_error =
                    assumed_error(model, facts.dimension);
            }
        }
        return read;
    }();
    return table;
}

}  // namespace assay::quality
