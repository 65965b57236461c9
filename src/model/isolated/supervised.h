// Supervises a model's process: why it ended, and how to restart it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

namespace assay::isolated {

/// Allows many batches at the same time, or one batch alone. If a process ends, a batch is known to
/// be the cause only if it was alone.
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
    /// Both wait. A new batch queues behind any batch that waits to be alone. They throw
    /// interrupted.
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
    std::string said;  ///< its last line; "" if it wrote nothing
};

/// A Classifier that computes in a separate process also implements this interface.
class Supervised {
public:
    virtual ~Supervised() = default;
    /// Shared by all classifiers that compute in one process.
    virtual BatchGate& gate() = 0;
    /// Returns nothing while it runs.
    virtual std::optional<ProcessEnd> process_end() = 0;
    /// False if we did not start the process, or if a new one would have another model.
    virtual bool can_restart() const = 0;
    /// Starts a new process after the old one has ended. Nobody else may compute meanwhile. Throws
    /// as open_classifier(); bad_input if it has another model than before.
    virtual void restart() = 0;
};

}  // namespace assay::isolated
