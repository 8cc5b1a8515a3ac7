//! Names that a kernel may use, and the one that a mistyped name was meant to be.

use std::collections::BTreeSet;

/// What a programmer who knows CUDA or C reaches for, and what OpenCL C has.
#[rustfmt::skip]
const ELSEWHERE: &[(&str, &str)] = &[
    ("threadIdx", "CUDA's threadIdx.x is get_local_id(0) in OpenCL C"),
    ("blockIdx", "CUDA's blockIdx.x is get_group_id(0) in OpenCL C"),
    ("blockDim", "CUDA's blockDim.x is get_local_size(0) in OpenCL C"),
    ("gridDim", "CUDA's gridDim.x is get_num_groups(0) in OpenCL C"),
    ("__syncthreads", "CUDA's __syncthreads() is barrier(CLK_LOCAL_MEM_FENCE) in OpenCL C"),
    ("__shared__", "CUDA's __shared__ is local in OpenCL C"),
    ("__global__", "CUDA's __global__ is kernel in OpenCL C"),
    ("__device__", "OpenCL C needs no __device__: leave it out"),
    ("__ldg", "OpenCL C has no __ldg: read the element itself"),
    ("static_cast", "OpenCL C is no C++: (int)x converts x to an int"),
    ("atomicAdd", "CUDA's atomicAdd is atomic_add in OpenCL C, for integers"),
    ("malloc", "a kernel cannot allocate memory: the host makes the buffers"),
    ("free", "a kernel cannot allocate memory: the host makes the buffers"),
    ("memcpy", "OpenCL C has no C library: copy the elements in a loop"),
    ("memset", "OpenCL C has no C library: set the elements in a loop"),
    ("rand", "OpenCL C has no C library: the host makes random numbers"),
    ("assert", "OpenCL C has no assert: use printf, or an if"),
    ("sqrtf", "functions have no suffix in OpenCL C: sqrt takes a float"),
    ("fabsf", "functions have no suffix in OpenCL C: fabs takes a float"),
    ("fmaf", "functions have no suffix in OpenCL C: fma takes a float"),
    ("sinf", "functions have no suffix in OpenCL C: sin takes a float"),
    ("cosf", "functions have no suffix in OpenCL C: cos takes a float"),
    ("expf", "functions have no suffix in OpenCL C: exp takes a float"),
    ("fminf", "functions have no suffix in OpenCL C: fmin takes a float"),
    ("fmaxf", "functions have no suffix in OpenCL C: fmax takes a float"),
];

/// The functions of OpenCL C 1.2 that kernels of this course's kind use.
const FUNCTIONS: &str = "\
    get_work_dim get_global_size get_global_id get_local_size get_local_id get_num_groups \
    get_group_id get_global_offset \
    barrier mem_fence read_mem_fence write_mem_fence \
    vload2 vload3 vload4 vload8 vload16 vstore2 vstore3 vstore4 vstore8 vstore16 \
    vload_half vstore_half prefetch async_work_group_copy wait_group_events \
    fma mad mad24 mul24 mad_hi mul_hi dot cross length distance normalize \
    min max clamp mix step sign abs abs_diff fabs fmin fmax fmod floor ceil round trunc rint \
    sqrt rsqrt cbrt exp exp2 exp10 log log2 log10 pow pown powr sin cos tan asin acos atan atan2 \
    sinh cosh tanh hypot ldexp isnan isinf isfinite select bitselect shuffle shuffle2 any all \
    native_exp native_log native_sqrt native_rsqrt native_recip native_divide native_sin native_cos \
    rotate popcount clz hadd rhadd upsample \
    atomic_add atomic_sub atomic_inc atomic_dec atomic_xchg atomic_cmpxchg atomic_min atomic_max \
    convert_int convert_float convert_double convert_int4 convert_float4 convert_double4 \
    as_int as_uint as_float as_int4 as_uint4 as_float4 printf";

