// What can be found out in seconds before hours of work: the checks of `assay check` on few images.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "assay/evaluate/eval.h"
#include "core/parallel.h"
#include "evaluate/check/check_parts.h"
#include "evaluate/check/read_sample.h"
#include "evaluate/eval/hash_order.h"

namespace assay {
namespace {

using checks::Runner;
using checks::Sample;

// Where the preprocessing is known, all guards together run about 200 images: 4 % of 5,000.
constexpr std::size_t guarded_images = 32;
constexpr std::size_t images_of_values = 16;  // nine ways of pixel values run on these
constexpr std::size_t usual_batch = 8;

std::vector<std::uint32_t> first_items(const Dataset& dataset, std::size_t n) {
    std::vector<std::uint32_t> items = evaluate::items_in_hash_order(dataset);
    items.resize(std::min(items.size(), n));
    return items;
}

bool is_labelled(const Dataset& dataset, const std::vector<std::uint32_t>& items) {
    return !items.empty() && items.front() < dataset.labels.size() &&
           !dataset.labels[items.front()].empty();
}

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

/// Of a model whose batches mix images: batches of one work where images alone do better.
Finding batch_of_one(const LoadedModel& model, const Sample& sample, const Dataset& dataset,
                     int threads) {
    const std::string name = model.spec.path.string();
    const auto refuse = [&](const std::string& measured) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}`: the scores of an image depend on the other images of its "
                                "batch{}. Batch normalisation may be in training mode: call "
                                "model.eval() and export the model again. If it was exported for "
                                "one image, type `--batch 1`",
                                name, measured));
    };
    if (model.classifier->facts().fixed_batch > 0 || !sample.labelled) refuse("");
    const Preprocess& p = model.spec.preprocess;
    const auto correct_in = [&](std::size_t batch) {
        const Runner runner(*model.classifier, batch, threads);
        return checks::count_correct(
            checks::judge(runner.run(sample.windows, p), sample, dataset,
                          checks::given_order(model.classifier->facts().classes))
                .correct);
    };
    const std::size_t alone = correct_in(1), together = correct_in(usual_batch);
    const std::string measured =
        fmt::format("{} of {} images are correct alone, {} in batches of {}", alone, sample.size(),
                    together, usual_batch);
    if (alone <= together) refuse(" (" + measured + ")");
    return {Finding::Severity::warning, "batch.neighbours",
            "the file mixes the images of a batch, so it runs with one image at a time", measured,
            "export the model with any batch size to run it faster"};
}

}  // namespace

bool batches_mix(const LoadedModel& model, const Dataset& dataset, int threads) {
    const int used = resolve_threads(threads);
    const Preprocess& p = model.spec.preprocess;
    const Sample sample = checks::read_sample(dataset, first_items(dataset, usual_batch), p, used);
    if (sample.size() == 0) return false;
    const Runner runner(*model.classifier, usual_batch, used);
    const std::vector<Finding> findings = checks::check_batch(runner, sample, p);
    if (const Finding* random = finding_of(findings, "batch.repeat")) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}`: {} ({}): dropout, or another random step, is active; call "
                                "model.eval() and export the model again",
                                model.spec.path.string(), random->title, random->detail));
    }
    return finding_of(findings, "batch.neighbours") != nullptr;
}

EvalGuards guard_model(const LoadedModel& model, const Dataset& dataset,
                       const GuardOptions& options) {
    const int used = resolve_threads(options.threads);
    const std::vector<std::uint32_t> items = first_items(dataset, guarded_images);
    Sample sample = checks::read_sample(dataset, items, model.spec.preprocess, used);
    sample.labelled = is_labelled(dataset, items);
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
        add({batch_of_one(model, sample, dataset, used)});
        guards.batch = 1;
    }
    const std::size_t batch = options.mixes || options.alone ? 1 : usual_batch;
    const Runner runner(*model.classifier, batch, used);
    const Preprocess& p = model.spec.preprocess;
    const checks::Scores scores = runner.run(sample.windows, p);
    add(checks::check_outputs(scores, model.spec, sample, dataset));
    const bool finite = finding_of(guards.findings, "outputs.finite") == nullptr;
    if (!finite || !sample.labelled) return guards;
    checks::OrderResult order = checks::check_order(scores, sample, dataset, {});
    if (!options.searched) {
        const Sample front = front_of(sample, images_of_values);
        checks::Scores of_front = scores;
        of_front.values.resize(front.size() * scores.classes);
        const auto fresh = [&] {
            std::vector<std::uint32_t> more = first_items(dataset, 2 * guarded_images);
            more.erase(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(items.size()));
            return checks::read_sample(dataset, more, p, used);
        };
        const checks::PixelResult pixels = checks::check_values(runner, of_front, front, dataset,
                                                                model.spec, order.order, {}, fresh);
        if (!(pixels.best == p) && !order.settled) {
            // Incorrect pixel values hide the order.
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
