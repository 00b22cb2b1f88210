// peer.hpp - a peer as a C++ class.
//
// The class has a constructor (const bench_robot &, int *order) that throws when the
// peer cannot have the robot, and set, run (one state) and get.
#ifndef SOA_BENCH_PEER_HPP
#define SOA_BENCH_PEER_HPP

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

#include "peer.h"

template <class Peer> struct Adapter {
    static void *open(const bench_robot *robot, int *order)
    {
        try {
            return new Peer(*robot, order);
        } catch (const std::exception &problem) {
            std::fprintf(stderr, "%s\n", problem.what());
            return nullptr;
        }
    }
    static void close(void *peer)
    {
        delete static_cast<Peer *>(peer);
    }
    static void set(void *peer, const bench_states *states)
    {
        static_cast<Peer *>(peer)->set(*states);
    }
    static void run(void *peer, bench_algorithm algorithm, int first, int count)
    {
        Peer &p = *static_cast<Peer *>(peer);
        for (int s = first; s < first + count; s++) {
            p.run(algorithm, s);
        }
    }
    static void get(void *peer, bench_algorithm algorithm, double *result)
    {
        static_cast<Peer *>(peer)->get(algorithm, result);
    }
};

// Exports the class as the peer of this module.
#define BENCH_PEER(Peer, name, version, convention, algorithms)                                           \
    extern "C" __attribute__((visibility("default"))) const bench_peer_info *bench_peer(void)             \
    {                                                                                                     \
        static const bench_peer_info info = { name, version, convention, algorithms, Adapter<Peer>::open, \
            Adapter<Peer>::close, Adapter<Peer>::set, Adapter<Peer>::run, Adapter<Peer>::get };           \
        return &info;                                                                                     \
    }

// rows x cols numbers, by rows, from anything with operator()(i, j).
template <class Matrix> void copy_matrix(const Matrix &m, int rows, int cols, double *result)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            result[i * cols + j] = m(i, j);
        }
    }
}

template <class Vector> void copy_vector(const Vector &x, int n, double *result)
{
    for (int i = 0; i < n; i++) {
        result[i] = x[i];
    }
}

// Six rows given as (linear; angular) come out as (angular; linear).
template <class Matrix> void copy_swapped(const Matrix &m, int cols, double *result)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < cols; j++) {
            result[i * cols + j] = m((i + 3) % 6, j);
        }
    }
}

#endif
