// As a generator writes it: what follows came from there.
#line 500 "grammar.y"
float h(float x)
{
    return x * missing6;
}
