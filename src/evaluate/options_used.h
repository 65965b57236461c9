// Checks for options that have no effect on the request.
#pragma once

#include <span>

#include "assay/evaluate/measure_options.h"
#include "assay/metric/measurement.h"

namespace assay {

struct AttackRunOptions;

/// Whether the caller gave the options of the bootstrap, which their values alone do not show.
struct GivenResampling {
    bool bootstrap = false;  ///< and not 0, which chooses the jackknife
    bool seed = false;       ///< and nothing else draws with it
};

/// Throws usage if bins, edges or k is given and none of the named metrics uses it. `reliability`
/// means that accuracy by confidence is also shown, which has bins.
void check_used(const MeasureOptions& options, bool reliability);
/// The same for `given` before anything is measured, if metrics are named. `by_groups`: accuracy is
/// also measured by group. Returns what is left to check when all is measured.
GivenResampling check_used(const MeasureOptions& options, GivenResampling given,
                           bool by_groups = false);
/// The same from what was measured. An undefined value may have been meant for the bootstrap.
void check_used(std::span<const Measurement> measured, GivenResampling given);
/// Throws usage for an option that none of the attacks uses.
void check_used(const AttackRunOptions& options);

}  // namespace assay
