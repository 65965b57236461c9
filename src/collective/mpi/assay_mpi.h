/* What the MPI plug-in and the program that opens it agree on. It is C, so that a site compiles the
   one source file with the compiler of its own MPI. That compiler may have any C++ library:

     mpicc -O2 -shared -fPIC -o libassay_mpi.so assay_mpi.c

   Sizes are of 64 bits. Calls come from one thread, the one that called start(). A function that
   can fail returns 0, or else not 0 and a sentence in `problem`. */
#ifndef ASSAY_MPI_H
#define ASSAY_MPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_MPI_INTERFACE 1u
#define ASSAY_MPI_ENTRY "assay_mpi_plugin"

struct assay_mpi_place {
    int32_t rank, size;
    int32_t node_rank, node_size; /* among the ranks that share this machine's memory */
};

struct assay_mpi {
    uint32_t interface_version; /* never changes its place */
    const char* library;        /* "Open MPI 4.1.4": of the headers that it was compiled with */
    char problem[512];

    /* `piece`: most bytes in one call of MPI, whose counts are ints. `waiting` is called every
       millisecond or so of a wait. */
    int (*start)(struct assay_mpi_place* place, uint64_t piece, void (*waiting)(void));
    int (*barrier)(void);
    /* `all`: of `size` numbers. */
    int (*all_gather_numbers)(const uint64_t* mine, uint64_t* all);
    /* `sizes`: of every rank, by all_gather_numbers; `all`: their sum, in rank order. */
    int (*all_gather)(const void* mine, const uint64_t* sizes, void* all);
    int (*gather)(const void* mine, const uint64_t* sizes, void* all, int32_t root);
    int (*broadcast)(void* bytes, uint64_t count, int32_t root);
    /* Sums in place. `overflow`: whether one of them, on any rank, left 64 bits. */
    int (*all_reduce)(int64_t* numbers, uint64_t count, int32_t* overflow);

    /* Waits at most `seconds` for all ranks to call this, too, and gives what each passed: two
       numbers a rank. Returns 0 when all have come; else it may be called again, and goes on with
       what was passed first. */
    int (*leave)(const int64_t mine[2], int64_t* all, double seconds);
    /* After a leave() to which all came. */
    void (*finish)(void);
    /* Ends all ranks. */
    void (*abort)(int32_t status);
};

struct assay_mpi* assay_mpi_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
