// The table of metrics. README.md in this folder says how to add one.
#include "assay/metric/metric.h"
#include "table_rows.h"

namespace assay {
namespace {

// Metrics are listed, and shown, in this order.
std::vector<MetricFacts> make_table() {
    std::vector<MetricFacts> table;
    rows::add_accuracy(table);
    rows::add_calibration(table);
    rows::add_classes(table);
    rows::add_order(table);
    rows::add_curves(table);
    return table;
}

}  // namespace

const std::vector<MetricFacts>& metric_table() {
    static const std::vector<MetricFacts> table = make_table();
    return table;
}

}  // namespace assay
