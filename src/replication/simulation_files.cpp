#include <fmt/core.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/replication/simulation.h"
#include "replication/new_files.h"

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

struct TrueClassifier {
    const Simulation* simulation;
    std::size_t classifier;
};

/// The second set's file, which has one of two names.
template <bool of_matching>
std::optional<double> of_second(const Simulation& simulation, double value) {
    const bool matching = simulation.options.world == World::matching;
    return matching == of_matching ? std::optional(value) : std::nullopt;
}

ResultType result_type(ResultOf<TrueClassifier>) {
    using Of = TrueClassifier;
    static constexpr auto rows = describe_result<Of>(
        {.name = "TrueClassifier", .help = "Expected accuracies"},
        {
            part({.name = "name"}, [](const Of& o) { return fmt::format("m{:02}", o.classifier); }),
            part({.name = "original"},
                 [](const Of& o) { return o.simulation->truth.first[o.classifier]; }),
            part({.name = "replication", .omitted = true},
                 [](const Of& o) {
                     return of_second<false>(*o.simulation,
                                             o.simulation->truth.second[o.classifier]);
                 }),
            part({.name = "candidates", .omitted = true},
                 [](const Of& o) {
                     return of_second<true>(*o.simulation,
                                            o.simulation->truth.second[o.classifier]);
                 }),
            part({.name = "adjusted"},
                 [](const Of& o) { return o.simulation->truth.adjusted[o.classifier]; }),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<Simulation>) {
    using Of = Simulation;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ReplicateTruth",
         .help = "The true values of a simulated study",
         .schema = "assay.replicate_truth/1"},
        {
            part<&Of::options, &SimulationOptions::world>({}),
            part<&Of::options, &SimulationOptions::seed>({}),
            part<&Of::options, &SimulationOptions::annotators>({}),
            part<&Of::options, &SimulationOptions::classes>({}),
            part<&Of::truth, &Simulation::Truth::first_rate>(
                {.help = "Expected selection rates", .name = "original", .group = "mean_rate"}),
            part({.name = "replication", .group = "mean_rate", .omitted = true},
                 [](const Of& o) { return of_second<false>(o, o.truth.second_rate); }),
            part({.name = "candidates", .group = "mean_rate", .omitted = true},
                 [](const Of& o) { return of_second<true>(o, o.truth.second_rate); }),
            part({.name = "classifiers"},
                 [](const Of& o) {
                     std::vector<TrueClassifier> out;
                     for (std::size_t m = 0; m < o.truth.adjusted.size(); ++m)
                         out.push_back({&o, m});
                     return out;
                 }),
        });
    return rows;
}

std::vector<std::string> write_simulation(const Simulation& simulation,
                                          const std::filesystem::path& folder, bool overwrite) {
    const bool matching = simulation.options.world == World::matching;
    const std::string second = matching ? "candidates" : "replication";
    const std::vector<std::string> names = {"original.csv", second + ".csv", "original-hits.csv",
                                            second + "-hits.csv", "truth.json"};
    const std::size_t models = simulation.truth.adjusted.size();
    write_new_files({{folder / names[0], selections_text(simulation, simulation.first, 'o')},
                     {folder / names[1], selections_text(simulation, simulation.second, 'r')},
                     {folder / names[2], hits_text(simulation.first, models, 'o')},
                     {folder / names[3], hits_text(simulation.second, models, 'r')},
                     {folder / names[4], to_json(simulation).dump(2) + "\n"}},
                    overwrite);
    return names;
}

}  // namespace assay::replication
