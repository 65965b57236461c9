// The influence of an image on a value: through its pieces, and through its votes' effect on the
// parameters. Let M' be the derivative of an EM step at its fixed point. An image's contribution to
// the step, times (I - M')^-1, is its change of the parameters. The value changes by t' times that,
// where t is the value's derivative by the parameters. So one system per value, (I - M')' x = t, is
// enough for all images.
//
// A cell's parameters P(g) only depend on the images of the cell. Their block of M' is eliminated
// cell by cell, and the remaining system has the size of the levels and rates.
#include <algorithm>
#include <cmath>

#include "annotation/true_sets/linear_system.h"
#include "annotation/true_sets/set_derivatives.h"
#include "annotation/true_sets/set_values.h"

namespace assay::true_sets {
namespace {

constexpr std::size_t derivative_blocks = 4;

/// An entry of a sparse vector over the core parameters: levels, then rates.
struct Entry {
    std::size_t at;
    double weight;
};

class Influences {
public:
    Influences(const AskedImages& images, const Layout& layout, std::span<const double> parameters,
               std::span<const int> subgroups, int threads)
        : images_(images),
          layout_(layout),
          subgroups_(subgroups),
          threads_(threads),
          pieces_(piece_count(subgroups)),
          forms_(images.models * metric_count),
          levels_(layout.levels()),
          rates_(std::size_t{images.annotators} * images.answers),
          core_(levels_ + 2 * rates_),
          sizes_(layout.rates - levels_),
          parameters_(
              em_step(images, layout, parameters, em_sums(images, layout, parameters, threads))),
          sums_(em_sums(images, layout, parameters_, threads)) {
        std::size_t at = 0;
        for (std::size_t z = 0; z < layout.cells(); ++z) {
            first_square_.push_back(at);
            at += layout.room(z) * layout.room(z);
        }
        first_square_.push_back(at);
        answer_count_ = sums_.answers;
        for (double& count : answer_count_) count += one_answer / images.answers;
        for (std::size_t i = 0; i < answer_count_.size(); i += images.answers) {
            double all = 0;
            for (std::size_t r = 0; r < images.answers; ++r) all += answer_count_[i + r];
            answer_sum_.insert(answer_sum_.end(), images.answers, all);
        }
    }

    SetValues run(std::span<const double> given) {
        SetValues out;
        sum_pieces(given, out);
        Jacobian jacobian = all_derivatives();
        const auto adjoint = adjoints(jacobian);
        fill(given, adjoint, out);
        return out;
    }

private:
    /// Derivatives of a step by the parameters, with rows and columns as in Layout.
    struct Jacobian {
        std::vector<double> core, core_by_size, size_by_core, size_by_size;
        std::vector<double> target;  ///< forms x all parameters
    };
    Jacobian empty() const {
        Jacobian out;
        out.core.resize(core_ * core_);
        out.core_by_size.resize(core_ * sizes_);
        out.size_by_core.resize(sizes_ * core_);
        out.size_by_size.resize(first_square_.back());
        out.target.resize(forms_ * (core_ + sizes_));
        return out;
    }

    std::size_t level_of(std::size_t question, std::size_t model) const {
        return layout_.first_level[model] + images_.rank[question * images_.models + model];
    }

    void sum_pieces(std::span<const double> given, SetValues& out) {
        const std::size_t row = images_.models * pieces_;
        std::vector<std::vector<double>> blocks(block_count(images_, derivative_blocks),
                                                std::vector<double>(row));
        for_each_block(images_, layout_, derivative_blocks, threads_,
                       [&](SetPosterior& room, std::size_t b, std::size_t first, std::size_t last) {
                           for (std::size_t i = first; i < last; ++i) {
                               room.compute(i, parameters_);
                               for (std::size_t m = 0; m < images_.models; ++m)
                                   add_pieces(images_, room, i, m, subgroups_,
                                              std::span(blocks[b]).subspan(m * pieces_, pieces_));
                           }
                       });
        out.sums.resize(row);
        for (const auto& block : blocks)
            for (std::size_t at = 0; at < row; ++at) out.sums[at] += block[at];
        for (std::size_t at = 0; at < given.size(); ++at) out.sums[at % row] += given[at];
        for (std::size_t m = 0; m < images_.models; ++m) {
            const auto sums = std::span<const double>(out.sums).subspan(m * pieces_, pieces_);
            out.values.push_back(values_of(sums));
            for (const Metric metric : {real_metric, asma_metric})
                gradients_.push_back(gradient_of(sums, metric));
        }
    }

