#include "replication/wide_intervals.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace assay::replication {
namespace {

// The limits come from 14 simulated studies of seven worlds (100 replicates, twelve classifiers). A
// method's median bootstrap interval was at most 1.6 times as wide as pl's. It was at most 1.2
// times as wide as the method's own interval by formula. There were two exceptions. The mixture's
// interval was 2.4 to 15 times as wide as pl's with 5 and 10 annotators. The jackknife's interval
// was 2.9 and 5.4 times as wide as pl's with 2,000 images of 40 annotators. There it was 1.6 and
// 2.1 times as wide as its own interval by formula.
constexpr double widest_beside_pl = 2, widest_beside_formula = 1.5;

bool is_bootstrap(const Estimate& e) {
    return e.interval && e.interval->method.starts_with("bootstrap");
}

/// True if the interval is wider than `times` the other interval, which must be by a formula.
bool is_wider(const Estimate& e, double times, const Estimate* other) {
    return other != nullptr && other->interval && !is_bootstrap(*other) &&
           half_width(e) > times * half_width(*other);
}

class WideIntervals {
public:
    WideIntervals(const AdjustReport& report, const MethodResult& of)
        : pl_(report.method("pl")), own_(report.method(of.id.substr(0, of.id.find('.')))) {
        if (own_ != nullptr && own_->id == of.id) own_ = nullptr;
    }

    void mark(MethodResult& of) {
        for (std::size_t m = 0; m < of.adjusted.size(); ++m)
            mark(of.adjusted[m], pl_ == nullptr ? nullptr : &pl_->adjusted[m],
                 own_ == nullptr ? nullptr : &own_->adjusted[m], true);
        mark(of.mean_adjusted, pl_ == nullptr ? nullptr : &pl_->mean_adjusted,
             own_ == nullptr ? nullptr : &own_->mean_adjusted, false);
        of.wide_intervals = wide_;
        if (beside_pl_ > 0)
            of.notes.push_back(
                fmt::format("the bootstrap's intervals of {} of {} classifiers are more than twice "
                            "as wide as pl's (half of the widest: {:.1f} points). Use those of pl",
                            beside_pl_, of.adjusted.size(), 100 * widest_));
        if (beside_own_ > 0)
            of.notes.push_back(fmt::format(
                "the bootstrap's intervals of {} of {} classifiers are more than 1.5 times as wide "
                "as those by formula (half of the widest: {:.1f} points). Use the intervals by "
                "formula",
                beside_own_, of.adjusted.size(), 100 * widest_));
    }

private:
    void mark(Estimate& e, const Estimate* pl, const Estimate* own, bool of_classifier) {
        if (!is_bootstrap(e)) return;
        const bool beside_pl = is_wider(e, widest_beside_pl, pl),
                   beside_own = is_wider(e, widest_beside_formula, own);
        if (beside_pl)
            e.note = "more than twice as wide as the interval of pl: use that of pl";
        else if (beside_own)
            e.note = "more than 1.5 times as wide as the interval by formula: use that";
        if (!of_classifier || !(beside_pl || beside_own)) return;
        beside_pl_ += beside_pl ? 1U : 0U;
        beside_own_ += beside_pl ? 0U : 1U;
        ++wide_;
        widest_ = std::max(widest_, half_width(e));
    }

    const MethodResult *pl_, *own_;
    std::size_t wide_ = 0, beside_pl_ = 0, beside_own_ = 0;
    double widest_ = 0;
};

}  // namespace

void mark_wide_intervals(AdjustReport& report) {
    for (MethodResult& method : report.methods) {
        if (!method.defined() || method.adjusted.empty() || !is_bootstrap(method.adjusted.front()))
            continue;
        WideIntervals(report, method).mark(method);
    }
}

}  // namespace assay::replication
