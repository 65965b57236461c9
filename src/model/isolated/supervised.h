// Supervises a model's process: finds why it ended, and restarts it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

namespace assay::isolated {

/// Allows many batches at the same time, or one batch alone. If a process ends, a batch is only
/// known to be the cause if it was alone.
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
    int waiting_ = 0;  ///< number of batches that wait to be alone
    bool is_alone_ = false;
};

/// The way in which a process ended, as a fixed text.
struct ProcessEnd {
    std::string how;   ///< "the model's process was ended by signal 11 (Segmentation fault)"
    std::string said;  ///< last line of its output; "" if it wrote nothing
};

/// A Classifier that computes in a separate process also implements this interface.
class Supervised {
public:
    virtual ~Supervised() = default;
    /// Shared by all classifiers that compute in one process.
    virtual BatchGate& gate() = 0;
    /// Returns nothing while the process runs.
    virtual std::optional<ProcessEnd> process_end() = 0;
    /// False if the program did not start the process, or a new one may have another model.
    virtual bool can_restart() const = 0;
    /// Starts a new process after the old one has ended. No other thread may compute meanwhile.
    /// Throws as open_classifier(); bad_input if the new process has another model.
    virtual void restart() = 0;
};

}  // namespace assay::isolated
