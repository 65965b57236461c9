#include <fmt/format.h>

#include <algorithm>

#include "containers/csv.h"
#include "demo/world/crowd.h"

namespace assay::world {
namespace {

constexpr std::array<std::string_view, 3> answers = {"no", "maybe", "yes"};

/// A class that often looks like `cls`, because it has the same kind or the same background.
int lookalike(int cls, Draw& draw) {
    const ClassRow& row = classes()[static_cast<std::size_t>(cls)];
    std::vector<int> like;
    for (int other = 0; other < class_count; ++other) {
        const ClassRow& candidate = classes()[static_cast<std::size_t>(other)];
        if (other != cls && (candidate.kind == row.kind || candidate.place == row.place))
            like.push_back(other);
    }
    if (like.empty()) return other_class(cls, draw);
    return like[static_cast<std::size_t>(draw.below(static_cast<int>(like.size())))];
}

/// The labels about which annotators are asked, ascending.
std::vector<int> questions(const Recipe& recipe, Draw& draw) {
    std::vector<int> asked = recipe.labels;
    const auto ask = [&](int cls) {
        if (std::find(asked.begin(), asked.end(), cls) == asked.end()) asked.push_back(cls);
    };
    ask(recipe.cls);
    ask(lookalike(recipe.cls, draw));
    ask(other_class(recipe.cls, draw));
    std::sort(asked.begin(), asked.end());
    return asked;
}

}  // namespace

std::string name_of_annotator(int annotator) {
    return fmt::format("r{:02}", annotator);
}

std::vector<Annotator> annotators(const Plan& plan) {
    std::vector<Annotator> out;
    for (int i = 0; i < annotator_count; ++i) {
        // The name of a stream determines its numbers. With another name, every seed would give
        // other draws.
        Draw draw(plan.spec.seed, "world/rater", static_cast<std::uint64_t>(i));
        // Five in eight people are careful, and one in eight is of each other kind.
        const float u = draw.unit(), v = draw.unit();
        const auto around = [](float low, float high, float at) { return mix(low, high, at); };
        const float unsure = around(0.02F, 0.07F, draw.unit());
        const auto table = [&](std::string_view manner, float alarm, float miss) {
            const float a = (1 - unsure) * alarm, m = (1 - unsure) * miss;
            out.push_back({manner, {1 - unsure - a, unsure, a}, {m, unsure, 1 - unsure - m}});
        };
        switch (i % 8) {
            case 5:
                table("lenient", around(0.10F, 0.25F, u), around(0.01F, 0.04F, v));
                break;
            case 6:
                table("strict", around(0.003F, 0.02F, u), around(0.15F, 0.35F, v));
                break;
            case 7:
                if (i % 16 == 7) {
                    table("careless", around(0.15F, 0.30F, u), around(0.15F, 0.30F, v));
                } else {
                    table("lazy", 0.08F, 0.92F);  // "no" for any image
                }
                break;
            default:
                table("careful", around(0.005F, 0.05F, u), around(0.02F, 0.10F, v));
        }
    }
    return out;
}

std::string votes_csv(const Plan& plan, const SetRow& row) {
    const std::vector<Annotator> all = annotators(plan);
    std::string out = "annotator,item,label,answer\n";
    CsvWriter csv(out);
    const std::size_t count = count_of(row, plan.spec.size);
    for (std::size_t i = 0; i < count; ++i) {
        const Recipe recipe = row.recipe(plan, i);
        Draw draw(plan.spec.seed, "world/votes/" + std::string(row.name), i);
        for (const int label : questions(recipe, draw)) {
            const bool there =
                std::find(recipe.labels.begin(), recipe.labels.end(), label) != recipe.labels.end();
            std::array<int, answers_a_question> chosen{};
            for (std::size_t k = 0; k < chosen.size(); ++k) {
                do {
                    chosen[k] = draw.below(annotator_count);
                } while (std::find(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(k),
                                   chosen[k]) != chosen.begin() + static_cast<std::ptrdiff_t>(k));
            }
            for (const int annotator : chosen) {
                const Annotator& who = all[static_cast<std::size_t>(annotator)];
                const auto& chances = there ? who.present : who.absent;
                const float u = draw.unit();
                const std::size_t answer = u < chances[0] ? 0 : u < chances[0] + chances[1] ? 1 : 2;
                csv.row({name_of_annotator(annotator), recipe.path,
                         classes()[static_cast<std::size_t>(label)].id, answers[answer]});
            }
        }
    }
    return out;
}

std::string annotators_csv(const Plan& plan) {
    std::string out =
        "annotator,manner,no_if_absent,maybe_if_absent,yes_if_absent,no_if_present,maybe_if_"
        "present,"
        "yes_if_present\n";
    const auto all = annotators(plan);
    for (int i = 0; i < annotator_count; ++i) {
        const Annotator& r = all[static_cast<std::size_t>(i)];
        out += fmt::format("{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f}\n",
                           name_of_annotator(i), r.manner, r.absent[0], r.absent[1], r.absent[2],
                           r.present[0], r.present[1], r.present[2]);
    }
    return out;
}

}  // namespace assay::world
