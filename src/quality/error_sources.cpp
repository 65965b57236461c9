#include "quality/error_sources.h"

#include <cmath>
#include <utility>

#include "assay/metric/metric.h"
#include "metric/item_groups.h"

namespace assay::quality {

ErrorSource source_of_items(std::string data, const std::vector<double>& influence,
                            double variance) {
    ErrorSource source{std::move(data), std::vector<double>(group_count, 0), variance};
    const std::vector<std::uint8_t> groups = groups_of_items(influence.size());
    for (std::size_t i = 0; i < influence.size(); ++i) source.parts[groups[i]] += influence[i];
    return source;
}

ErrorSource source_of_groups(std::string data, const std::vector<double>& without,
                             const std::vector<std::uint64_t>& sizes, double standard_error) {
    ErrorSource source{std::move(data), std::vector<double>(group_count, 0),
                       standard_error * standard_error};
    double mean = 0;
    for (const double value : without) mean += value / static_cast<double>(without.size());
    std::size_t next = 0;
    for (std::size_t g = 0; g < group_count; ++g) {
        if (sizes[g] > 0) source.parts[g] = mean - without.at(next++);
    }
    return source;
}

void set_error(QualityCell& cell, const std::vector<ErrorSource>& sources) {
    double variance = 0;
    for (const ErrorSource& source : sources) variance += source.variance;
    cell.standard_error = std::sqrt(variance);
    cell.shares.clear();
    std::vector<ErrorShare> shares;
    for (const ErrorSource& source : sources) {
        if (source.variance == 0) continue;
        double squares = 0;
        for (const double part : source.parts) squares += part * part;
        if (!(squares > 0)) return;  // the images on which it depends are not known
        ErrorShare& share = shares.emplace_back(ErrorShare{source.data, source.parts});
        const double scale = std::sqrt(source.variance / squares);
        for (double& part : share.parts) part *= scale;
    }
    cell.shares = std::move(shares);
}

}  // namespace assay::quality
