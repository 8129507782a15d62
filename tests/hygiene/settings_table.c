/* SPDX-License-Identifier: MIT */
/* Prints docs/reference/settings.md from the library's table of settings. */
#include <livetcp/livetcp.h>

#include <stdio.h>
#include <string.h>

static const char introduction[] =
    "# Settings\n"
    "\n"
    "All settings of sessions and listeners. A setting has the same name everywhere:\n"
    "\n"
    "| Interface | Example |\n"
    "|---|---|\n"
    "| C | `livetcp_config_set(&config, \"connections\", \"5\", &error)`, or the field of "
    "[`livetcp_config`](../../include/livetcp/config.h) with `_` for `-`. The names of times end "
    "in "
    "`_us`, and their values are in µs |\n"
    "| URI | `livetcp://host:port?connections=5&policy=hedge` |\n"
    "| GStreamer | property `connections` of `livetcpsink` and `livetcpsrc`. `min-bitrate` and "
    "`max-bitrate` are `estimated-bitrate-min` and `estimated-bitrate-max`, because GStreamer has "
    "another `max-bitrate`. [elements.md](elements.md) lists the properties of each element |\n"
    "| `livetcp bench` | `--policy hedge:connections=5` |\n"
    "\n"
    "The comments in `livetcp/config.h` define each setting; [tuning.md](../guide/tuning.md) "
    "describes when\n"
    "to change one. `script/docs` generates this page from the library's table.\n"
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
