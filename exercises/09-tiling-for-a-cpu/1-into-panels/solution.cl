// Exercise 9.1: into panels. B[rows][columns] is to become panels[p][rows][PANEL].
//
// Panel p holds columns p * PANEL to p * PANEL + PANEL - 1 of B, row after row. What
// the last panel has too many is zero. There is an item for each element of the panels:
// dimension 0 counts columns, up to a multiple of PANEL. As it stands the kernel is
// right for one panel only.

#define PANEL 8

kernel void pack(int rows, int columns,
                 global const float *B, // [rows][columns]
                 global float *panels)  // [panels][rows][PANEL]
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (row >= rows || column >= (columns + PANEL - 1) / PANEL * PANEL)
        return;

    const float b = column < columns ? B[row * columns + column] : 0.0f;
    // ---- your lines begin
    const int panel = column / PANEL;
    panels[(panel * rows + row) * PANEL + column % PANEL] = b;
    // ---- your lines end
}
