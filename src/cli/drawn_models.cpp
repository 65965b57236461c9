// Patterns of models in Python (timm:resnet*), and the models that are drawn for them.
#include "cli/drawn_models.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.h"
#include "assay/evaluate/published.h"
#include "assay/report.h"
#include "cli/command.h"
#include "cli/ranks.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/json_text.h"
#include "core/paths.h"
#include "core/random.h"
#include "core/text.h"
#include "model/python/python_model.h"
#include "model/python/source.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view drawn_schema = "assay.drawn_models";

/// The record from which the same call draws the same models again, even if the library's list has
/// changed.
json draw_request(const std::string& pattern, const DrawFlags& how) {
    return {{"pattern", pattern},
            {"models", how.models},
            {"seed", how.seed},
            {"published", how.published.filename().string()}};
}

fs::path list_place(const fs::path& runs, const json& request) {
    if (runs.empty()) return {};
    constexpr std::size_t digits = 8;
    const std::string hash = hash_text(request.dump());
    return runs / fmt::format("drawn-models-{}.json", hash.substr(hash.size() - digits));
}

/// Throws bad_input if the file is damaged or belongs to another call.
std::vector<std::string> listed_models(const fs::path& file, const json& request) {
    return with_note(fmt::format("reading {}; remove it to draw again", file.string()), [&] {
        constexpr int depth = 4;
        const json all = parse_json(read_text(file), depth);
        const JsonReader fields(all);
        if (fields["schema"].text() != drawn_schema)
            fields["schema"].refuse_as(std::string(drawn_schema));
        fields["schema_version"].whole(1, 1);
        for (const char* const key : {"pattern", "models", "seed", "published"}) {
            if (fields[key].json() != request[key]) fields[key].refuse_as(request[key].dump());
        }
        std::vector<std::string> models = fields["drawn"].texts();
        const std::string pattern = request["pattern"].get<std::string>();
        const std::string library = pattern.substr(0, pattern.find(':') + 1);
        const auto fits = [&](const std::string& model) {
            return model.starts_with(library) && !is_source_pattern(model);
        };
        const auto count = request["models"].get<std::size_t>();
        if (models.size() != count || !std::ranges::all_of(models, fits))
            fields["drawn"].refuse_as(fmt::format("{}NAME, {} times", library, count));
        return models;
    });
}

/// Top-1 of the table's models by name; the best value of a model with several settings.
std::map<std::string, double, std::less<>> accuracies_in(const fs::path& file) {
    const PublishedTable table = read_published(file.string());
    const auto column = std::ranges::find(table.metrics, "top1");
    if (column == table.metrics.end()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} has no column top1; it has {}", file.string(),
                                fmt::join(table.metrics, ", ")));
    }
    std::map<std::string, double, std::less<>> out;
    for (const PublishedTable::Row& row : table.rows) {
        const double value = row.values[static_cast<std::size_t>(column - table.metrics.begin())];
        auto [place, added] = out.emplace(row.model, value);
        if (!added) place->second = std::max(place->second, value);
    }
    return out;
}

/// Draws one model from each of `count` parts of the list, whose sizes differ by at most one.
std::vector<SourceNames::Name> drawn_of(const std::vector<SourceNames::Name>& names,
                                        std::size_t count, std::uint64_t seed) {
    std::vector<SourceNames::Name> out;
    for (std::size_t part = 0; part < count; ++part) {
        const std::size_t begin = part * names.size() / count;
        const std::size_t end = (part + 1) * names.size() / count;
        out.push_back(names[begin + RandomStream(seed, "models.draw", part).below(end - begin)]);
    }
    return out;
}

struct Drawn {
    std::vector<std::string> models;
    std::string how;  ///< description for people
};

/// The setting for the number of drawn models: the option, or the key of an assay.toml.
std::string draws(DrawnBy by, std::size_t models) {
    return fmt::format("{} {}", by == DrawnBy::keys ? "draw_models =" : "--draw-models", models);
}

