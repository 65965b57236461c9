// The table of metrics. README.md in this folder says how to add one.
#include "assay/metric/metric.h"
#include "core/growing_table.h"

namespace assay {
namespace rows {

// Metrics are listed and shown in this order: each function adds the rows of one file.
void add_accuracy(MetricTable& table);
void add_label_sets(MetricTable& table);
void add_balanced(MetricTable& table);
void add_shape_bias(MetricTable& table);
void add_losses(MetricTable& table);
void add_binary_brier(MetricTable& table);
void add_ece(MetricTable& table);
void add_adaptive(MetricTable& table);
void add_calibration_error(MetricTable& table);
void add_classwise_ece(MetricTable& table);
void add_temperature(MetricTable& table);
void add_class_balance(MetricTable& table);
void add_class_scores(MetricTable& table);
void add_order(MetricTable& table);
void add_curves(MetricTable& table);
void add_multilabel(MetricTable& table);
void add_soft_labels(MetricTable& table);
void add_class_tree(MetricTable& table);
void add_ordinal(MetricTable& table);

}  // namespace rows
namespace {

GrowingTable<MetricFacts>& the_table() {
    static GrowingTable<MetricFacts> table([] {
        MetricTable made;
        for (const auto add :
             {rows::add_accuracy, rows::add_label_sets, rows::add_balanced, rows::add_shape_bias,
              rows::add_losses, rows::add_binary_brier, rows::add_ece, rows::add_adaptive,
              rows::add_calibration_error, rows::add_classwise_ece, rows::add_temperature,
              rows::add_class_balance, rows::add_class_scores, rows::add_order, rows::add_curves,
              rows::add_multilabel, rows::add_soft_labels, rows::add_class_tree, rows::add_ordinal})
            add(made);
        return made;
    }());
    return table;
}

}  // namespace

std::span<const MetricFacts> metric_table() {
    return the_table().rows();
}

const MetricFacts& add_metric(MetricFacts facts) {
    return the_table().add(std::move(facts));
}

}  // namespace assay
