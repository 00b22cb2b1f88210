/* emit/prelude.c - what an emitted function stands on: its type of numbers, sine and cosine. */
#include "emit/print.h"

/* The part of spatial/sincos.h that needs nothing but real. */
static const char SINCOS[] =
#include "sincos.inc"
    ;

/* Vectors of the machine, or as many lanes as were asked for. */
static void put_width(text *to, const emit_style *s)
{
    const int bytes = s->single ? 4 : 8;
    if (s->lanes > 1) {
        put(to, "#define LANES %d\n", s->lanes);
        if (s->lanes * bytes >= 64) {
            put(to, "#if defined(__x86_64__) && !defined(__AVX512F__) && !defined(__clang__)\n"
                    "#error \"gcc makes wrong numbers of vectors wider than registers: build for AVX-512, or emit "
                    "fewer lanes\"\n"
                    "#endif\n");
        }
        return;
    }
    if (s->literal) {
        put(to, "#define LANES 1\n");
        return;
    }
    put(to,
        "#if defined(__GNUC__) && defined(__AVX512F__)\n#define LANES %d\n"
        "#elif defined(__GNUC__) && defined(__AVX2__)\n#define LANES %d\n#else\n#define LANES 1\n#endif\n",
        64 / bytes, 32 / bytes);
}

static void put_types(text *to, const emit_style *s)
{
    const char *number = s->single ? "float" : "double", *whole = s->single ? "int" : "long long";
    put(to,
        "#if LANES > 1\n"
        "typedef %s real __attribute__((vector_size(sizeof(%s) * LANES)));\n"
        "typedef %s real_int __attribute__((vector_size(sizeof(%s) * LANES)));\n"
        "typedef unsigned %s real_bits __attribute__((vector_size(sizeof(%s) * LANES)));\n"
        "#else\n"
        "typedef %s real;\ntypedef %s real_int;\ntypedef unsigned %s real_bits;\n"
        "#endif\n",
        number, number, whole, number, whole, number, number, whole, whole);
    put(to,
        "#if defined(__GNUC__)\n#define KERNEL static inline __attribute__((always_inline, unused))\n"
        "#else\n#define KERNEL static inline\n#endif\n\n"
        "KERNEL real real_set(%s x)\n{\n#if LANES > 1\n    return (real){ 0 } + x;\n#else\n    return x;\n#endif\n}\n\n"
        "KERNEL real_bits bits_of_real(real x)\n"
        "{\n    const union {\n        real x;\n        real_bits bits;\n    } both = { x };\n    return "
        "both.bits;\n}\n\n"
        "KERNEL real real_of_bits(real_bits bits)\n"
        "{\n    const union {\n        real_bits bits;\n        real x;\n    } both = { bits };\n    return "
        "both.x;\n}\n\n"
        "/* mask ? a : b, the mask all ones or zero */\n"
        "KERNEL real real_select(real_int mask, real a, real b)\n"
        "{\n    const real_bits m = (real_bits)mask;\n"
        "    return real_of_bits((m & bits_of_real(a)) | (~m & bits_of_real(b)));\n}\n\n",
        number);
    put(to,
        "KERNEL real real_load(const %s *from)\n{\n#if LANES > 1\n    real x;\n    __builtin_memcpy(&x, from, sizeof "
        "x);\n"
        "    return x;\n#else\n    return *from;\n#endif\n}\n\n"
        "KERNEL void real_store(%s *to, real x)\n{\n#if LANES > 1\n    __builtin_memcpy(to, &x, sizeof x);\n"
        "#else\n    *to = x;\n#endif\n}\n\n"
        "KERNEL real_int real_less(real a, real b)\n{\n#if LANES > 1\n    return a < b;\n#else\n"
        "    return -(real_int)(a < b);\n#endif\n}\n\n"
        "KERNEL real real_abs(real x)\n{\n    return real_select(real_less(x, real_set(0)), -x, x);\n}\n\n",
        number, number);
}

/* a b + c, as the library rounds it: once where the machine does so. */
static void put_literal(text *to, const emit_style *s)
{
    const char *f = s->single ? "f" : "";
    put(to,
        "#if (defined(__FMA__) || defined(__aarch64__)) && !defined(SOA_NO_FMA)\n#define SOA_FMA 1\n#else\n"
        "#define SOA_FMA 0\n#endif\n\n"
        "KERNEL real real_fma(real a, real b, real c)\n{\n#if !SOA_FMA\n    return a * b + c;\n#elif LANES == 1\n"
        "    return __builtin_fma%s(a, b, c);\n#else\n    for (int i = 0; i < LANES; i++) {\n"
        "        c[i] = __builtin_fma%s(a[i], b[i], c[i]);\n    }\n    return c;\n#endif\n}\n\n"
        "#define FMA real_fma\n\n",
        f, f);
}