/// And its types, qualifiers and constants.
const OTHERS: &str = "\
    CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE \
    kernel global local constant private void const restrict volatile inline unsigned struct \
    bool char uchar short ushort int uint long ulong float double half size_t ptrdiff_t \
    int2 int3 int4 int8 int16 uint2 uint4 uint8 uint16 long2 long4 ulong2 ulong4 \
    float2 float3 float4 float8 float16 double2 double3 double4 double8 double16 \
    INFINITY NAN FLT_MAX FLT_MIN FLT_EPSILON INT_MAX INT_MIN M_PI M_PI_F true false NULL";

/// What a name of CUDA or of the C library is called here.
pub fn elsewhere(name: &str) -> Option<&'static str> {
    let known = ELSEWHERE.iter().find(|(theirs, _)| *theirs == name);
    known.map(|(_, words)| *words)
}

/// The name in the kernel file or in OpenCL C that `name` was most likely meant to be: so
/// few letters away that it can be a slip of the fingers, and alone in that.
pub fn nearest(name: &str, visible: &BTreeSet<&str>, is_function: bool) -> Option<String> {
    let of_language = if is_function { FUNCTIONS } else { OTHERS };
    let words: BTreeSet<&str> = visible
        .iter()
        .copied()
        .chain(of_language.split(' '))
        .collect();
    let slips = match name.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let distance = |word: &str| strsim::damerau_levenshtein(name, word);
    let near = words.into_iter().filter(|word| is_slip(name, word));
    let near: Vec<(usize, &str)> = near.map(|word| (distance(word), word)).collect();
    let (least, word) = near.iter().min().filter(|(least, _)| *least <= slips)?;
    let alone = near
        .iter()
        .filter(|(distance, _)| distance == least)
        .count()
        == 1;
    alone.then(|| word.to_string())
}

/// False where two names of one kind were given on purpose: `DIM_X` beside `DIM_Y`, `sum1`
/// beside `sum2`; and for short names of which one letter is another.
fn is_slip(name: &str, word: &str) -> bool {
    let without_digits = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
    let pairs = || name.chars().zip(word.chars());
    let others: Vec<usize> = (0..)
        .zip(pairs())
        .filter(|(_, (a, b))| a != b)
        .map(|(i, _)| i)
        .collect();
    let (length, of_word) = (name.chars().count(), word.chars().count());
    let one_letter = length == of_word && others.len() == 1;
    let purpose = one_letter && (length < 5 || others == [length - 1]);
    !purpose && without_digits(name) != without_digits(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_fingers_is_told_from_another_name() {
        let seen = [
            "demo",
            "tile",
            "sum",
            "column",
            "_tile_1",
            "TRANSPOSEY",
            "acc1",
            "row_a",
            "row_b",
        ];
        let seen = BTreeSet::from(seen);
        for (typed, meant) in [
            ("CLK_LOCAL_MEMFENCE", Some("CLK_LOCAL_MEM_FENCE")),
            ("flaot", Some("float")),
            ("sume", Some("sum")),
            ("colunm", Some("column")),
            ("_tlie_1", Some("_tile_1")),
            ("flost", Some("float")),
            ("x", None),
            ("x16", None),
            ("su", None),
            ("sxmxe", None),
            ("cxlxmx", None),
            ("unknown_thing", None),
            // One letter of few is another; the last one; a digit; two that are as near.
            ("sun", None),
            ("title", Some("tile")),
            ("tine", None),
            ("TRANSPOSEX", None),
            ("acc2", None),
            ("row_", None),
            ("roww_ab", None),
            // A function's name, or a word of the language, for a variable.
            ("fam", None),
            ("four", None),
        ] {
            assert_eq!(nearest(typed, &seen, false).as_deref(), meant, "{typed}");
        }
        for (typed, meant) in [
            ("get_globl_id", Some("get_global_id")),
            ("get_locla_id", Some("get_local_id")),
            ("bariier", Some("barrier")),
            ("vlaod4", Some("vload4")),
            ("fam", Some("fma")),
            ("foo", None),
            ("flaot", None),
        ] {
            assert_eq!(nearest(typed, &seen, true).as_deref(), meant, "{typed}");
        }
    }

    #[test]
    fn a_name_of_cuda_is_translated() {
        let words = "CUDA's blockIdx.x is get_group_id(0) in OpenCL C";
        assert_eq!(elsewhere("blockIdx"), Some(words));
        assert_eq!(elsewhere("get_group_id"), None);
    }
}
