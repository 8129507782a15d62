/* SPDX-License-Identifier: MIT */
/* Prints docs/reference/settings.md from the library's table of settings. */
#include <livetcp/livetcp.h>

#include <stdio.h>
#include <string.h>

static const char introduction[] =
    "# Settings\n"
    "\n"
    "Every setting of a session and a listener, from the library's own table. A setting has the "
    "same\n"
    "name everywhere:\n"
    "\n"
    "* C: `livetcp_config_set(&config, \"connections\", \"5\", &error)`, or the field of\n"
    "  [`livetcp_config`](../../include/livetcp/config.h) with `_` for `-`; times are in µs "
    "there,\n"
    "  and the field's name ends in `_us`\n"
    "* URI: `livetcp://host:port?connections=5&policy=hedge`\n"
    "* GStreamer: property `connections` of `livetcpsink` and `livetcpsrc`; the bounds of the bit "
    "rate are\n"
    "  `estimated-bitrate-min` and `estimated-bitrate-max` there, which has a `max-bitrate` of its "
    "own.\n"
    "  [elements.md](elements.md) lists which element has which\n"
    "* `livetcp bench`: `--policy hedge:connections=5`\n"
    "\n"
    "The comments in `livetcp/config.h` define each setting; [tuning.md](../guide/tuning.md) says "
    "when\n"
    "to change one. This page is written by `script/docs`.\n"
    "\n"
    "| Setting | Default | Accepts | Meaning |\n"
    "|---|---|---|---|\n";

/* A bar would end the column. */
static void print_cell(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

int main(void)
{
    livetcp_config defaults;
    char value[512];
    livetcp_error error;

    livetcp_config_init(&defaults);
    fputs(introduction, stdout);
    for (size_t i = 0; livetcp_config_setting(i); i++) {
        const livetcp_setting *setting = livetcp_config_setting(i);
        if (livetcp_config_get(&defaults, setting->name, value, sizeof value, &error)) {
            fprintf(stderr, "%s: %s\n", setting->name, error.message);
            return 1;
        }
        printf("| `%s` | ", setting->name);
        print_cell(*value ? value : "empty");
        printf(" | ");
        print_cell(setting->accepts);
        printf(" | ");
        print_cell(setting->summary);
        printf(" |\n");
    }
    return 0;
}
