// Checks whether the classifier would do better with another of the usual preprocessings.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>

#include "assay/error.h"
#include "core/parallel.h"
#include "evaluate/check/check_parts.h"
#include "model/usual_values.h"

namespace assay::checks {
namespace {

struct Values {
    const char* name;
    double scale;
    ThreeNumbers mean, std;
    ChannelOrder order;
};

constexpr double unit = 1.0 / 255.0;

/// Sets mean and std in the order of the input channels.
constexpr std::array<Values, 8> usual = {{
    {"ImageNet's mean and std", unit, imagenet_mean, imagenet_std, ChannelOrder::rgb},
    {"mean 0.5, std 0.5", unit, all_half, all_half, ChannelOrder::rgb},
    {"values 0 to 1", unit, all_zero, all_one, ChannelOrder::rgb},
    {"values 0 to 255", 1.0, all_zero, all_one, ChannelOrder::rgb},
    {"CLIP's mean and std", unit, clip_mean, clip_std, ChannelOrder::rgb},
    {"Caffe's BGR, 0 to 255 minus the mean", 1.0, caffe_mean, all_one, ChannelOrder::bgr},
    {"values 0 to 1, BGR", unit, all_zero, all_one, ChannelOrder::bgr},
    {"mean 0.5, std 0.5, BGR", unit, all_half, all_half, ChannelOrder::bgr},
}};

struct Way {
    std::string name;
    Preprocess p;
};

std::string three(const ThreeNumbers& x) {
    return fmt::format("{:.15g},{:.15g},{:.15g}", x[0], x[1], x[2]);
}

/// The options that turn one preprocessing into the other: exactly those that make a
/// difference.
std::string options_from(const Preprocess& given, const Preprocess& wanted) {
    std::string out;
    const auto add = [&](const std::string& option) { out += (out.empty() ? "" : " ") + option; };
    if (wanted.height != given.height || wanted.width != given.width) {
        add(wanted.height == wanted.width
                ? fmt::format("--input-size {}", wanted.height)
                : fmt::format("--input-size {},{}", wanted.height, wanted.width));
    }
    if (wanted.crop_mode != given.crop_mode)
        add(fmt::format("--crop-mode {}", name_of(wanted.crop_mode)));
    if (wanted.crop_mode != CropMode::none) {
        if (wanted.resize_size && wanted.resize_size != given.resize_size)
            add(fmt::format("--resize-size {}", *wanted.resize_size));
        if (!wanted.resize_size && (given.resize_size || wanted.crop_pct != given.crop_pct))
            add(fmt::format("--crop-pct {:.6g}", wanted.crop_pct));
    }
    if (wanted.interpolation != given.interpolation)
        add(fmt::format("--interpolation {}", name_of(wanted.interpolation)));
    if (wanted.channel_order != given.channel_order)
        add(fmt::format("--channel-order {}", name_of(wanted.channel_order)));
    // 15 digits of 1/255 give exactly the float32 that is used.
    if (wanted.scale != given.scale) add(fmt::format("--scale {:.15g}", wanted.scale));
    if (wanted.mean != given.mean) add("--mean " + three(wanted.mean));
    if (wanted.std != given.std) add("--std " + three(wanted.std));
    return out;
}

/// The same preprocessing in the other channel order. Mean and std stay with their colors.
Way swapped_channels(const Preprocess& p) {
    const bool to_bgr = p.channel_order == ChannelOrder::rgb;
    Way way{to_bgr ? "blue, green, red" : "red, green, blue", p};
    way.p.channel_order = to_bgr ? ChannelOrder::bgr : ChannelOrder::rgb;
    std::reverse(way.p.mean.begin(), way.p.mean.end());
    std::reverse(way.p.std.begin(), way.p.std.end());
    return way;
}

std::vector<Way> ways_of_values(const Preprocess& given) {
    std::vector<Way> ways;
    const bool gray = given.channel_order == ChannelOrder::gray;  // a single channel has no order
    const auto add = [&](Way way) {
        const bool known =
            std::any_of(ways.begin(), ways.end(), [&](const Way& w) { return w.p == way.p; });
        if (!(way.p == given) && !known) ways.push_back(std::move(way));
    };
    for (const Values& values : usual) {
        Preprocess p = given;
        p.scale = values.scale;
        p.mean = values.mean;
        p.std = values.std;
        if (gray && values.order == ChannelOrder::bgr) continue;
        if (gray && (p.mean[0] != p.mean[1] || p.std[0] != p.std[1])) continue;
        if (!gray) p.channel_order = values.order;
        add({values.name, p});
    }
    if (!gray) add(swapped_channels(given));
    return ways;
}

std::vector<Way> ways_of_geometry(const Preprocess& given) {
    std::vector<Way> ways;
    const auto add = [&](std::string name, const Preprocess& p) {
        if (!(p == given)) ways.push_back({std::move(name), p});
    };
    Preprocess p = given;
    const bool bicubic = given.interpolation == Interpolation::bicubic;
    p.interpolation = bicubic ? Interpolation::bilinear : Interpolation::bicubic;
    add(bicubic ? "bilinear" : "bicubic", p);
    p = given;
    p.resize_size.reset();
    p.crop_mode = CropMode::center;
    const bool whole =
        given.crop_mode == CropMode::center && given.crop_pct == 1.0 && !given.resize_size;
    p.crop_pct = whole ? 0.875 : 1.0;
    add(whole ? "crop 0.875" : "no crop after the resize", p);
    p = given;
    p.crop_mode = given.crop_mode == CropMode::none ? CropMode::center : CropMode::none;
    add(given.crop_mode == CropMode::none ? "centre crop"
                                          : "the whole image squeezed into the window",
        p);
    return ways;
}

Finding unlabelled(const char* id) {
    return {Severity::note, id, "cannot be checked: no labels", "", ""};
}

std::string all_proportions(const std::vector<Rival>& rivals, std::size_t n) {
    std::string out;
    for (const Rival& rival : rivals)
        out += fmt::format("{}{} {:.1f} %", out.empty() ? "" : ", ", rival.name,
                           100.0 * static_cast<double>(count_correct(rival.outcomes.correct)) /
                               static_cast<double>(n));
    return out;
}

/// Lists the other rivals that this sample cannot distinguish from the best one: "; or ...".
std::string equals_of(const std::vector<Rival>& rivals, std::size_t best, double level) {
    std::string out;
    for (std::size_t r = 0; r < rivals.size(); ++r) {
        if (r == best ||
            p_better(rivals[r].outcomes, rivals[best].outcomes, Evidence::ranks) <= level)
            continue;
        const bool close = 10 * count_correct(rivals[r].outcomes.correct) >=
                           8 * count_correct(rivals[best].outcomes.correct);
        if (close)
            out += fmt::format("{}{} ({})", out.empty() ? "; not clearly worse: " : ", ",
                               rivals[r].name, rivals[r].advice);
    }
    return out;
}

/// The rival that looks best if none is proven better; nothing if chance could explain every
/// advantage.
std::optional<std::size_t> most_hopeful(const Outcomes& given, const std::vector<Rival>& rivals) {
    constexpr double worth_a_second_look = 0.2;
    std::optional<std::size_t> best;
    double p_best = worth_a_second_look;
    for (std::size_t r = 0; r < rivals.size(); ++r) {
        const double p = p_better(given, rivals[r].outcomes, Evidence::ranks);
        if (p < p_best) {
            p_best = p;
            best = r;
        }
    }
    return best;
}

/// The result of the classifier on the sample in another way. If it rejects that way because it
/// checks the range of its input, no image is correct.
Outcomes outcomes_of(const Runner& runner, const Sample& sample, const Preprocess& way,
                     const Dataset& dataset, const ClassOfOutput& order) {
    try {
        // The next way may work even if this one fails.
        return judge(runner.afresh().run(sample.windows, way), sample, dataset, order);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return {std::vector<std::uint8_t>(sample.size(), 0),
                std::vector<std::uint32_t>(sample.size(), UINT32_MAX)};
    }
}

/// Tests one rival on images that did not influence its choice: a single test without adjustment.
struct Trial {
    std::size_t images = 0, given = 0, rival = 0;  // correct predictions
    double p = 1;
};
Trial try_again(const Runner& runner, const Sample& fresh, const Dataset& dataset,
                const Preprocess& given, const Preprocess& rival, const ClassOfOutput& order) {
    if (fresh.size() == 0) return {};
    const Outcomes by_given = judge(runner.run(fresh.windows, given), fresh, dataset, order);
    const Outcomes by_rival = judge(runner.run(fresh.windows, rival), fresh, dataset, order);
    return {fresh.size(), count_correct(by_given.correct), count_correct(by_rival.correct),
            p_better(by_given, by_rival, Evidence::ranks)};
}

}  // namespace

PixelResult check_values(const Runner& runner, const Scores& scores, const Sample& sample,
                         const Dataset& dataset, const ModelSpec& spec, const ClassOfOutput& order,
                         const CheckOptions& options, const std::function<Sample()>& fresh) {
    PixelResult result{.best = spec.preprocess, .findings = {}};
    if (!sample.labelled) {
        result.findings.push_back(unlabelled("pixels.values"));
        return result;
    }
    const std::vector<Way> ways = ways_of_values(spec.preprocess);
    const Outcomes given = judge(scores, sample, dataset, order);
    std::vector<Rival> rivals;
    for (const Way& way : ways) {
        rivals.push_back({way.name, options_from(spec.preprocess, way.p),
                          outcomes_of(runner, sample, way.p, dataset, order)});
    }
    Finding finding{
        Severity::ok, "pixels.values",
        "no usual mean, std, scale or channel order does better than the given one",
        fmt::format("given {}; {}", proportion_text(count_correct(given.correct), sample.size()),
                    all_proportions(rivals, sample.size())),
        ""};
    const auto fault = [&](std::size_t at, std::size_t more, std::size_t of) {
        constexpr std::size_t large_part = 20;  // one image in twenty: five points
        finding.severity = more * large_part >= of ? Severity::error : Severity::warning;
        finding.title = "incorrect pixel values: " + rivals[at].name + " does better";
        finding.advice = rivals[at].advice + equals_of(rivals, at, options.level);
        result.best = ways[at].p;
    };
    const BestRival best = best_rival(given, rivals, options.level, Evidence::ranks);
    if (best.index >= 0) {
        const auto at = static_cast<std::size_t>(best.index);
        fault(at, count_correct(rivals[at].outcomes.correct) - count_correct(given.correct),
              sample.size());
        finding.detail +=
            fmt::format("; p = {:.2g}, adjusted for {} ways tried", best.p, rivals.size());
    } else if (const auto hope = most_hopeful(given, rivals)) {
        const Trial trial = try_again(runner, fresh ? fresh() : Sample{}, dataset, spec.preprocess,
                                      ways[*hope].p, order);
        if (trial.p <= options.level) fault(*hope, trial.rival - trial.given, trial.images);
        if (trial.images > 0) {
            finding.detail +=
                fmt::format("; on {} other images {} has {} correct, the given way {}: p = {:.2g}",
                            trial.images, rivals[*hope].name, trial.rival, trial.given, trial.p);
        } else {
            finding.severity = Severity::note;
            finding.title = rivals[*hope].name +
                            " may do better than the given pixel values, but it could be chance";
            finding.advice = "check with more images";
        }
    }
    result.findings.push_back(std::move(finding));
    return result;
}

std::vector<Finding> check_geometry(const Runner& runner, const Scores& scores,
                                    const Sample& sample, const Dataset& dataset,
                                    const Preprocess& p, const ClassOfOutput& order,
                                    const CheckOptions& options) {
    if (!sample.labelled) return {unlabelled("pixels.geometry")};
    const Outcomes given = judge(scores, sample, dataset, order);
    std::vector<Rival> rivals;
    for (const Way& way : ways_of_geometry(p)) {
        const auto windows = windows_of(sample, dataset, way.p, runner.threads());
        rivals.push_back({way.name, options_from(p, way.p),
                          judge(runner.run(windows, way.p), sample, dataset, order)});
    }
    const BestRival best = best_rival(given, rivals, options.level, Evidence::ranks);
    Finding finding{
        Severity::ok, "pixels.geometry",
        "no usual interpolation or crop does clearly better than the given one",
        fmt::format("given {}; {}", proportion_text(count_correct(given.correct), sample.size()),
                    all_proportions(rivals, sample.size())),
        ""};
    if (best.index >= 0) {
        const Rival& rival = rivals[static_cast<std::size_t>(best.index)];
        finding.severity = Severity::note;
        finding.title = rival.name + " does better than the given geometry";
        finding.detail += fmt::format("; p = {:.2g}", best.p);
        finding.advice = "if the classifier was trained so: " + rival.advice;
    }
    return {finding};
}

namespace {

/// Input sides of published classifiers; those within a factor of two of the given one are tried.
constexpr std::array usual_sides = {32,  64,  96,  128, 160, 192, 224,
                                    240, 256, 288, 299, 320, 384, 448};

std::vector<Preprocess> other_sizes(const Preprocess& given) {
    std::vector<Preprocess> sizes;
    const int side = std::min(given.height, given.width);
    for (const int other : usual_sides) {
        if (2 * other < side || other > 2 * side || (other == given.height && other == given.width))
            continue;
        Preprocess p = given;
        // Keeps the visible part of the image.
        if (p.resize_size) {
            p.crop_pct = std::min(1.0, static_cast<double>(side) / *p.resize_size);
            p.resize_size.reset();
        }
        p.height = p.width = other;
        sizes.push_back(p);
    }
    return sizes;
}

}  // namespace

std::vector<Finding> check_size(const Scores& scores, const Sample& sample, const Dataset& dataset,
                                const ModelSpec& spec, const Preprocess& p,
                                const ClassOfOutput& order, const CheckOptions& options,
                                int threads) {
    if (!options.reopen) return {};
    if (!sample.labelled) return {unlabelled("pixels.size")};
    const Outcomes given = judge(scores, sample, dataset, order);
    std::vector<Rival> rivals;
    std::size_t refused = 0;
    for (const Preprocess& size : other_sizes(p)) {
        throw_if_stopped();
        ModelSpec other = spec;
        other.preprocess = size;
        try {
            const std::unique_ptr<Classifier> classifier = options.reopen(other);
            const Runner runner(*classifier, options.batch, threads);
            const auto windows = windows_of(sample, dataset, size, threads);
            rivals.push_back({fmt::format("{} x {}", size.height, size.width),
                              options_from(p, size),
                              judge(runner.run(windows, size), sample, dataset, order)});
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input && error.code() != ErrorCode::usage) throw;
            ++refused;  // the network accepts only one size
        }
    }
    const std::string sizes = fmt::format("{} x {}", p.height, p.width);
    if (rivals.empty()) {
        return {{refused > 0 ? Severity::ok : Severity::note, "pixels.size",
                 refused > 0 ? "the classifier takes images of " + sizes + " only"
                             : "cannot be checked: no usual input size is near " + sizes,
                 "", ""}};
    }
    Finding finding{
        Severity::ok, "pixels.size", "no usual input size does clearly better than " + sizes,
        fmt::format("given {}; {}", proportion_text(count_correct(given.correct), sample.size()),
                    all_proportions(rivals, sample.size())),
        ""};
    const BestRival best = best_rival(given, rivals, options.level, Evidence::ranks);
    if (best.index < 0) return {finding};
    const Rival& rival = rivals[static_cast<std::size_t>(best.index)];
    // Many networks do slightly better on somewhat larger images than those in training (Touvron et
    // al. 2019, "Fixing the train-test resolution discrepancy"). Only a much larger improvement
    // shows that the size is incorrect.
    constexpr std::size_t large_part = 10;
    const std::size_t more = count_correct(rival.outcomes.correct) - count_correct(given.correct);
    const bool much = more * large_part >= sample.size();
    finding.severity = much ? Severity::error : Severity::note;
    finding.title = (much ? "incorrect input size: " + rival.name + " does much better than "
                          : rival.name + " does better than ") +
                    sizes;
    finding.detail +=
        fmt::format("; p = {:.2g}, adjusted for {} sizes tried", best.p, rivals.size());
    finding.advice = (much ? "" : "if the classifier was trained so: ") + rival.advice;
    return {finding};
}

}  // namespace assay::checks

namespace assay {

std::optional<Finding> refused_size(const ModelSpec& spec, const CheckOptions& options,
                                    std::string_view why) {
    if (!options.reopen) return std::nullopt;
    std::vector<Preprocess> sizes = checks::other_sizes(spec.preprocess);
    const auto distance = [&](const Preprocess& p) {
        return std::abs(p.height - std::min(spec.preprocess.height, spec.preprocess.width));
    };
    std::ranges::stable_sort(sizes, {}, distance);
    for (const Preprocess& size : sizes) {
        ModelSpec other = spec;
        other.preprocess = size;
        try {
            (void)options.reopen(other);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            continue;
        }
        return Finding{
            Finding::Severity::error, "pixels.size",
            fmt::format("incorrect input size: the classifier refuses images of {} x {} "
                        "and takes {} x {}",
                        spec.preprocess.height, spec.preprocess.width, size.height, size.width),
            std::string(why), checks::options_from(spec.preprocess, size)};
    }
    return std::nullopt;
}

}  // namespace assay
