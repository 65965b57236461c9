// Implements the pass of class_wise_ece.h, which reads the rows again, and its table row.
#include "assay/collective/comm.h"
#include "metric/class_wise_ece.h"
#include "metric/metric_rows.h"
#include "metric/pass.h"
#include "metric/table_rows.h"

namespace assay {
namespace {

class ClassWiseEcePass final : public MetricPass {
public:
    KeptItems keeps(const MetricRequest&, bool known) const override { return {known, false}; }

    ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const override {
        ResampledEstimate result;
        const std::vector<std::uint64_t>& group_sizes = run.sums().group_sizes();
        const PassRows& again = run.again();
        for (const std::uint64_t size : group_sizes) result.n += size;
        result.undefined = again.rows.lacking();
        if (result.undefined.empty() && result.n == 0)
            result.undefined = "no item has a single label";
        if (!result.undefined.empty()) return result;
        const auto [first, last] = again.own_classes();
        const ClassWiseEceOptions how{.bins = std::stoi(request.parameters.at("bins")),
                                      .edges = request.parameters.at("edges"),
                                      .threads = again.threads,
                                      .first_class = first,
                                      .last_class = last};
        ClassWiseEceSums sums;
        agree(again.comm, [&] { sums = class_wise_ece_sums(again.rows, how); });
        for (auto* part : {&sums.error, &sums.noise, &sums.without}) again.comm.all_reduce(*part);
        return class_wise_ece_estimate(sums, again.rows.classes(), group_sizes,
                                       run.sums().resampling().level);
    }
};

std::string classwise_ece_definition(const Parameters& p) {
    return "classwise_ece.l1." + p.at("edges");
}

}  // namespace

namespace rows {

void add_classwise_ece(MetricTable& table) {
    using enum Needs;
    table.push_back(
        {.name = "classwise_ece",
         .title = "Class-wise expected calibration error",
         .formula = "sum of n_b/n |frequency_b - mean probability_b| over bins of a class's "
                    "probability with equal width; mean over all classes. Noise adds to it, so its "
                    "interval extends down by the most that noise can add",
         .parameters = {bins_parameter(), edges_parameter()},
         .needs = labels | probabilities | full_rows,
         .higher_is_better = false,
         .origin = "Kull et al. 2019, Beyond temperature scaling, section 2; Nixon et al. 2019 "
                   "(static calibration error)",
         .uncertainty = Uncertainty::jackknife,
         .pass = std::make_shared<ClassWiseEcePass>(),
         .definition = classwise_ece_definition,
         .by_default = false});
}

}  // namespace rows
}  // namespace assay
