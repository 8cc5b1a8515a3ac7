//! Every OpenCL status code: its name, what it means, the likely cause in a
//! course like this one, and the next thing to try.
//!
//! Numbers and names are those of the Khronos header `cl.h` and of the loader;
//! -2000 and -2001 are opencl3's own, for a library that could not be loaded;
//! -9999 is NVIDIA's; -1024 to -1007 belong to clBLAS, and stand here because
//! people look them up in the same place.

/// One status code and what to do about it.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The number that the driver returned.
    pub code: i32,
    /// Its name in the headers.
    pub name: &'static str,
    /// What the name means, in one sentence.
    pub meaning: &'static str,
    /// Why a learner usually meets it.
    pub cause: &'static str,
    /// The next thing to try.
    pub next: &'static str,
}

/// Looks a status code up.
pub fn explain(code: i32) -> Option<&'static Code> {
    CODES.iter().find(|known| known.code == code)
}

const fn code(
    code: i32,
    name: &'static str,
    meaning: &'static str,
    cause: &'static str,
    next: &'static str,
) -> Code {
    Code {
        code,
        name,
        meaning,
        cause,
        next,
    }
}

const SETUP: &str = "run ./setup, which says what is missing and installs it";
const HOST_BUG: &str = "compare the host's calls with lesson 2, which writes every one of them out";
const LISTING: &str =
    "see what there is with `cargo run -p lesson01`, and choose another with --device";
const LIMITS: &str = "compare the launch with the device's limits in `cargo run -p lesson01`";
const SMALLER: &str = "use a smaller --size, or close what else uses the device's memory";
const UNUSED: &str = "the course makes no such call; look where this one came from";

