// Reads class lists from text, csv and JSON files.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::uint64_t max_list_bytes = std::uint64_t{256} << 20;
constexpr std::size_t max_classes = 1'000'000;

struct Entry {
    std::string id, name;
};

/// Names may repeat ("crane" is two ImageNet classes) but ids must not, so numbers are used as ids
/// then.
ClassList make_list(std::vector<Entry> entries, bool ids_are_names) {
    if (entries.empty()) refuse("no class in the list");
    if (entries.size() > max_classes)
        refuse(fmt::format("{} classes; at most {}", entries.size(), max_classes));
    std::vector<std::string> ids, names;
    for (Entry& entry : entries) {
        ids.push_back(std::move(entry.id));
        names.push_back(std::move(entry.name));
    }
    if (ids_are_names && !std::all_of(ids.begin(), ids.end(), is_wnid))
        return named_classes(std::move(ids));
    return ClassList(std::move(ids), ids_are_names ? std::vector<std::string>{} : std::move(names));
}

/// Sorts entries by the numbers that their file gives them. The numbers must be 0..N-1, each once.
class Numbered {
public:
    void add(std::uint64_t number, Entry entry) {
        if (number >= max_classes)
            refuse(fmt::format("class number {} is too large; the limit is {}", number,
                               max_classes - 1));
        rows_.emplace_back(number, std::move(entry));
    }
    std::vector<Entry> in_order() {
        std::stable_sort(rows_.begin(), rows_.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<Entry> out;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (rows_[i].first != i) {
                refuse(fmt::format("class numbers must be 0 to {}, each once; number {} is {}",
                                   rows_.size() - 1, i,
                                   rows_[i].first < i ? "followed by a second one" : "missing"));
            }
            out.push_back(std::move(rows_[i].second));
        }
        return out;
    }

private:
    std::vector<std::pair<std::uint64_t, Entry>> rows_;
};

ClassList from_csv(std::string_view text, const std::string& source) {
    CsvReader reader(text, source);
    const auto id = reader.find_column({"wnid", "id", "class_id", "synset"});
    const auto name = reader.find_column({"name", "class", "class_name", "label"});
    const auto index = reader.find_column({"index", "number"});
    if (!id && !name) (void)reader.column({"wnid", "id", "name"});
    Numbered numbered;
    std::uint64_t row = 0;
    while (reader.next()) {
        std::uint64_t number = row++;
        if (index && !parse_number(reader[*index], number)) {
            throw reader.error(fmt::format("index `{}` is not a number", reader[*index]));
        }
        numbered.add(number, {std::string(reader[id.value_or(name.value_or(0))]),
                              std::string(reader[name.value_or(id.value_or(0))])});
    }
    return make_list(numbered.in_order(), !id || !name);
}

/// Removes the number from "0: 'tench'," in a Python dictionary or "0 tench" in a numbered list,
/// and the quotes. Returns nothing if the line is not number `expected` of such a list.
std::optional<std::string> without_number(std::string_view line, std::size_t expected) {
    line = trimmed(line);
    if (line.starts_with('{')) line = trimmed(line.substr(1));
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    std::uint64_t number = 0;
    if (!parse_number(line.substr(0, digits), number) || number != expected) return std::nullopt;
    line.remove_prefix(digits);
    const bool python = line.starts_with(':');
    if (!python && !line.starts_with(' ') && !line.starts_with('\t') && !line.starts_with(','))
        return std::nullopt;
    line = trimmed(line.substr(1));
    if (python && line.ends_with('}')) line = trimmed(line.substr(0, line.size() - 1));
    if (python && line.ends_with(',')) line = trimmed(line.substr(0, line.size() - 1));
    if (python && line.size() >= 2 && (line.front() == '\'' || line.front() == '"') &&
        line.back() == line.front())
        line = line.substr(1, line.size() - 2);
    return line.empty() ? std::nullopt : std::optional(std::string(line));
}

/// The list without the numbers 0, 1, ..., if every line begins with its number.
std::string unnumbered(std::string_view text) {
    std::string out;
    std::size_t count = 0;
    bool all = true;
    for_each_line(text, [&](std::string_view line, std::size_t) {
        line = trimmed(line);
        if (!all || line.empty() || line == "{" || line == "}") return;
        const auto rest = without_number(line, count++);
        all = rest.has_value();
        if (rest) out += *rest + "\n";
    });
    return all && count > 0 ? out : std::string(text);
}

