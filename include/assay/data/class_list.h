// The classes of a classifier, and maps from them to other sets of classes.
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
/// itself). A name need not be ("crane" is two ImageNet classes), so code uses ids as keys if they
/// exist.
class ClassList {
public:
    ClassList() = default;
    /// Throws bad_input for a duplicate or empty id, or if there are not as many names as ids.
    /// Without names the ids are used as names.
    explicit ClassList(std::vector<std::string> ids, std::vector<std::string> names = {});

    std::size_t size() const noexcept { return ids_.size(); }
    bool empty() const noexcept { return ids_.empty(); }
    const std::string& id(std::size_t c) const { return ids_.at(c); }
    const std::string& name(std::size_t c) const { return names_.at(c); }
    const std::vector<std::string>& ids() const noexcept { return ids_; }
    const std::vector<std::string>& names() const noexcept { return names_; }
    /// Finds a class by id, else by name if it is unique, else by number "0".."C-1" (leading zeros
    /// allowed). If all ids are numbers, a number is only looked up as an id.
    std::optional<std::int32_t> find(std::string_view id_or_name) const;
    /// Depends on the ids and their order, but not on the names.
    std::string fingerprint() const;
    bool operator==(const ClassList&) const = default;

private:
    std::vector<std::string> ids_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> by_id_;  // classes in the order of their ids
    std::vector<std::uint32_t>
        by_name_;  // classes in the order of their names; empty if the ids are used as names
};

/// "0", "1", ..., "count - 1": for a classifier without a class list.
ClassList numbered_classes(std::size_t count);
/// True if the list is such a list and not empty. Its ids say nothing about the classes.
bool is_numbered(const ClassList& classes);

/// Makes classes from names only. 1000 names of ImageNet's classes get WordNet ids. The names may
/// be WordNet's (with all synonyms, or in other spellings) or CLIP's, in the usual order. If every
/// name is unambiguous, any order is accepted. Otherwise the names become the ids, or the numbers
/// if a name repeats. Throws bad_input on an empty name.
ClassList named_classes(std::vector<std::string> names);

/// The position in `other` of each class of `classes`, found by id or else by name. Nothing if the
/// two lists do not have the same classes.
std::optional<std::vector<std::int32_t>> places_in(const ClassList& other,
                                                   const ClassList& classes);
/// The first class that differs between two lists: "class 3 is `cat` and `dog`". Returns "" if the
/// ids are equal.
std::string first_difference(const ClassList& one, const ClassList& two);

/// The 1000 ImageNet classes (ILSVRC 2012), ids = WordNet ids in ascending order. Built in.
const ClassList& imagenet_classes();

/// Reads a class list in one of these formats. Text: one id or name per line; "n01440764 tench,
/// Tinca tinca" gives id and name. A line may begin with its number: "0 tench", or "0: 'tench,
/// Tinca tinca'," as in a Python dictionary. Csv: columns wnid|id and name, and optionally index.
/// JSON: an array of names, or an object {"0": ["n01440764", "tench"], ...} (the keras layout),
/// {"0": "tench", ...} or {"n01440764": 0, ...}. Also a config.json of transformers (its id2label)
/// or timm (its label_names, with label_descriptions as the names), and FiftyOne's labels.json and
/// metadata.json. Names without ids are handled as in named_classes. Throws bad_input.
ClassList read_class_list(const std::filesystem::path& path);

/// Converts scores over the C classes of a model to a prediction among other classes
/// (ImageNet-A/R's 200; 16 classes; IN-9).
struct ClassMap {
    enum class Decision {
        restrict_,      ///< arg-max over the listed classes (ImageNet-A, ImageNet-R)
        mean_of_group,  ///< arg-max over groups of the mean softmax probability (16 classes,
                        ///< Geirhos et al.)
        map_argmax,     ///< arg-max over all C, then map; an unmapped class is never correct (IN-9)
    };
    std::string name;
    ClassList targets;
    /// For every class of the model: the target class, or -1 for none.
    std::vector<std::int32_t> target_of;
    Decision decision = Decision::map_argmax;
};

/// "imagenet-a", "imagenet-r" (200 classes), "imagenet-100", "imagenette", "imagewoof",
/// "imagenet-1k" (for heads with more classes), "16-class" (model-vs-human), "in9" (backgrounds
/// challenge). Built in.
std::vector<std::string> class_map_names();
/// A built-in map by name, or a file. A JSON file has {"decision":
/// "restrict"|"mean_of_group"|"map_argmax", "classes": [...], "target_of": [one number per class of
/// the model, -1 for none]}, and optionally "name". Any class list for read_class_list() is also
/// accepted. The arg-max is then over its classes (restrict), which are found in the model by id,
/// name, synonym or number. The map's own classes are checked against `model_classes`. Built-in
/// maps find ImageNet's classes in the model's by WordNet id or name, in any order and among any
/// others, or use 1000 numbered classes. Throws usage / bad_input: a class that the model lacks, or
/// two entries for one.
ClassMap class_map_named(std::string_view name_or_path, const ClassList& model_classes);

}  // namespace assay
