// An OpenCL program that makes the mistakes which `course calls` names. No word: nothing.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
    const char *word = count > 1 ? words[1] : "";
    cl_platform_id platform;
    cl_device_id device;
    if (!strcmp(word, "fork") && fork() > 0) {
        wait(NULL);
        return 0;
    }
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    if (!strcmp(word, "crash"))
        *(volatile int *)8 = 1;
    if (!strcmp(word, "hang")) {
        cl_event never = clCreateUserEvent(context, NULL);
        clWaitForEvents(1, &never);
    }
    const char *text = !strcmp(word, "escape") ? "kernel void \033[31mk() {}" : "kernel void k(int n) {}";
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, !strcmp(word, "escape") ? "-D\033[31m" : "", NULL, NULL);
    if (strcmp(word, "all"))
        return 0;
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    clSetKernelArg(kernel, 0, 8, &context); // an int has four bytes
    const char *wrong = "kernel void k(int n) { m; }";
    cl_program fails = clCreateProgramWithSource(context, 1, &wrong, NULL, NULL);
    clBuildProgram(fails, 1, &device, "", NULL, NULL); // nobody reads its log
    cl_command_queue first = clCreateCommandQueue(context, device, 0, NULL);
    cl_command_queue second = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    char host[4096] = {0}, result[4096];
    clEnqueueWriteBuffer(first, buffer, CL_TRUE, 0, 4096, host, 0, NULL, NULL);
    clFinish(first);                                                            // has nothing to do
    clEnqueueWriteBuffer(first, buffer, CL_TRUE, 0, 4096, host, 0, NULL, NULL); // the same bytes
    clEnqueueFillBuffer(first, buffer, "x", 1, 0, 4096, 0, NULL, NULL);
    clEnqueueReadBuffer(second, buffer, CL_FALSE, 0, 4096, result, 0, NULL, NULL); // too early
    return 0; // and nothing is released
}
