// The table of metrics. README.md in this folder says how to add one.
#include "assay/metric/metric.h"

namespace assay {
namespace rows {

// Metrics are listed, and shown, in this order: each function adds the rows of one file.
void add_accuracy(MetricTable& table);
void add_calibration(MetricTable& table);
void add_adaptive(MetricTable& table);
void add_calibration_error(MetricTable& table);
void add_classwise_ece(MetricTable& table);
void add_temperature(MetricTable& table);
void add_classes(MetricTable& table);
void add_order(MetricTable& table);
void add_curves(MetricTable& table);

}  // namespace rows
namespace {

MetricTable& the_table() {
    static MetricTable table = [] {
        MetricTable made;
        for (const auto add :
             {rows::add_accuracy, rows::add_calibration, rows::add_adaptive,
              rows::add_calibration_error, rows::add_classwise_ece, rows::add_temperature,
              rows::add_classes, rows::add_order, rows::add_curves})
            add(made);
        return made;
    }();
    return table;
}

}  // namespace

const MetricTable& metric_table() {
    return the_table();
}

const MetricFacts& add_metric(MetricFacts facts) {
    return the_table().emplace_back(std::move(facts));
}

}  // namespace assay
