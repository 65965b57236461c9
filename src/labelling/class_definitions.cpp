#include "labelling/class_definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/class_aliases.h"
#include "data/imagenet_definitions.h"
#include "data/imagenet_table.h"
#include "labelling/definition_files.h"

namespace assay::labelling {
namespace {

/// Finds the label that a text in the file means. It compares the label's id, or else its name or
/// ImageNet id in any spelling. Numbers have no meaning, because the list may be a part of the
/// file's labels.
class LabelsByText {
public:
    explicit LabelsByText(const std::vector<LabelText>& labels)
        : labels_(labels), aliases_(list_of(labels)) {
        for (std::size_t l = 0; l < labels.size(); ++l) by_id_.emplace(labels[l].id, l);
    }
    std::optional<std::size_t> find(const std::string& text) const {
        if (const auto found = by_id_.find(text); found != by_id_.end()) return found->second;
        const auto found = aliases_.find(text);
        return found ? std::optional(static_cast<std::size_t>(*found)) : std::nullopt;
    }
    std::string suggestion(const std::string& text) const {
        std::vector<std::string> known;
        for (const LabelText& label : labels_) known.push_back(label.id);
        for (const LabelText& label : labels_)
            if (label.name != label.id) known.push_back(label.name);
        return suggest(shortened(text), known);
    }

private:
    static ClassList list_of(const std::vector<LabelText>& labels) {
        std::vector<std::string> ids, names;
        for (const LabelText& label : labels) {
            ids.push_back(label.id);
            names.push_back(label.name.empty() ? label.id : label.name);
        }
        return ClassList(std::move(ids), std::move(names));
    }

    const std::vector<LabelText>& labels_;
    ClassAliases aliases_;
    std::unordered_map<std::string_view, std::size_t> by_id_;
};

void take_over(LabelText& label, const LabelText& said) {
    if (!said.name.empty()) label.name = said.name;
    if (!said.definition.empty()) label.definition = said.definition;
    if (!said.synonyms.empty()) label.synonyms = said.synonyms;
}

/// Calls `unknown` for entries of unknown labels.
template <class Unknown>
void take_file(std::vector<LabelText>& labels, const std::filesystem::path& file,
               Unknown&& unknown) {
    const std::vector<SaidOfLabel> said = read_definitions(file);
    const LabelsByText known(labels);
    std::vector<const SaidOfLabel*> of(labels.size(), nullptr);
    for (const SaidOfLabel& one : said) {
        const auto found = known.find(one.text.id);
        if (!found) {
            unknown(one, known);
            continue;
        }
        if (of[*found] != nullptr) {
            refuse(fmt::format("{}: label `{}` is also in {}", one.where, shortened(one.text.id),
                               of[*found]->where));
        }
        of[*found] = &one;
    }
    // The assignment comes after the last use of `known`, which reads the labels' texts.
    for (std::size_t l = 0; l < labels.size(); ++l)
        if (of[l] != nullptr) take_over(labels[l], of[l]->text);
}

/// WordNet's texts for ImageNet's classes that have none.
void fill_from_wordnet(std::vector<LabelText>& labels) {
    const ImagenetTable& table = imagenet_table();
    for (LabelText& label : labels) {
        const auto found = is_wnid(label.id) ? table.classes.find(label.id) : std::nullopt;
        if (!found) continue;
        const auto c = static_cast<std::size_t>(*found);
        if (label.name.empty() || label.name == label.id) label.name = table.classes.name(c);
        if (label.definition.empty()) label.definition = imagenet_definitions().at(c);
        if (!label.synonyms.empty()) continue;
        for_each_part(table.lemmas[c], ",",
                      [&](std::string_view lemma) { label.synonyms.emplace_back(lemma); });
    }
}

/// Removes repeated synonyms and the name itself. Labels that look the same get ids appended.
void make_distinct(std::vector<LabelText>& labels) {
    using Shown = std::tuple<std::string, std::string>;
    std::map<Shown, std::size_t> uses;
    for (LabelText& label : labels) {
        if (label.name.empty()) label.name = label.id;
        std::vector<std::string> others;
        std::vector<std::string> seen = {loose_name(label.name)};
        for (std::string& synonym : label.synonyms) {
            std::string loose = loose_name(synonym);
            if (std::find(seen.begin(), seen.end(), loose) != seen.end()) continue;
            seen.push_back(std::move(loose));
            others.push_back(std::move(synonym));
        }
        label.synonyms = std::move(others);
        ++uses[{label.name, label.definition}];
    }
    for (LabelText& label : labels) {
        if (uses.at({label.name, label.definition}) > 1 && label.name != label.id)
            label.name = fmt::format("{} ({})", label.name, label.id);
    }
}

}  // namespace

std::vector<LabelText> label_texts(const std::vector<std::string>& ids,
                                   const std::vector<std::string>& names,
                                   const std::filesystem::path& definitions) {
    if (!names.empty() && names.size() != ids.size())
        throw Error(ErrorCode::internal, "some labels have several names");
    std::vector<LabelText> labels(ids.size());
    for (std::size_t l = 0; l < ids.size(); ++l) {
        labels[l].id = ids[l];
        if (!names.empty()) labels[l].name = names[l];
    }
    if (!definitions.empty()) {
        take_file(labels, definitions, [](const SaidOfLabel& one, const LabelsByText& known) {
            refuse(fmt::format("{}: unknown label `{}`{}", one.where, shortened(one.text.id),
                               known.suggestion(one.text.id)));
        });
    }
    fill_from_wordnet(labels);
    make_distinct(labels);
    return labels;
}

std::vector<LabelText> label_texts(std::vector<LabelText> known,
                                   const std::filesystem::path& definitions,
                                   std::vector<std::string>& warnings) {
    if (!definitions.empty()) {
        std::uint64_t others = 0;
        std::string first;
        take_file(known, definitions, [&](const SaidOfLabel& one, const LabelsByText& labels) {
            if (++others == 1)
                first = fmt::format("`{}` ({}){}", shortened(one.text.id), one.where,
                                    labels.suggestion(one.text.id));
        });
        if (others > 0) {
            warnings.push_back(fmt::format(
                "{} of {} {} in no question; the first is {}", how_many(others, "label"),
                definitions.filename().string(), others == 1 ? "is" : "are", first));
        }
    }
    fill_from_wordnet(known);
    make_distinct(known);
    return known;
}

}  // namespace assay::labelling
