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

void note_resampling(CLI::App& app, GivenResampling& given) {
    app.get_option(option_of<&Resampling::replicates>())->each([&given](const std::string& text) {
        given.bootstrap = text.find_first_not_of('0') != std::string::npos;
    });
    app.get_option(option_of<&Resampling::seed>())->each([&given](const std::string&) {
        given.seed = true;
    });
}

}  // namespace assay::cli
