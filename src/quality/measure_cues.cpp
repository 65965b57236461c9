// The two shortcuts: what a classifier owes to the background, and to the texture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/statistics.h"
#include "core/text.h"
#include "quality/cues.h"
#include "quality/measured_dimension.h"

namespace assay::quality {
namespace {

const Dataset::Attribute* attribute_called(const Dataset& dataset, std::string_view name) {
    const auto found = std::ranges::find_if(
        dataset.attributes, [&](const Dataset::Attribute& a) { return a.name == name; });
    return found == dataset.attributes.end() ? nullptr : &*found;
}

/// What stands before the background: the attribute `foreground`, or the file's name.
std::string foreground_of(const Dataset& dataset, const Dataset::Attribute* named,
                          std::size_t item) {
    if (named != nullptr) return std::string(named->values[item]);
    return std::string(without_extension(base_name(dataset.ids[item])));
}

/// The images of one foreground that count, with either background.
struct Foreground {
    std::vector<std::size_t> same, rand;
};

std::uint64_t correct_among(const Answers& answers, const std::vector<std::size_t>& items) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(items, [&](std::size_t i) { return answers.correct(i); }));
}

/// In the order of the first set's images.
std::vector<Foreground> foregrounds_of(const Answers& same, const Answers& rand,
                                       std::uint64_t& alone) {
    Numbering numbers;
    std::vector<Foreground> all;
    const auto add = [&](const Answers& answers, std::vector<std::size_t> Foreground::*side) {
        const Dataset& dataset = answers.store.dataset();
        const Dataset::Attribute* named = attribute_called(dataset, "foreground");
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            if (!answers.counts(i)) continue;
            const std::size_t at = numbers.of(foreground_of(dataset, named, i));
            if (at == all.size()) all.emplace_back();
            (all[at].*side).push_back(i);
        }
    };
    add(same, &Foreground::same);
    add(rand, &Foreground::rand);
    const auto single = [](const Foreground& f) { return f.same.empty() || f.rand.empty(); };
    for (const Foreground& f : all) alone += single(f) ? f.same.size() + f.rand.size() : 0;
    std::erase_if(all, single);
    return all;
}

QualityPart gap_part(const MeasuredInputs& in, std::string name, const Answers& answers,
                     std::uint64_t hits, std::uint64_t n) {
    QualityPart part;
    part.name = std::move(name);
    part.definition = answers.map ? answers.map->name : "";
    part.dataset = answers.store.spec().dataset_name;
    part.value = wilson_proportion(hits, n, in.options.level, "no image");
    if (part.value.value)
        part.value.standard_error = std::sqrt(proportion_variance(hits, n, in.options.level));
    return part;
}

/// 1 - gap / clean accuracy, as the published code says and the published table does not have it.
QualityPart divided_part(const MeasuredInputs& in, double gap, std::uint64_t n) {
    QualityPart part;
    part.name = "divided";
    part.definition = "the gap divided by the clean accuracy";
    part.value.n = n;
    if (in.val->hits == 0) {
        part.value.undefined = "the clean accuracy is 0";
    } else {
        part.value.value =
            1 - gap * static_cast<double>(in.val->n) / static_cast<double>(in.val->hits);
    }
    return part;
}

}  // namespace

