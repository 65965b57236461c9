#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "assay/data/hierarchy.h"
#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/hierarchy_readers.h"

namespace assay {
namespace {

constexpr std::size_t most_hierarchy_bytes = std::size_t{256} << 20;
constexpr std::uint32_t most_nodes = 1'000'000;
constexpr std::size_t most_edges = 4'000'000;
constexpr std::size_t longest_id = 4096;

/// Nodes and edges under the names in a file.
class HierarchyBuilder {
public:
    explicit HierarchyBuilder(std::string source) : source_(std::move(source)) {}

    std::uint32_t node(std::string_view id) {
        const auto [at, fresh] =
            places_.try_emplace(std::string(id), static_cast<std::uint32_t>(ids_.size()));
        if (fresh) {
            if (ids_.size() == most_nodes)
                refuse(fmt::format("{}: more than {} nodes", source_, most_nodes));
            if (id.size() > longest_id)
                refuse(
                    fmt::format("{}: the node `{}` has a name of {} bytes; at most {} are "
                                "allowed",
                                source_, shortened(id), id.size(), longest_id));
            ids_.emplace_back(id);
            names_.emplace_back();
        }
        return at->second;
    }
    bool knows(std::string_view id) const { return places_.contains(std::string(id)); }
    void name(std::uint32_t node, std::string_view name) {
        if (name.empty()) return;
        names_[node] = name;
        named_ = true;
    }
    void edge(std::uint32_t child, std::uint32_t parent) {
        if (edges_.size() == most_edges)
            refuse(fmt::format("{}: more than {} edges", source_, most_edges));
        edges_.push_back({child, parent});
    }
    Hierarchy build() {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (names_[i].empty()) names_[i] = ids_[i];
        }
        if (!named_) names_.clear();
        return Hierarchy(std::move(ids_), std::move(names_), std::move(edges_), source_);
    }

private:
    std::string source_;
    std::unordered_map<std::string, std::uint32_t> places_;
    std::vector<std::string> ids_, names_;
    std::vector<Hierarchy::Edge> edges_;
    bool named_ = false;
};

/// Splits a line at blanks.
std::vector<std::string_view> parts_of(std::string_view line) {
    std::vector<std::string_view> parts;
    for_each_part(line, " \t", [&](std::string_view part) { parts.push_back(part); });
    return parts;
}

bool begins_with_pair_of_ids(std::string_view text) {
    const auto parts = parts_of(text.substr(0, std::min(text.find_first_of("\r\n"), text.size())));
    return parts.size() == 2 && is_wnid(parts[0]) && is_wnid(parts[1]);
}

/// A noun of WordNet's database (wndb(5WN)): "02084071 05 n 03 dog 0 ... 003 @ 02083346 n 0000 ...
/// | gloss".
void add_noun(HierarchyBuilder& builder, std::string_view line, const std::string& where) {
    const auto fields = parts_of(line.substr(0, std::min(line.find('|'), line.size())));
    const auto number = [&](std::size_t at, int base) {
        std::size_t value = 0;
        const auto text = at < fields.size() ? fields[at] : std::string_view();
        const auto [stop, problem] =
            std::from_chars(text.data(), text.data() + text.size(), value, base);
        if (text.empty() || problem != std::errc() || stop != text.data() + text.size())
            refuse(
                fmt::format("{}: field {} is `{}`, not a count", where, at + 1, shortened(text)));
        return value;
    };
    const auto synset = [&](std::string_view offset) {
        const std::string id = "n" + std::string(offset);
        if (!is_wnid(id))
            refuse(
                fmt::format("{}: `{}` is not a synset of eight digits", where, shortened(offset)));
        return builder.node(id);
    };
    if (fields.size() < 6 || fields[2] != "n") refuse(where + ": not a noun of WordNet's database");
    const std::uint32_t node = synset(fields[0]);
    const std::size_t words = number(3, 16);
    if (words == 0 || words > 255) refuse(fmt::format("{}: {} words", where, words));
    std::string name(fields[4]);
    std::replace(name.begin(), name.end(), '_', ' ');
    builder.name(node, name);
    const std::size_t first = 4 + 2 * words;
    const std::size_t pointers = number(first, 10);
    if (pointers > 1000 || fields.size() < first + 1 + 4 * pointers)
        refuse(fmt::format("{}: {} pointers, but {} fields", where, pointers, fields.size()));
    for (std::size_t p = 0; p < pointers; ++p) {
        const std::size_t at = first + 1 + 4 * p;
        if (fields[at] != "@" && fields[at] != "@i") continue;
        builder.edge(node, synset(fields[at + 1]));
    }
}

/// Trees may give inner nodes any name. If a class has the same name, or several nodes do, the
/// ancestors' names make it unique.
class JsonTree {
public:
    explicit JsonTree(const std::string& source) : source_(source), builder_(source) {}