/// Every code, in the order of the headers.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    code(0, "CL_SUCCESS", "the call succeeded", "nothing is wrong", "go on"),
    code(-1, "CL_DEVICE_NOT_FOUND", "the platform has no device of the type asked for",
        "a driver is installed, but the hardware that it drives is not there, or is not accessible to you", SETUP),
    code(-2, "CL_DEVICE_NOT_AVAILABLE", "the device exists but cannot be used now",
        "another program holds it exclusively, or it is being reset", LISTING),
    code(-3, "CL_COMPILER_NOT_AVAILABLE", "this driver carries no compiler",
        "an embedded profile, which only loads ready-made binaries", "build the kernel ahead of time on another machine, or choose another device"),
    code(-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE", "the device could not find memory for a buffer",
        "the matrices are larger than the memory that is free now; many drivers allocate at first use", SMALLER),
    code(-5, "CL_OUT_OF_RESOURCES", "the device ran out of something, or a kernel failed while running",
        "too many registers or too much local memory for the group size; on NVIDIA also a kernel that wrote outside its buffers",
        "try a smaller group; then run the kernel under Oclgrind, which names the line of a bad access"),
    code(-6, "CL_OUT_OF_HOST_MEMORY", "the driver could not allocate memory on the host",
        "the machine's own memory is full", SMALLER),
    code(-7, "CL_PROFILING_INFO_NOT_AVAILABLE", "the event has no times",
        "the queue was created without CL_QUEUE_PROFILING_ENABLE, or the command has not ended yet",
        "create the queue with profiling enabled and wait for the event before reading its times"),
    code(-8, "CL_MEM_COPY_OVERLAP", "source and target of a copy overlap",
        "both name the same buffer and their ranges meet", "copy through another buffer"),
    code(-9, "CL_IMAGE_FORMAT_MISMATCH", "two images have different formats", "a copy between unlike images", UNUSED),
    code(-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED", "the device does not support this image format", "an image made for another device", UNUSED),
    code(-11, "CL_BUILD_PROGRAM_FAILURE", "the kernel source does not compile",
        "a mistake in the kernel file; the build log tells the line", "read the first error of the log; --raw-log shows the driver's own words"),
    code(-12, "CL_MAP_FAILURE", "a buffer could not be mapped into the host's memory", "not enough address space or memory", SMALLER),
    code(-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET", "a sub-buffer starts at an address the device cannot use",
        "its offset is no multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN bits", "round the offset up"),
    code(-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "a command that this one waited for has failed",
        "the real error happened earlier", "look for the first failure, not for this one"),
    code(-15, "CL_COMPILE_PROGRAM_FAILURE", "the kernel source does not compile", "a mistake in the kernel file", "read the build log"),
    code(-16, "CL_LINKER_NOT_AVAILABLE", "this driver carries no linker", "an embedded profile", "build in one step with clBuildProgram"),
    code(-17, "CL_LINK_PROGRAM_FAILURE", "compiled parts do not link", "a function that is declared and nowhere defined", "read the build log"),
    code(-18, "CL_DEVICE_PARTITION_FAILED", "the device could not be divided into sub-devices", "more parts asked for than there are compute units", UNUSED),
    code(-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", "the driver kept no information about the kernel's arguments",
        "the program was built without -cl-kernel-arg-info, or from a binary", "build from source with that option"),
    code(-30, "CL_INVALID_VALUE", "an argument of the call is out of range",
        "a zero size, a null pointer, or a byte range that ends after the buffer", HOST_BUG),
    code(-31, "CL_INVALID_DEVICE_TYPE", "no such type of device", "a wrong constant in the query", HOST_BUG),
    code(-32, "CL_INVALID_PLATFORM", "no such platform", "a null or stale platform handle", HOST_BUG),
    code(-33, "CL_INVALID_DEVICE", "no such device in this context",
        "the program or queue was made for another device than the context", "use one and the same device for context, queue and build"),
    code(-34, "CL_INVALID_CONTEXT", "no such context, or objects of two contexts were mixed", "a buffer or queue of another device's context", HOST_BUG),
    code(-35, "CL_INVALID_QUEUE_PROPERTIES", "the device cannot make such a queue", "out-of-order execution or an on-device queue where there is none", "ask for profiling only"),
    code(-36, "CL_INVALID_COMMAND_QUEUE", "no such queue, or it died",
        "a kernel crashed earlier and took the queue along (NVIDIA), or the handle was released", "look at the launch before this call; run it under Oclgrind"),
    code(-37, "CL_INVALID_HOST_PTR", "the host pointer does not fit the flags", "CL_MEM_COPY_HOST_PTR without data, or data without the flag", HOST_BUG),
    code(-38, "CL_INVALID_MEM_OBJECT", "no such buffer", "it was released before its last use", "keep the Buffer alive until the queue is finished; never `.into()` its handle out of it"),
    code(-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "the image format is not valid", "a wrong format constant", UNUSED),
    code(-40, "CL_INVALID_IMAGE_SIZE", "the image is larger than the device allows", "see CL_DEVICE_IMAGE2D_MAX_WIDTH", UNUSED),
    code(-41, "CL_INVALID_SAMPLER", "no such sampler", "a stale handle", UNUSED),
    code(-42, "CL_INVALID_BINARY", "the program binary does not fit this device or driver",
        "it was built for another device, by another driver version, or is truncated", "build it again from source on this machine"),
    code(-43, "CL_INVALID_BUILD_OPTIONS", "the compiler does not know an option",
        "an option of another vendor or a malformed -D", "keep to the options of the OpenCL standard; PoCL refuses even -Wall"),
    code(-44, "CL_INVALID_PROGRAM", "no such program", "it was never created, or released", HOST_BUG),
    code(-45, "CL_INVALID_PROGRAM_EXECUTABLE", "the program is not built for this device", "clBuildProgram was not called, or failed unseen", "check the build's result before using the program"),
    code(-46, "CL_INVALID_KERNEL_NAME", "the program has no kernel of this name", "a typing error, or the function lacks the word `kernel`", "see the names with --list"),
    code(-47, "CL_INVALID_KERNEL_DEFINITION", "the kernel has different arguments on different devices", "an #ifdef around the argument list", "give it one signature"),
    code(-48, "CL_INVALID_KERNEL", "no such kernel", "a stale handle", HOST_BUG),
    code(-49, "CL_INVALID_ARG_INDEX", "the kernel has no argument of this number", "the host sets more arguments than the kernel declares", "compare the kernel's signature with the host's list"),
    code(-50, "CL_INVALID_ARG_VALUE", "the argument's value is not acceptable", "a null buffer, or a value for a local argument", "pass a size, and no value, for a local argument"),
    code(-51, "CL_INVALID_ARG_SIZE", "the argument's size differs from the kernel's type",
        "a 64-bit host integer (usize, long) for a kernel `int`, or double for float", "use the cl_int, cl_float ... types on the host"),
    code(-52, "CL_INVALID_KERNEL_ARGS", "not all arguments are set", "the host sets fewer arguments than the kernel declares", "compare the kernel's signature with the host's list"),
    code(-53, "CL_INVALID_WORK_DIMENSION", "the NDRange has 0 or more than 3 dimensions", "an empty list of sizes", "use one to three dimensions"),
    code(-54, "CL_INVALID_WORK_GROUP_SIZE", "the device cannot run groups of this shape",
        "more items than CL_DEVICE_MAX_WORK_GROUP_SIZE or CL_KERNEL_WORK_GROUP_SIZE, a global size that the local size does not divide, or another shape than reqd_work_group_size",
        "round the global size up to a multiple of the local size, guard in the kernel, and keep the group within the limits of lesson 1"),
    code(-55, "CL_INVALID_WORK_ITEM_SIZE", "one dimension of the group is too long", "see CL_DEVICE_MAX_WORK_ITEM_SIZES", LIMITS),
    code(-56, "CL_INVALID_GLOBAL_OFFSET", "the NDRange starts too far out", "offset plus size overflow", HOST_BUG),
    code(-57, "CL_INVALID_EVENT_WAIT_LIST", "the list of events to wait for is not valid", "a null event, or a count without a list", HOST_BUG),
    code(-58, "CL_INVALID_EVENT", "no such event", "it was released before use", HOST_BUG),
    code(-59, "CL_INVALID_OPERATION", "the call does not apply to this object", "reading from a buffer that the host may not read, or an extension that is not there", HOST_BUG),
    code(-60, "CL_INVALID_GL_OBJECT", "the OpenGL object cannot be shared", "an incomplete texture", UNUSED),
    code(-61, "CL_INVALID_BUFFER_SIZE", "a buffer of this size cannot be made",
        "zero bytes, or more than CL_DEVICE_MAX_MEM_ALLOC_SIZE", SMALLER),
    code(-62, "CL_INVALID_MIP_LEVEL", "no such mipmap level", "a wrong level number", UNUSED),
    code(-63, "CL_INVALID_GLOBAL_WORK_SIZE", "the global size is zero or too large", "a dimension of 0 (allowed since 2.1), or above 32 bits on a 32-bit device", LIMITS),
    code(-64, "CL_INVALID_PROPERTY", "a property is not valid", "a list without its closing zero, or a property of a newer version", HOST_BUG),
    code(-65, "CL_INVALID_IMAGE_DESCRIPTOR", "the image description is not valid", "a wrong type or pitch", UNUSED),
    code(-66, "CL_INVALID_COMPILER_OPTIONS", "clCompileProgram does not know an option", "an option of another vendor", "keep to the options of the standard"),
    code(-67, "CL_INVALID_LINKER_OPTIONS", "clLinkProgram does not know an option", "an option of another vendor", "keep to the options of the standard"),
    code(-68, "CL_INVALID_DEVICE_PARTITION_COUNT", "too many sub-devices asked for", "more than CL_DEVICE_PARTITION_MAX_SUB_DEVICES", UNUSED),
    code(-69, "CL_INVALID_PIPE_SIZE", "the pipe is too large", "see CL_DEVICE_PIPE_MAX_PACKET_SIZE", UNUSED),
    code(-70, "CL_INVALID_DEVICE_QUEUE", "no such on-device queue", "the device has none", UNUSED),
    code(-71, "CL_INVALID_SPEC_ID", "no such specialisation constant", "a wrong number for a SPIR-V constant", UNUSED),
    code(-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED", "a size limit of the device was exceeded", "a kernel argument or buffer above a device limit", LIMITS),
    code(-1000, "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR", "no such OpenGL share group", "OpenGL and OpenCL on different devices", UNUSED),
    code(-1001, "CL_PLATFORM_NOT_FOUND_KHR", "the loader found no OpenCL platform",
        "no driver is installed, its .icd file is missing from /etc/OpenCL/vendors, or OCL_ICD_VENDORS names the wrong folder", SETUP),
    code(-1002, "CL_INVALID_D3D10_DEVICE_KHR", "no such Direct3D 10 device", "sharing with another adapter", UNUSED),
    code(-1003, "CL_INVALID_D3D10_RESOURCE_KHR", "no such Direct3D 10 resource", "a resource that cannot be shared", UNUSED),
    code(-1004, "CL_D3D10_RESOURCE_ALREADY_ACQUIRED_KHR", "the resource is already acquired", "acquired twice", UNUSED),
    code(-1005, "CL_D3D10_RESOURCE_NOT_ACQUIRED_KHR", "the resource was not acquired", "used before acquiring", UNUSED),
    code(-1006, "CL_INVALID_D3D11_DEVICE_KHR", "no such Direct3D 11 device", "sharing with another adapter", UNUSED),
    code(-1007, "clblasInsufficientMemVecY", "clBLAS: the buffer of vector y is too small", "a wrong length or offset (-1007 is also CL_INVALID_D3D11_RESOURCE_KHR)", "check the buffer's size"),
    code(-1008, "clblasInsufficientMemVecX", "clBLAS: the buffer of vector x is too small", "a wrong length or offset", "check the buffer's size"),
    code(-1009, "clblasInsufficientMemMatC", "clBLAS: the buffer of matrix C is too small", "a wrong leading dimension or offset", "check the buffer's size"),
    code(-1010, "clblasInsufficientMemMatB", "clBLAS: the buffer of matrix B is too small", "a wrong leading dimension or offset", "check the buffer's size"),
    code(-1011, "clblasInsufficientMemMatA", "clBLAS: the buffer of matrix A is too small", "a wrong leading dimension or offset", "check the buffer's size"),
    code(-1012, "clblasInvalidIncY", "clBLAS: the increment of y is not valid", "an increment of 0", "use an increment other than 0"),
    code(-1013, "clblasInvalidIncX", "clBLAS: the increment of x is not valid", "an increment of 0", "use an increment other than 0"),
    code(-1014, "clblasInvalidLeadDimC", "clBLAS: the leading dimension of C is too small", "row-major and column-major mixed up", "use the row length for row-major matrices"),
    code(-1015, "clblasInvalidLeadDimB", "clBLAS: the leading dimension of B is too small", "row-major and column-major mixed up", "use the row length for row-major matrices"),
    code(-1016, "clblasInvalidLeadDimA", "clBLAS: the leading dimension of A is too small", "row-major and column-major mixed up", "use the row length for row-major matrices"),
    code(-1017, "clblasInvalidDim", "clBLAS: a dimension is 0", "an empty matrix", "use M, N, K of 1 or more"),
    code(-1018, "clblasInvalidVecY", "clBLAS: y is no buffer", "a stale handle", "keep the buffer alive"),
    code(-1019, "clblasInvalidVecX", "clBLAS: x is no buffer", "a stale handle", "keep the buffer alive"),
    code(-1020, "clblasInvalidMatC", "clBLAS: C is no buffer", "a stale handle", "keep the buffer alive"),
    code(-1021, "clblasInvalidMatB", "clBLAS: B is no buffer", "a stale handle", "keep the buffer alive"),
    code(-1022, "clblasInvalidMatA", "clBLAS: A is no buffer", "a stale handle", "keep the buffer alive"),
    code(-1023, "clblasNotInitialized", "clBLAS was not set up", "clblasSetup() was not called", "call it first"),
    code(-1024, "clblasNotImplemented", "clBLAS does not implement this", "an unusual combination of options", "use another routine"),
    code(-1057, "CL_DEVICE_PARTITION_FAILED_EXT", "the device could not be divided", "an old extension", UNUSED),
    code(-1058, "CL_INVALID_PARTITION_COUNT_EXT", "too many parts asked for", "an old extension", UNUSED),
    code(-1059, "CL_INVALID_PARTITION_NAME_EXT", "no such part", "an old extension", UNUSED),
    code(-1092, "CL_EGL_RESOURCE_NOT_ACQUIRED_KHR", "the EGL resource was not acquired", "used before acquiring", UNUSED),
    code(-1093, "CL_INVALID_EGL_OBJECT_KHR", "no such EGL object", "a stale handle", UNUSED),
    code(-2000, "DLOPEN_RUNTIME_LOAD_FAILED", "there is no OpenCL loader on this machine",
        "libOpenCL.so.1 (OpenCL.dll, the OpenCL framework) is not installed", SETUP),
    code(-2001, "DLOPEN_FUNCTION_NOT_AVAILABLE", "the library that was loaded lacks an OpenCL function",
        "OPENCL_DYLIB_PATH names something that is not OpenCL, or a driver older than the call",
        "unset OPENCL_DYLIB_PATH, then run ./setup --check"),
    code(-9999, "NVIDIA: illegal access", "a kernel read or wrote memory that it may not touch",
        "an index out of range; the driver notices at the next call, not at the bad one", "run the kernel under Oclgrind, which names the line"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_headers_is_explained_once() {
        let headers = (-19..=0).chain(-72..=-30).chain([-1001, -2000, -2001]);
        for number in headers {
            let count = CODES.iter().filter(|known| known.code == number).count();
            assert_eq!(count, 1, "code {number}");
        }
    }

    #[test]
    fn names_agree_with_the_ones_of_the_bindings() {
        for known in CODES.iter().filter(|known| (-72..=0).contains(&known.code)) {
            let theirs = opencl3::error_codes::ClError(known.code).to_string();
            assert_eq!(theirs, known.name, "code {}", known.code);
        }
    }

    #[test]
    fn an_unknown_code_has_no_explanation() {
        assert!(explain(-4242).is_none());
    }
}
