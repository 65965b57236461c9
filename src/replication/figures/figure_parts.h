// The parts of FigureData, one per file.
#pragma once

#include <vector>

#include "assay/replication/figures.h"
#include "replication/adjust_intervals.h"
#include "replication/ticker.h"

namespace assay::replication::figures {

/// The numbers 1, 2, ... `most`, or if too many, most_figure_numbers evenly spaced ones.
std::vector<int> figure_numbers(int most);

/// Uses figure_numbers() of usual_annotators().
std::vector<FigurePoint> annotator_points(const CountedStudy& counted, Ticker& ticker);
std::vector<FigurePoint> mixture_points(const CountedStudy& counted, const std::vector<int>& parts);

/// Fills `readings`, `first_accuracy`, `second_accuracy`, `first_fitted`, `second_fitted`.
void add_readings(const CountedStudy& counted, FigureData& data);

/// Fills `halves`, `without_halves`, `splits`.
void add_halves(const CountedStudy& counted, int splits, FigureData& data, Ticker& ticker);

}  // namespace assay::replication::figures
