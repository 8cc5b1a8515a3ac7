// An OpenCL program that makes one mistake, by a word; `right` does what looks like each, and may.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define N 4096
#define IS(name) (!strcmp(word, name))

static const char *text = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }\n"
                          "kernel void add(global const int *x, global int *y, ulong more)\n"
                          "{ y[get_global_id(0)] = x[get_global_id(0)] + more; }";
static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_kernel twice, add;

static cl_mem buffer(cl_context of, cl_mem_flags flags, void *host)
{
    return clCreateBuffer(of, CL_MEM_READ_WRITE | flags, N, host, NULL);
}

static cl_mem image(cl_mem_flags flags, void *host)
{
    cl_image_format format = {CL_R, CL_FLOAT};
    cl_image_desc shape = {CL_MEM_OBJECT_IMAGE2D, 8, 8};
    return clCreateImage(context, CL_MEM_READ_WRITE | flags, &format, &shape, host, NULL);
}

static void launch(cl_kernel kernel, cl_event *event)
{
    size_t items = N / 4;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, event);
}

static cl_program build(const char *options)
{
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, options, NULL, NULL);
    return program;
}

static void CL_CALLBACK unmap(cl_event event, cl_int status, void *host)
{
    munmap(host, N);
}

static void *pages(void)
{
    void *host = mmap(NULL, N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memset(host, 1, N);
}

// What looks like a mistake, and is none.
static void right(cl_mem x, cl_mem y, int *host, int *result)
{
    for (int i = 0; i < 20; i++) { // the memory is changed once the write has ended
        cl_event event;
        host[0] = i;
        clEnqueueWriteBuffer(queue, x, CL_FALSE, 0, N, host, 0, NULL, &event);
        launch(twice, NULL);
        clFlush(queue);
        if (i % 2)
            clWaitForEvents(1, &event);
        for (cl_int state = CL_QUEUED; state != CL_COMPLETE;)
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
        clReleaseEvent(event);
    }
    // Read where it was written from, in the order of the queue.
    clEnqueueWriteBuffer(queue, x, CL_FALSE, 0, N, host, 0, NULL, NULL);
    launch(twice, NULL);
    clEnqueueReadBuffer(queue, x, CL_FALSE, 0, N, host, 0, NULL, NULL);
    clEnqueueWriteBuffer(queue, y, CL_FALSE, 0, N, host, 0, NULL, NULL);
    clFinish(queue);
    // Freed by who is called back.
    void *page = pages();
    cl_event event;
    clEnqueueWriteBuffer(queue, x, CL_FALSE, 0, N, page, 0, NULL, &event);
    clSetEventCallback(event, CL_COMPLETE, unmap, page);
    clFinish(queue);
    clReleaseEvent(event);
    // Held twice, released twice; and mapped before and after a launch.
    clRetainMemObject(x);
    clReleaseMemObject(x);
    int *mapped = clEnqueueMapBuffer(queue, x, CL_TRUE, CL_MAP_WRITE, 0, N, 0, NULL, NULL, NULL);
    memset(mapped, 1, N);
    clEnqueueUnmapMemObject(queue, x, mapped, 0, NULL, NULL);
    launch(twice, NULL);
    mapped = clEnqueueMapBuffer(queue, x, CL_TRUE, CL_MAP_READ, 0, N, 0, NULL, NULL, NULL);
    clEnqueueUnmapMemObject(queue, x, mapped, 0, NULL, NULL);
    // An event that is set, and waited for before and after; a program with other options.
    cl_event own = clCreateUserEvent(context, NULL);
    clEnqueueReadBuffer(queue, x, CL_FALSE, 0, N, result, 1, &own, NULL);
    clSetUserEventStatus(own, CL_COMPLETE);
    clWaitForEvents(1, &own);
    clFinish(queue);
    clReleaseEvent(own);
    clReleaseProgram(build("-DOTHER"));
    // More than 4 GiB, and less than 0.
    for (int i = 0; i < 3; i++) {
        cl_ulong more[] = {1ul << 32, -5, 6000000001};
        clSetKernelArg(add, 2, sizeof *more, &more[i]);
    }
    // Images that were given pixels.
    const size_t from[3] = {0}, sides[] = {8, 8, 1};
    cl_mem images[] = {image(CL_MEM_COPY_HOST_PTR, host), image(0, NULL), image(0, NULL), image(0, NULL)};
    clEnqueueCopyImage(queue, images[0], images[1], from, from, sides, 0, NULL, NULL);
    clEnqueueCopyBufferToImage(queue, x, images[2], 0, from, sides, 0, NULL, NULL);
    size_t row;
    mapped = clEnqueueMapImage(queue, images[3], CL_TRUE, CL_MAP_WRITE, from, sides, &row, NULL, 0, NULL, NULL, NULL);
    memset(mapped, 1, 8 * row);
    clEnqueueUnmapMemObject(queue, images[3], mapped, 0, NULL, NULL);
    for (int i = 0; i < 4; i++) {
        clEnqueueReadImage(queue, images[i], CL_TRUE, from, sides, 0, 0, result, 0, NULL, NULL);
        clReleaseMemObject(images[i]);
    }
    // A few waits for the host's clock.
    for (int i = 0; i < 5; i++) {
        launch(twice, NULL);
        clFinish(queue);
    }
}

int main(int count, char **words)
{
    const char *word = count > 1 ? words[1] : "";
    cl_platform_id platform;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = build("");
    twice = clCreateKernel(program, "twice", NULL);
    add = clCreateKernel(program, "add", NULL);
    int *host = calloc(N, 1), *result = calloc(N, 1), beside[] = {16, 77};
    cl_mem x = buffer(context, IS("unwritten") ? 0 : CL_MEM_COPY_HOST_PTR, IS("unwritten") ? NULL : host);
    cl_mem y = buffer(context, 0, NULL);
    cl_ulong more = 3;
    clSetKernelArg(twice, 0, sizeof x, &x);
    clSetKernelArg(add, 0, sizeof x, &x);
    clSetKernelArg(add, 1, sizeof y, &y);
    clSetKernelArg(add, 2, sizeof more, &more);
    if (IS("changed") || IS("freed")) {
        void *page = pages();
        clEnqueueWriteBuffer(queue, x, CL_FALSE, 0, N, page, 0, NULL, NULL);
        launch(twice, NULL);
        // Freed, and given to somebody else: a driver that still reads it does not crash.
        if (IS("freed"))
            mmap(page, N, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        else
            memset(page, 2, N);
        clFinish(queue);
    } else if (IS("released")) {
        cl_event event;
        launch(twice, &event);
        clReleaseEvent(event);
        clReleaseEvent(event);
        clFinish(queue);
    } else if (IS("queue-released")) {
        clRetainCommandQueue(queue);
        clReleaseCommandQueue(queue), clReleaseCommandQueue(queue);
        launch(twice, NULL);
    } else if (IS("argument-released")) {
        cl_mem z = buffer(context, CL_MEM_COPY_HOST_PTR, host);
        clSetKernelArg(twice, 0, sizeof z, &z);
        clReleaseMemObject(z);
        launch(twice, NULL);
    } else if (IS("mapped")) {
        int *mapped = clEnqueueMapBuffer(queue, x, CL_TRUE, CL_MAP_WRITE, 0, N, 0, NULL, NULL, NULL);
        launch(twice, NULL);
        clEnqueueUnmapMemObject(queue, x, mapped, 0, NULL, NULL);
        clFinish(queue);
    } else if (IS("unwritten")) {
        launch(add, NULL);
        clFinish(queue);
    } else if (IS("unwritten-image")) {
        clEnqueueReadImage(queue, image(0, NULL), CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){8, 8, 1}, 0, 0, result, 0, NULL, NULL);
    } else if (IS("built")) {
        for (int i = 0; i < 6; i++)
            clReleaseProgram(build("-DSAME"));
    } else if (IS("between")) {
        for (int i = 0; i < 200; i++) {
            clSetKernelArg(twice, 0, sizeof x, &x);
            launch(twice, NULL);
            clFinish(queue);
        }
    } else if (IS("unset")) {
        cl_event never = clCreateUserEvent(context, NULL);
        clEnqueueReadBuffer(queue, x, CL_FALSE, 0, N, result, 1, &never, NULL);
        clFinish(queue);
    } else if (IS("longer")) {
        clSetKernelArg(add, 2, sizeof(cl_ulong), beside);
        launch(add, NULL);
        clFinish(queue);
    } else if (IS("context")) {
        cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
        cl_mem z = buffer(other, 0, NULL);
        clEnqueueWriteBuffer(queue, z, CL_TRUE, 0, N, host, 0, NULL, NULL);
        clFinish(queue);
        clReleaseMemObject(z);
        clReleaseContext(other);
    } else if (IS("right")) {
        right(x, y, host, result);
    }
    clReleaseKernel(twice), clReleaseKernel(add), clReleaseProgram(program);
    clReleaseMemObject(x), clReleaseMemObject(y);
    clReleaseCommandQueue(queue), clReleaseContext(context);
    return 0;
}
