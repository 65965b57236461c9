// Measures the dependence of a classifier on two shortcuts: the background and the texture.
#include <fmt/format.h>

#include <algorithm>

#include "core/statistics.h"
#include "core/text.h"
#include "data/attributes.h"
#include "quality/cues.h"
#include "quality/measured_dimension.h"

namespace assay::quality {
namespace {

/// The images of one foreground that count, with each kind of background.
struct Foreground {
    std::vector<std::size_t> same, rand;
};

std::uint64_t correct_among(const Answers& answers, const std::vector<std::size_t>& items) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(items, [&](std::size_t i) { return answers.correct(i); }));
}

/// The identification of the foregrounds of a set.
struct Naming {
    const Dataset::Attribute* table = nullptr;  ///< nullptr means that file names are used
    bool with_folder = false;                   ///< of these
};

/// An attribute is no table if it only has the names that open_role() derives from this set's
/// files. One rule for the names of both sets then finds the pairs. Names with folders may come
/// from a larger set of images, so they follow this rule, too. open_role() never writes repeated
/// names without folders, so these come from a table. A table with open_role()'s names loses no
/// information: the rule gives these names, or the names for both sets.
Naming naming_of(const Dataset& dataset) {
    const Dataset::Attribute* const told = find_attribute(dataset, "foreground");
    const bool need = foregrounds_need_folders(dataset.ids);
    if (told == nullptr) return {nullptr, need};
    const auto written = [&](bool with_folder) {
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            if (told->values[i] != foreground_of(dataset.ids[i], with_folder)) return false;
        }
        return true;
    };
    if (!need && written(false)) return {};
    return written(true) ? Naming{nullptr, true} : Naming{told, false};
}

/// Rows are in the order of the first set's images.
std::vector<Foreground> foregrounds_of(const Answers& same, const Answers& rand,
                                       std::uint64_t& alone) {
    const Naming naming_same = naming_of(same.store.dataset());
    const Naming naming_rand = naming_of(rand.store.dataset());
    // Both sets need the same rule, because otherwise no pairs would be found.
    const bool with_folder = naming_same.with_folder || naming_rand.with_folder;
    Numbering numbers;
    std::vector<Foreground> all;
    const auto add = [&](const Answers& answers, const Dataset::Attribute* named,
                         std::vector<std::size_t> Foreground::*side) {
        const Dataset& dataset = answers.store.dataset();
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            if (!answers.counts(i)) continue;
            const std::size_t at =
                numbers.of(named != nullptr ? std::string(named->values[i])
                                            : foreground_of(dataset.ids[i], with_folder));
            if (at == all.size()) all.emplace_back();
            (all[at].*side).push_back(i);
        }
    };
    add(same, naming_same.table, &Foreground::same);
    add(rand, naming_rand.table, &Foreground::rand);
    const auto single = [](const Foreground& f) { return f.same.empty() || f.rand.empty(); };
    for (const Foreground& f : all) alone += single(f) ? f.same.size() + f.rand.size() : 0;
    std::erase_if(all, single);
    return all;
}

/// The value is 1 - gap / clean accuracy, as in the published code, but not in the published table.
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
            "no foreground with a label and a score is in both mixed-same and mixed-rand. They are "
            "matched by the attribute `foreground`, or otherwise by file name");
    }
    std::vector<ForegroundHits> hits;
    Hits of_same, of_rand;
    const auto count = [](const Answers& answers, const std::vector<std::size_t>& items,
                          Hits& sum) {
        const Hits own{correct_among(answers, items), items.size()};
        sum = {sum.hits + own.hits, sum.n + own.n};
        return own;
    };
    for (const Foreground& f : all)
        hits.push_back({count(*same, f.same, of_same), count(*rand, f.rand, of_rand)});
    const Focus focus = focus_of(hits, in.options.level);
    // The whole error of a foreground is assigned to its first image.
    std::vector<double> influence(focus.influence.empty() ? 0 : same->predicted.size(), 0);
    for (std::size_t f = 0; f < focus.influence.size(); ++f)
        influence[all[f].same.front()] += focus.influence[f];
    MeasuredDimension out;
    out.value = focus.value;
    out.sources = {source_of_items(same->data, influence, focus.variance)};
    if (alone > 0) {
        add_note(out.value, fmt::format("{} {} no partner in the other set",
                                        how_many(alone, "image"), alone == 1 ? "has" : "have"));
    }
    note_unscored(out.value, same->unscored + rand->unscored);
    const auto differ = [&](Role role, const Answers& answers, std::uint64_t n) {
        add_differences(out.differs,
                        differences_of(in, role, answers.store, answers.map.has_value(), n));
    };
    differ(Role::mixed_same, *same, of_same.n);
    differ(Role::mixed_rand, *rand, of_rand.n);
    const auto part = [&](const char* name, const Answers& answers, Hits own) {
        return accuracy_part(name, answers.map ? answers.map->name : "",
                             answers.store.spec().dataset_name, own, in.options.level);
    };
    out.parts = {part("mixed_same", *same, of_same), part("mixed_rand", *rand, of_rand),
                 divided_part(in, of_same.rate() - of_rand.rate(), of_same.n)};
    return out;
}

MeasuredDimension measured_shape_bias(const MeasuredInputs& in) {
    std::string why;
    const auto answers = in.answers_of(Role::cue_conflict, why);
    if (!why.empty()) return not_measurable(why);
    if (!answers->truth.no_cues.empty()) return not_measurable(answers->truth.no_cues);
    const Dataset& dataset = answers->store.dataset();
    const Dataset::Attribute* shapes = find_attribute(dataset, "shape_image");
    const Dataset::Attribute* textures = find_attribute(dataset, "texture_image");
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
        // An image whose parts are unknown is its own cluster.
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
    if (decisions.empty() && unscored > 0) out.value.undefined = "no image has a score";
    if (!out.value.value) return out;
    std::vector<double> influence(dataset.size(), 0);
    for (std::size_t k = 0; k < items.size(); ++k) influence[items[k]] = bias.influence[k];
    out.sources = {source_of_items(answers->data, influence, bias.variance)};
    if (unnamed > 0) {
        add_note(out.value,
                 fmt::format("{} not name the images that {} made of: treated as independent",
                             unnamed == 1 ? "1 image does" : fmt::format("{} images do", unnamed),
                             unnamed == 1 ? "it was" : "they were"));
    }
    note_unscored(out.value, unscored);
    out.differs = differences_of(in, Role::cue_conflict, answers->store, answers->map.has_value(),
                                 dataset.size());
    const std::string name = answers->store.spec().dataset_name;
    const std::string asked = answers->map ? answers->map->name : "";
    out.parts = {
        {Dimension::shape_bias, "wilson", "decisions treated as independent", name, bias.wilson}};
    for (const auto& [part, hits] : {std::pair{"shape", bias.shape}, {"texture", bias.texture}}) {
        out.parts.push_back({Dimension::shape_bias, part, asked, name,
                             wilson_proportion(hits, bias.decisions, in.options.level, "")});
    }
    return out;
}

}  // namespace assay::quality
