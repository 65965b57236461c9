#include "cli/scoring.h"

#include "cli/described.h"

namespace assay::cli {

void add_measure_options(CLI::App& app, MeasureOptions& options, bool gates) {
    if (gates) {
        add_options(app, options);
    } else {
        add_options(app, options, "Options", {"gates"});
    }
    add_options(app, options.plugins);
    add_options(app, options.resampling);
}

}  // namespace assay::cli
