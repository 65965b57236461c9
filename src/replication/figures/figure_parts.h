// The parts of FigureData, one per file.
#pragma once

#include <vector>

#include "assay/replication/figures.h"
#include "replication/adjust_intervals.h"
#include "replication/ticker.h"

namespace assay::replication::figures {

/// 1, 2, ... `most`, or if these are more than most_figure_numbers, that many, evenly spaced.
std::vector<int> figure_numbers(int most);

/// With figure_numbers() of usual_annotators().
std::vector<FigurePoint> annotator_points(const CountedStudy& counted, Ticker& ticker);
std::vector<FigurePoint> mixture_points(const CountedStudy& counted, const std::vector<int>& parts);

/// Fills `readings`, `first_accuracy`, `second_accuracy`, `first_fitted`, `second_fitted`.
void add_readings(const CountedStudy& counted, FigureData& data);

/// Fills `halves`, `without_halves`, `splits`.
void add_halves(const CountedStudy& counted, int splits, FigureData& data, Ticker& ticker);

}  // namespace assay::replication::figures
