/* model/modal.h - flexible links as kernels read them: constant matrices, nodes, moments, and the directions that move nodes. */
#ifndef SOA_MODEL_MODAL_H
#define SOA_MODEL_MODAL_H

#include "soa/flexible.h"
#include "soa/model.h"

/* Every array of soa_flexible with m modes and n nodes: name, words, how many numbers, whether it may be left out, whether it is a symmetric matrix of
 * blocks of so many numbers (0: it is not). */
#define SOA_FLEXIBLE_ARRAYS(X)                \
    X(position, "position", n * 3, false, 0)  \
    X(shape, "shape", n *m * 6, false, 0)     \
    X(shape2, "shape2", n *m *m * 3, true, 0) \
    X(ee, "modal mass", m *m, false, 1)       \
    X(ef, "ef", m * 3, false, 0)              \
    X(en, "en", m * 3, false, 0)              \
    X(en1, "en1", m *m * 3, true, 0)          \
    X(ef1, "ef1", m *m * 3, true, 3)          \
    X(second1, "second1", m * 6, true, 0)     \
    X(second2, "second2", m *m * 6, true, 6)  \
    X(stiffness, "stiffness", m *m, false, 1) \
    X(damping, "damping", m *m, true, 1)

#define SOA_MODAL_ROUNDING 0x1p-49 /* relative to what a number is made of */

enum { SOA_BLOCK_ROWS = 16 }; /* most rows of a block */

/* Some rows and columns of a constant matrix. */
typedef struct soa_modal_block {
    int rows, columns;
    const unsigned short *row, *column; /* where they stand: bytes among the numbers of a state */
    const double *x;                    /* column after column */
} soa_modal_block;

/* A constant matrix without what is zero: of one state kernels read all rows of the columns that are not zero, each filled up
 * with zeros to soa_modal_stride numbers, and an even number of columns; of lanes of states blocks that have no zeros. Rows with zeros in the same columns are in
 * blocks of at most SOA_BLOCK_ROWS, and each row is in one. */
typedef struct soa_modal_table {
    soa_modal_block whole;
    const soa_modal_block *block;
    int blocks;
} soa_modal_table;

/* The components of a table of vectors by two modes (i, j) that are not zero: i is a row, j a column. */
typedef struct soa_modal_parts {
    int count;
    int part[6];
    soa_modal_table x[6]; /* where kernels want them one by one */
} soa_modal_parts;

/* The number of modes, up to a multiple of four. */
static inline size_t soa_modal_stride(size_t modes)
{
    return (modes + 3) / 4 * 4;
}

/* The rows of the matrix that eliminates so many modes and leaves the six of the body. */
static inline size_t soa_modal_rows(size_t modes)
{
    return soa_modal_stride(modes + 6);
}

/* All its numbers, with a row behind them. */
static inline size_t soa_modal_numbers(size_t modes)
{
    return (modes + 1) * soa_modal_rows(modes);
}

/* A node of a flexible link in the frame of its body. */
typedef struct soa_modal_node {
    double position[3];
    const double *rows; /* six rows of soa_modal_stride numbers: rotations about, displacements along x, y, z */
    soa_modal_table shape, shape_t; /* the same, components by mode, and its adjoint */
    soa_modal_parts second;         /* displacements of second order: parts 0 to 2 */
} soa_modal_node;

/* Moments by mode, N(i) = sum m u(i) r* over the particles, r where they stand: twelve numbers, ef, then zy xz yx, yz zx xy and
 * xx yy zz of N. What a link has need not come from particles: N stands for en and J1 of soa/flexible.h,
 *     en = (zy - yz, xz - zx, yx - xy),   J1 = tr(N + N*) - (N + N*)
 * and planar modes leave more of it zero than of these. */
enum { SOA_MODAL_TURN = 3, SOA_MODAL_DIAGONAL = 9, SOA_MODAL_N = 12 };

/* A flexible link in the frame of its body: see soa/flexible.h. Links with the same data share it, so that a chain of them stays
 * in the caches. Matrices by two modes that are multiplied by the same numbers are one table, with
 * soa_modal_stride rows for each. */
