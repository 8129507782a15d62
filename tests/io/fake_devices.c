/* SPDX-License-Identifier: MIT */
/*
 * Devices that this computer may not have, for programs that are started with LD_PRELOAD:
 *
 *     LIVETCP_FAKE_CAMERA=works|mjpeg|busy|metadata|file|forbidden|unplugged   /dev/video7
 *     LIVETCP_FAKE_SOUND=busy                                                  /dev/snd/
 *     LIVETCP_FAKE_CODECS=none                       libavcodec that was built without decoders
 *
 * The camera is a file in memory, which open(), mmap() and poll() take for what they are; its
 * requests are answered here, those of samples/tv_server and of GStreamer's v4l2src. Its pictures
 * are of one colour.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define CAMERA    "/dev/video7"
#define SOUND     "/dev/snd/"
#define BUFFERS   4
#define WIDTH     176
#define HEIGHT    96
#define STRIDE    (2 * WIDTH + 32) /* rows have padding */
#define SIZE      (STRIDE * HEIGHT)
#define FPS       25
#define PERIOD_NS (1000000000 / FPS)
#define UNPLUGGED 5 /* pictures until then */
#define LUMA      150
#define BLUE      90
#define RED       170

static int camera = -1;
static bool blocks; /* DQBUF waits */
static bool queued[BUFFERS], streams;
static unsigned next, pictures;
static int64_t due_ns;

static bool camera_is(const char *kind)
{
    const char *given = getenv("LIVETCP_FAKE_CAMERA");

    return given && strcmp(given, kind) == 0;
}

