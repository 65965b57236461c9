// Runs the usual preprocessings on labelled images until they can be distinguished.
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
#include "evaluate/eval/decision.h"
#include "evaluate/eval/usual_ways.h"

namespace assay::evaluate {

/// The candidates and the images that each has correct. Candidates that give the same pixels on all
/// images so far count as one. Otherwise each would make the test stricter, although they cannot be
/// distinguished.
class WaysRace {
public:
    /// The order in which items are run.
    WaysRace(const ModelOpener& opener, const Dataset& dataset,
             std::span<const std::uint32_t> order, const SearchOptions& options,
             const ProgressCallback& callback)
        : opener_(opener),
          dataset_(dataset),
          order_(order),
          options_(options),
          callback_(callback),
          threads_(resolve_threads(options.threads)) {}

    /// Tries the `wanted` candidates on these items. Candidates of one size share a classifier.
    void run(const std::vector<bool>& wanted, std::span<const std::uint32_t> items);

    /// Removes the candidates that the model rejects because of their size or values. If it rejects
    /// all, throws the model's error.
    std::size_t drop_refused();

    void add(std::vector<PreprocessingWay> ways);

    /// Candidates that were dropped but can no longer be distinguished from the best run the
    /// `items` that they missed. Returns true if there was one.
    bool catch_up(const Decision& decision, double level, std::span<const std::uint32_t> items);

    /// Uses the first candidate of each group of equal ones. `p` has entries for all candidates.
    Decision decide(double level) const;
    std::size_t distinct() const { return first_of_each().size(); }

    void expect(std::size_t more) { progress_.total = progress_.done + more; }
    const std::vector<Correct>& correct() const { return correct_; }
    const std::vector<PreprocessingWay>& ways() const { return ways_; }
    std::uint32_t classes() const { return classes_; }
    const std::map<std::uint32_t, std::string>& failed() const { return failed_; }

    PreprocessingWay tried(std::size_t w) const;

    /// Checks whether another order of the classes explains why no candidate does better than
    /// chance.
    std::optional<Finding> other_order(const std::vector<std::uint32_t>& items) const;

private:
    std::vector<std::size_t> first_of_each() const;

    void run_size(const std::vector<std::size_t>& of_size, std::span<const std::uint32_t> items);

    void run_part(const LoadedModel& model, const checks::Runner& runner,
                  const std::vector<std::size_t>& of_size, const std::vector<std::uint32_t>& part);

    /// Counts failed images as incorrect for all candidates. Otherwise the first candidates, which
    /// computed them, would have an advantage.
    void count_failed_as_incorrect();

    /// Excludes the items at which the model failed.
    std::vector<std::uint32_t> computed_of(const std::vector<std::uint32_t>& items) const;

    /// An image that cannot be read, or that the model cannot compute, is incorrect for all
    /// candidates, so that lists stay aligned.
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
    std::vector<std::string> inputs_;  ///< for each candidate, the hashes of its inputs so far
    std::map<std::uint32_t, std::string> failed_;  ///< images that the model cannot compute
    std::set<std::size_t> refused_;
    std::optional<Error> refusal_;  ///< the model's last error about values
    std::uint32_t classes_ = 0;
    Progress progress_;
};

}  // namespace assay::evaluate
