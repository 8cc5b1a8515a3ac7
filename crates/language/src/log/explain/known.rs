//! Messages of compilers, and what each means.

/// What a message says if all of these parts occur in it, and what that means.
pub struct Known(pub &'static [&'static str], pub &'static str);

const DOUBLES: &str = "without the extension cl_khr_fp64 a device has no type double \
    (lesson01 lists what yours has): write float, and numbers with an f, such as 1.0f";
const RECURSION: &str = "a kernel has no call stack: no function may call itself; write a loop";

/// The first that fits counts.
#[rustfmt::skip]
pub const KNOWN: &[Known] = &[
    Known(&["changes address space of pointer"],
        "a pointer's type says which memory it points into: global, local, constant or private. \
         Write the same word for the pointer as for what it points to; a pointer without a word \
         points into private memory"),
    Known(&["parameter", "address space mismatch"],
        "the argument points into another memory (global, local, private) than the function \
         says; write the same word in both places"),
    Known(&["expected '}'"],
        "a { is not closed: the compiler notices at the end of the file, the mistake is above"),
    Known(&["extraneous closing brace"],
        "there is one } too many, here or above"),
    Known(&["too few elements in vector"],
        "a vector literal takes a number for each part: (float3)(x, y, z), or one number for \
         all of them; a vector among them counts with all its parts"),
    Known(&["excess elements in vector"],
        "a vector literal takes no more numbers than the vector has parts: (float3)(x, y, z); a \
         vector among them counts with all its parts"),
    Known(&["vector component access exceeds"],
        "the vector has no such part: a float4 has .x .y .z .w, or .s0 to .s3"),
    Known(&["illegal vector component name"],
        "the parts of a vector are .x .y .z .w, or .s0 .s1 ... .s9 .sa ... .sf; halves are .lo \
         and .hi"),
    Known(&["incompatible type", "(vector of", "*"],
        "one side is a pointer, the other a vector: A[i] is one element, vload4(i, A) the i-th \
         group of four"),
    Known(&["incompatible type", "(vector of"],
        "both sides must have the same number of parts of the same type: take some parts with \
         .x, .lo or .s0, or convert with convert_float4()"),
    Known(&["cl_khr_fp64", "to be enabled"], DOUBLES),
    Known(&["cl_khr_fp64", "support"], DOUBLES),
    Known(&["Double type is not supported"], DOUBLES),
    Known(&["type '", "half", "not allowed"],
        "half is a type for memory only, without the extension cl_khr_fp16: load with \
         vload_half() and compute with float"),
    Known(&["can only be declared in the outermost scope of a kernel"],
        "a local variable belongs to the whole work-group: declare it at the top of the kernel, \
         outside of every if and loop"),
    Known(&["non-kernel function variable cannot be declared in local"],
        "only a kernel can declare local memory: declare it there and pass a pointer to this \
         function (local float *tile)"),
    Known(&["__local", "cannot have an initializer"],
        "local memory has no initial value: let the items write it, and wait with \
         barrier(CLK_LOCAL_MEM_FENCE) before anyone reads"),
    Known(&["variable length array"],
        "an array's size must be known when the kernel is built: a number or a macro, not a \
         variable or an argument"),
    Known(&["read-only variable is not assignable"],
        "this is const, or points to something const: only data without const can be written"),
    Known(&["cannot assign to", "const"],
        "this is const, or points to something const: only data without const can be written"),
    Known(&["pointer arguments to kernel functions must reside"],
        "a kernel's pointers need the memory they point into: global float *A. A pointer to a \
         pointer cannot be an argument at all"),
    Known(&["cannot be used as the type of a kernel parameter"],
        "bool, size_t and half have no fixed size on host and device, so they cannot be \
         arguments: use int or float"),
    Known(&["kernel must have void return type"],
        "a kernel returns nothing: kernel void name(...). Results go into a buffer"),
    Known(&["should not return a value"],
        "a kernel returns nothing: write the result into a buffer, and return;"),
    Known(&["program scope variable must reside in constant"],
        "a variable outside of all functions must be constant: constant float x = 1.0f;"),
    Known(&["array subscript is not an integer"],
        "an index is an int; convert with (int)x"),
    Known(&["subscripted value is not an array"],
        "a matrix is one long array here: A[row * K + k], not A[row][k]"),
    Known(&["invalid operands to binary expression"],
        "this operator does not take these types: % and bit operators want ints (fmod() is for \
         floats), and vectors need the same number of parts"),
    Known(&["is not a function or function pointer"],
        "something stands before a ( that cannot be called: is an operator missing, or is it [ \
         ] that was meant?"),
    Known(&["recursive function"], RECURSION),
    Known(&["recursion is not"], RECURSION),
    Known(&["pointers to functions are not allowed"],
        "OpenCL C has no pointers to functions: call the function by its name"),
    Known(&["redefinition of"],
        "this name is declared already, in the same { } or as an argument"),
    Known(&["no member named"],
        "the struct has no such member"),
    Known(&["has already been declared in the current scope"],
        "this name is declared already, in the same { } or as an argument"),
    Known(&["expression must be a modifiable lvalue"],
        "this cannot be written to: it is const, or points to something const, or is no variable"),
    Known(&["expression must have a constant value"],
        "an array's size must be known when the kernel is built: a number or a macro, not a \
         variable or an argument"),
    Known(&["CVMS_ERROR"],
        "Apple's compiler has failed, and does not say why: leave out half of the kernel at a \
         time, to find what it cannot take"),
    Known(&["LLVM ERROR"],
        "the driver's compiler has failed, which is its own fault: leave out half of the kernel \
         at a time, to find what it cannot take"),
];

