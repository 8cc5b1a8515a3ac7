// Exercise 1.3: the last group. out[g] = how many of n elements fall to group g.
//
// There are as many groups as it takes: the NDRange is n, rounded up to whole groups.
// All groups but the last are full. The first item of each group writes the number of
// its group's items that have an element.

kernel void group_counts(int n,
                         global int *out) // [groups]
{
    const int size = get_local_size(0);
    const int group = get_group_id(0);

    // ---- your lines begin
    const int count = min(size, n - group * size);
    // ---- your lines end
    if (get_local_id(0) == 0)
        out[group] = count;
}
