#include "assay/evaluate/check.h"

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/parallel.h"
#include "evaluate/check/check_parts.h"

namespace assay {

std::string_view name_of(Finding::Severity severity) {
    switch (severity) {
        case Finding::Severity::ok:
            return "ok";
        case Finding::Severity::note:
            return "note";
        case Finding::Severity::warning:
            return "warning";
        case Finding::Severity::error:
            return "error";
    }
    return "";
}

namespace {

bool any_finite(const checks::Scores& scores) {
    for (std::size_t i = 0; i < scores.rows(); ++i) {
        const auto row = scores.row(i);
        if (std::all_of(row.begin(), row.end(), [](float x) { return std::isfinite(x); }))
            return true;
    }
    return false;
}

}  // namespace

std::vector<Finding> check_model(Classifier& classifier, const ModelSpec& spec,
                                 const Dataset& dataset, const CheckOptions& options,
                                 const ProgressCallback& callback) {
    using namespace checks;
    Progress progress{.total = 5U + (options.geometry ? 1U : 0U) + (options.reopen ? 1U : 0U)};
    const auto step = [&](std::string_view what) {
        throw_if_stopped();
        progress.step = what;
        if (callback) callback(progress);
        ++progress.done;
    };
    if (options.sample == 0)
        throw Error(ErrorCode::usage, "the sample has 0 images; allowed: 1 or more");
    std::vector<Finding> findings;
    const auto add = [&](std::vector<Finding> more) {
        for (Finding& finding : more) findings.push_back(std::move(finding));
    };
    step("reading images");
    Sample sample = draw_sample(dataset, spec.preprocess, options, 0, options.sample);
    add(check_data(dataset, spec, classifier.facts().classes));
    add(check_images(dataset, sample, options));
    if (sample.size() == 0) return findings;

    const Runner runner(classifier, options.batch, resolve_threads(options.threads));
    step("running the classifier");
    Scores scores = run_sample(runner, sample, spec.preprocess);
    add(check_failed(sample, dataset, Severity::error));
    if (sample.size() == 0) return findings;
    add(check_outputs(scores, spec, sample, dataset));

    if (!any_finite(scores)) {
        // Such scores would make statements about classes and pixels meaningless.
        for (const char* id : {"classes.order", "pixels.values"})
            findings.push_back({Finding::Severity::note, id,
                                "cannot be checked: no image has finite scores", "", ""});
        return findings;
    }
    step("comparing orders of classes");
    OrderResult order = check_order(scores, sample, dataset, options);
    step("comparing pixel values");
    // One comparison on three times as many images costs less than the earlier comparisons.
    const auto fresh = [&] {
        return draw_sample(dataset, spec.preprocess, options, options.sample, 3 * options.sample);
    };
    const PixelResult pixels =
        check_values(runner, scores, sample, dataset, spec, order.order, options, fresh);
    if (!(pixels.best == spec.preprocess)) {
        // Incorrect pixel values hide the order, so the check runs again with better values.
        scores = runner.run(sample.windows, pixels.best);
        if (!order.settled) order = check_order(scores, sample, dataset, options);
    }
    add(std::move(order.findings));
    add(pixels.findings);
    if (options.reopen) {
        step("comparing input sizes");
        add(check_size(scores, sample, dataset, spec, pixels.best, order.order, options,
                       runner.threads()));
    }
    if (options.geometry) {
        step("comparing crops and interpolations");
        add(check_geometry(runner, scores, sample, dataset, pixels.best, order.order, options));
    }
    step("comparing batches");
    add(check_batch(runner, sample, spec.preprocess));
    return findings;
}

std::vector<Finding> check_model(Classifier& classifier, const ModelSpec& spec, DataToCheck data,
                                 const CheckOptions& options, const ProgressCallback& callback) {
    std::vector<Finding> findings = std::move(data.findings);
    for (Finding& finding : check_model(classifier, spec, data.dataset, options, callback))
        findings.push_back(std::move(finding));
    return findings;
}

}  // namespace assay
