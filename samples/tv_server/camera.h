/* SPDX-License-Identifier: MIT */
/* A camera by V4L2 (Linux): YUYV pictures, converted to YUV 4:2:0. */
#ifndef TV_CAMERA_H
#define TV_CAMERA_H

#include "../tv_common/picture.h"

typedef struct camera camera;

/* Returns the size that the camera uses instead. NULL, with a message for the user. */
camera *camera_open(const char *device, int *width, int *height, int fps, char *message,
                    size_t size);
void camera_close(camera **c);

/* Returns the newest picture; after half a second without one, the previous picture. False, with a
 * message, if the camera is gone. */
bool camera_next(camera *c, tv_picture *picture, char *message, size_t size);

#endif
