#include <fmt/format.h>

#include <optional>

#include "assay/error.h"
#include "assay/quality/measure.h"
#include "core/finite_number.h"
#include "core/paths.h"
#include "core/text.h"

namespace assay::quality {

void add_parameters(std::map<std::string, double>& parameters, const std::string& text) {
    if (is_there(text)) {
        for (const QualityModel& model : read_quality_table(text).models) {
            const QualityCell& cell = model.cell(Dimension::parameters);
            if (cell.value) parameters[model.name] = *cell.value;
        }
        return;
    }
    const std::size_t parting = text.rfind('=');
    const std::string_view number =
        trimmed(parting == std::string::npos ? std::string_view()
                                             : std::string_view(text).substr(parting + 1));
    const std::optional<double> millions = finite_number(number);
    const DimensionFacts& facts = facts_of(Dimension::parameters);
    if (!millions || parting == 0 || *millions < facts.low || *millions > facts.high) {
        throw Error(ErrorCode::usage,
                    fmt::format("parameters `{}`: no file, and not MODEL=MILLIONS with a number of "
                                "{:g} to {:g}",
                                shortened(text, 200), facts.low, facts.high));
    }
    parameters[text.substr(0, parting)] = *millions;
}

}  // namespace assay::quality
