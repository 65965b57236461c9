#include <fmt/format.h>

#include <utility>

#include "assay/describe_result.h"
#include "assay/evaluate/certify.h"
#include "core/result_table.h"
#include "core/text.h"
#include "evaluate/certified_row.h"
#include "evaluate/described_evaluate.h"

namespace assay {
namespace {

Table certified_table(const CertifiedModel& result, const CertifyOptions& options) {
    Table table{.title = fmt::format("{} on {}", result.model, result.dataset),
                .columns = {{"l2 radius"},
                            {"images"},
                            {"certified accuracy", true, Column::Show::value_and_interval}},
                .rows = {},
                .notes = {}};
    for (const CertifiedPoint& point : result.curve)
        table.add({Number{point.radius}, Count{point.certified}, point.accuracy});
    table.rule();
    table.add({std::string("abstained"), {}, result.abstained});
    if (result.mean_radius.value) {
        table.notes.push_back(
            fmt::format("The mean certified radius is {:.4g} ({:g} % CI {:.4g}-{:.4g}), with 0 for "
                        "images that are abstained or incorrect.",
                        *result.mean_radius.value, 100 * options.level,
                        result.mean_radius.interval->low, result.mean_radius.interval->high));
    }
    table.notes.push_back(fmt::format(
        "The certificate of an image is wrong with probability at most {0:g}: of {1} images, at "
        "most {2:.4g} are expected to have a wrong one. The intervals are for the choice of the "
        "images, given the procedure.",
        options.alpha, count_text(result.images),
        options.alpha * static_cast<double>(result.images)));
    table.notes.push_back(fmt::format("Each image: {}", result.table.string()));
    if (result.without > 0) {
        table.notes.push_back(
            fmt::format("{} images have no single label or no result and are skipped.",
                        count_text(result.without)));
    }
    for (const std::string& note : result.notes)
        table.notes.push_back(fmt::format("{}: {}.", result.model, note));
    return table;
}

/// A row of csv.
struct CertifiedPointRow {
    const CertifiedModel* result;
    const CertifiedPoint* point;
};
ResultType result_type(ResultOf<CertifiedPointRow>) {
    static constexpr auto result = &CertifiedPointRow::result;
    static constexpr auto point = &CertifiedPointRow::point;
    static constexpr auto rows = describe_result<CertifiedPointRow>(
        {.name = "CertifiedPointRow",
         .columns = "model,dataset,radius,images,certified,accuracy*,store"},
        {
            part<result, &CertifiedModel::model>({}),
            part<result, &CertifiedModel::dataset>({}),
            part<point, &CertifiedPoint::radius>({}),
            part<result, &CertifiedModel::images>({}),
            part<point, &CertifiedPoint::certified>({}),
            part<point, &CertifiedPoint::accuracy>({}),
            part<result, &CertifiedModel::store>({}),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<CertifiedPoint>) {
    static constexpr auto rows = describe_result<CertifiedPoint>(
        {.name = "CertifiedPoint", .help = "Certified accuracy at one radius"},
        {
            part<&CertifiedPoint::radius>({.help = "l2, in the unit of `assay attack --norm l2`"}),
            part<&CertifiedPoint::certified>(
                {.help = "Images with the correct class and at least this radius"}),
            part<&CertifiedPoint::accuracy>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<CertifiedModel>) {
    static constexpr auto rows = describe_result<CertifiedModel>(
        {.name = "CertifiedModel", .help = "Randomised smoothing of one model"},
        {
            part<&CertifiedModel::model>({}),
            part<&CertifiedModel::dataset>({}),
            part<&CertifiedModel::selection_store>(
                {.help = "Frequencies of the classes in the copies that chose one"}),
            part<&CertifiedModel::store>({.help = "Frequencies of the classes in the others"}),
            part<&CertifiedModel::table>({.help = "csv with a row per image"}),
            part<&CertifiedModel::images>({.help = "Images with one label and a result"}),
            part<&CertifiedModel::without>({.help = "The others", .name = "left_out"}),
            part<&CertifiedModel::abstained>({.help = "Proportion without a certificate"}),
            part<&CertifiedModel::mean_radius>(
                {.help = "0 for images that are abstained or incorrect"}),
            part<&CertifiedModel::curve>({.help = "By radius"}),
            part<&CertifiedModel::notes>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<CertifyResult>) {
    static constexpr auto options = &CertifyResult::options;
    static constexpr auto rows =
        describe_result<CertifyResult>({.name = "CertifyResult",
                                        .help = "What `assay certify` prints",
                                        .schema = "assay.certify/1"},
                                       {
                                           part<options, &CertifyOptions::sigma>({}),
                                           part<options, &CertifyOptions::samples>({}),
                                           part<options, &CertifyOptions::selection>({}),
                                           part<options, &CertifyOptions::alpha>({}),
                                           part<options, &CertifyOptions::seed>({}),
                                           part<options, &CertifyOptions::level>({}),
                                           part<&CertifyResult::results>({.name = "models"}),
                                       });
    return rows;
}

namespace attack {

ResultType result_type(ResultOf<CertifiedRow>) {
    static constexpr auto rows = describe_result<CertifiedRow>(
        {.name = "CertifiedRow",
         .help = "An image in `certified-SELECTION-alphaALPHA.csv`",
         .columns = "image,label,predicted,hits,bound,radius"},
        {
            part<&CertifiedRow::image>({}),
            part<&CertifiedRow::label>({.help = "Number of the class, if the image has one label"}),
            part<&CertifiedRow::predicted>(
                {.help = "Number of the class; empty if the procedure abstains"}),
            part<&CertifiedRow::hits>({.help = "Copies of the class that the selection chose"}),
            part<&CertifiedRow::bound>({.help = "Lower bound of the class's probability"}),
            part<&CertifiedRow::radius>({.help = "Certified l2 radius"}),
        });
    return rows;
}

}  // namespace attack

Report report_of(std::span<const CertifiedModel> results, const CertifyOptions& options) {
    Report report;
    Section section;
    section.blocks.emplace_back(fmt::format(
        "randomised smoothing: sigma {:g}, {} noisy copies per image after {} that choose the "
        "class, alpha {:g}, seed {}",
        options.sigma, count_text(options.samples), count_text(options.selection), options.alpha,
        options.seed));
    report.records = result_table<CertifiedPointRow>();
    for (const CertifiedModel& result : results) {
        section.blocks.emplace_back(certified_table(result, options));
        if (result.bad_rows > 0) {
            report.partial = true;
            report.warnings.push_back(
                fmt::format("{} on {}: {} images have no result; the first: {}", result.model,
                            result.dataset, count_text(result.bad_rows), result.first_error));
        }
        for (const CertifiedPoint& point : result.curve) {
            report.values.push_back({{result.dataset, result.model,
                                      fmt::format("certified l2 {:g}", point.radius), "accuracy"},
                                     point.accuracy});
            add_row(report.records, CertifiedPointRow{&result, &point});
        }
    }
    report.sections.push_back(std::move(section));
    report.result = json_of(CertifyResult{results, &options});
    return report;
}

}  // namespace assay
