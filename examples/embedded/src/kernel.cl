// Collatz: how many steps each number takes down to 1, halving or 3 n + 1.
kernel void collatz(int n, global int *steps)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    int count = 0;
    for (ulong number = i + 1; number != 1; count++)
        number = number % 2 ? 3 * number + 1 : number / 2;
    steps[i] = count;
}
