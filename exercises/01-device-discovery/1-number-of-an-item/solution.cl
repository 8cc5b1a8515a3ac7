// Exercise 1.1: the number of an item. out[i] = i.
//
// The items of an NDRange come in work-groups. An item knows its place in its group,
// get_local_id(0), its group's place, get_group_id(0), and the items of a group,
// get_local_size(0). Compute its number among all items from these three, without
// get_global_id.

kernel void numbers(int n,
                    global int *out) // [n]
{
    // ---- your lines begin
    const int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    // ---- your lines end
    if (i < n)
        out[i] = i;
}
