// Would the classifier do better on pixels prepared in another of the usual ways?
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/check/parts.h"

namespace assay::check {
namespace {

using Triple = std::array<double, 3>;

struct Values {
    const char* name;
    const char* advice;
    double scale;
    Triple mean, std;
    ChannelOrder order;
};

constexpr Triple zero = {0, 0, 0}, one = {1, 1, 1}, half = {0.5, 0.5, 0.5};
constexpr double unit = 1.0 / 255.0;

/// Mean and std in the order of the channels fed.
constexpr std::array<Values, 8> usual = {{
    {"ImageNet's mean and std",
     "--mean 0.485,0.456,0.406 --std 0.229,0.224,0.225",
     unit,
     {0.485, 0.456, 0.406},
     {0.229, 0.224, 0.225},
     ChannelOrder::rgb},
    {"mean 0.5, std 0.5", "--mean 0.5,0.5,0.5 --std 0.5,0.5,0.5", unit, half, half, ChannelOrder::rgb},
    {"values 0 to 1", "--mean 0,0,0 --std 1,1,1", unit, zero, one, ChannelOrder::rgb},
    {"values 0 to 255", "--scale 1 --mean 0,0,0 --std 1,1,1", 1.0, zero, one, ChannelOrder::rgb},
    {"CLIP's mean and std",
     "--mean 0.48145466,0.4578275,0.40821073 --std 0.26862954,0.26130258,0.27577711",
     unit,
     {0.48145466, 0.4578275, 0.40821073},
     {0.26862954, 0.26130258, 0.27577711},
     ChannelOrder::rgb},
    {"Caffe's BGR, 0 to 255 less the mean",
     "--scale 1 --channel-order bgr --mean 103.939,116.779,123.68 --std 1,1,1",
     1.0,
     {103.939, 116.779, 123.68},
     one,
     ChannelOrder::bgr},
    {"values 0 to 1, BGR", "--channel-order bgr --mean 0,0,0 --std 1,1,1", unit, zero, one, ChannelOrder::bgr},
    {"mean 0.5, std 0.5, BGR", "--channel-order bgr --mean 0.5,0.5,0.5 --std 0.5,0.5,0.5", unit, half, half,
     ChannelOrder::bgr},
}};

struct Way {
    std::string name, advice;
    Preprocess p;
};

/// The same pixels in the other channel order: mean and std go with their colours.
Way swapped_channels(const Preprocess& p) {
    const bool to_bgr = p.channel_order == ChannelOrder::rgb;
    Way way{to_bgr ? "blue, green, red" : "red, green, blue", to_bgr ? "--channel-order bgr" : "--channel-order rgb",
            p};
    way.p.channel_order = to_bgr ? ChannelOrder::bgr : ChannelOrder::rgb;
    std::reverse(way.p.mean.begin(), way.p.mean.end());
    std::reverse(way.p.std.begin(), way.p.std.end());
    if (way.p.mean != p.mean || way.p.std != p.std) way.advice += " (and mean and std in that order)";
    return way;
}

std::vector<Way> ways_of_values(const Preprocess& given) {
    std::vector<Way> ways;
    const auto add = [&](Way way) {
        const bool known = std::any_of(ways.begin(), ways.end(), [&](const Way& w) { return w.p == way.p; });
        if (!(way.p == given) && !known) ways.push_back(std::move(way));
    };
    for (const Values& values : usual) {
        Preprocess p = given;
        p.scale = values.scale;
        p.mean = values.mean;
        p.std = values.std;
        p.channel_order = values.order;
        add({values.name, values.advice, p});
    }
    add(swapped_channels(given));
    return ways;
}

std::vector<Way> ways_of_geometry(const Preprocess& given) {
    std::vector<Way> ways;
    const auto add = [&](std::string name, std::string advice, const Preprocess& p) {
        if (!(p == given)) ways.push_back({std::move(name), std::move(advice), p});
    };
    Preprocess p = given;
    const bool bicubic = given.interpolation == Interpolation::bicubic;
    p.interpolation = bicubic ? Interpolation::bilinear : Interpolation::bicubic;
    add(bicubic ? "bilinear" : "bicubic", bicubic ? "--interpolation bilinear" : "--interpolation bicubic", p);
    p = given;
    p.resize_size.reset();
    p.crop_mode = CropMode::center;
    const bool whole = given.crop_pct == 1.0 && !given.resize_size;
    p.crop_pct = whole ? 0.875 : 1.0;
    add(whole ? "crop 0.875" : "no crop after the resize", whole ? "--crop-pct 0.875" : "--crop-pct 1", p);
    p = given;
    p.crop_mode = given.crop_mode == CropMode::none ? CropMode::center : CropMode::none;
    add(given.crop_mode == CropMode::none ? "centre crop" : "the whole picture squeezed into the window",
        given.crop_mode == CropMode::none ? "--crop-mode center" : "--crop-mode none", p);
    return ways;
}

Finding unlabelled(const char* id) {
    return {Severity::note, id, "cannot be checked: no labels", "", ""};
}

std::string all_shares(const std::vector<Rival>& rivals, std::size_t n) {
    std::string out;
    for (const Rival& rival : rivals)
        out += fmt::format("{}{} {:.1f} %", out.empty() ? "" : ", ", rival.name,
                           100.0 * static_cast<double>(count_right(rival.right)) / static_cast<double>(n));
    return out;
}

}  // namespace

PixelResult check_values(const Runner& runner, const Scores& scores, const Sample& sample, const Dataset& dataset,
                         const ModelSpec& spec, const ClassOfOutput& order, const CheckOptions& options) {
    PixelResult result{.best = spec.preprocess, .findings = {}};
    if (!sample.labelled) {
        result.findings.push_back(unlabelled("pixels.values"));
        return result;
    }
    const std::vector<Way> ways = ways_of_values(spec.preprocess);
    const auto given = right_answers(scores, sample, dataset, order);
    std::vector<Rival> rivals;
    for (const Way& way : ways) {
        rivals.push_back(
            {way.name, way.advice, right_answers(runner.run(sample.windows, way.p), sample, dataset, order)});
    }
    const BestRival best = best_rival(given, rivals, options.level);
    Finding finding{
        Severity::ok, "pixels.values", "no usual mean, std, scale or channel order does better than the given one",
        fmt::format("given {}; {}", share_text(count_right(given), sample.size()), all_shares(rivals, sample.size())),
        ""};
    if (best.index >= 0) {
        const auto at = static_cast<std::size_t>(best.index);
        const std::size_t more = count_right(rivals[at].right) - count_right(given);
        constexpr std::size_t large_share = 20;  // one in twenty: five points
        finding.severity = more * large_share >= sample.size() ? Severity::error : Severity::warning;
        finding.title = "wrong pixel values: " + rivals[at].name + " does better";
        finding.detail += fmt::format("; p = {:.2g}, adjusted for {} ways tried", best.p, rivals.size());
        finding.advice = rivals[at].advice;
        result.best = ways[at].p;
    }
    result.findings.push_back(std::move(finding));
    return result;
}

std::vector<Finding> check_geometry(const Runner& runner, const Scores& scores, const Sample& sample,
                                    const Dataset& dataset, const Preprocess& p, const ClassOfOutput& order,
                                    const CheckOptions& options) {
    if (!sample.labelled) return {unlabelled("pixels.geometry")};
    const auto given = right_answers(scores, sample, dataset, order);
    std::vector<Rival> rivals;
    for (const Way& way : ways_of_geometry(p)) {
        const auto windows = windows_of(sample, dataset, way.p, runner.threads());
        rivals.push_back({way.name, way.advice, right_answers(runner.run(windows, way.p), sample, dataset, order)});
    }
    const BestRival best = best_rival(given, rivals, options.level);
    Finding finding{
        Severity::ok, "pixels.geometry", "no usual interpolation or crop does clearly better than the given one",
        fmt::format("given {}; {}", share_text(count_right(given), sample.size()), all_shares(rivals, sample.size())),
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

}  // namespace assay::check
