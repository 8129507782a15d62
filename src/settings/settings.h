/* SPDX-License-Identifier: MIT */
/* The table of settings behind livetcp_config: names, ranges and defaults, and how one value is
 * read, written and checked. Everything else iterates over it. */
#ifndef LT_SETTINGS_SETTINGS_H
#define LT_SETTINGS_SETTINGS_H

#include <livetcp/policy.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum lt_setting_kind {
    LT_SETTING_CHOICE, /* an enum, by name */
    LT_SETTING_NUMBER, /* an unsigned integer of any width, or a bool */
    LT_SETTING_MSEC,   /* livetcp_usec, in milliseconds as text */
    LT_SETTING_TEXT,   /* a char array */
    LT_SETTING_RATIO   /* a double: at most three decimals as text, or "auto" for -1 */
} lt_setting_kind;

typedef struct lt_setting {
    livetcp_setting listed;
    lt_setting_kind kind;
    size_t offset; /* of the field in livetcp_config */
    size_t size;
    uint64_t min; /* NUMBER, MSEC and RATIO, as the text has it */
    uint64_t max;
    const char *const *choices; /* CHOICE: names in the enum's order, ended by NULL */
    const char *initial;        /* default, as text */
} lt_setting;

/* The settings in order, or NULL past the last. */
const lt_setting *lt_setting_at(size_t position);

/* NULL if there is none of that name; *error, which may be NULL, then says so and suggests one. */
const lt_setting *lt_setting_find(const char *name, livetcp_error *error);

/* Text to field. Errors: LIVETCP_ERR_INVALID_ARGUMENT, the config is unchanged then. */
livetcp_result lt_setting_parse(const lt_setting *setting, livetcp_config *config,
                                const char *value, livetcp_error *error);

/* Field to text, as lt_setting_parse() reads it. Errors: LIVETCP_ERR_INVALID_ARGUMENT if it does
 * not fit, or if the field holds what no text stands for. */
livetcp_result lt_setting_format(const lt_setting *setting, const livetcp_config *config,
                                 char *text, size_t size, livetcp_error *error);

/* Whether the field, which the application may have written itself, is in range. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT. */
livetcp_result lt_setting_check(const lt_setting *setting, const livetcp_config *config,
                                livetcp_error *error);

/* lt_setting_check() of all, in order, up to the first failure. */
livetcp_result lt_settings_check(const livetcp_config *config, livetcp_error *error);

/* Whether a program's config, which may be older than the setting, has the field. */
static inline bool lt_setting_fits(const lt_setting *setting, const livetcp_config *config)
{
    return setting->offset + setting->size <= config->struct_size;
}

/* LIVETCP_ERR_INVALID_ARGUMENT for NULL, and for a config that livetcp_config_init() never saw. */
livetcp_result lt_config_check_size(const livetcp_config *config, livetcp_error *error);

/* Makes a config of the library's size from a program's of any: settings that it lacks have their
 * defaults. On an error, which is lt_config_check_size()'s, all of them have. */
livetcp_result lt_config_read(livetcp_config *to, const livetcp_config *given,
                              livetcp_error *error);

/* livetcp_config_check() but for host and port, and with this policy, or NULL for the one that the
 * config names. The config is one that lt_config_read() made. */
livetcp_result lt_config_check_session(const livetcp_config *config, const livetcp_policy *policy,
                                       livetcp_error *error);

#endif