Drawn drawn_from(SourceNames found, const std::string& pattern, const DrawFlags& how, DrawnBy by) {
    const std::string left_out =
        found.left_out == 0
            ? ""
            : fmt::format(" (skipped {} whose classes are not ImageNet's)", found.left_out);
    const std::string stands =
        fmt::format("{} matches {} of {}{}", pattern, how_many(found.names.size(), "model"),
                    found.library, left_out);
    if (how.models == 0 && found.names.size() > 1) {
        const std::size_t some = std::min<std::size_t>(10, found.names.size() - 1);
        throw Error(ErrorCode::usage,
                    fmt::format("{0}: draw {2} of them with {1}, or use all with {3}", stands,
                                draws(by, some), some, draws(by, found.names.size())));
    }
    std::size_t without = 0;
    if (!how.published.empty()) {
        const auto published = accuracies_in(how.published);
        for (SourceNames::Name& name : found.names) {
            const auto row = published.find(name_in_source(name.source));
            name.accuracy = row == published.end() ? std::nullopt : std::optional(row->second);
        }
    }
    const auto known = [](const SourceNames::Name& name) { return name.accuracy.has_value(); };
    const bool by_accuracy = std::ranges::any_of(found.names, known);
    if (!by_accuracy && !how.published.empty()) {
        throw Error(ErrorCode::bad_input, fmt::format("{} has none of the models that {} matches",
                                                      how.published.string(), pattern));
    }
    if (by_accuracy) {
        without = std::erase_if(found.names, [&](const auto& name) { return !known(name); });
        std::ranges::stable_sort(found.names, {}, &SourceNames::Name::accuracy);
    }
    const std::size_t count = how.models == 0 ? 1 : how.models;
    if (count > found.names.size()) {
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "{}{}: at most {} is allowed, got {}", stands,
                without == 0 ? "" : fmt::format(", {} without a published accuracy", without),
                draws(by, found.names.size()), count));
    }
    const std::vector<SourceNames::Name> chosen = drawn_of(found.names, count, how.seed);
    Drawn out;
    for (const SourceNames::Name& name : chosen) out.models.push_back(name.source);
    out.how = by_accuracy
                  ? fmt::format("evenly over published accuracies from {:.3f} to {:.3f}{}",
                                *found.names.front().accuracy, *found.names.back().accuracy,
                                without == 0 ? "" : fmt::format(", {} have none", without))
                  : fmt::format(
                        "evenly over their names, because no accuracies are known ({} gives them)",
                        by == DrawnBy::keys ? "published = \"FILE\"" : "--published FILE");
    out.how = fmt::format("{}; {} drawn {} (seed {})", stands, how_many(count, "model"), out.how,
                          how.seed);
    return out;
}

}  // namespace

std::vector<std::string> drawn_models(const std::string& pattern, const DrawFlags& how, DrawnBy by,
                                      const ClassifierOptions& options, const fs::path& runs,
                                      bool keep) {
    const json request = draw_request(pattern, how);
    const fs::path file = list_place(runs, request);
    if (!file.empty() && how.models > 0 && is_there(file)) {
        std::vector<std::string> models = listed_models(file, request);
        note(fmt::format("{}: using the models that {} lists: {}", pattern, file.string(),
                         fmt::join(models, ", ")));
        return models;
    }
    const Drawn found = drawn_from(names_in_python(pattern, options), pattern, how, by);
    note(fmt::format("{}: {}", found.how, fmt::join(found.models, ", ")));
    if (!file.empty() && how.models > 0 && keep && is_first_rank()) {
        make_folders(runs);
        json all = request;
        all.update({{"schema", drawn_schema},
                    {"schema_version", 1},
                    {"how", found.how},
                    {"drawn", found.models}});
        write_file_atomically(file, json_text(all));
        note(fmt::format("{} lists them for later calls", file.string()));
    }
    return found.models;
}

void ModelFlags::draw(const fs::path& runs, bool keep) {
    const auto pattern = [](const fs::path& model) { return is_source_pattern(model); };
    if (std::ranges::none_of(files, pattern)) {
        if (drawn.models > 0 || !drawn.published.empty()) {
            throw Error(
                ErrorCode::usage,
                fmt::format(
                    "{} only applies to patterns, but no --model is one: --model \"timm:resnet*\"",
                    drawn.models > 0 ? "--draw-models" : "--published"));
        }
        return;
    }
    std::vector<fs::path> all;
    for (const fs::path& file : files) {
        if (!pattern(file)) {
            all.push_back(file);
            continue;
        }
        for (const std::string& model :
             drawn_models(file.string(), drawn, DrawnBy::options, options, runs, keep))
            all.emplace_back(model);
    }
    files = std::move(all);
}

}  // namespace assay::cli
