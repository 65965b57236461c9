#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/text.h"
#include "evaluate/check/check_parts.h"
#include "evaluate/check/read_sample.h"

namespace assay::checks {
namespace {

/// The preprocessing that remains for a window that is already resized and cropped.
Preprocess without_geometry(Preprocess p) {
    p.crop_mode = CropMode::none;
    p.interpolation = Interpolation::nearest;
    p.resize_as = ResizeRule::pillow;
    p.antialias = true;
    p.resize_size.reset();
    return p;
}

}  // namespace

std::vector<std::uint32_t> draw_items(const std::vector<std::uint32_t>& items, std::size_t first,
                                      std::size_t n, std::uint64_t seed) {
    if (first == 0 && n >= items.size()) return items;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    keyed.reserve(items.size());
    for (const std::uint32_t item : items)
        keyed.emplace_back(RandomStream(seed, "check.sample", item).next_u64(), item);
    const std::size_t end = std::min(items.size(), first + n);
    std::partial_sort(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(end), keyed.end());
    std::vector<std::uint32_t> drawn;
    for (std::size_t i = first; i < end; ++i) drawn.push_back(keyed[i].second);
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

Runner::Runner(Classifier& classifier, std::size_t batch, int threads, bool any_failure)
    : classifier_(classifier), threads_(threads) {
    const std::size_t fixed = fixed_batch();
    batch_ = fixed > 0 ? fixed : std::max<std::size_t>(batch, 1);
    static const prediction::BatchRunner::Instead nothing;
    if (!any_failure)
        batches_ = std::make_shared<prediction::BatchRunner>(classifier, "the model", nothing);
}

std::size_t Runner::fixed_batch() const {
    return static_cast<std::size_t>(std::max<std::int64_t>(classifier_.facts().fixed_batch, 0));
}

double Runner::tolerance() const {
    // fp32 rounds at 6e-8 and changes by about 1e-6; training mode changes scores by at least a
    // tenth of their spread. Formats with 11 and 8 bits round at 5e-4 and 4e-3.
    switch (classifier_.facts().precision) {
        case Precision::fp32:
            return 1e-3;
        case Precision::tf32:
        case Precision::fp16:
            return 2e-2;
        case Precision::bf16:
            break;
    }
    return 1e-1;
}

Scores Runner::run(std::span<const Image> windows, const Preprocess& p) const {
    Scores out{.classes = classifier_.facts().classes, .values = {}};
    out.values.resize(windows.size() * out.classes);
    const std::size_t batches = (windows.size() + batch_ - 1) / batch_;
    std::mutex mutex;
    parallel_blocks(batches, threads_, [&](std::size_t b) {
        throw_if_stopped();
        const std::size_t begin = b * batch_;
        const std::size_t n = std::min(batch_, windows.size() - begin);
        // For a classifier with a fixed batch size, the last batch is filled with copies of its
        // first image.
        std::vector<Image> filled;
        std::span<const Image> part = windows.subspan(begin, n);
        if (n < batch_ && fixed_batch() > 0) {
            filled.assign(part.begin(), part.end());
            filled.resize(batch_, part.front());
            part = filled;
        }
        const Scores scores = run_together(part, p);
        std::copy_n(scores.values.begin(), n * out.classes,
                    out.values.begin() + static_cast<std::ptrdiff_t>(begin * out.classes));
        const std::scoped_lock lock(mutex);
        for (const FailedWindow& window : scores.failed) {
            if (window.place < n) out.failed.push_back({begin + window.place, window.why});
        }
    });
    std::ranges::sort(out.failed, {}, &FailedWindow::place);
    return out;
}

Scores Runner::run_together(std::span<const Image> windows, const Preprocess& p) const {
    const Preprocess values = without_geometry(p);
    const std::size_t size =
        std::size_t{3} * static_cast<std::size_t>(p.height) * static_cast<std::size_t>(p.width);
    std::vector<float> input(windows.size() * size);
    for (std::size_t i = 0; i < windows.size(); ++i)
        preprocess_into(windows[i], values, std::span(input).subspan(i * size, size));
    Scores out{.classes = classifier_.facts().classes, .values = {}};
    out.values.resize(windows.size() * out.classes);
    if (!batches_) {
        classifier_.scores(input, windows.size(), out.values);
        return out;
    }
    const std::vector<RowState> states(windows.size(), RowState::ok);
    for (prediction::FailedImage& image :
         batches_->run({0, windows.size(), input, states}, out.values)) {
        const auto place = static_cast<std::size_t>(image.row);
        std::fill_n(out.values.begin() + static_cast<std::ptrdiff_t>(place * out.classes),
                    out.classes, std::numeric_limits<float>::quiet_NaN());
        out.failed.push_back({place, std::move(image.why)});
    }
    return out;
}

void leave_out(Sample& sample, const std::vector<FailedWindow>& failed) {
    for (auto window = failed.rbegin(); window != failed.rend(); ++window) {
        if (window->place >= sample.size()) continue;
        const auto at = static_cast<std::ptrdiff_t>(window->place);
        sample.failed.push_back({sample.items[window->place], window->why});
        sample.items.erase(sample.items.begin() + at);
        sample.windows.erase(sample.windows.begin() + at);
    }
    std::ranges::sort(sample.failed, {}, &Sample::Unreadable::item);
}

Scores run_sample(const Runner& runner, Sample& sample, const Preprocess& p) {
    Scores scores = runner.run(sample.windows, p);
    leave_out(sample, scores.failed);
    const auto classes = static_cast<std::ptrdiff_t>(scores.classes);
    for (auto window = scores.failed.rbegin(); window != scores.failed.rend(); ++window) {
        const auto row =
            scores.values.begin() + static_cast<std::ptrdiff_t>(window->place) * classes;
        scores.values.erase(row, row + classes);
    }
    scores.failed.clear();
    return scores;
}

std::vector<Finding> check_failed(const Sample& sample, const Dataset& dataset, Severity severity) {
    if (sample.failed.empty()) return {};
    const Sample::Unreadable& first = sample.failed.front();
    return {{severity, "images.computed",
             fmt::format("the model cannot compute {} of {}", sample.failed.size(),
                         how_many(sample.asked, "image")),
             fmt::format("the first: {}: {}", dataset.ids[first.item], first.message),
             "assay predict records such images and computes the others"}};
}

Sample draw_sample(const Dataset& dataset, const Preprocess& p, const CheckOptions& options,
                   std::size_t first, std::size_t n) {
    if (dataset.size() == 0) throw Error(ErrorCode::bad_input, "the data set has no images");
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t i = 0; i < dataset.labels.size(); ++i) {
        if (!dataset.labels[i].empty()) candidates.push_back(i);
    }
    const bool labelled = !candidates.empty();
    if (!labelled) {
        candidates.resize(dataset.size());
        std::iota(candidates.begin(), candidates.end(), 0U);
    }
    Sample sample = read_sample(dataset, draw_items(candidates, first, n, options.seed), p,
                                resolve_threads(options.threads));
    sample.labelled = labelled;
    return sample;
}

Sample read_sample(const Dataset& dataset, const std::vector<std::uint32_t>& drawn,
                   const Preprocess& p, int threads) {
    Sample sample;
    sample.labelled = true;
    sample.asked = drawn.size();
    std::vector<std::optional<Image>> windows(drawn.size());
    std::vector<std::string> problems(drawn.size());
    parallel_blocks(drawn.size(), threads, [&](std::size_t i) {
        throw_if_stopped();
        try {
            windows[i] = crop_window(load_image(dataset, drawn[i]), p);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input && error.code() != ErrorCode::io) throw;
            problems[i] = error.what();
        }
    });
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        if (windows[i]) {
            sample.items.push_back(drawn[i]);
            sample.windows.push_back(std::move(*windows[i]));
        } else {
            sample.unreadable.push_back({drawn[i], problems[i]});
        }
    }
    return sample;
}

std::vector<Image> windows_of(const Sample& sample, const Dataset& dataset, const Preprocess& p,
                              int threads) {
    std::vector<Image> windows(sample.size());
    parallel_blocks(sample.size(), threads, [&](std::size_t i) {
        throw_if_stopped();
        windows[i] = crop_window(load_image(dataset, sample.items[i]), p);
    });
    return windows;
}

}  // namespace assay::checks
