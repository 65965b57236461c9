// Makes facets of a data set: attributes, numbers in quartiles, classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "slices/search.h"

namespace assay::slices {

/// An attribute with more different texts makes no slices. One with more different numbers makes
/// quartiles only.
inline constexpr std::size_t most_texts = 100;
/// Numbers with more different values than this also make quartiles.
inline constexpr std::size_t most_plain_numbers = 10;

/// Adds the facets of a column: none, one, or its values and their quartiles. An empty text is a
/// missing value. If all texts are numbers, equal numbers are one value. `text_of` gives the text
/// of each item. `notes` gets the reason if an attribute makes no slices.
void add_attribute(const std::string& name, std::size_t items,
                   const std::function<std::string_view(std::size_t item)>& text_of,
                   std::size_t source, std::vector<Facet>& facets, std::vector<std::string>& notes);

/// Items by quartiles of numbers; NaN is a missing one. Equal numbers are in one quartile, so there
/// may be fewer than four values. Their names are the smallest and the largest number of each. The
/// numbers have four digits, or as many more as it takes to tell them apart; whole numbers have all
/// digits.
Facet quartiles_of(std::string by, std::string kind, std::size_t source,
                   std::span<const double> numbers);

/// Groups items by class; -1 means none. Values are classes that occur: "n01440764 (tench)".
Facet class_facet(std::string by, std::size_t source, std::span<const std::int32_t> of,
                  const ClassList& classes);

/// True if all images of one label have one value, for every label, as in a column of superclasses.
/// False if no image has both.
bool is_of_label(const Facet& facet, const Facet& label);

/// Groups items by their number of labels. Items without labels have no value.
Facet label_count_facet(const LabelSets& labels, std::size_t source);

}  // namespace assay::slices