static void put_float_sines(text *to)
{
    put(to,
        "/* x = n pi/2 + h, then a polynomial each; beyond 8192 radians NaN. */\n"
        "KERNEL void sincos_of(real x, real *sine, real *cosine)\n"
        "{\n"
        "    const real big = real_set(0x1.8p23f), biased = x * 0x1.45f306p-1f + big, n = biased - big;\n"
        "    const real_bits k = bits_of_real(biased);\n"
        "    real h = x - n * 1.5703125f;\n"
        "    h = h - n * 4.837512969970703125e-4f;\n"
        "    h = h - n * 7.54978995489188216e-8f;\n"
        "    const real z = h * h;\n"
        "    const real s = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * h + h;\n"
        "    const real c = ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z\n"
        "        - 0.5f * z + 1.0f;\n"
        "    const real_int odd = -(real_int)(k & 1);\n"
        "    const real far = real_select(real_less(real_abs(x), real_set(8192.0f)), real_set(0.0f), real_set(0.0f / "
        "0.0f));\n"
        "    *sine = real_of_bits(bits_of_real(real_select(odd, c, s) + far) ^ (k & 2) << 30);\n"
        "    *cosine = real_of_bits(bits_of_real(real_select(odd, s, c) + far) ^ ((k + 1) & 2) << 30);\n"
        "}\n\n");
}

static void put_double_sines(text *to, bool literal)
{
    put(to, "/* ---- sine and cosine: of the library, beyond 2^20 radians NaN ---- */\n\n");
    if (!literal) {
        put(to, "#define SOA_FMA 0\n\n"
                "KERNEL real real_fma(real a, real b, real c)\n{\n    return a * b + c;\n}\n\n");
    }
    put(to, "KERNEL real real_fnma(real a, real b, real c)\n{\n    return real_fma(-a, b, c);\n}\n\n%s", SINCOS);
    put(to, "KERNEL void sincos_of(real x, real *sine, real *cosine)\n{\n"
            "    reduced_angle r = reduce_angle_fast(x);\n"
            "    r.h = real_select(real_less(real_abs(x), real_set(0x1p20)), r.h, real_set(0.0 / 0.0));\n"
            "    reduced_sincos(r, sine, cosine);\n}\n\n");
}

static void put_sines_of(text *to, const emit_style *s)
{
    const char *number = s->single ? "float" : "double";
    if (s->lanes > 1) {
        put(to, "static void sines_of(int n, const real *angle, real *sine, real *cosine)\n{\n"
                "    for (int i = 0; i < n; i++) {\n        sincos_of(angle[i], &sine[i], &cosine[i]);\n    }\n}\n\n");
        return;
    }
    put(to,
        "/* The arrays are as long as whole vectors. */\n"
        "static void sines_of(int n, const %s *angle, %s *sine, %s *cosine)\n{\n"
        "    for (int i = 0; i < n; i += LANES) {\n        real s, c;\n        sincos_of(real_load(angle + i), &s, "
        "&c);\n"
        "        real_store(sine + i, s);\n        real_store(cosine + i, c);\n    }\n}\n\n",
        number, number, number);
}

void emit_prelude(text *to, const emit_function *f, bool sines, bool roots)
{
    const emit_style *s = &f->style;
    const bool own = sines && !s->libm;
    if ((sines && s->libm) || (roots && s->lanes == 1)) {
        put(to, "#include <math.h>\n\n");
    }
    if (!own && s->lanes == 1 && !s->literal) {
        return;
    }
    put_width(to, s);
    put_types(to, s);
    if (s->literal) {
        put_literal(to, s);
    }
    if (roots && s->lanes > 1) {
        put(to,
            "KERNEL real real_sqrt(real x)\n{\n    for (int i = 0; i < LANES; i++) {\n"
            "        x[i] = __builtin_sqrt%s(x[i]);\n    }\n    return x;\n}\n\n",
            s->single ? "f" : "");
    }
    if (own && s->single) {
        put_float_sines(to);
    } else if (own) {
        put_double_sines(to, s->literal);
    }
    if (own) {
        put_sines_of(to, s);
    }
}