typedef struct soa_modal {
    int modes;
    const double *ee;           /* columns of soa_modal_stride numbers */
    const double *er;           /* (en; ef) of each mode */
    soa_modal_table constant;   /* N at rest, components by mode, ... */
    soa_modal_table constant_t; /* ... and its adjoint */
    soa_modal_table bent;       /* what a mode adds to N(i): a matrix for each component that is not zero */
    int parts;                  /* so many of them */
    int linear;                 /* so many of these, the first ones, are not of the diagonal */
    int part[SOA_MODAL_N];      /* which component each is */
    const double
        *bends; /* the same matrices and those that are zero, SOA_MODAL_N: columns of soa_modal_stride numbers */
    soa_modal_table mass;      /* ee, ... */
    bool unit;                 /* ... and whether it is the identity, to rounding */
    soa_modal_parts turned;    /* en1(i,j) - en1(j,i) */
    soa_modal_parts quadratic; /* (en1(i,j) + en1(j,i)) / 2, and ef1 */
    const soa_modal_node *node;
    const double *scale;       /* by mode: a deformation that is small */
    const soa_flexible *given; /* in the link frame; elastic forces are read here */
} soa_modal;

/* Where number (d, e) of an articulated inertia stands among its numbers. */
static const unsigned char soa_articulated_at[6][6] = { { 0, 1, 2, 6, 7, 8 }, { 1, 3, 4, 9, 10, 11 },
    { 2, 4, 5, 12, 13, 14 }, { 6, 9, 12, 15, 16, 17 }, { 7, 10, 13, 16, 18, 19 }, { 8, 11, 14, 17, 19, 20 } };
enum { SOA_ARTICULATED_NUMBERS = 21 };

enum { SOA_PORT_ER = 8 }; /* the room for six numbers in packs */

/* The modes of a flexible link by what they do to the bodies on its nodes (modal_ports.c): r directions zeta move them, with
 * unit mass, and no others do. The others have the inverse mass Z; with G = Z er(eta) = Z er + Z bent(eta), a row for each
 * component that bends, they are eliminated once and for all. */
typedef struct soa_modal_ports {
    int modes;                 /* r */
    int bent;                  /* how many components of er bend, ... */
    int part[6];               /* ... and which they are */
    const double *ee;          /* 1, columns of soa_modal_stride(r) numbers */
    const double *er;          /* W* er of each direction */
    const double *inertia;     /* -er* Z er, as an articulated inertia has it */
    size_t bent_at, room_at;   /* behind the matrix that eliminates zeta: where rows Z bent and the rooms begin */
    soa_modal_table by_eta;    /* all rows Z bent, then rows W* bent, then er* Z bent in rooms of SOA_PORT_ER */
    soa_modal_table by_force;  /* of forces on the modes: er* Z, then Z, then W* */
    soa_modal_table by_motion; /* of (alpha; zeta): -Z er and W */
} soa_modal_ports;

/* The numbers of the matrix that eliminates zeta, and of what by_eta makes; there must be room for forces on zeta in its end. */
static inline size_t soa_ports_numbers(const soa_modal_ports *ports)
{
    return ports->room_at + (size_t)ports->bent * SOA_PORT_ER + soa_modal_stride((size_t)ports->modes);
}

/* ---- making them (modal_table.c) ---- */

/* A matrix of at most SOA_MAX_MODES columns: number (i, j) is x[i row + j column]. From row `head` on it is matrices of as many
 * rows as columns, each filled up to soa_modal_stride rows. */
typedef struct soa_modal_source {
    const double *x;
    size_t rows, columns, row, column, head;
} soa_modal_source;

/* The matrix in the arena. false: no memory. */
bool soa_make_modal_table(soa_model *model, soa_modal_source a, soa_modal_table *to);

/* The table of `count` matrices, columns of soa_modal_stride(n) numbers. false: no memory. */
bool soa_make_modal_stack(soa_model *model, size_t n, int count, const double *const *matrix, soa_modal_table *to);

/* How a table by two modes is read: as it is, or the parts of it that change sign, or do not, when the modes are exchanged. */
typedef enum soa_modal_reading {
    SOA_MODAL_PLAIN,
    SOA_MODAL_SKEW,
    SOA_MODAL_SYMMETRIC,
} soa_modal_reading;

typedef struct soa_modal_pairs {
    const double *x; /* modes x modes x width; NULL: zero */
    size_t width;
    int first; /* the part that component 0 is */
    soa_modal_reading how;
    const double *ee; /* of products of two shapes: no number exceeds the root of ee_ii ee_jj; NULL: of others */
} soa_modal_pairs;

/* Adds the components that are not zero to the parts, as tables one by one; false: no memory. */
bool soa_make_modal_parts(soa_model *model, size_t n, soa_modal_pairs pairs, soa_modal_parts *to);

/* Rows from `width` numbers per mode; NULL: no memory. */
double *soa_make_modal_rows(soa_model *model, size_t n, const double *x, size_t width);

/* `count` numbers; those that are but rounding of the largest, or of a bound, become zero. */
void soa_clear_rounding(size_t count, double bound, double *x);

#endif
