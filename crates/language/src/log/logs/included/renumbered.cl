// Numbered anew, under its own name.
#line 70
float h(float x)
{
    return x * missing6;
}
