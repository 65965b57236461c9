// Metrics: what one row of scores tells (RowFacts), what is added up (Accumulator), and the table
// of all metrics.
//
// Everything that is added up is an integer: counts as they are, real numbers as two fixed-point
// parts (real_sum.h). Integer sums do not depend on their order, so a state may be filled by any
// threads and ranks and merged by adding: the bits are the same. States are kept per group of items
// (`groups`, at random but fixed by the item's place): leaving out or reweighting groups gives the
// uncertainty of any metric, without keeping items.
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

/// Items are dealt to this many groups; with no more items than this, every item is a group of its
/// own.
inline constexpr std::uint32_t group_count = 128;
/// Items are shuffled within stretches of this many before they are dealt, so that a data set in
/// class order gives mixed groups.
inline constexpr std::uint32_t group_stretch = 2048;
/// Where item `item - item % group_stretch + j` lands, for every j of one stretch of `items` items;
/// its group is the place mod group_count. A permutation of [0, group_stretch) cut to what the last
/// stretch needs.
std::vector<std::uint16_t> group_places(std::uint64_t stretch, std::uint64_t items);

/// What the row-wise metrics need of one scored item: what its scores say, and of what.
struct RowFacts : RowPrediction {
    std::uint64_t item = 0;
    std::uint16_t group = 0;
    std::int32_t target = -1;  ///< the data set's single label; -1: none
    std::uint32_t valid = 0;   ///< g: size of the label set
    bool in_set = false;       ///< predicted is in the label set
    /// Classes that the image's shape and texture stand for; -1: none is known.
    std::int32_t shape_cue = -1, texture_cue = -1;
};

/// What all items of a run have in common.
struct Shape {
    std::uint32_t classes = 0;
    bool probabilities = true;  ///< confidences mean something (not so for maps that only decide)
    bool ranking =
        true;  ///< a rank beyond the first means something (not so for a map of the arg-max)
    bool full_rows = true;          ///< every class's probability is there: square_sum is known
    std::uint32_t kept = 0;         ///< classes kept in each row of a reduced store; 0: all
    std::uint32_t most_labels = 1;  ///< size of the largest label set
    /// The data set has no single labels of its own: an item's target is its only valid class.
    bool only_valid = false;
    /// Why items have no shape_cue and texture_cue; "": they have.
    std::string no_cues = "the data set has no attributes `shape` and `texture`";
};

/// Numbers of labels per image that are told apart; images with more labels are counted, and enter
/// no metric of label sets.
inline constexpr std::uint32_t most_labels_per_image = 64;

using Parameters = std::map<std::string, std::string>;

/// Adds items to a state of `slots()` integers. Stateless itself; equal `key()` means equal
/// content, so metrics share one.
class Accumulator {
public:
    virtual ~Accumulator() = default;
    virtual std::string key() const = 0;
    virtual std::size_t slots() const = 0;
    /// `state`: group_count times slots() integers, or slots() when it is not grouped().
    virtual void update(std::span<std::int64_t> state, std::span<const RowFacts> rows) const = 0;
    virtual bool grouped() const { return true; }
};

enum class Uncertainty {
    closed_form,    ///< `Value::interval`
    jackknife,      ///< value +- t * delete-a-group standard error
    jackknife_log,  ///< value * exp(+- t * standard error of the logarithm), for small positive
                    ///< values that are made of few errors: none with fewer than `fewest_errors`
    bootstrap,  ///< +- normal quantile * standard error of reweighted groups: the spread is used,
                ///< not the (biased) percentiles
};

/// With fewer incorrect items Uncertainty::jackknife_log gives no interval: it would hold the truth
/// less often than it says.
inline constexpr std::uint64_t fewest_errors = 10;

enum class Needs : unsigned {
    labels = 1,
    label_sets = 2,
    probabilities = 4,
    full_rows = 8,
    cues = 16,
    soft_labels = 32,  ///< these three are asked for: GivenTruth (given_truth.h)
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
    std::vector<std::string_view> allowed = {};  ///< empty: a whole number in [low, high]
    int low = 0, high = 0;
    bool list = false;  ///< several such numbers, and ranges of them: "1-5", "2,3,4,6,9"
};

