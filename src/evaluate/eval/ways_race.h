// The usual ways to prepare the input, run on labelled images until they can be told apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "assay/error.h"
#include "assay/evaluate/check.h"
#include "assay/evaluate/eval.h"
#include "core/parallel.h"
#include "evaluate/check/check_parts.h"
#include "evaluate/check/read_sample.h"
#include "evaluate/eval/decision.h"
#include "evaluate/eval/usual_ways.h"

namespace assay::evaluate {

/// The ways under trial and what each has correct. Ways that give the same pixels on all images so
/// far are one way: each would make the test stricter, and none could be told from the others.
class WaysRace {
public:
    /// Items are run in this order.
    WaysRace(const ModelOpener& opener, const Dataset& dataset,
             std::span<const std::uint32_t> order, const SearchOptions& options,
             const ProgressCallback& callback)
        : opener_(opener),
          dataset_(dataset),
          order_(order),
          options_(options),
          callback_(callback),
          threads_(resolve_threads(options.threads)) {}

    /// Tries the ways that are `wanted` on these items. Ways of one size share a classifier.
    void run(const std::vector<bool>& wanted, std::span<const std::uint32_t> items);

    /// Forgets the ways that the model refuses: their size, or their values. Throws what the model
    /// said where it refuses all.
    std::size_t drop_refused();

    void add(std::vector<PreprocessingWay> ways);

    /// Ways that fell behind and cannot be told from the best any more run what they missed of
    /// `items`. Whether there was one.
    bool catch_up(const Decision& decision, double level, std::span<const std::uint32_t> items);

    /// Of the first of each ways that are alike; p is of all of them.
    Decision decide(double level) const;
    std::size_t distinct() const { return first_of_each().size(); }

    void expect(std::size_t more) { progress_.total = progress_.done + more; }
    const std::vector<Correct>& correct() const { return correct_; }
    const std::vector<PreprocessingWay>& ways() const { return ways_; }
    std::uint32_t classes() const { return classes_; }
    const std::map<std::uint32_t, std::string>& failed() const { return failed_; }

    PreprocessingWay tried(std::size_t w) const;

    /// Whether another order of the classes explains that no way does better than chance.
    std::optional<Finding> other_order(const std::vector<std::uint32_t>& items) const;

private:
    std::vector<std::size_t> first_of_each() const;

    void run_size(const std::vector<std::size_t>& of_size, std::span<const std::uint32_t> items);

    void run_part(const LoadedModel& model, const checks::Runner& runner,
                  const std::vector<std::size_t>& of_size, const std::vector<std::uint32_t>& part);

    /// In all ways, those that had computed the image, too: else the first ways would gain.
    void count_failed_as_incorrect();

    /// Without those at which the model failed.
    std::vector<std::uint32_t> computed_of(const std::vector<std::uint32_t>& items) const;

    /// An image that cannot be read, or that the model cannot compute, is incorrect for all ways,
    /// so that lists stay in step.
    Correct judge(const LoadedModel& model, const checks::Runner& runner, checks::Sample& sample,
                  const Preprocess& p, const std::vector<std::uint32_t>& part) const;

    const ModelOpener& opener_;
    const Dataset& dataset_;
    const std::span<const std::uint32_t> order_;
    const SearchOptions& options_;
    const ProgressCallback& callback_;
    int threads_;
    std::vector<PreprocessingWay> ways_;
    std::vector<Correct> correct_;
    std::vector<std::string> inputs_;              ///< inputs_of() each part of the images
    std::map<std::uint32_t, std::string> failed_;  ///< images that the model cannot compute
    std::set<std::size_t> refused_;
    std::optional<Error> refusal_;  ///< of values, the last one
    std::uint32_t classes_ = 0;
    Progress progress_;
};

}  // namespace assay::evaluate
