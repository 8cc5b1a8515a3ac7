kernel void nbody(global const float4 *body, int n, float soft, global float4 *force)
{
    for (int i = 0; i < n; i++) {
        float4 sum = 0;
        for (int j = 0; j < n; j++) {
            float4 d = body[j] - body[i];
            d.w = 0;
            const float r = 1 / sqrt(dot(d, d) + soft);
            sum += body[j].w * r * r * r * d;
        }
        force[i] = sum;
    }
}