MeasuredDimension measured_focus(const MeasuredInputs& in) {
    std::string missing, why;
    const auto same = in.answers_of(Role::mixed_same, why);
    if (!why.empty()) missing = fmt::format("mixed-same: {}", why);
    why.clear();
    const auto rand = in.answers_of(Role::mixed_rand, why);
    if (!why.empty()) missing += fmt::format("{}mixed-rand: {}", missing.empty() ? "" : "; ", why);
    if (!missing.empty()) return not_measurable(missing);
    std::uint64_t alone = 0;
    const std::vector<Foreground> all = foregrounds_of(*same, *rand, alone);
    if (all.empty()) {
        return not_measurable(
            "no foreground with a label and a score is in both mixed-same and mixed-rand: they are "
            "told by the attribute `foreground`, or else by the file's name");
    }
    std::uint64_t n_same = 0, n_rand = 0, hits_same = 0, hits_rand = 0;
    for (const Foreground& f : all) {
        n_same += f.same.size();
        n_rand += f.rand.size();
        hits_same += correct_among(*same, f.same);
        hits_rand += correct_among(*rand, f.rand);
    }
    const auto of_same = static_cast<double>(n_same), of_rand = static_cast<double>(n_rand);
    const double s = static_cast<double>(hits_same) / of_same;
    const double r = static_cast<double>(hits_rand) / of_rand;
    std::vector<double> influence(same->predicted.size(), 0);
    double squares = 0;
    bool agree = true;
    for (const Foreground& f : all) {
        const auto own_same = static_cast<double>(f.same.size());
        const auto own_rand = static_cast<double>(f.rand.size());
        const auto right_same = static_cast<double>(correct_among(*same, f.same));
        const auto right_rand = static_cast<double>(correct_among(*rand, f.rand));
        const double sum =
            (right_same - s * own_same) / of_same - (right_rand - r * own_rand) / of_rand;
        squares += sum * sum;
        agree = agree && std::abs(sum) < 1e-15;
        // All of a foreground's error stands with its first image.
        influence[f.same.front()] -= sum;
    }
    MeasuredDimension out;
    out.value.n = n_same;
    out.value.value = 1 - (s - r);
    const auto foregrounds = static_cast<double>(all.size());
    if (agree || all.size() < 2) {
        out.sources = {ErrorSource{"", {}, proportion_variance(0, all.size(), in.options.level)}};
        out.value.note = "all foregrounds agree: the error is that of none in so many";
    } else {
        out.sources = {
            source_of_items(same->data, influence, squares * foregrounds / (foregrounds - 1))};
    }
    out.value.standard_error = std::sqrt(out.sources[0].variance);
    out.value.interval =
        symmetric_interval(*out.value.value, *out.value.standard_error, in.options.level,
                           "clusters.foreground", std::max(1.0, foregrounds - 1));
    out.value.interval->low = std::max(0.0, out.value.interval->low);
    out.value.interval->high = std::min(2.0, out.value.interval->high);
    if (alone > 0) {
        add_note(out.value, fmt::format("{} images have no partner in the other set", alone));
    }
    note_unscored(out.value, same->unscored + rand->unscored);
    add_differences(out.differs, differences_of(in, Role::mixed_same, same->store,
                                                same->map.has_value(), n_same));
    add_differences(out.differs, differences_of(in, Role::mixed_rand, rand->store,
                                                rand->map.has_value(), n_rand));
    out.parts = {gap_part(in, "mixed_same", *same, hits_same, n_same),
                 gap_part(in, "mixed_rand", *rand, hits_rand, n_rand),
                 divided_part(in, s - r, n_same)};
    return out;
}

MeasuredDimension measured_shape_bias(const MeasuredInputs& in) {
    std::string why;
    const auto answers = in.answers_of(Role::cue_conflict, why);
    if (!why.empty()) return not_measurable(why);
    if (!answers->truth.no_cues.empty()) return not_measurable(answers->truth.no_cues);
    const Dataset& dataset = answers->store.dataset();
    const Dataset::Attribute* shapes = attribute_called(dataset, "shape_image");
    const Dataset::Attribute* textures = attribute_called(dataset, "texture_image");
    Numbering shape_images, texture_images;
    std::vector<CueDecision> decisions;
    std::vector<std::size_t> items;
    std::uint64_t unnamed = 0, unscored = 0;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const Cues& cues = answers->truth.cues[i];
        if (cues.shape < 0 || cues.texture < 0 || cues.shape == cues.texture) continue;
        if (answers->predicted[i] == Answers::no_score) {
            ++unscored;
            continue;
        }
        CueImages made = cue_images_of(dataset.ids[i]);
        if (shapes != nullptr) made.shape = shapes->values[i];
        if (textures != nullptr) made.texture = textures->values[i];
        unnamed += made.shape.empty() || made.texture.empty() ? 1 : 0;
        // An image of unknown parts is a cluster of its own.
        const std::string own = fmt::format("\n{}", i);
        decisions.push_back(
            {.shape_image = shape_images.of(made.shape.empty() ? own : made.shape),
             .texture_image = texture_images.of(made.texture.empty() ? own : made.texture),
             .image = static_cast<std::uint32_t>(i),
             .shape = answers->predicted[i] == cues.shape,
             .texture = answers->predicted[i] == cues.texture});
        items.push_back(i);
    }
    const ShapeBias bias = shape_bias_of(decisions, in.options.level);
    MeasuredDimension out;
    out.value = bias.value;
    out.value.unit = Unit::number;
    if (!out.value.value) return out;
    std::vector<double> influence(dataset.size(), 0);
    for (std::size_t k = 0; k < items.size(); ++k) influence[items[k]] = bias.influence[k];
    out.sources = {source_of_items(answers->data, influence, bias.variance)};
    if (unnamed > 0) {
        add_note(out.value,
                 fmt::format(
                     "{} images do not tell which images they were made of: taken as independent",
                     unnamed));
    }
    note_unscored(out.value, unscored);
    out.differs = differences_of(in, Role::cue_conflict, answers->store, answers->map.has_value(),
                                 dataset.size());
    const std::string name = answers->store.spec().dataset_name;
    const std::string asked = answers->map ? answers->map->name : "";
    out.parts = {
        {Dimension::shape_bias, "wilson", "decisions taken as independent", name, bias.wilson}};
    for (const auto& [part, hits] : {std::pair{"shape", bias.shape}, {"texture", bias.texture}}) {
        out.parts.push_back({Dimension::shape_bias, part, asked, name,
                             wilson_proportion(hits, bias.decisions, in.options.level, "")});
    }
    return out;
}

}  // namespace assay::quality
