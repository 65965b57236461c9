// usage: consumer [--plugin]     prints the accuracy of three saved predictions, or the file of the
// plug-in
#include <assay/assay.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

int main(int argc, char** argv) try {
    if (argc > 1 && std::strcmp(argv[1], "--plugin") == 0) {
        assay::model_framework();
        std::ifstream maps("/proc/self/maps");
        for (std::string line; std::getline(maps, line);)
            if (line.find("libassay_torch") != std::string::npos) {
                std::cout << line.substr(line.find('/')) << '\n';
                return 0;
            }
        return 1;
    }
    std::filesystem::remove_all("consumer-runs");
    std::ofstream("scores.csv") << "id,cat,dog\na,2,1\nb,1,3\nc,4,0\n";
    std::ofstream("labels.csv") << "id,label\na,cat\nb,dog\nc,dog\n";
    assay::ImportOptions options;
    options.ids = "labels.csv";
    options.kind = assay::ScoreKind::logits;
    const auto imported = assay::import_predictions("scores.csv", "consumer-runs", options);
    const auto comm = assay::self_comm();
    const auto report = assay::score_store(assay::PredictionStore::open(imported.store), {}, *comm);
    for (const auto& measured : report.measurements)
        if (measured.key.metric == "top1")
            std::cout << "top1 " << measured.value.value_or(-1) << '\n';
} catch (const assay::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
}
