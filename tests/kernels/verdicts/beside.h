// What lies beside a kernel file is found from wherever the program was started.
#define TWICE(x) (2 * (x))
