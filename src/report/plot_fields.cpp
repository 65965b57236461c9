#include "report/plot_fields.h"

#include <fmt/format.h>

#include <cmath>

#include "core/json_text.h"
#include "core/refuse.h"

namespace assay {

PlotField PlotField::operator[](std::string_view name) const {
    if (!value_->is_object()) refuse_as("an object");
    const auto found = value_->find(name);
    if (found == value_->end())
        refuse(fmt::format("no `{}` in {}", name, at_.empty() ? "the result" : at_));
    return {*found, at_.empty() ? std::string(name) : fmt::format("{}.{}", at_, name)};
}

std::optional<PlotField> PlotField::find(std::string_view name) const {
    if (!value_->is_object()) refuse_as("an object");
    const auto found = value_->find(name);
    if (found == value_->end() || found->is_null()) return std::nullopt;
    return (*this)[name];
}

std::vector<PlotField> PlotField::entries() const {
    if (!value_->is_array()) refuse_as("a list");
    std::vector<PlotField> entries;
    for (std::size_t i = 0; i < value_->size(); ++i)
        entries.emplace_back((*value_)[i], fmt::format("{}[{}]", at_, i));
    return entries;
}

const std::string& PlotField::text() const {
    if (!value_->is_string()) refuse_as("a text");
    return value_->get_ref<const std::string&>();
}

double PlotField::number() const {
    if (!value_->is_number() || !std::isfinite(value_->get<double>())) refuse_as("a number");
    return value_->get<double>();
}

bool PlotField::truth() const {
    if (!value_->is_boolean()) refuse_as("true or false");
    return value_->get<bool>();
}

Interval PlotField::interval(const char* low, const char* high) const {
    Interval interval;
    interval.low = (*this)[low].number();
    interval.high = (*this)[high].number();
    return interval;
}

Estimate PlotField::estimate() const {
    Estimate estimate;
    const PlotField value = (*this)["value"];
    if (!value.json().is_null()) estimate.value = value.number();
    if (const auto unit = find("unit")) {
        for (const Unit known : {Unit::number, Unit::proportion, Unit::nats, Unit::rank}) {
            if (unit->text() == name_of(known)) estimate.unit = known;
        }
    }
    if (const auto why = find("undefined")) estimate.undefined = why->text();
    if (const auto interval = find("interval")) estimate.interval = interval->interval();
    return estimate;
}

void PlotField::refuse_as(std::string_view wanted) const {
    refuse(fmt::format("{} is {}, not {}", at_.empty() ? "the result" : "`" + at_ + "`",
                       shown_json(*value_), wanted));
}

}  // namespace assay
