/* A lane value is a short vector: the widest that the machine has. Compilers other than GCC and Clang get one lane. */
#if defined(__GNUC__)
  #if defined(__AVX512F__)
    #define LANE_BYTES 64
  #elif defined(__AVX__)
    #define LANE_BYTES 32
  #else
    #define LANE_BYTES 16
  #endif
  #define LANES ((int)(LANE_BYTES / sizeof(real)))
  typedef real lanes __attribute__((vector_size(LANE_BYTES)));
  typedef real lanes_at __attribute__((vector_size(LANE_BYTES), aligned(sizeof(real)), may_alias));
  typedef mask_bits masks __attribute__((vector_size(LANE_BYTES)));
  #define LANE(x, q) (x)[q]
#else
  #define LANES 1
  typedef real lanes;
  typedef real lanes_at;
  typedef mask_bits masks;
  #define LANE(x, q) (x)
#endif
static inline lanes splat_lanes(real x) { return x - (lanes){0}; } /* x - 0 keeps -0.0, x + 0 would not */
static inline real first_lane(lanes x) { return LANE(x, 0); }
/* the next `count` elements; lanes beyond them repeat the last one, so that they raise no flag of their own */
static inline lanes load_lanes(const char* at, npy_intp step, npy_intp count) {
    lanes x;
    if (count >= LANES) {
        if (step == sizeof(real)) return *(const lanes_at*)at;
        if (step == 0) return splat_lanes(*(const real*)at);
        for (int q = 0; q < LANES; q++) LANE(x, q) = *(const real*)(at + q * step);
    } else
        for (int q = 0; q < LANES; q++) LANE(x, q) = *(const real*)(at + (q < count ? q : count - 1) * step);
    return x;
}
static inline void store_lanes(char* at, npy_intp step, npy_intp count, lanes x) {
    if (count >= LANES && step == sizeof(real)) *(lanes_at*)at = x;
    else for (int q = 0; q < LANES && q < count; q++) *(real*)(at + q * step) = LANE(x, q);
}
#define LANEWISE1(name, function) static inline lanes name##_lanes(lanes x) { \
    for (int q = 0; q < LANES; q++) LANE(x, q) = function(LANE(x, q)); \
    return x; }
#define LANEWISE2(name, function) static inline lanes name##_lanes(lanes x, lanes y) { \
    for (int q = 0; q < LANES; q++) LANE(x, q) = function(LANE(x, q), LANE(y, q)); \
    return x; }
