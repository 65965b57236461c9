// Adds corruptions from plug-ins as rows of the table.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "assay/robustness/corrupted_versions.h"
#include "assay/robustness/corruption.h"
#include "core/child_trial.h"
#include "core/plugin_table.h"
#include "core/refuse.h"
#include "model/python/python_plugin.h"
#include "robustness/work.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Calls a library with guards around its output.
std::vector<std::uint8_t> corrupted_pixels(std::string_view name,
                                           const PluginCorruption& corruption,
                                           const assay_plugin_image& image) {
    const std::size_t bytes = std::size_t{3} * static_cast<std::size_t>(image.width) *
                              static_cast<std::size_t>(image.height);
    if (corruption.apart) {
        std::vector<std::uint8_t> made(bytes);
        corruption.apart(image, made);
        return made;
    }
    GuardedArray<std::uint8_t> made(bytes, 0);
    call_plugin(name, static_cast<std::int64_t>(bytes), "bytes",
                [&](char* error, std::size_t size) {
                    return corruption.apply(&image, made.data(), error, size);
                });
    if (!made.is_whole()) refuse_written_outside(name);
    return {made.values().begin(), made.values().end()};
}

/// Images have four bytes per pixel here and three in the plug-in. The fourth byte is unchanged.
void apply_plugin(std::string_view name, const PluginCorruption& corruption,
                  const robustness::Work& work, Image& out) {
    const std::size_t pixels = work.pixels();
    std::vector<std::uint8_t> in(pixels * 3);
    for (std::size_t p = 0; p < pixels; ++p) std::copy_n(&work.image.pixels[4 * p], 3, &in[3 * p]);
    const assay_plugin_image image = {work.image.width, work.image.height, in.data(), work.severity,
                                      work.draws.next_u64()};
    const std::vector<std::uint8_t> made = corrupted_pixels(name, corruption, image);
    for (std::size_t p = 0; p < pixels; ++p) {
        std::copy_n(&made[3 * p], 3, &out.pixels[4 * p]);
        out.pixels[4 * p + 3] = work.image.pixels[4 * p + 3];
    }
}

/// An image of 80 x 64 pixels, or larger if the corruption needs it: a gradient with some noise.
Image trial_image(int side) {
    Image image{std::max(side, 80), std::max(side, 64), {}};
    image.pixels.resize(std::size_t{4} * static_cast<std::size_t>(image.width) *
                        static_cast<std::size_t>(image.height));
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
        state = state * 1664525U + 1013904223U;
        image.pixels[i] =
            i % 4 == 3 ? 255 : static_cast<std::uint8_t>((i / 16 + (state >> 27U)) & 255U);
    }
    return image;
}

void try_corruption(const Corruption& corruption, bool apart) {
    try_apart(corruption.name, apart, [&] {
        const Image image = trial_image(corruption.min_side[0]);
        for (int severity = 1; severity <= corruption_severities; ++severity) {
            const auto made = [&] {
                return corrupt(image, corruption, severity, {.seed = 1, .image = "tried"}).pixels;
            };
            const std::vector<std::uint8_t> first = made();
            if (made() != first)
                refuse(fmt::format("{} returns a different image in a second call, at severity {}",
                                   corruption.name, severity));
            if (!true_on_all_threads([&](int) { return made() == first && made() == first; }))
                refuse(fmt::format(
                    "{} returns a different image on {} threads than on one, at severity {}{}",
                    corruption.name, trial_threads, severity, apart ? processes_differ : ""));
        }
    });
}

void check_names(const PluginTable& plugin, std::span<const Corruption> table) {
    const auto groups = corruption_groups();
    const auto taken = [&](std::string_view name) {
        return std::ranges::find(groups, name) != groups.end() ||
               std::ranges::any_of(
                   table, [&](const Corruption& c) { return c.file.empty() && c.name == name; });
    };
    if (!plugin.corruptions.empty() && taken(plugin.name))
        refuse(fmt::format("{}: `{}` is the name of corruptions in this program; rename the file",
                           plugin.file.string(), plugin.name));
    for (const PluginCorruption& corruption : plugin.corruptions) {
        if (taken(corruption.name))
            refuse(fmt::format(
                "{}: `{}` is the name of corruptions in this program; rename the function",
                plugin.file.string(), corruption.name));
    }
}

Corruption row_of(const PluginTable& plugin, const PluginCorruption& corruption) {
    Corruption row{};
    row.name = kept_text(plugin.name_of(corruption.name));
    row.group = plugin.name;
    row.extra = true;
    row.random = true;
    row.min_side.fill(corruption.min_side);
    row.parameters = kept_text(corruption.parameters);
    row.file = kept_text(plugin.file.string());
    row.definition = kept_text(plugin.definition_of(corruption.name));
    row.apply = [name = row.name, &corruption](const robustness::Work& work, Image& out) {
        apply_plugin(name, corruption, work, out);
    };
    return row;
}

}  // namespace

std::vector<const Corruption*> load_corruptions(const fs::path& file) {
    static std::mutex mutex;
    static std::map<const PluginTable*, std::vector<const Corruption*>> loaded;
    const PluginTable& plugin = open_plugin(file, read_python_plugin);
    const std::scoped_lock lock(mutex);
    if (const auto known = loaded.find(&plugin); known != loaded.end()) return known->second;
    check_names(plugin, corruptions());
    std::vector<Corruption> rows;
    for (const PluginCorruption& corruption : plugin.corruptions) {
        rows.push_back(row_of(plugin, corruption));
        try_corruption(rows.back(), static_cast<bool>(corruption.apart));
    }
    std::vector<const Corruption*>& added = loaded[&plugin];
    for (Corruption& row : rows) added.push_back(&robustness::whole_table().add(std::move(row)));
    return added;
}

}  // namespace assay
