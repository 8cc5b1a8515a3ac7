// A file of one's own.
float h(float x)
{
    return x * missing6;
}
