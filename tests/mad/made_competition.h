// Small competitions from predictions that a test defines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "assay/collective/comm.h"
#include "assay/mad/selection_round.h"
#include "core/file.h"
#include "core/random.h"
#include "mad/competition_rows.h"
#include "scratch.h"
#include "small_pool.h"

namespace assay::mad {

struct MadePool {
    ClassList classes = ClassList({"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"});
    std::vector<std::string> names;                  ///< labels by classifier
    std::vector<std::vector<std::uint16_t>> labels;  ///< no_label if the image has no scores
    std::vector<std::vector<float>> probabilities;
    std::vector<std::string> parents = {};  ///< attribute "parent", or empty for none
    std::string prefix = "image";

    std::size_t images() const { return labels.at(0).size(); }
    std::string id(std::size_t image) const { return fmt::format("{}{:05}.png", prefix, image); }
};

inline Dataset dataset_of(const MadePool& pool) {
    Dataset dataset;
    dataset.name = "pool";
    dataset.classes = pool.classes;
    for (std::size_t i = 0; i < pool.images(); ++i) {
        dataset.ids.append(pool.id(i));
        dataset.labels.append({});
    }
    if (!pool.parents.empty()) {
        Dataset::Attribute attribute{"parent", {}};
        for (const std::string& parent : pool.parents) attribute.values.append(parent);
        dataset.attributes.push_back(attribute);
    }
    return dataset;
}

/// Writes a store for each classifier, with labels and their probabilities. Returns the folder of
/// classifier `c`.
inline std::string save_classifier(const std::filesystem::path& runs, const MadePool& pool,
                                   std::size_t c) {
    const Dataset dataset = dataset_of(pool);
    std::vector<MadePrediction> predictions;
    for (std::size_t i = 0; i < pool.images(); ++i) {
        const std::uint16_t label = pool.labels[c][i];
        predictions.push_back(
            {label == no_label ? -1 : int{label}, double{pool.probabilities[c][i]}});
    }
    return write_small_store(runs, pool.names[c], predictions, &dataset).string();
}

/// Random labels, many of which agree, and probabilities between .4 and 1.
inline MadePool random_pool(std::uint64_t seed, std::size_t classifiers, std::size_t images) {
    MadePool pool;
    RandomStream random(seed, "pools of tests");
    for (std::size_t c = 0; c < classifiers; ++c) {
        pool.names.push_back(fmt::format("net{}", c));
        auto& labels = pool.labels.emplace_back();
        auto& probabilities = pool.probabilities.emplace_back();
        for (std::size_t i = 0; i < images; ++i) {
            const auto truth = static_cast<std::uint16_t>(i * 7919 % pool.classes.size());
            const auto other = static_cast<std::uint16_t>(random.below(pool.classes.size()));
            labels.push_back(random.below(3) == 0 ? truth : other);
            if (random.below(40) == 0) labels.back() = no_label;
            probabilities.push_back(static_cast<float>(80 + random.below(121)) / 200.0F);
        }
    }
    return pool;
}

/// A tree over the classes c0 to c7, as csv.
inline constexpr std::string_view made_hierarchy =
    "child,parent\na,top\nb,top\nc,a\nc0,a\nc1,a\nc2,c\nc3,c\nc4,b\nc5,b\nd,b\nc6,d\nc7,d\n";

inline CompetitionSettings made_settings(std::uint32_t k) {
    CompetitionSettings settings;
    settings.name = "made";
    settings.rule.k = k;
    settings.rule.cap = 2;
    settings.seed = 7;
    return settings;
}

/// A competition of the classifiers [0, count) (0: all) below `folder`, in `folder`/mad.
inline Competition make_competition(const std::filesystem::path& folder, const MadePool& pool,
                                    const CompetitionSettings& settings, std::size_t count = 0) {
    InitOptions options;
    options.settings = settings;
    for (std::size_t c = 0; c < (count == 0 ? pool.names.size() : count); ++c)
        options.stores.push_back(save_classifier(folder / "runs", pool, c));
    options.hierarchy = (folder / "tree.csv").string();
    write_file_atomically(options.hierarchy, made_hierarchy);
    options.threads = 1;
    return Competition::create(folder / "mad", options);
}

inline SelectionRound selected_once(Competition& competition, const SelectOptions& options = {}) {
    return select_images(competition, options, *self_comm());
}

/// Returns the rows of a query with one column.
inline std::vector<std::string> rows_of(const std::filesystem::path& competition,
                                        std::string_view sql) {
    const Database database(competition / "competition.sqlite", Database::Access::read);
    std::vector<std::string> rows;
    for (Statement row = database.prepare(sql); row.step();) rows.push_back(row.text(0));
    return rows;
}

/// Everything that a selection writes except times.
inline std::string all_rows(const std::filesystem::path& competition) {
    std::string text;
    for (const std::string_view sql :
         {"SELECT id||' '||kind||' '||subject||' '||value||' '||reason FROM decision ORDER BY id",
          "SELECT id||' '||name||' '||value FROM setting ORDER BY id",
          "SELECT number||' '||id||' '||path||' '||ifnull(near_hash, '-') FROM image ORDER BY 1",
          "SELECT image||' '||decision FROM exclusion ORDER BY image",
          "SELECT id||' '||first||' '||second||' '||candidates||' '||disagreeing||' '||k FROM pair "
          "ORDER BY id",
          "SELECT pair||' '||image||' '||place||' '||turn||' '||first_label||' '||second_label||"
          "' '||units||' '||confidence||' '||state||' '||asked||' '||ifnull(decision, '-') "
          "FROM selected ORDER BY pair, image",
          "SELECT image||' '||stratum||' '||stratum_images||' '||stratum_sample FROM control "
          "ORDER BY image"}) {
        for (const std::string& row : rows_of(competition, sql)) text += row + "\n";
        text += "\n";
    }
    return text;
}

}  // namespace assay::mad
