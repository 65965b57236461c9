#include "data/imagenet_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "core/text.h"
#include "data/imagenet_table.h"

namespace assay {
namespace {

using Classes = std::vector<std::int32_t>;

/// Maps a text to the classes with this text, ascending, each once.
class NameIndex {
public:
    void add(std::string_view text, std::int32_t c) {
        Classes& classes = classes_[loose_name(text)];
        if (classes.empty() || classes.back() != c) classes.push_back(c);
    }
    const Classes* find(std::string_view text) const {
        const auto found = classes_.find(loose_name(text));
        return found == classes_.end() ? nullptr : &found->second;
    }

private:
    std::unordered_map<std::string, Classes> classes_;
};

struct KnownNames {
    NameIndex whole;     ///< all synonyms of a class as one text, if it has several
    NameIndex first;     ///< the first synonym
    NameIndex synonyms;  ///< each synonym

    KnownNames() {
        const ImagenetTable& table = imagenet_table();
        for (std::size_t c = 0; c < table.lemmas.size(); ++c) {
            const auto number = static_cast<std::int32_t>(c);
            if (table.lemmas[c].find(',') != std::string::npos) whole.add(table.lemmas[c], number);
            first.add(table.classes.name(c), number);
            for_each_part(table.lemmas[c], ",",
                          [&](std::string_view synonym) { synonyms.add(synonym, number); });
        }
    }
};

const KnownNames& known_names() {
    static const KnownNames made;
    return made;
}

/// If two classes differ only in case, the case decides.
Classes by_case(const Classes& classes, std::string_view text) {
    Classes same;
    for (const std::int32_t c : classes) {
        if (imagenet_classes().name(static_cast<std::size_t>(c)) == text) same.push_back(c);
    }
    return same.empty() ? classes : same;
}

Classes of_parts(std::string_view text) {
    std::optional<Classes> all;
    for_each_part(text, ",", [&](std::string_view part) {
        const Classes* found = known_names().synonyms.find(part);
        if (found == nullptr) return;
        if (!all) {
            all = *found;
            return;
        }
        Classes both;
        std::ranges::set_intersection(*all, *found, std::back_inserter(both));
        all = std::move(both);
    });
    return all.value_or(Classes{});
}

/// Assigns each name its own class, by repeatedly removing the classes that other names certainly
/// mean.
std::optional<Classes> permutation(const std::vector<Classes>& meanings) {
    const std::size_t n = imagenet_classes().size();
    std::vector<Classes> left = meanings;
    Classes out(n, -1);
    std::vector<bool> taken(n, false);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < n; ++i) {
            if (out[i] >= 0) continue;
            std::erase_if(left[i],
                          [&](std::int32_t c) { return taken[static_cast<std::size_t>(c)]; });
            if (left[i].size() != 1) continue;
            out[i] = left[i][0];
            taken[static_cast<std::size_t>(out[i])] = true;
            changed = true;
        }
    }
    if (std::ranges::find(out, -1) != out.end()) return std::nullopt;
    return out;
}

/// True if at least half of the texts mean the class at their own position. Each text that only
/// means other classes must be a repeated name, whose class is also named at its own position.
bool in_usual_order(const std::vector<Classes>& meanings) {
    std::vector<bool> own(meanings.size());
    for (std::size_t i = 0; i < meanings.size(); ++i)
        own[i] = std::ranges::binary_search(meanings[i], static_cast<std::int32_t>(i));
    for (std::size_t i = 0; i < meanings.size(); ++i) {
        if (own[i] || meanings[i].empty()) continue;
        const bool doubled = std::ranges::any_of(
            meanings[i], [&](std::int32_t c) { return own[static_cast<std::size_t>(c)]; });
        if (!doubled) return false;
    }
    return 2 * std::ranges::count(own, true) >= std::ssize(meanings);
}

}  // namespace

Classes imagenet_meanings(std::string_view text) {
    text = trimmed(text);
    if (is_wnid(text)) {
        const auto c = imagenet_classes().find(text);
        return c ? Classes{*c} : Classes{};
    }
    for (const NameIndex* index :
         {&known_names().whole, &known_names().first, &known_names().synonyms}) {
        if (const Classes* found = index->find(text)) return by_case(*found, text);
    }
    return text.find(',') == std::string_view::npos ? Classes{} : of_parts(text);
}

std::optional<std::int32_t> imagenet_meaning(std::string_view text) {
    const Classes meanings = imagenet_meanings(text);
    return meanings.size() == 1 ? std::optional(meanings[0]) : std::nullopt;
}

std::optional<Classes> as_imagenet(const std::vector<std::string>& texts) {
    const std::size_t n = imagenet_classes().size();
    if (texts.size() != n) return std::nullopt;
    std::vector<Classes> meanings;
    meanings.reserve(n);
    for (const std::string& text : texts) meanings.push_back(imagenet_meanings(text));
    if (in_usual_order(meanings)) {
        Classes out(n);
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::int32_t>(i);
        return out;
    }
    return permutation(meanings);
}

std::string published_list(std::size_t classes) {
    struct Head {
        std::size_t classes;
        std::string_view name, file;
    };
    static constexpr Head heads[] = {
        {10450, "ImageNet-21k (Ridnik et al., winter 2021)", "imagenet21k_miil_w21_synsets.txt"},
        {11221, "ImageNet-21k (Ridnik et al., fall 2011)", "imagenet21k_miil_synsets.txt"},
        {11821, "ImageNet-12k", "imagenet12k_synsets.txt"},
        {21841, "ImageNet-22k", "imagenet22k_synsets.txt"},
        {21842, "ImageNet-22k (Microsoft)", "imagenet22k_ms_synsets.txt"},
        {21843, "ImageNet-21k (Google)", "imagenet21k_goog_synsets.txt"},
    };
    for (const Head& head : heads) {
        if (head.classes == classes)
            return fmt::format(
                "; {} classes match {}, whose WordNet ids timm publishes as timm/data/_info/{}: "
                "pass that file with --classes",
                classes, head.name, head.file);
    }
    return {};
}

}  // namespace assay
