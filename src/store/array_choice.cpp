#include "store/array_choice.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "containers/npy_stream.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/cells.h"

namespace assay::store {
namespace {

bool is_matrix(const std::vector<std::uint64_t>& shape, NumberType type) {
    return shape.size() == 2 && is_float(type);
}

/// True for `ids`, `filenames`, `image_paths`, ...
bool names_ids(std::string_view name) {
    return role_of(name) == Role::id ||
           (name.ends_with('s') && role_of(name.substr(0, name.size() - 1)) == Role::id);
}

/// Returns the array of ids that belongs to the scores, by its name and length, or nothing.
std::optional<std::size_t> ids_among(const std::vector<ArrayCandidate>& candidates,
                                     std::uint64_t rows) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const ArrayCandidate& c = candidates[i];
        if (c.texts && c.count == rows && names_ids(c.name)) return i;
    }
    return std::nullopt;
}

/// Returns the array of labels that belongs to the scores, by its name, or nothing.
std::optional<std::size_t> truth_among(const std::vector<ArrayCandidate>& candidates,
                                       std::size_t chosen) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Role role = role_of(candidates[i].name);
        if (i != chosen && (candidates[i].column || candidates[i].texts) &&
            (role == Role::label || role == Role::truth))
            return i;
    }
    return std::nullopt;
}

void check_count_beside(const ScoreSource& source, const std::string& name, std::uint64_t count,
                        std::string_view what) {
    if (count != source.rows)
        refuse(fmt::format("the array `{:.60}` has {} {} for {} rows", name, count, what,
                           source.rows));
}

StringColumn texts_beside(const ScoreSource& source, std::span<const std::byte> npy,
                          const std::string& name, std::string_view what) {
    StringColumn column;
    for (const std::string& text : texts_of(npy)) column.append(text);
    check_count_beside(source, name, column.size(), what);
    return column;
}

void take_truth(ScoreSource& source, std::span<const std::byte> npy,
                const ArrayCandidate& candidate) {
    source.truth_name = candidate.name;
    if (candidate.texts) {
        source.truth = texts_beside(source, npy, candidate.name, "labels");
        return;
    }
    const NpyView view = parse_npy(npy);
    check_count_beside(source, candidate.name, view.count(), "labels");
    for (std::uint64_t i = 0; i < view.count(); ++i)
        source.truth.append(fmt::format("{}", view.values.integer(i)));
}

}  // namespace

bool is_array_column(const std::vector<std::uint64_t>& shape, NumberType type) {
    return !is_float(type) && (shape.size() == 1 || (shape.size() == 2 && shape[1] == 1));
}

ArrayCandidate describe_array(std::string name, std::span<const std::byte> npy) {
    ArrayCandidate candidate{.name = std::move(name)};
    try {
        const ArrayHeader header = array_header(npy);
        const NpyView& view = header.view;
        if (header.text.width > 0) {
            candidate.described = fmt::format("{} of texts", view.shape_text());
            candidate.texts =
                view.shape.size() == 1 || (view.shape.size() == 2 && view.shape[1] == 1);
            candidate.count = header.elements();
            return candidate;
        }
        candidate.described = fmt::format("{} {}", view.shape_text(), name_of(view.type()));
        candidate.matrix = is_matrix(view.shape, view.type());
        candidate.column = is_array_column(view.shape, view.type());
    } catch (const Error& error) {
        candidate.described = fmt::format("({})", error.message());
    }
    return candidate;
}

std::size_t choose_array(const std::vector<ArrayCandidate>& candidates, const std::string& wanted) {
    std::vector<std::string> names;
    std::string list;
    std::vector<std::size_t> matrices;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!wanted.empty() && candidates[i].name == wanted) return i;
        names.push_back(candidates[i].name);
        if (i < 12)
            list += fmt::format("{}`{:.60}` {}", i == 0 ? "" : ", ", candidates[i].name,
                                candidates[i].described);
        if (candidates[i].matrix) matrices.push_back(i);
        if (wanted.empty() && !candidates[i].damage.empty())
            refuse(candidates[i].damage +
                   "; restore the file, or read another array of it by --array NAME");
    }
    if (!wanted.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("no array is named `{}`{}", wanted, suggest(wanted, names)));
    // Without scores, the result is predicted classes, and labels are compared with them.
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].column && role_of(candidates[i].name) == Role::predicted)
            columns.push_back(i);
    }
    if (matrices.empty() && columns.size() == 1) return columns.front();
    if (matrices.empty())
        throw Error(ErrorCode::bad_input,
                    fmt::format("no array is a matrix of floats; the arrays are: {}", list));
    if (matrices.size() > 1) {
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "{} arrays could be the scores; choose one with --array; the arrays are: {}",
                matrices.size(), list));
    }
    return matrices.front();
}

void take_arrays_beside(ScoreSource& source, const std::vector<ArrayCandidate>& candidates,
                        std::size_t chosen,
                        const std::function<std::vector<std::byte>(std::size_t)>& npy) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const ArrayCandidate& c = candidates[i];
        const Role role = role_of(c.name);
        if (i != chosen && !c.damage.empty() &&
            (role == Role::label || role == Role::truth || names_ids(c.name)))
            refuse(c.damage + "; its name says that it holds labels or ids. Restore the file");
    }
    const auto truth = truth_among(candidates, chosen);
    if (truth) take_truth(source, npy(*truth), candidates[*truth]);
    const auto ids = ids_among(candidates, source.rows);
    if (ids) source.ids = texts_beside(source, npy(*ids), candidates[*ids].name, "ids");
    note_other_arrays(source, candidates, chosen, truth, ids);
}

void note_other_arrays(ScoreSource& source, const std::vector<ArrayCandidate>& candidates,
                       std::size_t chosen, std::optional<std::size_t> truth,
                       std::optional<std::size_t> ids) {
    constexpr std::size_t most_named = 20;  // a checkpoint has thousands of arrays
    std::size_t others = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (i == chosen || i == truth || i == ids || ++others > most_named) continue;
        source.notes.push_back(fmt::format("the array `{:.60}` {} is not used", candidates[i].name,
                                           candidates[i].described));
    }
    if (others > most_named) {
        source.notes.push_back(fmt::format("{} more arrays are not used", others - most_named));
    }
}

}  // namespace assay::store