    /// The gradient times the pieces, as weights of the posterior, without constant terms.
    std::vector<LinearForm> forms_of(std::size_t image) const {
        const std::size_t k = images_.asked(image), row = k + 1;
        std::vector<LinearForm> out;
        for (std::size_t f = 0; f < forms_; ++f) {
            const std::size_t model = f / metric_count;
            const std::vector<double>& gradient = gradients_[f];
            LinearForm& form = out.emplace_back();
            form.by_class.resize(k * row);
            form.by_size.resize(row);
            for (std::size_t g = 1; g < row; ++g) form.by_size[g] += gradient[1];
            for (std::size_t s = 0; s < subgroups_.size(); ++s) {
                const auto g = static_cast<std::size_t>(subgroups_[s]);
                if (g < row) form.by_size[g] += gradient[3 + 2 * s];
            }
            for (std::size_t c = 0; c < k; ++c) {
                const std::size_t rank =
                    images_.rank[(images_.begin[image] + c) * images_.models + model];
                for (std::size_t g = 1; g < row && rank == 0; ++g)
                    form.by_class[c * row + g] += gradient[0];
                for (std::size_t s = 0; s < subgroups_.size(); ++s) {
                    const auto g = static_cast<std::size_t>(subgroups_[s]);
                    if (g < row && rank < g)
                        form.by_class[c * row + g] += gradient[2 + 2 * s] / static_cast<double>(g);
                }
            }
        }
        return out;
    }

    /// The contribution of a question's answers to a step: the weights of its posterior of being
    /// valid, or of not being valid (t = 0).
    void add_answers(std::size_t question, std::vector<Entry>& out) const {
        for (const std::uint32_t code : images_.votes_of(question)) {
            const std::size_t first = code - code % images_.answers;
            for (std::size_t t = 0; t < 2; ++t) {
                for (std::size_t r = 0; r < images_.answers; ++r) {
                    const std::size_t at = t * rates_ + first + r;
                    const double hit = first + r == code ? 1 / answer_count_[at] : 0;
                    out.push_back({levels_ + at, hit - 1 / answer_sum_[at]});
                }
            }
        }
    }
    bool of_valid(const Entry& entry) const { return entry.at >= levels_ + rates_; }

