// Imports scores that another program saved, and prints every metric with its interval.
#include <assay/assay.h>

#include <iostream>

int main(int argc, char** argv) try {
    if (argc != 3) {
        std::cerr << "usage: example_score SCORES LABELS_CSV\n";
        return 2;
    }
    assay::ImportOptions options;
    options.ids = argv[2];  // a csv file with the columns id and label
    const auto imported = assay::import_predictions(argv[1], "runs", options);
    const auto store = assay::PredictionStore::open(imported.store);
    const auto comm = assay::self_comm();
    for (const auto& measured : assay::score_store(store, {}, *comm).measurements) {
        std::cout << measured.key.metric << ": ";
        if (!measured.value) {
            std::cout << measured.undefined << '\n';
            continue;
        }
        std::cout << *measured.value;
        if (measured.interval)
            std::cout << " (" << measured.interval->low << " to " << measured.interval->high << ")";
        std::cout << ", n = " << measured.n << '\n';
    }
} catch (const assay::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
}
