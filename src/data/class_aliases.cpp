#include "data/class_aliases.h"

#include "core/text.h"
#include "data/imagenet_names.h"

namespace assay {
namespace {

template <class Key>
void add_alias(std::unordered_map<Key, std::int32_t>& map, Key key, std::int32_t c) {
    const auto [entry, fresh] = map.emplace(std::move(key), c);
    if (!fresh && entry->second != c) entry->second = -1;
}

template <class Key>
std::optional<std::int32_t> look_up(const std::unordered_map<Key, std::int32_t>& map,
                                    const Key& key) {
    const auto found = map.find(key);
    return found == map.end() || found->second < 0 ? std::nullopt : std::optional(found->second);
}

}  // namespace

ClassAliases::ClassAliases(const ClassList& classes) {
    const bool numbers = is_numbered(classes);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const auto c = static_cast<std::int32_t>(i);
        const std::string& name = classes.name(i);
        add_alias(spelled_, loose_name(classes.id(i)), c);
        add_alias(spelled_, loose_name(name), c);
        if (name.find(',') != std::string::npos) {
            for_each_part(name, ",", [&](std::string_view part) {
                if (std::string loose = loose_name(part); !loose.empty())
                    add_alias(parts_, std::move(loose), c);
            });
        }
        auto meaning = numbers ? std::nullopt : imagenet_meaning(classes.id(i));
        if (!meaning) meaning = imagenet_meaning(name);
        if (meaning) add_alias(of_imagenet_, *meaning, c);
    }
}

std::optional<std::int32_t> ClassAliases::find(std::string_view text) const {
    const std::string loose = loose_name(text);
    if (const auto found = spelled_.find(loose); found != spelled_.end())
        return found->second < 0 ? std::nullopt : std::optional(found->second);
    if (const auto found = look_up(parts_, loose)) return found;
    const auto meaning = imagenet_meaning(text);
    return meaning ? look_up(of_imagenet_, *meaning) : std::nullopt;
}

std::optional<std::int32_t> find_class(const ClassList& classes, const ClassAliases& aliases,
                                       std::string_view text) {
    const auto found = classes.find(text);
    return found ? found : aliases.find(text);
}

}  // namespace assay