/// How the values of two classifiers on the same items are compared.
enum class PairedTest {
    resampled,       ///< any metric: its difference over the same groups of items
    mcnemar_top_k,   ///< each item is a hit or none: its label is among the k highest scores
    mcnemar_in_set,  ///< likewise: the predicted class is one of its valid labels
    agreement,       ///< means of agreements of label sets, item by item
};

struct MetricContext {
    Shape shape;
    Parameters parameters;
    double level = 0.95;
    /// No interval and no note are asked for: values without some items, or with items reweighted.
    bool value_only = false;
    /// MetricRequest::labels_per_image() of these parameters, where it has been asked for: reading
    /// it anew costs more than the values of label sets. Empty: not asked for.
    std::vector<int> labels_per_image = {};
};

class MetricPass;

/// One row of the table in builtin.cpp: facts first, then the functions.
struct MetricFacts {
    std::string_view name, title, formula;
    std::vector<ParameterFacts> parameters = {};
    unsigned needs = 0;
    bool higher_is_better = true;
    bool judges = true;        ///< false: neither direction is better by itself (mean confidence)
    double low = 0, high = 1;  ///< the range of the value
    Unit unit = Unit::number;
    std::string_view origin;  ///< paper, equation
    Uncertainty uncertainty = Uncertainty::closed_form;
    /// How the value is computed (src/metric/pass.h). None: a sum over rows, `accumulate` and
    /// `value`.
    std::shared_ptr<const MetricPass> pass = nullptr;
    /// Definition id for the parameters: "ece.l1.left_closed".
    std::function<std::string(const Parameters&)> definition = nullptr;
    std::unique_ptr<Accumulator> (*accumulate)(const MetricContext&) = nullptr;
    /// Of one state: of all items, without one group, or reweighted.
    Estimate (*value)(const MetricContext&, std::span<const std::int64_t> state) = nullptr;
    PairedTest paired = PairedTest::resampled;
    bool calibrated_null = false;     ///< is compared with labels drawn from the probabilities
    bool null_replaces_note = false;  ///< the note is a rough guess at that null's mean
    /// The name ends in this parameter, and is written with its value there: "topk" as "top5".
    std::string_view numbered_by = "";
    bool by_default = true;
    bool with_sets = false;  ///< by default only where some item has several labels
    bool with_cues = false;  ///< by default only where items have shape and texture cues
    /// What is shown by default: a request each, with the parameters that differ from their
    /// defaults.
    std::vector<Parameters> variants = {{}};
    /// Has a value for each number of labels per image, and is shown in a table of its own.
    bool by_labels_per_image = false;
};

/// What each file of metrics adds its rows to.
using MetricTable = std::vector<MetricFacts>;
/// The built-in metrics, then those that were added. Rows stay where they are.
std::span<const MetricFacts> metric_table();
/// One more row at the table's end. What its texts point to must last. Thread-safe.
const MetricFacts& add_metric(MetricFacts facts);
/// Adds the metrics of a plug-in (assay/plugin.h; docs/plugins.md), FILE:NAME each, and returns
/// them. Its library stays open as long as the program runs; the same file again adds nothing.
/// Thread-safe. Throws bad_input with the file and the function: what is wrong with the library,
/// and names that are taken. What its functions compute is tried on the first rows of each store.
std::vector<const MetricFacts*> load_metrics(const std::filesystem::path& plugin);
std::vector<std::string> metric_names();
/// Throws usage with the nearest name. "top1", "top5", "top<k>" are accepted for `topk`.
const MetricFacts& metric_named(std::string_view name);

/// Ends the ids of metrics of single labels where the data set has none of its own, so that an
/// item's only valid class stands in for one: another set of items.
inline constexpr std::string_view only_valid_ending = ".only_valid";

