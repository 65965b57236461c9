#include "evaluate/read_given.h"

#include <fmt/format.h>

#include <numeric>

#include "assay/data/hierarchy.h"
#include "assay/error.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "evaluate/thresholds.h"

namespace assay {
namespace {

/// Calls `read` with the classes of the predictions, whose names identify nodes and grades.
template <class Read>
auto with_classes(const PredictionStore& store, const ClassMap* map, Read&& read) {
    if (map != nullptr) return read(map->targets);
    const ClassList& classes = store.dataset().classes;
    const bool named = classes.size() == store.classes() && !is_numbered(classes);
    if (named) return read(classes);
    return with_note(fmt::format("the classes of `{0}` have no names; to name them, type `assay "
                                 "relabel {1} --classes FILE`",
                                 store.folder().string(), shell_word(store.folder().string())),
                     [&] { return read(numbered_classes(store.classes())); });
}

std::vector<std::int32_t> grades_of(const ClassList& order, const std::filesystem::path& file,
                                    const ClassList& classes) {
    return with_note(fmt::format("reading the order of the classes {}", file.string()), [&] {
        std::optional<std::vector<std::int32_t>> grades = places_in(order, classes);
        if (!grades)
            refuse(
                fmt::format("{} has {} classes but the scores have {}{}; it must name each class "
                            "once, from the lowest grade",
                            file.string(), order.size(), classes.size(),
                            order.size() == classes.size() ? ", which are different" : ""));
        return std::move(*grades);
    });
}

std::string order_text(const std::vector<std::int32_t>& grades, const ClassList& classes,
                       const std::filesystem::path& file) {
    std::vector<std::size_t> by_grade(grades.size());
    for (std::size_t c = 0; c < grades.size(); ++c)
        by_grade[static_cast<std::size_t>(grades[c])] = c;
    const auto name = [&](std::size_t grade) {
        return by_grade[grade] < classes.size() ? classes.name(by_grade[grade])
                                                : std::to_string(by_grade[grade]);
    };
    return fmt::format("the classes are grades from `{}` to `{}`, in the order of {}", name(0),
                       name(grades.size() - 1),
                       file.empty() ? "the class list" : "`" + file.string() + "`");
}

}  // namespace

GivenTruth read_given_truth(const MeasureOptions& options, const PredictionStore& store,
                            const ClassMap* map, std::vector<std::string>& notes) {
    GivenTruth given;
    given.soft = options.soft_labels;
    if (given.soft && map != nullptr)
        throw Error(ErrorCode::usage,
                    "soft labels need the classes of the scores: omit --class-map");
    if (!options.hierarchy.empty()) {
        given.tree = with_note("finding the classes in the hierarchy " + options.hierarchy, [&] {
            const Hierarchy hierarchy = hierarchy_named(options.hierarchy);
            return with_classes(store, map, [&](const ClassList& classes) {
                return std::make_shared<const ClassTree>(hierarchy, classes);
            });
        });
        notes.insert(notes.end(), given.tree->notes().begin(), given.tree->notes().end());
    }
    if (!options.class_order.empty()) {
        const ClassList order = read_class_list(options.class_order);
        given.grades = with_classes(store, map, [&](const ClassList& classes) {
            return grades_of(order, options.class_order, classes);
        });
    } else if (options.ordinal) {
        given.grades.resize(map != nullptr ? map->targets.size() : store.classes());
        std::iota(given.grades.begin(), given.grades.end(), 0);
    }
    if (!options.threshold_file.empty() || !options.thresholds.empty())
        given.thresholds = with_classes(store, map, [&](const ClassList& classes) {
            return read_thresholds(options.threshold_file, options.thresholds, classes);
        });
    if (!given.grades.empty())
        notes.push_back(order_text(given.grades,
                                   map != nullptr ? map->targets : store.dataset().classes,
                                   options.class_order));
    return given;
}

std::vector<std::string> leave_out_misfits(MeasureOptions& options, const PredictionStore& store) {
    std::vector<std::string> sentences;
    const auto fits = [&](const std::string& what, const auto& read) {
        try {
            with_classes(store, nullptr, read);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            sentences.push_back(fmt::format("{} does not fit the classes of {} and is skipped: {}",
                                            what, store.spec().dataset_name, error.message()));
            return false;
        }
        return true;
    };
    if (!options.hierarchy.empty()) {
        const Hierarchy hierarchy = hierarchy_named(options.hierarchy);
        if (!fits("The hierarchy " + options.hierarchy,
                  [&](const ClassList& classes) { return ClassTree(hierarchy, classes); }))
            options.hierarchy.clear();
    }
    if (!options.class_order.empty()) {
        const ClassList order = read_class_list(options.class_order);
        if (!fits("The order of the classes " + options.class_order.string(),
                  [&](const ClassList& classes) {
                      return grades_of(order, options.class_order, classes);
                  })) {
            options.class_order.clear();
            options.ordinal = false;
        }
    }
    if ((!options.threshold_file.empty() || !options.thresholds.empty()) &&
        !fits("A threshold for each class", [&](const ClassList& classes) {
            return read_thresholds(options.threshold_file, options.thresholds, classes);
        })) {
        options.threshold_file.clear();
        options.thresholds.clear();
    }
    return sentences;
}

void check_given_truth(const GivenTruth& given, std::size_t rows, std::size_t classes) {
    if (given.soft && given.soft->size() != rows)
        refuse(fmt::format("{} soft labels for {} items", given.soft->size(), rows));
    if (given.soft && given.soft->classes() > classes)
        refuse(fmt::format("soft labels of {} classes for scores of {}", given.soft->classes(),
                           classes));
    if (given.tree && given.tree->classes() != classes)
        refuse(fmt::format("a hierarchy of {} classes for scores of {}", given.tree->classes(),
                           classes));
    if (!given.grades.empty() && given.grades.size() != classes)
        refuse(fmt::format("grades of {} classes for scores of {}", given.grades.size(), classes));
    if (!given.thresholds.empty() && given.thresholds.size() != classes)
        refuse(fmt::format("thresholds of {} classes for scores of {}", given.thresholds.size(),
                           classes));
}

}  // namespace assay
