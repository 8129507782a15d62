/* SPDX-License-Identifier: MIT */
#include "camera.h"

#include <stdio.h>

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFERS = 4, PATIENCE_MS = 500 };

struct camera {
    int fd;
    char name[64];
    int width, height;
    size_t stride;
    unsigned count;
    struct {
        void *start;
        size_t size;
    } buffers[BUFFERS];
};

static int ask(int fd, unsigned long request, void *argument)
{
    int result;

    do
        result = ioctl(fd, request, argument);
    while (result == -1 && errno == EINTR);
    return result;
}

static const char *advice(int cause)
{
    switch (cause) {
    case EBUSY:
        return "; another program uses it: end that first";
    case ENOENT:
    case ENXIO:
    case ENODEV:
        return "; is it plugged in? ls /dev/video* shows those there are";
    case EACCES:
    case EPERM:
        return "; the group 'video' may use it";
    case ENOTTY:
        return "; ls /dev/video* shows what there is";
    default:
        return "";
    }
}

/* False, with a message. */
static bool refuse(const camera *c, const char *what, char *message, size_t size)
{
    const int cause = errno;

    snprintf(message, size, "the camera %s %s: %s%s", c->name, cause == EBUSY ? "is busy" : what,
             strerror(cause), advice(cause));
    return false;
}

/* A webcam has a second device for metadata. */
static bool captures(const struct v4l2_capability *can)
{
    const uint32_t needed = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
    const bool of_device = can->capabilities & V4L2_CAP_DEVICE_CAPS;

    return ((of_device ? can->device_caps : can->capabilities) & needed) == needed;
}

static bool set_format(camera *c, int fps, char *message, size_t size)
{
    struct v4l2_capability can = {0};
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    struct v4l2_streamparm rate = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};

    if (ask(c->fd, VIDIOC_QUERYCAP, &can) != 0)
        return refuse(c, "is no camera", message, size);
    if (!captures(&can)) {
        snprintf(message, size,
                 "the camera %s gives no pictures; one camera has several devices, try another of "
                 "ls /dev/video*",
                 c->name);
        return false;
    }
    format.fmt.pix.width = (unsigned)c->width;
    format.fmt.pix.height = (unsigned)c->height;
    format.fmt.pix.pixelformat = V4L2_PIX_FMT_YUYV;
    format.fmt.pix.field = V4L2_FIELD_NONE;
    if (ask(c->fd, VIDIOC_S_FMT, &format) != 0)
        return refuse(c, "takes no format", message, size);
    c->width = (int)format.fmt.pix.width / 2 * 2;
    c->height = (int)format.fmt.pix.height / 2 * 2;
    c->stride = format.fmt.pix.bytesperline;
    if (format.fmt.pix.pixelformat != V4L2_PIX_FMT_YUYV || c->width < TV_MIN_WIDTH) {
        snprintf(message, size,
                 "the camera %s gives no YUYV pictures of at least %d pixels, which "
                 "is all that is understood here",
                 c->name, TV_MIN_WIDTH);
        return false;
    }
    rate.parm.capture.timeperframe.numerator = 1;
    rate.parm.capture.timeperframe.denominator = (unsigned)fps;
    ask(c->fd, VIDIOC_S_PARM, &rate); /* the driver takes the nearest rate */
    return true;
}

static bool map_buffers(camera *c, char *message, size_t size)
{
    struct v4l2_requestbuffers wanted = {
        .count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};

    if (ask(c->fd, VIDIOC_REQBUFS, &wanted) != 0)
        return refuse(c, "gives no buffers", message, size);
    for (unsigned i = 0; i < wanted.count && i < BUFFERS; i++) {
        struct v4l2_buffer buffer = {
            .index = i, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        if (ask(c->fd, VIDIOC_QUERYBUF, &buffer) != 0)
            return refuse(c, "gives no buffers", message, size);
        void *start = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd,
                           (off_t)buffer.m.offset);
        if (start == MAP_FAILED)
            return refuse(c, "gives no memory", message, size);
        c->buffers[i].start = start;
        c->buffers[i].size = buffer.length;
        c->count = i + 1;
        if (ask(c->fd, VIDIOC_QBUF, &buffer) != 0)
            return refuse(c, "takes no buffers", message, size);
    }
    return true;
}