/// A metric with all its parameters set.
struct MetricRequest {
    const MetricFacts* facts = nullptr;
    Parameters parameters;
    /// Throws usage: no such parameter, or a value that is not allowed, with what is.
    void set(std::string_view parameter, std::string_view value);
    /// "top5", "ece": without the other parameters.
    std::string name() const;
    std::string definition() const;
    /// Of items of this shape: where an item's only valid class stands in for a label of its own,
    /// the ids of metrics of single labels end in only_valid_ending.
    std::string definition(const Shape& shape) const;
    /// Whether a result with this definition id and these parameters is what is asked for, on items
    /// of any shape; by_what_scores_tell asks for either.
    bool is_of(std::string_view definition, const Parameters& parameters) const;
    /// "ece:bins=20,edges=right_closed": only what differs from the defaults.
    std::string text() const;
    /// Stands for one request per number of labels: `subgroup_accuracy` without g (see
    /// expand_labels_per_image).
    bool every_count() const;
    /// The numbers of labels per image that it is about, ascending; none: all images together.
    std::optional<std::vector<int>> labels_per_image() const;
    bool operator==(const MetricRequest&) const = default;
};

/// The parameter that says what ranks the items of a class, and its values: the class's log-odds,
/// its score as it is stored, or what the scores tell (then a request stands for one of the
/// others).
inline constexpr std::string_view ranked_by = "scores", by_probability = "probability",
                                  by_stored_score = "stored", by_what_scores_tell = "auto";

/// "ece", "ece:bins=20,edges=right_closed", "top5", "asma:subgroups=2,3,4,6,9", or a definition id
/// ("asma.jaccard"). Throws usage: unknown metric, parameter or value, with what is allowed.
MetricRequest parse_metric(std::string_view text);
/// A metric that fewer than this proportion of a data set's labelled items enter says little about
/// the data set. Metrics of single labels are then not shown by default, and named.
inline constexpr double sliver = 0.05;
constexpr bool is_sliver(std::uint64_t n, std::uint64_t of) {
    return static_cast<double>(n) < sliver * static_cast<double>(of);
}

/// Every metric that is shown by default. `k`, `bins` and `edges` replace the parameters of that
/// name. `several`: some item has several labels, so that the metrics of label sets say something;
/// `single`: some item has one label (or none has any), so that the others do; `cues`: the data set
/// has the attributes `shape` and `texture`; `given`: Needs that are given beside labels, whose
/// metrics follow.
std::vector<MetricRequest> default_metrics(std::span<const int> k = {}, int bins = 0,
                                           std::string_view edges = "", bool several = false,
                                           bool single = true, bool cues = false,
                                           unsigned given = 0);
/// Requests for every number of labels become one for each that occurs; `counts[g]`: items with g
/// labels. Repeats are dropped.
std::vector<MetricRequest> expand_labels_per_image(std::span<const MetricRequest> requests,
                                                   std::span<const std::uint64_t> counts);

/// The value with its interval from a grouped state: `total` first, then the groups. Also what
/// pairing needs: `without` (the value without each group that holds items) or `replicates`.
struct ResampledEstimate : Estimate {
    std::vector<double> without;
    std::vector<double> replicates;
    bool no_interval = false;  ///< although values without groups are there; `note` says why
};
struct Resampling {
    double level = 0.95;
    std::uint32_t replicates = 1000;  ///< 0: the jackknife stands in for the bootstrap
    std::uint64_t seed = 1;
};
ResampledEstimate estimate(const MetricRequest& request, const Shape& shape,
                           const Accumulator& accumulator, std::span<const std::int64_t> state,
                           std::span<const std::uint64_t> group_sizes, const Resampling&);

/// Interval of Uncertainty::jackknife_log from the values without each group; nothing where one of
/// them, or the value, is not above 0, or there are fewer than two.
std::optional<Interval> log_interval(double value, std::span<const double> without, double level);

/// The table as JSON (`assay list --json`) and as docs/definitions.md.
nlohmann::json metric_table_json();
std::string metric_table_markdown();

}  // namespace assay
