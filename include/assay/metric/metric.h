// Metrics consist of the facts from one row of scores (RowFacts), the sums over rows (Accumulator),
// and the table of all metrics.
//
// All sums consist of integers: counts directly, real numbers as two fixed-point parts
// (real_sum.h). Integer sums do not depend on their order. So any threads and ranks may fill a
// state, and states are merged by adding: the bits are the same. States are kept per random group
// of items (`groups`), which the item's place determines. Excluding or reweighting groups gives the
// uncertainty of any metric, without storing items.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/metric/measurement.h"
#include "assay/store/row_reader.h"

namespace assay {

/// Items are assigned to this many groups; with no more items than this, every item is a group by
/// itself.
inline constexpr std::uint32_t group_count = 128;
/// Items are shuffled within stretches of this many before they are assigned, so that a data set in
/// class order gives mixed groups.
inline constexpr std::uint32_t group_stretch = 2048;
/// The places of the items `item - item % group_stretch + j`, for every j of one stretch of `items`
/// items. A place mod group_count is the item's group. The places are a permutation of [0,
/// group_stretch), which is shorter for the last stretch.
std::vector<std::uint16_t> group_places(std::uint64_t stretch, std::uint64_t items);

/// The facts about one scored item that the row-wise metrics need: its prediction and its labels.
struct RowFacts : RowPrediction {
    std::uint64_t item = 0;
    std::uint16_t group = 0;
    std::int32_t target = -1;  ///< the data set's single label, or -1 for none
    std::uint32_t valid = 0;   ///< g, the size of the label set
    bool in_set = false;       ///< predicted is in the label set
    /// The classes of the image's shape and texture; -1 if not known.
    std::int32_t shape_cue = -1, texture_cue = -1;
};

/// Properties that all items of a run share.
struct Shape {
    std::uint32_t classes = 0;
    bool probabilities = true;  ///< confidences are meaningful (not so for maps that only decide)
    bool ranking =
        true;  ///< ranks beyond the first are meaningful (not so for a map of the arg-max)
    bool full_rows = true;          ///< every class's probability is known, and so is square_sum
    std::uint32_t kept = 0;         ///< classes kept in each row of a reduced store; 0 means all
    std::uint32_t most_labels = 1;  ///< number of labels in the largest label set
    /// The data set has no single labels of its own: an item's target is its only valid class.
    bool only_valid = false;
    /// The reason why items have no shape_cue and texture_cue, or "".
    std::string no_cues = "the data set has no attributes `shape` and `texture`";
};

/// The largest number of labels per image with a count of its own. Images with more labels are
/// counted together, and excluded from metrics of label sets.
inline constexpr std::uint32_t most_labels_per_image = 64;

using Parameters = std::map<std::string, std::string>;

/// Adds items to a state of `slots()` integers. It has no state itself; equal `key()` means equal
/// content, so metrics share one accumulator.
class Accumulator {
public:
    virtual ~Accumulator() = default;
    virtual std::string key() const = 0;
    virtual std::size_t slots() const = 0;
    /// `state` has group_count times slots() integers, or slots() if it is not grouped().
    virtual void update(std::span<std::int64_t> state, std::span<const RowFacts> rows) const = 0;
    virtual bool grouped() const { return true; }
};

enum class Uncertainty {
    closed_form,  ///< `Value::interval`
    jackknife,    ///< value +- t * delete-a-group standard error
    /// value * exp(+- t * standard error of the logarithm), for small positive values that depend
    /// on few errors: there is no interval with fewer than `fewest_errors`
    jackknife_log,
    bootstrap,  ///< +- normal quantile * standard error over reweighted groups: it uses the spread
                ///< and not the (biased) percentiles
};

/// With fewer incorrect items, Uncertainty::jackknife_log gives no interval: it would contain the
/// true value less often than its level says.
inline constexpr std::uint64_t fewest_errors = 10;

enum class Needs : unsigned {
    labels = 1,
    label_sets = 2,
    probabilities = 4,
    full_rows = 8,
    cues = 16,
    soft_labels = 32,  ///< the user gives these three: GivenTruth (given_truth.h)
    hierarchy = 64,
    class_order = 128,
};
constexpr unsigned operator|(Needs a, Needs b) {
    return static_cast<unsigned>(a) | static_cast<unsigned>(b);
}
constexpr unsigned operator|(unsigned a, Needs b) {
    return a | static_cast<unsigned>(b);
}

struct ParameterFacts {
    std::string_view name, fallback, meaning;
    /// if empty, the value is a whole number in [low, high]
    std::vector<std::string_view> allowed = {};
    int low = 0, high = 0;
    bool list = false;  ///< a list of such numbers and ranges: "1-5", "2,3,4,6,9"
};

/// The way to compare the values of two classifiers on the same items.
enum class PairedTest {
    resampled,       ///< works for any metric: its difference over the same groups of items
    mcnemar_top_k,   ///< each item is a hit if its label is among the k highest scores
    mcnemar_in_set,  ///< each item is a hit if the predicted class is one of its valid labels
    agreement,       ///< means of agreements of label sets, item by item
};

struct MetricContext {
    Shape shape;
    Parameters parameters;
    double level = 0.95;
    /// True if only the value is needed, without interval and note: for values without some items,
    /// or with reweighted items.
    bool value_only = false;
    /// The result of MetricRequest::labels_per_image() for these parameters, if it was computed:
    /// computing it again costs more than the values of label sets. Empty if it was not computed.
    std::vector<int> labels_per_image = {};
};

class MetricPass;

/// A row of the table in builtin.cpp: facts first, then the functions.
struct MetricFacts {
    std::string_view name, title, formula;
    std::vector<ParameterFacts> parameters = {};
    unsigned needs = 0;
    bool higher_is_better = true;
    bool judges = true;        ///< false if neither direction is better (mean confidence)
    double low = 0, high = 1;  ///< the range of the value
    Unit unit = Unit::number;
    std::string_view origin;  ///< paper, equation
    Uncertainty uncertainty = Uncertainty::closed_form;
    /// The computation of the value (src/metric/pass.h). Without a pass, it is a sum over rows:
    /// `accumulate` and `value`.
    std::shared_ptr<const MetricPass> pass = nullptr;
    /// Definition id for the parameters: "ece.l1.left_closed".
    std::function<std::string(const Parameters&)> definition = nullptr;
    std::unique_ptr<Accumulator> (*accumulate)(const MetricContext&) = nullptr;
    /// The value from one state: over all items, all groups but one, or reweighted groups.
    Estimate (*value)(const MetricContext&, std::span<const std::int64_t> state) = nullptr;
    PairedTest paired = PairedTest::resampled;
    bool calibrated_null = false;     ///< compare it with labels drawn from the probabilities
    bool null_replaces_note = false;  ///< the note is a rough estimate of that null's mean
    /// The name ends in this parameter and is written with its value: "topk" as "top5".
    std::string_view numbered_by = "";
    bool by_default = true;
    bool with_sets = false;  ///< it is a default metric only if some item has several labels
    bool with_cues = false;  ///< it is a default metric only if items have shape and texture cues
    /// The requests that are shown by default: for each one, the parameters that differ from their
    /// defaults.
    std::vector<Parameters> variants = {{}};
    /// The metric has a value for each number of labels per image, which a separate table shows.
    bool by_labels_per_image = false;
};

/// Each file of metrics adds its rows to this table.
using MetricTable = std::vector<MetricFacts>;
/// The built-in metrics, then those that were added. Rows never move in memory.
std::span<const MetricFacts> metric_table();
/// Adds a row at the end of the table. Its texts must stay valid. Thread-safe.
const MetricFacts& add_metric(MetricFacts facts);
/// Adds the metrics of a plug-in (assay/plugin.h; docs/plugins.md), named FILE:NAME, and returns
/// them. Its library stays open until the program ends; a second call for the same file adds
/// nothing. Thread-safe. Throws bad_input with the file and the function if the library has a fault
/// or a name is already used. The functions are tried on the first rows of each store.
std::vector<const MetricFacts*> load_metrics(const std::filesystem::path& plugin);
std::vector<std::string> metric_names();
/// Throws usage with the nearest name. "top1", "top5", "top<k>" are accepted for `topk`.
const MetricFacts& metric_named(std::string_view name);

/// If the data set has no single labels of its own, an item's only valid class is used as its
/// label. The ids of metrics of single labels then get this ending, because this is another set of
/// items.
inline constexpr std::string_view only_valid_ending = ".only_valid";

/// A metric with all its parameters set.
struct MetricRequest {
    const MetricFacts* facts = nullptr;
    Parameters parameters;
    /// Throws usage if the parameter does not exist or the value is not allowed; the message says
    /// what is allowed.
    void set(std::string_view parameter, std::string_view value);
    /// The name without the other parameters: "top5", "ece".
    std::string name() const;
    std::string definition() const;
    /// The definition for items of this shape. If an item's only valid class is used as its label,
    /// the ids of metrics of single labels end in only_valid_ending.
    std::string definition(const Shape& shape) const;
    /// Returns true if a result with this definition id and these parameters matches the request,
    /// on items of any shape; by_what_scores_tell matches either value.
    bool is_of(std::string_view definition, const Parameters& parameters) const;
    /// Only the parameters that differ from the defaults: "ece:bins=20,edges=right_closed".
    std::string text() const;
    /// True if it represents one request per number of labels: `subgroup_accuracy` without g (see
    /// expand_labels_per_image()).
    bool every_count() const;
    /// The numbers of labels per image that it covers, ascending; no value means all images
    /// together.
    std::optional<std::vector<int>> labels_per_image() const;
    bool operator==(const MetricRequest&) const = default;
};

/// The parameter for what ranks the items of a class, and its values. They are the class's
/// log-odds, its score as it is stored, or the choice that the scores indicate. The last value
/// makes the request one of the other two.
inline constexpr std::string_view ranked_by = "scores", by_probability = "probability",
                                  by_stored_score = "stored", by_what_scores_tell = "auto";

/// Parses "ece", "ece:bins=20,edges=right_closed", "top5", "asma:subgroups=2,3,4,6,9", or a
/// definition id ("asma.jaccard"). Throws usage for an unknown metric, parameter or value; the
/// message says what is allowed.
MetricRequest parse_metric(std::string_view text);
/// If a metric covers less than this proportion of a data set's labelled items, it says little
/// about the data set. Metrics of single labels are then not shown by default, but the report names
/// them.
inline constexpr double sliver = 0.05;
constexpr bool is_sliver(std::uint64_t n, std::uint64_t of) {
    return static_cast<double>(n) < sliver * static_cast<double>(of);
}

/// Every metric that is shown by default. `k`, `bins` and `edges` replace the parameters with that
/// name. `several` means that some item has several labels, so that the metrics of label sets are
/// meaningful. `single` means that some item has one label (or none has any), so that the others
/// are meaningful. `cues` means that the data set has the attributes `shape` and `texture`. `given`
/// are the Needs that are available in addition to labels; their metrics are added.
std::vector<MetricRequest> default_metrics(std::span<const int> k = {}, int bins = 0,
                                           std::string_view edges = "", bool several = false,
                                           bool single = true, bool cues = false,
                                           unsigned given = 0);
/// Requests for every number of labels become one request for each number that occurs; `counts[g]`
/// is the number of items with g labels. Removes repeated requests.
std::vector<MetricRequest> expand_labels_per_image(std::span<const MetricRequest> requests,
                                                   std::span<const std::uint64_t> counts);

/// The value with its interval from a grouped state: `total` comes first, then the groups. It also
/// has what pairing needs: `without` (the value without each group that contains items) or
/// `replicates`.
struct ResampledEstimate : Estimate {
    std::vector<double> without;
    std::vector<double> replicates;
    bool no_interval = false;  ///< there is no interval although values without groups exist;
                               ///< `note` gives the reason
};
struct Resampling {
    double level = 0.95;
    std::uint32_t replicates = 1000;  ///< 0 means that the jackknife replaces the bootstrap
    std::uint64_t seed = 1;
};
ResampledEstimate estimate(const MetricRequest& request, const Shape& shape,
                           const Accumulator& accumulator, std::span<const std::int64_t> state,
                           std::span<const std::uint64_t> group_sizes, const Resampling&);

/// The interval of Uncertainty::jackknife_log from the values without each group. Returns nothing
/// if one of these values is not above 0, or if there are fewer than two.
std::optional<Interval> log_interval(double value, std::span<const double> without, double level);

/// The table as JSON (`assay list --json`) and as docs/definitions.md.
nlohmann::json metric_table_json();
std::string metric_table_markdown();

}  // namespace assay
