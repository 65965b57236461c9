#include "mad/question_texts.h"

#include <fmt/format.h>

#include <map>

namespace assay::mad {

std::vector<std::string> names_for_people(const Competition& competition) {
    const ClassList& classes = competition.classes();
    std::map<std::string_view, std::size_t> uses;
    for (const std::string& name : classes.names()) ++uses[name];
    std::vector<std::string> names = classes.names();
    if (uses.size() == names.size()) return names;

    const Hierarchy* const above =
        no_hierarchy(competition.settings().distance) ? nullptr : &competition.hierarchy();
    std::vector<std::uint32_t> nodes;
    if (above != nullptr) nodes = above->nodes_of(classes);
    for (std::size_t c = 0; c < names.size(); ++c) {
        if (uses[classes.name(c)] < 2) continue;
        std::string more = classes.id(c);
        if (above != nullptr && !above->parents(nodes[c]).empty())
            more = above->name(above->parents(nodes[c]).front());
        names[c] = fmt::format("{} ({})", classes.name(c), more);
    }
    // Two classes with the same name and the same parent.
    std::map<std::string, std::size_t> again;
    for (const std::string& name : names) ++again[name];
    for (std::size_t c = 0; c < names.size(); ++c)
        if (again[names[c]] > 1) names[c] = fmt::format("{} ({})", classes.name(c), classes.id(c));
    return names;
}

std::string question_text(std::string_view label_name) {
    return fmt::format("Does this image show \"{}\"?", label_name);
}

}  // namespace assay::mad