    void add_image(std::size_t image, const SetDerivatives& d, Jacobian& out) const {
        const std::size_t k = images_.asked(image), row = k + 1, all = core_ + sizes_;
        const std::size_t first = images_.begin[image], cell = images_.cell[image];
        const std::size_t size = layout_.first_size[cell] - levels_;
        std::vector<std::vector<Entry>> from_yes(k), from_expected(k), by_ratio(k), by_odds(k);
        for (std::size_t c = 0; c < k; ++c) {
            for (std::size_t m = 0; m < images_.models; ++m) {
                const std::size_t level = level_of(first + c, m);
                const double factors = images_.models;
                from_yes[c].push_back({level, 1 / (sums_.valid[level] + half_a_label) / factors});
                from_expected[c].push_back(
                    {level, -1 / (sums_.expected[level] + half_a_label) / factors});
                by_odds[c].push_back({level, 1});
            }
            const std::size_t levels = from_yes[c].size();
            add_answers(first + c, from_yes[c]);
            for (std::size_t e = levels; e < from_yes[c].size(); ++e) {
                if (!of_valid(from_yes[c][e])) from_yes[c][e].weight *= -1;
            }
            for (const std::uint32_t code : images_.votes_of(first + c)) {
                const std::size_t annotator = code - code % images_.answers;
                for (std::size_t t = 0; t < 2; ++t) {
                    for (std::size_t r = 0; r < images_.answers; ++r) {
                        const std::size_t at = t * rates_ + annotator + r;
                        const double move = (annotator + r == code ? 1 : 0) -
                                            std::exp(parameters_[layout_.rates + at]);
                        by_ratio[c].push_back({levels_ + at, t == 1 ? move : -move});
                    }
                }
            }
        }
        const auto add = [&](const Moves& moves, std::size_t r, const std::vector<Entry>& columns) {
            for (std::size_t c = 0; c < k; ++c) {
                add_rows(moves.yes[r * k + c], from_yes[c], columns, out.core);
                add_rows(moves.expected[r * k + c], from_expected[c], columns, out.core);
            }
            for (const Entry& column : columns) {
                for (std::size_t g = 0; g < row; ++g)
                    out.size_by_core[(size + g) * core_ + column.at] +=
                        moves.size[r * row + g] * column.weight / size_count(size + g);
                for (std::size_t f = 0; f < forms_; ++f)
                    out.target[f * all + column.at] += moves.forms[r * forms_ + f] * column.weight;
            }
        };
        for (std::size_t c = 0; c < k; ++c) {
            add(d.by_ratio(), c, by_ratio[c]);
            add(d.by_odds(), c, by_odds[c]);
        }
        const Moves& moves = d.by_size();
        for (std::size_t r = 0; r < row; ++r) {
            for (std::size_t c = 0; c < k; ++c) {
                for (const Entry& e : from_yes[c])
                    out.core_by_size[e.at * sizes_ + size + r] += moves.yes[r * k + c] * e.weight;
                for (const Entry& e : from_expected[c])
                    out.core_by_size[e.at * sizes_ + size + r] +=
                        moves.expected[r * k + c] * e.weight;
            }
            for (std::size_t g = 0; g < row; ++g)
                out.size_by_size[first_square_[cell] + g * layout_.room(cell) + r] +=
                    moves.size[r * row + g] / size_count(size + g);
            for (std::size_t f = 0; f < forms_; ++f)
                out.target[f * all + core_ + size + r] += moves.forms[r * forms_ + f];
        }
    }
    void add_rows(double move, const std::vector<Entry>& rows, const std::vector<Entry>& columns,
                  std::vector<double>& core) const {
        for (const Entry& row : rows) {
            double* const to = core.data() + row.at * core_;
            for (const Entry& column : columns) to[column.at] += move * row.weight * column.weight;
        }
    }
    double size_count(std::size_t at) const { return sums_.sizes[at] + tenth_an_image; }

    Jacobian all_derivatives() const {
        std::vector<Jacobian> blocks(block_count(images_, derivative_blocks), empty());
        for_each_block(images_, layout_, derivative_blocks, threads_,
                       [&](SetPosterior& room, std::size_t b, std::size_t first, std::size_t last) {
                           SetDerivatives derivatives;
                           for (std::size_t i = first; i < last; ++i) {
                               room.compute(i, parameters_);
                               derivatives.compute(room, forms_of(i));
                               add_image(i, derivatives, blocks[b]);
                           }
                       });
        const auto add = [](std::vector<double>& to, const std::vector<double>& more) {
            for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
        };
        for (std::size_t b = 1; b < blocks.size(); ++b) {
            add(blocks[0].core, blocks[b].core);
            add(blocks[0].core_by_size, blocks[b].core_by_size);
            add(blocks[0].size_by_core, blocks[b].size_by_core);
            add(blocks[0].size_by_size, blocks[b].size_by_size);
            add(blocks[0].target, blocks[b].target);
        }
        for (std::size_t l = 0; l < levels_; ++l) blocks[0].core[l * core_ + l] += 1;
        centre(blocks[0].core, core_);
        centre(blocks[0].core_by_size, sizes_);
        return std::move(blocks[0]);
    }
    bool at_an_end(std::size_t level) const {
        return std::abs(parameters_[level]) >= largest_log_odds;
    }
    /// The log odds of a step have mean 0, and those at an end of their range do not change.
    void centre(std::vector<double>& rows, std::size_t columns) const {
        for (std::size_t c = 0; c < columns; ++c) {
            double mean = 0;
            for (std::size_t l = 0; l < levels_; ++l) mean += rows[l * columns + c];
            mean /= static_cast<double>(levels_);
            for (std::size_t l = 0; l < levels_; ++l) {
                double& cell = rows[l * columns + c];
                cell = at_an_end(l) ? 0 : cell - mean;
            }
        }
    }

