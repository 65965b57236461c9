#include "labelling/screens.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "core/random.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::labelling {
namespace {

template <class Item>
void mix(std::vector<Item>& items, RandomStream& draws) {
    for (std::size_t left = items.size(); left > 1; --left)
        std::swap(items[left - 1], items[static_cast<std::size_t>(draws.below(left))]);
}

std::vector<PlannedScreen> screens_of_one(const QuestionSet& set) {
    std::vector<PlannedScreen> screens(set.questions.size());
    for (std::uint32_t q = 0; q < screens.size(); ++q) screens[q].questions = {q};
    return screens;
}

/// One screen per image.
std::vector<PlannedScreen> screens_of_images(const QuestionSet& set) {
    std::vector<PlannedScreen> screens(set.images.size());
    for (std::uint32_t q = 0; q < set.questions.size(); ++q) {
        std::vector<std::uint32_t>& labels = screens[set.questions[q].image].questions;
        if (labels.size() == most_cells) {
            refuse(fmt::format("image `{}` has more than {} labels, the most that a screen shows",
                               shortened(set.images[set.questions[q].image]), most_cells));
        }
        labels.push_back(q);
    }
    return screens;
}

/// Distributes the images of a label over groups: first images that are known not to show it, then
/// images that are known to show it.
std::vector<PlannedScreen> dealt(const QuestionSet& set, std::vector<std::uint32_t> questions,
                                 std::uint32_t cells, RandomStream& draws) {
    mix(questions, draws);
    const auto turn = [&](std::uint32_t q) {
        const std::optional<bool>& known = set.questions[q].known;
        return !known ? 2 : *known ? 1 : 0;
    };
    std::stable_sort(questions.begin(), questions.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return turn(a) < turn(b); });
    std::vector<PlannedScreen> groups((questions.size() + cells - 1) / cells);
    for (std::size_t i = 0; i < questions.size(); ++i)
        groups[i % groups.size()].questions.push_back(questions[i]);
    return groups;
}

/// Makes grids by label and batch. A batch with several labels gives one grid per label.
std::vector<PlannedScreen> grids(const QuestionSet& set, std::uint32_t cells, RandomStream& draws) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> by_batch;
    for (std::uint32_t q = 0; q < set.questions.size(); ++q)
        by_batch[{set.questions[q].batch, set.questions[q].label}].push_back(q);
    std::vector<std::uint32_t> labels_of(set.batches.size(), 0);
    for (const auto& [key, questions] : by_batch) ++labels_of[key.first];

    std::vector<PlannedScreen> screens;
    for (auto& [key, questions] : by_batch) {
        if (key.first == 0) {
            for (PlannedScreen& group : dealt(set, std::move(questions), cells, draws))
                screens.push_back(std::move(group));
            continue;
        }
        const std::string_view batch = set.batches[key.first];
        if (questions.size() > most_cells) {
            refuse(fmt::format("batch `{}` has {} images of label `{}`; at most {} are allowed",
                               shortened(batch), questions.size(),
                               shortened(set.labels[key.second].id), most_cells));
        }
        std::string name(batch);
        if (labels_of[key.first] > 1) name += fmt::format(" {}", set.labels[key.second].id);
        screens.push_back({.name = std::move(name), .questions = std::move(questions)});
    }
    return screens;
}

/// Gives unique names to the grids that `replicate` reads.
void name_all(std::vector<PlannedScreen>& screens) {
    std::unordered_set<std::string> taken;
    for (PlannedScreen& screen : screens) {
        const std::string wanted = screen.name;
        for (int n = 2; !wanted.empty() && !taken.insert(screen.name).second; ++n)
            screen.name = fmt::format("{} {}", wanted, n);
    }
    std::uint64_t number = 0;
    for (PlannedScreen& screen : screens) {
        ++number;
        for (std::uint64_t n = number; screen.name.empty(); n += screens.size()) {
            std::string name = fmt::format("screen {}", n);
            if (taken.insert(name).second) screen.name = std::move(name);
        }
    }
}

}  // namespace

std::vector<PlannedScreen> plan_screens(const QuestionSet& set, Task task, std::uint32_t cells,
                                        std::uint64_t seed) {
    RandomStream draws(seed, "labelling screens");
    std::vector<PlannedScreen> screens = task == Task::grid     ? grids(set, cells, draws)
                                         : task == Task::labels ? screens_of_images(set)
                                                                : screens_of_one(set);
    mix(screens, draws);
    for (PlannedScreen& screen : screens) mix(screen.questions, draws);
    name_all(screens);
    return screens;
}

}  // namespace assay::labelling
