/* limits.h - every size at which the library changes its way of working, as
 * constants GI_<NAME>; limits.def lists them.
 */
#ifndef GI_LIMITS_H
#define GI_LIMITS_H

enum {
#ifdef GRAM_LOW_LIMITS
#define LIMIT(name, value, low, decides) GI_##name = (low),
#else
#define LIMIT(name, value, low, decides) GI_##name = (value),
#endif
#include "base/limits.def"
#undef LIMIT
};

#define MULTIPLE(a, b)                                                         \
    _Static_assert((a) % (b) == 0, #a " must be a multiple of " #b)

/* Panels of the CPU tables have up to 8 rows and 48 columns; a product with
 * vectors wants rows by 8 and columns by 16. */
MULTIPLE(GI_TILE_ROWS, 8);
MULTIPLE(GI_TILE_STRIP_ROWS, 8);
MULTIPLE(GI_TILE_ROWS, GI_TILE_STRIP_ROWS);
MULTIPLE(GI_TILE_COLS, 48);

/* Blocks are whole tiles, and matrices are asked for in whole blocks. */
MULTIPLE(GI_TILE_COMMON, GI_TILE_ROWS);
MULTIPLE(GI_TILE_COMMON, GI_TILE_COLS);
MULTIPLE(GI_TILE_BLOCK_LARGE, GI_TILE_COMMON);
MULTIPLE(GI_OPERATOR_EDGE, GI_TILE_COMMON);
MULTIPLE(GI_PATH_BAND_EDGE, GI_TILE_COMMON);
MULTIPLE(GI_SYSTEM_ROWS, GI_TILE_ROWS);
MULTIPLE(GI_SYSTEM_COLUMNS, GI_TILE_COMMON);

MULTIPLE(GI_COLUMNS_WIDE, 8);
MULTIPLE(GI_COLUMNS_HIGH, 48);
MULTIPLE(GI_GEMM_EDGE_MIN, GI_GEMM_EDGE_UNIT);
MULTIPLE(GI_GEMM_EDGE_MAX, GI_GEMM_EDGE_UNIT);
MULTIPLE(GI_CHOL_EDGE_MAX, GI_CHOL_EDGE);
MULTIPLE(GI_TEST_BATCH_MAX, GI_TEST_BATCH);

#undef MULTIPLE

#endif