    /// Solutions of (I - M')' x = t, one for each form, over core parameters and then sizes.
    std::vector<std::vector<double>> adjoints(Jacobian& j) const {
        const std::size_t all = core_ + sizes_;
        std::vector<double> matrix(core_ * core_);
        std::vector<std::vector<double>> right(forms_, std::vector<double>(core_));
        for (std::size_t r = 0; r < core_; ++r) {
            for (std::size_t c = 0; c < core_; ++c)
                matrix[r * core_ + c] = (r == c ? 1 : 0) - j.core[c * core_ + r];
            for (std::size_t f = 0; f < forms_; ++f) right[f][r] = j.target[f * all + r];
        }
        // For each cell: its parameters as a function of the core parameters. Forms come first,
        // then columns of the core.
        std::vector<std::vector<std::vector<double>>> of_cell;
        for (std::size_t z = 0; z < layout_.cells(); ++z) {
            const std::size_t n = layout_.room(z), size = layout_.first_size[z] - levels_;
            std::vector<double> own(n * n);
            for (std::size_t r = 0; r < n; ++r)
                for (std::size_t c = 0; c < n; ++c)
                    own[r * n + c] =
                        (r == c ? 1 : 0) - j.size_by_size[first_square_[z] + c * n + r];
            std::vector<std::vector<double>> sides(forms_ + core_, std::vector<double>(n));
            for (std::size_t g = 0; g < n; ++g) {
                for (std::size_t f = 0; f < forms_; ++f)
                    sides[f][g] = j.target[f * all + core_ + size + g];
                for (std::size_t c = 0; c < core_; ++c)
                    sides[forms_ + c][g] = j.core_by_size[c * sizes_ + size + g];
            }
            of_cell.push_back(solved(std::move(own), std::move(sides)));
            const auto& x = of_cell.back();
            for (std::size_t g = 0; g < n; ++g) {
                const double* const down = j.size_by_core.data() + (size + g) * core_;
                for (std::size_t r = 0; r < core_; ++r) {
                    if (down[r] == 0) continue;
                    for (std::size_t c = 0; c < core_; ++c)
                        matrix[r * core_ + c] -= down[r] * x[forms_ + c][g];
                    for (std::size_t f = 0; f < forms_; ++f) right[f][r] += down[r] * x[f][g];
                }
            }
        }
        auto out = solved(std::move(matrix), std::move(right));
        for (std::size_t f = 0; f < forms_; ++f) {
            out[f].resize(all);
            for (std::size_t z = 0; z < layout_.cells(); ++z) {
                for (std::size_t g = 0; g < layout_.room(z); ++g) {
                    double sum = of_cell[z][f][g];
                    for (std::size_t c = 0; c < core_; ++c)
                        sum += of_cell[z][forms_ + c][g] * out[f][c];
                    out[f][core_ + layout_.first_size[z] - levels_ + g] = sum;
                }
            }
        }
        return out;
    }