static int fail(int cause)
{
    errno = cause;
    return -1;
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void wait_until(int64_t ns)
{
    const struct timespec then = {ns / 1000000000, ns % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

/* ---- opening ---- */

static int open_camera(int flags)
{
    blocks = !(flags & O_NONBLOCK);
    if (camera_is("forbidden"))
        return fail(EACCES);
    camera = memfd_create("camera", MFD_CLOEXEC);
    if (camera >= 0 && ftruncate(camera, BUFFERS * SIZE) != 0)
        return fail(EIO);
    return camera;
}

static int open_file(const char *path, int flags, mode_t mode)
{
    if (getenv("LIVETCP_FAKE_CAMERA") && strcmp(path, CAMERA) == 0)
        return open_camera(flags);
    if (getenv("LIVETCP_FAKE_SOUND") && strncmp(path, SOUND, strlen(SOUND)) == 0)
        return fail(EBUSY);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open_file(path, flags, 0);
}

int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));

/* A program may look for a device there. */
static bool looks_like(const char *path, struct stat *status)
{
    if (!getenv("LIVETCP_FAKE_CAMERA") || strcmp(path, CAMERA) != 0)
        return false;
    memset(status, 0, sizeof *status);
    status->st_mode = S_IFCHR | 0660;
    status->st_rdev = makedev(81, 7);
    return true;
}

int stat(const char *path, struct stat *status)
{
    return looks_like(path, status) ? 0 : fstatat(AT_FDCWD, path, status, 0);
}

int stat64(const char *path, struct stat64 *status) __attribute__((alias("stat")));

/* ---- requests ---- */

static int tell_capabilities(struct v4l2_capability *can)
{
    if (camera_is("file"))
        return fail(ENOTTY);
    can->capabilities = V4L2_CAP_DEVICE_CAPS | V4L2_CAP_VIDEO_CAPTURE;
    can->device_caps =
        camera_is("metadata") ? V4L2_CAP_META_CAPTURE : V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
    return 0;
}

static int name_input(struct v4l2_input *input)
{
    if (input->index > 0)
        return fail(EINVAL);
    input->type = V4L2_INPUT_TYPE_CAMERA;
    strcpy((char *)input->name, "fake");
    return 0;
}

static int name_format(struct v4l2_fmtdesc *format)
{
    if (format->index > 0 || format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE)
        return fail(EINVAL);
    format->pixelformat = V4L2_PIX_FMT_YUYV;
    return 0;
}

static int name_size(struct v4l2_frmsizeenum *size)
{
    if (size->index > 0 || size->pixel_format != V4L2_PIX_FMT_YUYV)
        return fail(EINVAL);
    size->type = V4L2_FRMSIZE_TYPE_DISCRETE;
    size->discrete.width = WIDTH;
    size->discrete.height = HEIGHT;
    return 0;
}

static int name_interval(struct v4l2_frmivalenum *interval)
{
    if (interval->index > 0)
        return fail(EINVAL);
    interval->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    interval->discrete.numerator = 1;
    interval->discrete.denominator = FPS;
    return 0;
}

static int tell_rate(struct v4l2_streamparm *rate)
{
    rate->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
    rate->parm.capture.timeperframe.numerator = 1;
    rate->parm.capture.timeperframe.denominator = FPS;
    return 0;
}

static int set_format(struct v4l2_format *format)
{
    if (camera_is("busy"))
        return fail(EBUSY);
    if (format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE)
        return fail(EINVAL);
    format->fmt.pix.width = WIDTH;
    format->fmt.pix.height = HEIGHT;
    format->fmt.pix.bytesperline = STRIDE;
    format->fmt.pix.sizeimage = SIZE;
    format->fmt.pix.field = V4L2_FIELD_NONE;
    format->fmt.pix.colorspace = V4L2_COLORSPACE_SRGB;
    format->fmt.pix.pixelformat = camera_is("mjpeg") ? V4L2_PIX_FMT_MJPEG : V4L2_PIX_FMT_YUYV;
    return 0;
}

static void draw(unsigned index)
{
    static uint8_t picture[SIZE];

    for (size_t i = 0; i < SIZE; i += 4) {
        picture[i] = picture[i + 2] = LUMA;
        picture[i + 1] = BLUE;
        picture[i + 3] = RED;
    }
    if (pwrite(camera, picture, SIZE, (off_t)index * SIZE) != SIZE)
        abort();
}

static int give_picture(struct v4l2_buffer *buffer)
{
    if (camera_is("unplugged") && pictures >= UNPLUGGED)
        return fail(ENODEV);
    if (blocks && streams && queued[next] && now_ns() < due_ns)
        wait_until(due_ns);
    if (!streams || now_ns() < due_ns || !queued[next])
        return fail(EAGAIN);
    draw(next);
    buffer->index = next;
    buffer->bytesused = buffer->length = SIZE;
    buffer->m.offset = next * SIZE;
    buffer->field = V4L2_FIELD_NONE;
    buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    buffer->timestamp.tv_sec = now_ns() / 1000000000;
    buffer->timestamp.tv_usec = now_ns() / 1000 % 1000000;
    buffer->sequence = pictures;
    queued[next] = false;
    next = (next + 1) % BUFFERS;
    due_ns = now_ns() + PERIOD_NS;
    pictures++;
    return 0;
}

static int answer(unsigned long request, void *argument)
{
    struct v4l2_buffer *buffer = argument;

    switch (request) {
    case VIDIOC_QUERYCAP:
        return tell_capabilities(argument);
    case VIDIOC_ENUMINPUT:
        return name_input(argument);
    case VIDIOC_G_INPUT:
        *(int *)argument = 0;
        return 0;
    case VIDIOC_ENUM_FMT:
        return name_format(argument);
    case VIDIOC_ENUM_FRAMESIZES:
        return name_size(argument);
    case VIDIOC_ENUM_FRAMEINTERVALS:
        return name_interval(argument);
    case VIDIOC_G_PARM:
    case VIDIOC_S_PARM:
        return tell_rate(argument);
    case VIDIOC_S_FMT:
    case VIDIOC_G_FMT:
    case VIDIOC_TRY_FMT:
        return set_format(argument);
    case VIDIOC_REQBUFS:
        if (((struct v4l2_requestbuffers *)argument)->memory != V4L2_MEMORY_MMAP)
            return fail(EINVAL);
        if (((struct v4l2_requestbuffers *)argument)->count > 0)
            ((struct v4l2_requestbuffers *)argument)->count = BUFFERS;
        return 0;
    case VIDIOC_QUERYBUF:
        buffer->length = SIZE;
        buffer->m.offset = buffer->index * SIZE;
        buffer->flags = 0;
        return 0;
    case VIDIOC_QBUF:
        queued[buffer->index % BUFFERS] = true;
        buffer->flags = V4L2_BUF_FLAG_QUEUED;
        return 0;
    case VIDIOC_DQBUF:
        return give_picture(buffer);
    case VIDIOC_STREAMON:
        streams = true;
        return 0;
    case VIDIOC_STREAMOFF:
        streams = false;
        memset(queued, 0, sizeof queued);
        next = 0;
        return 0;
    default:
        return fail(ENOTTY); /* cameras may lack it */
    }
}

/* It may have been duplicated. */
static bool is_camera(int fd)
{
    struct stat mine, other;

    return camera >= 0 && fd >= 0 && fstat(camera, &mine) == 0 && fstat(fd, &other) == 0 &&
           mine.st_dev == other.st_dev && mine.st_ino == other.st_ino;
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list arguments;

    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return is_camera(fd) ? answer(request, argument)
                         : (int)syscall(SYS_ioctl, fd, request, argument);
}

/* ---- codecs ---- */

typedef const void *find_decoder(int codec);

const void *avcodec_find_decoder(int codec);
const void *avcodec_find_decoder(int codec)
{
    find_decoder *real;

    *(void **)&real = dlsym(RTLD_NEXT, "avcodec_find_decoder");
    return getenv("LIVETCP_FAKE_CODECS") || !real ? NULL : real(codec);
}
