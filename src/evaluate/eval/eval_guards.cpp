// Fast checks before hours of work: those of `assay check`, on few images.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/evaluate/eval.h"
#include "core/parallel.h"
#include "evaluate/check/check_parts.h"
#include "evaluate/check/read_sample.h"
#include "evaluate/model_trial.h"

namespace assay {
namespace {

using checks::Runner;
using checks::Sample;

// If the preprocessing is known, all checks together run about 200 images, which is 4 % of 5,000.
constexpr std::size_t guarded_images = 32;
constexpr std::size_t images_of_values = 16;  // nine variants of pixel values run on these
constexpr std::size_t usual_batch = 8;

const Finding* finding_of(const std::vector<Finding>& findings, std::string_view id) {
    const auto found = std::ranges::find(findings, id, &Finding::id);
    return found != findings.end() && found->severity >= Finding::Severity::warning ? &*found
                                                                                    : nullptr;
}

Sample front_of(const Sample& sample, std::size_t n) {
    Sample front = sample;
    front.items.resize(std::min(n, sample.size()));
    front.windows.resize(front.items.size());
    return front;
}

}  // namespace

EvalGuards guard_model(const LoadedModel& model, const Dataset& dataset,
                       const GuardOptions& options) {
    const int used = resolve_threads(options.threads);
    const std::vector<std::uint32_t> items = evaluate::first_in_hash_order(dataset, guarded_images);
    Sample sample = checks::read_sample(dataset, items, model.spec.preprocess, used);
    sample.labelled = evaluate::is_labelled(dataset, items);
    EvalGuards guards;
    const auto add = [&](std::vector<Finding> findings) {
        for (Finding& finding : findings) {
            if (finding.severity >= Finding::Severity::warning)
                guards.findings.push_back(std::move(finding));
        }
    };
    add(checks::check_data(dataset, model.spec, model.classifier->facts().classes));
    if (sample.size() == 0) return guards;
    if (options.mixes) {
        add({evaluate::batch_of_one(model, sample, dataset, used)});
        guards.batch = 1;
    }
    evaluate::remember(model, guards.batch);
    const std::size_t batch = options.mixes || options.alone ? 1 : usual_batch;
    const Runner runner(*model.classifier, batch, used);
    const Preprocess& p = model.spec.preprocess;
    const checks::Scores scores = checks::run_sample(runner, sample, p);
    add(checks::check_failed(sample, dataset, Finding::Severity::warning));
    if (sample.size() == 0) return guards;
    add(checks::check_outputs(scores, model.spec, sample, dataset));
    const bool finite = finding_of(guards.findings, "outputs.finite") == nullptr;
    if (!finite || !sample.labelled) return guards;
    checks::OrderResult order = checks::check_order(scores, sample, dataset, {});
    if (!options.searched) {
        const Sample front = front_of(sample, images_of_values);
        checks::Scores of_front = scores;
        of_front.values.resize(front.size() * scores.classes);
        const auto fresh = [&] {
            std::vector<std::uint32_t> more =
                evaluate::first_in_hash_order(dataset, 2 * guarded_images);
            more.erase(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(items.size()));
            return checks::read_sample(dataset, more, p, used);
        };
        const checks::PixelResult pixels = checks::check_values(runner, of_front, front, dataset,
                                                                model.spec, order.order, {}, fresh);
        if (!(pixels.best == p) && !order.settled) {
            // Incorrect pixel values hide the order of the classes.
            order =
                checks::check_order(runner.run(sample.windows, pixels.best), sample, dataset, {});
        }
        add(pixels.findings);
    }
    add(std::move(order.findings));
    return guards;
}

std::string warning_text(const Finding& finding, const CommandWith& command,
                         const std::string& check) {
    std::string text = finding.title;
    if (!finding.detail.empty()) text += fmt::format(" ({})", finding.detail);
    if (finding.advice.starts_with("--")) {
        const std::string options = finding.advice.substr(0, finding.advice.find(';'));
        return text + fmt::format("; type `{}`", command(options));
    }
    if (!finding.advice.empty()) text += "; " + finding.advice;
    return text + fmt::format("; type `{}` for all checks", check);
}

}  // namespace assay
