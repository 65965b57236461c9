// What supervises a model's process: why the process ended, and how it is started again.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

namespace assay::isolated {

/// Many batches at the same time, or one that is alone: where a process ends, only a batch that was
/// alone in it is known to be the reason.
class BatchGate {
public:
    class Pass {
    public:
        ~Pass() { gate_.leave(alone_); }
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;

    private:
        friend class BatchGate;
        Pass(BatchGate& gate, bool alone) : gate_(gate), alone_(alone) { gate.enter(alone); }
        BatchGate& gate_;
        bool alone_;
    };
    /// Wait; those that come while somebody waits to be alone come after. Throw interrupted.
    [[nodiscard]] Pass beside_others() { return {*this, false}; }
    [[nodiscard]] Pass alone() { return {*this, true}; }

private:
    void enter(bool alone);
    void leave(bool alone);

    std::mutex mutex_;
    std::condition_variable changed_;
    int inside_ = 0;
    int waiting_ = 0;  ///< to be alone
    bool is_alone_ = false;
};

/// How a process ended, in words that are the same each time.
struct ProcessEnd {
    std::string how;   ///< "the model's process was ended by signal 11 (Segmentation fault)"
    std::string said;  ///< its last line; "": it wrote nothing
};

/// A Classifier that computes in a process of its own is one of these, too.
class Supervised {
public:
    virtual ~Supervised() = default;
    /// Shared by all classifiers that compute in one process.
    virtual BatchGate& gate() = 0;
    /// Nothing while it runs.
    virtual std::optional<ProcessEnd> process_end() = 0;
    /// False: the process is not ours to start, or would be another model.
    virtual bool can_restart() const = 0;
    /// A new process in the place of one that has ended. Nobody else may compute meanwhile. Throws
    /// as open_classifier(); bad_input: another model than before.
    virtual void restart() = 0;
};

}  // namespace assay::isolated