    void fill(std::span<const double> given, std::vector<std::vector<double>> adjoint,
              SetValues& out) const {
        const std::size_t n = images_.images(), row = images_.models * pieces_;
        const std::size_t more = given.size() / row;
        out.rates_known.assign(forms_, std::vector<double>(n + more));
        out.influence = out.rates_known;
        // of a cell: the reduction that all its images share
        std::vector<std::vector<double>> whole(forms_);
        for (std::size_t f = 0; f < forms_; ++f) {
            double mean = 0;
            for (std::size_t l = 0; l < levels_; ++l) {
                if (at_an_end(l)) adjoint[f][l] = 0;
                mean += adjoint[f][l] / static_cast<double>(levels_);
            }
            for (std::size_t l = 0; l < levels_; ++l) adjoint[f][l] -= mean;
            for (std::size_t z = 0; z < layout_.cells(); ++z) {
                const std::size_t size = layout_.first_size[z] - levels_;
                double images = 0, sum = 0;
                for (std::size_t g = 0; g < layout_.room(z); ++g) {
                    images += size_count(size + g);
                    sum += adjoint[f][core_ + size + g];
                }
                whole[f].push_back(sum / images);
            }
        }
        for_each_block(images_, layout_, derivative_blocks, threads_,
                       [&](SetPosterior& room, std::size_t, std::size_t first, std::size_t last) {
                           for (std::size_t i = first; i < last; ++i) {
                               room.compute(i, parameters_);
                               fill_image(i, room, adjoint, whole, out);
                           }
                       });
        for (std::size_t i = 0; i < more; ++i) {
            for (std::size_t f = 0; f < forms_; ++f) {
                double sum = 0;
                for (std::size_t p = 0; p < pieces_; ++p)
                    sum += gradients_[f][p] * given[i * row + (f / metric_count) * pieces_ + p];
                out.rates_known[f][n + i] = out.influence[f][n + i] = sum;
            }
        }
    }

    void fill_image(std::size_t i, const SetPosterior& room,
                    const std::vector<std::vector<double>>& adjoint,
                    const std::vector<std::vector<double>>& whole, SetValues& out) const {
        const std::vector<LinearForm> forms = forms_of(i);
        const std::size_t size = layout_.first_size[images_.cell[i]] - levels_;
        std::vector<Entry> answers;
        for (std::size_t f = 0; f < forms_; ++f) {
            const std::vector<double>& x = adjoint[f];
            double sum = -whole[f][images_.cell[i]];
            for (std::size_t g = 0; g <= room.asked(); ++g)
                sum += x[core_ + size + g] * room.size()[g] / size_count(size + g);
            for (std::size_t c = 0; c < room.asked(); ++c) {
                const std::size_t question = images_.begin[i] + c;
                const double yes = room.yes()[c], factors = images_.models;
                for (std::size_t m = 0; m < images_.models; ++m) {
                    const std::size_t level = level_of(question, m);
                    sum += x[level] / factors *
                           (yes / (sums_.valid[level] + half_a_label) -
                            room.expected()[c] / (sums_.expected[level] + half_a_label));
                }
                answers.clear();
                add_answers(question, answers);
                for (const Entry& e : answers)
                    sum += x[e.at] * e.weight * (of_valid(e) ? yes : 1 - yes);
            }
            out.rates_known[f][i] = forms[f].value(room);
            out.influence[f][i] = out.rates_known[f][i] + sum;
        }
    }

    const AskedImages& images_;
    const Layout& layout_;
    const std::span<const int> subgroups_;
    const int threads_;
    const std::size_t pieces_, forms_, levels_, rates_, core_, sizes_;
    const std::vector<double> parameters_;
    const EmSums sums_;
    std::vector<std::size_t> first_square_;          ///< cells + 1 positions in size_by_size
    std::vector<double> answer_count_, answer_sum_;  ///< including pseudo counts, 2 x A x R
    std::vector<std::vector<double>> gradients_;     ///< gradients of the forms
};

}  // namespace

SetValues set_values(const AskedImages& images, const Layout& layout,
                     std::span<const double> parameters, std::span<const int> subgroups,
                     std::span<const double> given, int threads) {
    return Influences(images, layout, parameters, subgroups, threads).run(given);
}

}  // namespace assay::true_sets
