/* Loops over lanes: reads and writes of a vector whose lanes lie `step` elements apart. Of the last vector only `active`
 * lanes count; the others repeat the last of these. */
#if defined(__GNUC__)
  #define UNROLLED _Pragma("GCC unroll 16") /* or a vector would be put together in memory */
  typedef int64_t wholes __attribute__((vector_size(LANE_BYTES / sizeof(real) * sizeof(int64_t))));
  #define CONVERTED(x, type) __builtin_convertvector(x, type)
#else
  #define UNROLLED
  typedef int64_t wholes;
  #define CONVERTED(x, type) ((type)(x))
#endif
static inline lanes load_whole(const real* at) { return *(const lanes_at*)at; }
static inline lanes load_part(const real* at, int64_t step, int64_t active) {
    lanes x;
    if (active >= LANES && step == 1) return *(const lanes_at*)at;
    if (active >= LANES)
        UNROLLED for (int q = 0; q < LANES; q++) LANE(x, q) = at[q * step];
    else
        for (int q = 0; q < LANES; q++) LANE(x, q) = at[(q < active ? q : active - 1) * step];
    return x;
}
/* `columns` elements of LANES rows, each column a vector: vector c goes to to[c * apart]. Blocks of LANES by LANES are
 * transposed in registers by exchanging halves, quarters, ... between rows; the last block may overlap the one before. */
static inline void load_rows(lanes* to, int64_t apart, const real* at, int64_t row, int64_t columns, int64_t active) {
    int64_t c = 0;
#if defined(__GNUC__) && !defined(__clang__)
    while (active >= LANES && columns >= LANES && c < columns) {
        if (c > columns - LANES) c = columns - LANES;
        lanes x[LANES];
        UNROLLED for (int r = 0; r < LANES; r++) x[r] = *(const lanes_at*)(at + r * row + c);
        UNROLLED for (int half = LANES / 2; half > 0; half /= 2) {
            masks upper, lower;
            UNROLLED for (int q = 0; q < LANES; q++) {
                LANE(upper, q) = q & half ? LANES + q - half : q;
                LANE(lower, q) = q & half ? LANES + q : q + half;
            }
            UNROLLED for (int r = 0; r < LANES; r++)
                if (!(r & half)) {
                    lanes a = x[r], b = x[r + half];
                    x[r] = __builtin_shuffle(a, b, upper);
                    x[r + half] = __builtin_shuffle(a, b, lower);
                }
        }
        UNROLLED for (int r = 0; r < LANES; r++) to[(c + r) * apart] = x[r];
        c += LANES;
    }
#endif
    for (; c < columns; c++) to[c * apart] = load_part(at + c, row, active);
}
static inline void store_whole(real* at, lanes x) { *(lanes_at*)at = x; }
static inline void store_part(real* at, int64_t step, int64_t active, lanes x) {
    if (active >= LANES && step == 1) *(lanes_at*)at = x;
    else for (int q = 0; q < active; q++) at[q * step] = LANE(x, q);
}
static inline void add_part(real* at, int64_t step, int64_t active, lanes x) {
    if (active >= LANES && step == 1) *(lanes_at*)at += x;
    else for (int q = 0; q < active; q++) at[q * step] += LANE(x, q);
}
/* the sum of the lanes that count: in pairs where all do */
static inline real total(lanes x, int64_t active) {
    real part[LANES], sum = 0;
    *(lanes_at*)part = x;
    if (active < LANES) {
        for (int q = 0; q < active; q++) sum += part[q];
        return sum;
    }
    UNROLLED for (int width = LANES / 2; width > 0; width /= 2)
        UNROLLED for (int q = 0; q < width; q++) part[q] += part[q + width];
    return part[0];
}
static inline void fill_lanes(lanes* at, int64_t count, real x) {
    for (int64_t i = 0; i < count; i++) at[i] = splat_lanes(x);
}
static inline wholes whole(int64_t x) { return x - (wholes){0}; }
static inline wholes count_from(int64_t first) {
    wholes x;
    UNROLLED for (int q = 0; q < LANES; q++) LANE(x, q) = first + q;
    return x;
}
static inline wholes whole_part(const int64_t* at, int64_t step, int64_t active) {
    wholes x;
    for (int q = 0; q < LANES; q++) LANE(x, q) = at[(q < active ? q : active - 1) * step];
    return x;
}
static inline lanes floating(wholes x) { return CONVERTED(x, lanes); }
static inline lanes gather(const real* at, wholes place) {
    lanes x;
    UNROLLED for (int q = 0; q < LANES; q++) LANE(x, q) = at[LANE(place, q)];
    return x;
}
static inline void scatter_add(real* at, wholes place, int64_t active, lanes x) {
    for (int q = 0; q < active; q++) at[LANE(place, q)] += LANE(x, q);
}
static inline masks less_whole(wholes a, wholes b) { return CONVERTED(a < b, masks); }
static inline masks less_equal_whole(wholes a, wholes b) { return CONVERTED(a <= b, masks); }
static inline masks equal_whole(wholes a, wholes b) { return CONVERTED(a == b, masks); }
static inline masks not_equal_whole(wholes a, wholes b) { return CONVERTED(a != b, masks); }
