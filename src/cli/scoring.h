// What score and compare share: the flags that say how to measure, and how numbers are written for
// people.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/evaluate/compare.h"
#include "assay/evaluate/score.h"

namespace assay::cli {

/// --metrics, --labels, --subgroups, --class-map, --bins, ...
class ScoringFlags {
public:
    void add_to(CLI::App& app);
    /// What can be known to be wrong without a store: metrics, gates, the class map, labels that
    /// are not there. Throws usage and bad_input. `differences`: gates may be about them.
    void check(bool differences) const;
    /// The options for one store. Throws usage and bad_input.
    ScoreOptions options_for(const PredictionStore& store) const;
    std::vector<Gate> gates() const;
    double level() const noexcept { return level_; }
    const std::filesystem::path& labels() const noexcept { return labels_; }

private:
    std::vector<MetricRequest> requests(const LabelSets& labels, bool cues) const;
    /// Those of --metrics, in their order.
    std::vector<MetricRequest> named_metrics() const;
    /// --subgroups, where the request is for asma.
    void set_subgroups(MetricRequest& request) const;

    std::vector<std::string> metrics_;
    std::vector<std::string> subgroups_;
    std::string edges_;
    std::filesystem::path labels_;
    std::string class_map_;
    int bins_ = 0;
    std::vector<int> k_;
    std::uint32_t bootstrap_ = 1000;
    std::uint64_t seed_ = 1;
    double level_ = 0.95;
    std::uint32_t null_draws_ = 0;
    int threads_ = 0;
    std::vector<std::string> gates_;
};

/// On stderr: the images that a file of label sets leaves out. Nothing when it names all.
void warn_of_unnamed(std::uint64_t unnamed, std::uint64_t images,
                     const std::filesystem::path& labels);

/// Shares of accuracy are written in percent, everything else as it is.
bool in_percent(const std::string& metric);
/// "76.13 %", "0.01234": as many digits as the half width of the interval deserves.
std::string number_text(double value, double half_width, bool percent);
/// "76.13 ±0.37" (in percent where in_percent); "–" when it is undefined.
std::string value_text(const Measurement& m);
/// "75.76 – 76.50".
std::string interval_text(const std::optional<Interval>& interval, bool percent);
/// "top1", "ece (bins 20)": with the parameters that differ from the defaults, and the variant
/// where there are several.
std::string metric_text(const MeasurementKey& key);
/// "< 1e-6", "0.013".
std::string p_text(std::optional<double> p);

/// The gates' outcomes as a table below the others; "" without gates.
std::string gates_text(const std::vector<GateResult>& results, bool colour);
bool all_passed(const std::vector<GateResult>& results);

}  // namespace assay::cli
