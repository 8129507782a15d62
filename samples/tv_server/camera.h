/* SPDX-License-Identifier: MIT */
/* A camera by V4L2 (Linux): YUYV pictures, converted to 4:2:0. */
#ifndef TV_CAMERA_H
#define TV_CAMERA_H

#include "../tv_common/picture.h"

typedef struct camera camera;

/* The size that the camera takes instead comes back. NULL with a message for a person. */
camera *camera_open(const char *device, int *width, int *height, int fps, char *message,
                    size_t size);
void camera_close(camera **c);

/* The newest picture; the one before, if there is no other within half a second of waiting at
 * most. False, with a message, if the camera is gone. */
bool camera_next(camera *c, tv_picture *picture, char *message, size_t size);

#endif
