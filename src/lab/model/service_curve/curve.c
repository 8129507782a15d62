/* SPDX-License-Identifier: MIT */
/* S(t) = max over the points of r (t - delay): Lübben and Fidler, equations 7 and 8. */
#include <livetcp/service_curve.h>

#include <math.h>

double livetcp_service(const livetcp_service_point *points, size_t count, livetcp_usec t_us)
{
    double max_bits = 0;

    for (size_t i = 0; i < count; i++) {
        double served = points[i].rate * (double)(t_us - points[i].delay_us) / LIVETCP_USEC_SEC;
        max_bits = fmax(max_bits, served);
    }
    return t_us > 0 ? max_bits : 0;
}

double livetcp_attainable_rate(const livetcp_service_point *points, size_t count, livetcp_usec t_us)
{
    return t_us > 0 ? livetcp_service(points, count, t_us) * LIVETCP_USEC_SEC / (double)t_us : 0;
}

/* The inverse of each point is bits / rate + delay; S is their maximum, so its inverse is the
 * minimum. */
livetcp_usec livetcp_service_time(const livetcp_service_point *points, size_t count, double bits)
{
    livetcp_usec min_us = INT64_MAX;

    if (!(bits > 0))
        return 0;
    for (size_t i = 0; i < count; i++) {
        double t = ceil(bits / points[i].rate * LIVETCP_USEC_SEC) + (double)points[i].delay_us;
        if (t < (double)min_us)
            min_us = (livetcp_usec)t;
    }
    return min_us;
}