ClassList from_lines(std::string_view given) {
    const std::string text = unnumbered(given);
    std::vector<Entry> entries;
    bool all_wnids = true;
    for_each_line(text, [&](std::string_view line, std::size_t) {
        line = trimmed(line);
        if (line.empty()) return;
        all_wnids = all_wnids && is_wnid(line.substr(0, line.find_first_of(" \t")));
        entries.push_back({std::string(line), {}});
    });
    bool named = false;
    for (Entry& entry : entries) {
        const std::size_t blank = all_wnids ? entry.id.find_first_of(" \t") : std::string::npos;
        entry.name = std::string(blank == std::string::npos
                                     ? entry.id
                                     : trimmed(std::string_view(entry.id).substr(blank)));
        named = named || blank != std::string::npos;
        if (blank != std::string::npos) entry.id.resize(blank);
    }
    return make_list(std::move(entries), !named);
}

Entry entry_of(const nlohmann::json& value, bool& names_only) {
    if (value.is_string()) {
        names_only = true;
        return {value.get<std::string>(), value.get<std::string>()};
    }
    if (value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_string()) {
        return {value[0].get<std::string>(), value[1].get<std::string>()};
    }
    refuse(fmt::format(
        "a class must be \"name\" or [\"id\", \"name\"], not {}",
        shortened(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace))));
}

/// The classes in a config.json of transformers or timm, or in what FiftyOne exports (labels.json,
/// metadata.json); the root itself in any other file.
const nlohmann::json& classes_in(const nlohmann::json& root) {
    if (!root.is_object()) return root;
    for (const char* key : {"id2label", "label_names"}) {
        const auto found = root.find(key);
        if (found != root.end() && found->is_structured()) return *found;
    }
    for (const char* key : {"classes", "default_classes"}) {
        const auto found = root.find(key);
        if (found != root.end() && found->is_array() && !found->empty()) return *found;
    }
    return root;
}

/// timm's labels are ids if it describes them: {"n01440764": "tench, Tinca tinca"}.
void describe_entry(Entry& entry, const nlohmann::json* descriptions) {
    if (descriptions == nullptr) return;
    const auto found = descriptions->find(entry.id);
    if (found != descriptions->end() && found->is_string()) entry.name = found->get<std::string>();
}

ClassList from_json(std::string_view text) {
    const nlohmann::json file = parse_json(text, 16);
    const nlohmann::json& root = classes_in(file);
    const nlohmann::json* descriptions = nullptr;
    if (&root != &file && file.contains("label_descriptions") &&
        file.at("label_descriptions").is_object())
        descriptions = &file.at("label_descriptions");
    bool names_only = false;
    if (root.is_array()) {
        std::vector<Entry> entries;
        for (const auto& value : root) {
            entries.push_back(entry_of(value, names_only));
            describe_entry(entries.back(), descriptions);
        }
        return make_list(std::move(entries), names_only && descriptions == nullptr);
    }
    if (!root.is_object()) refuse("a class list must be a JSON array or object");
    Numbered numbered;
    for (const auto& [key, value] : root.items()) {
        std::uint64_t number = 0;
        if (value.is_number_integer()) {
            if (!value.is_number_unsigned())
                refuse(fmt::format("class `{}` has the number {}, which is out of range",
                                   shortened(key), value.dump()));
            names_only = true;
            numbered.add(value.get<std::uint64_t>(), {key, key});
        } else if (parse_number(key, number)) {
            Entry entry = entry_of(value, names_only);
            describe_entry(entry, descriptions);
            numbered.add(number, std::move(entry));
        } else {
            refuse(fmt::format("neither the key `{}` nor its value is a class number",
                               shortened(key)));
        }
    }
    return make_list(numbered.in_order(), names_only && descriptions == nullptr);
}

}  // namespace

ClassList read_class_list(const std::filesystem::path& path) {
    return with_note(fmt::format("reading the class list {}", path.string()), [&] {
        const std::string text = read_text(path, max_list_bytes);
        const std::string extension = lower_extension(path.string());
        if (extension == ".json") return from_json(text);
        if (extension == ".csv" || extension == ".tsv")
            return from_csv(text, path.filename().string());
        return from_lines(text);
    });
}

}  // namespace assay