/// Functions of numbers with a point: an int among the arguments fits several of them.
pub const OF_FLOATS: &str = " sqrt rsqrt cbrt exp exp2 exp10 log log2 log10 pow powr hypot sin cos \
    tan asin acos atan atan2 sinh cosh tanh floor ceil round trunc rint fabs fmin fmax fmod fma mad ";

/// What arguments a function takes, for those that are called wrongly most.
#[rustfmt::skip]
pub const CALLS: &[(&str, &str)] = &[
    ("barrier", "barrier takes the memory to wait for: barrier(CLK_LOCAL_MEM_FENCE), \
        or CLK_GLOBAL_MEM_FENCE, or both joined by |"),
    ("get_global_id", "get_global_id takes a dimension: get_global_id(0)"),
    ("get_local_id", "get_local_id takes a dimension: get_local_id(0)"),
    ("get_group_id", "get_group_id takes a dimension: get_group_id(0)"),
    ("get_global_size", "get_global_size takes a dimension: get_global_size(0)"),
    ("get_local_size", "get_local_size takes a dimension: get_local_size(0)"),
    ("get_num_groups", "get_num_groups takes a dimension: get_num_groups(0)"),
    ("mad", "mad(a, b, c) takes three floats or vectors of one type: a * b + c"),
    ("fma", "fma(a, b, c) takes three floats or vectors of one type: a * b + c"),
    ("dot", "dot(a, b) takes two float vectors of up to four parts"),
    ("min", "min(a, b) takes two values of one type"),
    ("max", "max(a, b) takes two values of one type"),
    ("clamp", "clamp(x, lowest, highest) takes three values of one type"),
    ("select", "select(a, b, c) gives b where c is true, else a; c is an int or an int vector"),
    ("sqrt", "sqrt(x) takes a float or a float vector"),
    ("vload2", "vload2(n, p) reads the n-th pair at pointer p"),
    ("vload4", "vload4(n, p) reads the n-th group of four at pointer p"),
    ("vload8", "vload8(n, p) reads the n-th group of eight at pointer p"),
    ("vload16", "vload16(n, p) reads the n-th group of sixteen at pointer p"),
    ("vstore2", "vstore2(v, n, p) writes v as the n-th pair at pointer p"),
    ("vstore4", "vstore4(v, n, p) writes v as the n-th group of four at pointer p"),
    ("vstore8", "vstore8(v, n, p) writes v as the n-th group of eight at pointer p"),
    ("vstore16", "vstore16(v, n, p) writes v as the n-th group of sixteen at pointer p"),
];