    Hierarchy read(const nlohmann::json& root) {
        collect(root, true);
        add(root, std::nullopt);
        return builder_.build();
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        refuse(fmt::format("{}{}: {}", source_,
                           path_.empty() ? "" : " below `" + shortened(path_) + "`", what));
    }
    std::string name_of(const nlohmann::json& value, bool root) const {
        if (!value.is_object()) fail("a node is an object with a name");
        for (const char* key : {"class", "id", "name"}) {
            const auto found = value.find(key);
            if (found == value.end()) continue;
            if (!found->is_string() || found->get_ref<const std::string&>().empty())
                fail(fmt::format("`{}` of a node is not a text", key));
            return found->get<std::string>();
        }
        if (!root) fail("a node has no `name` (or `class`)");
        return "root";
    }
    /// The children of a node that is not a class.
    const nlohmann::json& children_of(const nlohmann::json& value) const {
        const nlohmann::json& children = value["children"];
        if (!children.is_array()) fail("`children` is not a list");
        return children;
    }
    void collect(const nlohmann::json& value, bool root) {
        const std::string name = name_of(value, root);
        if (!value.contains("children")) {
            if (!classes_.insert(name).second)
                fail(fmt::format("the class `{}` appears twice", shortened(name)));
            return;
        }
        for (const auto& child : children_of(value)) collect(child, false);
    }
    void add(const nlohmann::json& value, std::optional<std::uint32_t> parent) {
        const std::string name = name_of(value, !parent);
        const bool leaf = !value.contains("children");
        const std::size_t above = path_.size();
        path_ += (above == 0 ? "" : "/") + name;
        const bool taken = !leaf && (builder_.knows(name) || classes_.contains(name));
        // Otherwise the class would become this node with all nodes below it.
        if (taken && classes_.contains(path_))
            fail(fmt::format("a class is named `{}`, which is also the path of this node",
                             shortened(path_)));
        if (taken && builder_.knows(path_))
            fail(fmt::format("`{}` appears twice below one node", shortened(name)));
        const std::uint32_t node = builder_.node(taken ? path_ : name);
        builder_.name(node, name);
        if (parent) builder_.edge(node, *parent);
        if (!leaf) {
            for (const auto& child : children_of(value)) add(child, node);
        }
        path_.resize(above);
    }

    std::string source_, path_;
    std::unordered_set<std::string> classes_;
    HierarchyBuilder builder_;
};

}  // namespace

Hierarchy hierarchy_from_csv(std::string_view text, const std::string& source) {
    CsvReader csv(text, source);
    const std::size_t child = csv.column({"child", "id", "node"});
    const std::size_t parent = csv.column({"parent", "parents"});
    const auto name = csv.find_column({"name"});
    HierarchyBuilder builder(source);
    while (csv.next()) {
        const std::string_view id = trimmed(csv[child]);
        if (id.empty()) throw csv.error("a node without an id");
        const std::uint32_t node = builder.node(id);
        if (name) builder.name(node, trimmed(csv[*name]));
        // "parents" lists several parents, separated by blanks. A single parent's name may contain
        // blanks.
        const std::string_view above = trimmed(csv[parent]);
        if (loose_name(csv.columns()[parent]) == "parents") {
            for (const auto one : parts_of(above)) builder.edge(node, builder.node(one));
        } else if (!above.empty()) {
            builder.edge(node, builder.node(above));
        }
    }
    return builder.build();
}

Hierarchy hierarchy_from_pairs(std::string_view text, const std::string& source) {
    HierarchyBuilder builder(source);
    for_each_line(text, [&](std::string_view line, std::size_t number) {
        const auto parts = parts_of(line);
        if (parts.empty()) return;
        if (parts.size() != 2 || !is_wnid(parts[0]) || !is_wnid(parts[1]))
            refuse(fmt::format("{} line {}: `{}` is not two WordNet ids, PARENT CHILD", source,
                               number, shortened(line)));
        builder.edge(builder.node(parts[1]), builder.node(parts[0]));
    });
    return builder.build();
}

Hierarchy hierarchy_from_wordnet(std::string_view text, const std::string& source) {
    HierarchyBuilder builder(source);
    for_each_line(text, [&](std::string_view line, std::size_t number) {
        // The license comes first, in lines that begin with two blanks.
        if (line.empty() || line.starts_with("  ")) return;
        add_noun(builder, line, fmt::format("{} line {}", source, number));
    });
    return builder.build();
}

Hierarchy hierarchy_from_json(std::string_view text, const std::string& source) {
    return JsonTree(source).read(parse_json(text, 256));
}

Hierarchy read_hierarchy(const std::filesystem::path& path) {
    const std::filesystem::path file =
        std::filesystem::is_directory(path) ? path / "data.noun" : path;
    const std::string text = read_text(file, most_hierarchy_bytes);
    const std::string source = file.string();
    const std::string_view begin = trimmed(std::string_view(text).substr(0, 4096));
    if (begin.empty()) refuse(source + " is empty");
    if (lower_extension(source) == ".json" || begin.front() == '{')
        return with_note("reading `" + source + "`",
                         [&] { return hierarchy_from_json(text, source); });
    if (file.filename() == "data.noun") return hierarchy_from_wordnet(text, source);
    if (begins_with_pair_of_ids(begin)) return hierarchy_from_pairs(text, source);
    return hierarchy_from_csv(text, source);
}

Hierarchy hierarchy_named(const std::string& name_or_path) {
    return name_or_path == "imagenet" ? imagenet_hierarchy() : read_hierarchy(name_or_path);
}

}  // namespace assay
