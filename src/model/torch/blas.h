// Runs OpenBLAS with limited address space.
#pragma once

namespace assay::torch_plugin {

/// Held by a thread while LibTorch computes on it. OpenBLAS needs 128 MiB of address space for each
/// concurrent call, keeps it, and retries endlessly if the system refuses. So the buffers are
/// allocated in advance: one per processor, or fewer if memory is short. Only this number of
/// threads compute at a time, and the others wait. Results do not change. Without OpenBLAS, threads
/// do not wait. Throws out_of_memory if no buffer fits.
class BlasTurn {
public:
    BlasTurn();
    ~BlasTurn();
    BlasTurn(const BlasTurn&) = delete;
    BlasTurn& operator=(const BlasTurn&) = delete;
};

}  // namespace assay::torch_plugin