static bool start(camera *c, int fps, char *message, size_t size)
{
    enum v4l2_buf_type type = V4L2_BUF_TYPE_VIDEO_CAPTURE;

    if (c->fd < 0)
        return refuse(c, "cannot be opened", message, size);
    if (!set_format(c, fps, message, size) || !map_buffers(c, message, size))
        return false;
    return ask(c->fd, VIDIOC_STREAMON, &type) == 0 || refuse(c, "does not start", message, size);
}

camera *camera_open(const char *device, int *width, int *height, int fps, char *message,
                    size_t size)
{
    camera *c = calloc(1, sizeof *c);

    if (!c) {
        snprintf(message, size, "no memory for the camera %s", device);
        return NULL;
    }
    snprintf(c->name, sizeof c->name, "%s", device);
    c->width = *width;
    c->height = *height;
    c->fd = open(device, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (!start(c, fps, message, size)) {
        camera_close(&c);
        return NULL;
    }
    *width = c->width;
    *height = c->height;
    return c;
}

void camera_close(camera **cp)
{
    camera *c = *cp;

    *cp = NULL;
    if (!c)
        return;
    for (unsigned i = 0; i < c->count; i++)
        munmap(c->buffers[i].start, c->buffers[i].size);
    if (c->fd >= 0)
        close(c->fd);
    free(c);
}

/* Converts YUYV (two pixels: Y U Y V) to 4:2:0; drops the chroma of every second line. */
static void convert(const camera *c, const uint8_t *from, tv_picture *p)
{
    for (int y = 0; y < p->height; y++) {
        const uint8_t *row = from + (size_t)y * c->stride;
        uint8_t *luma = p->planes[0] + (size_t)y * (size_t)p->strides[0];
        uint8_t *blue = p->planes[1] + (size_t)(y / 2) * (size_t)p->strides[1];
        uint8_t *red = p->planes[2] + (size_t)(y / 2) * (size_t)p->strides[2];
        for (int x = 0; x < p->width; x += 2) {
            luma[x] = row[2 * x];
            luma[x + 1] = row[2 * x + 2];
            if (y % 2 == 0) {
                blue[x / 2] = row[2 * x + 1];
                red[x / 2] = row[2 * x + 3];
            }
        }
    }
}

bool camera_next(camera *c, tv_picture *picture, char *message, size_t size)
{
    struct pollfd ready = {.fd = c->fd, .events = POLLIN};
    struct v4l2_buffer buffer;

    if (poll(&ready, 1, PATIENCE_MS) <= 0)
        return true;
    for (;;) { /* skips old pictures */
        buffer =
            (struct v4l2_buffer){.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        if (ask(c->fd, VIDIOC_DQBUF, &buffer) != 0)
            return errno == EAGAIN || refuse(c, "is gone", message, size);
        if (buffer.bytesused >= c->stride * (size_t)picture->height)
            convert(c, c->buffers[buffer.index].start, picture);
        if (ask(c->fd, VIDIOC_QBUF, &buffer) != 0)
            return refuse(c, "is gone", message, size);
    }
}

#else

camera *camera_open(const char *device, int *width, int *height, int fps, char *message,
                    size_t size)
{
    (void)width, (void)height, (void)fps;
    snprintf(message, size, "%s: cameras are read by V4L2, which only Linux has", device);
    return NULL;
}

void camera_close(camera **c)
{
    *c = NULL;
}

bool camera_next(camera *c, tv_picture *picture, char *message, size_t size)
{
    (void)c, (void)picture, (void)message, (void)size;
    return false;
}

#endif
