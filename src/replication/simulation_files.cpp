#include <fmt/core.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/replication/simulation.h"
#include "core/file.h"
#include "core/paths.h"

namespace assay::replication {
namespace {

std::string selections_text(const Simulation& simulation, const SimulatedSet& set, char letter) {
    const auto n = static_cast<std::size_t>(simulation.options.annotators);
    std::string out = "annotator,image,label,selected\n";
    out.reserve(set.size() * n * 24);
    for (std::size_t i = 0; i < set.size(); ++i) {
        for (std::size_t a = 0; a < n; ++a) {
            fmt::format_to(std::back_inserter(out), "w{:04},{}{:06},c{:04},{}\n",
                           simulation.annotators[set.classes[i] * n + a], letter, i, set.classes[i],
                           set.selected[i * n + a]);
        }
    }
    return out;
}

std::string hits_text(const SimulatedSet& set, std::size_t models, char letter) {
    std::string out = "image";
    for (std::size_t m = 0; m < models; ++m) fmt::format_to(std::back_inserter(out), ",m{:02}", m);
    out += '\n';
    for (std::size_t i = 0; i < set.size(); ++i) {
        fmt::format_to(std::back_inserter(out), "{}{:06}", letter, i);
        for (std::size_t m = 0; m < models; ++m) out += set.hits[i * models + m] != 0 ? ",1" : ",0";
        out += '\n';
    }
    return out;
}

}  // namespace

std::vector<std::string> write_simulation(const Simulation& simulation,
                                          const std::filesystem::path& folder, bool overwrite) {
    const bool matching = simulation.options.world == World::matching;
    const std::string second = matching ? "candidates" : "replication";
    const std::vector<std::string> names = {"original.csv", second + ".csv", "original-hits.csv",
                                            second + "-hits.csv", "truth.json"};
    for (const std::string& name : names) {
        if (!overwrite && is_there(folder / name)) {
            throw Error(ErrorCode::usage, fmt::format("{} is there already; `force` replaces it",
                                                      (folder / name).string()));
        }
    }
    make_folders(folder);
    const std::size_t models = simulation.truth.adjusted.size();
    write_file_atomically(folder / names[0], selections_text(simulation, simulation.first, 'o'));
    write_file_atomically(folder / names[1], selections_text(simulation, simulation.second, 'r'));
    write_file_atomically(folder / names[2], hits_text(simulation.first, models, 'o'));
    write_file_atomically(folder / names[3], hits_text(simulation.second, models, 'r'));
    const auto& truth = simulation.truth;
    nlohmann::json out = {
        {"schema", "assay.replicate_truth/1"},
        {"world", name_of(simulation.options.world)},
        {"seed", simulation.options.seed},
        {"annotators", simulation.options.annotators},
        {"classes", simulation.options.classes},
        {"mean_rate", {{"original", truth.first_rate}, {second, truth.second_rate}}},
        {"classifiers", nlohmann::json::array()}};
    for (std::size_t m = 0; m < models; ++m) {
        out["classifiers"].push_back({{"name", fmt::format("m{:02}", m)},
                                      {"original", truth.first[m]},
                                      {second, truth.second[m]},
                                      {"adjusted", truth.adjusted[m]}});
    }
    write_file_atomically(folder / names[4], out.dump(2) + "\n");
    return names;
}

}  // namespace assay::replication
