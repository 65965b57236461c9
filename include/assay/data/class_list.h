// The classes a classifier answers with, and maps from them to others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// C classes in the order of the scores' columns. An id is unique (a WordNet id, or the name
/// itself); a name need not be
/// ("crane" is two ImageNet classes), so nothing is keyed by name where ids exist.
class ClassList {
public:
    ClassList() = default;
    /// Throws bad_input on a duplicate or empty id, and when there are names but not one for each
    /// id. Empty `names`: the ids serve.
    explicit ClassList(std::vector<std::string> ids, std::vector<std::string> names = {});

    std::size_t size() const noexcept { return ids_.size(); }
    bool empty() const noexcept { return ids_.empty(); }
    const std::string& id(std::size_t c) const { return ids_.at(c); }
    const std::string& name(std::size_t c) const { return names_.at(c); }
    const std::vector<std::string>& ids() const noexcept { return ids_; }
    const std::vector<std::string>& names() const noexcept { return names_; }
    /// By id, else by name where it is unique, else by number "0".."C-1" (leading zeros allowed).
    /// Numbers are no positions where all ids are numbers.
    std::optional<std::int32_t> find(std::string_view id_or_name) const;
    /// Over the ids in order; names are for people.
    std::string fingerprint() const;
    bool operator==(const ClassList&) const = default;

private:
    std::vector<std::string> ids_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> by_id_;  // classes in the order of their ids
    std::vector<std::uint32_t>
        by_name_;  // classes in the order of their names; empty when the ids serve as names
};

/// "0", "1", ..., "count - 1": the classes of a classifier that does not say more.
ClassList numbered_classes(std::size_t count);
/// True for such a list (and not for an empty one): its ids say nothing about what the classes are.
bool is_numbered(const ClassList& classes);

/// Classes by their names alone. 1000 names of ImageNet's classes (WordNet's, with all synonyms,
/// in other spellings, or as CLIP calls them; in the usual order or, where every name is clear, in
/// any) get WordNet ids. Otherwise the names are the ids; where a name repeats, the numbers are.
/// Throws bad_input on an empty name.
ClassList named_classes(std::vector<std::string> names);

/// The place in `other` of each class of `classes`, by id or else by name; nothing where the two
/// are not the same classes.
std::optional<std::vector<std::int32_t>> places_in(const ClassList& other,
                                                   const ClassList& classes);
/// The first class in which two lists differ: "class 3 is `cat` and `dog`"; "" when their ids are
/// the same.
std::string first_difference(const ClassList& one, const ClassList& two);

/// The 1000 ImageNet classes (ILSVRC 2012), ids = WordNet ids in ascending order. Built in.
const ClassList& imagenet_classes();

/// Reads a class list. Text: one id or name a line ("n01440764 tench, Tinca tinca" gives id and
/// name), perhaps with its number before it ("0 tench", "0: 'tench, Tinca tinca',", as a Python
/// dictionary); csv with columns wnid|id and name, and perhaps index; JSON array of names, JSON
/// object {"0": ["n01440764", "tench"], ...} (the keras layout), {"0": "tench", ...} or
/// {"n01440764": 0, ...}; a config.json of transformers (its id2label) or timm (its label_names,
/// with label_descriptions as the names); FiftyOne's labels.json and metadata.json.
/// Names without ids as in named_classes. Throws bad_input.
ClassList read_class_list(const std::filesystem::path& path);

/// How scores over the C classes of a model answer a question over other classes (ImageNet-A/R's
/// 200; 16 classes; IN-9).
struct ClassMap {
    enum class Decision {
        restrict_,      ///< arg-max over the listed classes only (ImageNet-A, ImageNet-R)
        mean_of_group,  ///< arg-max over groups of the mean softmax probability (16 classes,
                        ///< Geirhos et al.)
        map_argmax,     ///< arg-max over all C, then map; unmapped is never right (IN-9)
    };
    std::string name;
    ClassList targets;
    /// For every class of the model, the target class, or -1.
    std::vector<std::int32_t> target_of;
    Decision decision = Decision::map_argmax;
};

/// "imagenet-a", "imagenet-r" (200 classes), "imagenet-100", "imagenette", "imagewoof",
/// "imagenet-1k" (for heads with more classes), "16-class" (model-vs-human), "in9" (backgrounds
/// challenge). Built in.
std::vector<std::string> class_map_names();
/// A built-in map by name, or a file. JSON {"decision": "restrict"|"mean_of_group"|"map_argmax",
/// "classes": [...], "target_of": [one number a class of the model, -1 for none], and perhaps
/// "name"}; or any class list that read_class_list reads: then the arg-max is over those classes of
/// the model alone (restrict), found by id, name, synonym or number. `model_classes` is checked
/// against the map's own: built-in maps find ImageNet's classes in the model's by WordNet id or
/// name, in any order and among any others, or take 1000 numbered classes. Throws usage /
/// bad_input: a class that the model has not, or two entries for one.
ClassMap class_map_named(std::string_view name_or_path, const ClassList& model_classes);

}  // namespace assay
