/* SPDX-License-Identifier: MIT */
/* The table of settings behind livetcp_config: names, ranges and defaults, and functions to parse,
 * format and check a value. Everything else iterates over it. */
#ifndef LT_SETTINGS_SETTINGS_H
#define LT_SETTINGS_SETTINGS_H

#include <livetcp/policy.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum lt_setting_kind {
    LT_SETTING_CHOICE,    /* an enum, by name */
    LT_SETTING_BOOL,      /* a bool: "true" or "false", or a synonym */
    LT_SETTING_NUMBER,    /* an unsigned integer of any width */
    LT_SETTING_OPTIONAL,  /* an int: a number, or -1 for none */
    LT_SETTING_MSEC,      /* livetcp_usec, in milliseconds as text */
    LT_SETTING_TEXT,      /* a char array */
    LT_SETTING_HOST,      /* as TEXT: a name or address; an IPv6 address may be in brackets */
    LT_SETTING_LINE,      /* as TEXT: blanks are allowed, as in file names */
    LT_SETTING_NAME,      /* as TEXT: UTF-8, blanks are allowed */
    LT_SETTING_SECRET,    /* as TEXT: never formatted, except "file:NAME" and "env:NAME" */
    LT_SETTING_URL,       /* as TEXT: with an '@', and so with a user, as SECRET */
    LT_SETTING_AUTO_MSEC, /* as MSEC, or "auto" for -1 */
    LT_SETTING_RATIO      /* a double: at most three decimals, or "auto" for -1 */
} lt_setting_kind;

typedef struct lt_setting {
    livetcp_setting listed;
    lt_setting_kind kind;
    size_t offset; /* of the field in livetcp_config */
    size_t size;
    uint64_t min; /* NUMBER, OPTIONAL, MSEC, AUTO_MSEC and RATIO: in the unit of the text */
    uint64_t max;
    const char *const *choices; /* CHOICE: names in the order of the enum, ended by NULL */
    const char *initial;        /* default value, as text */
} lt_setting;

/* The setting at `position`; NULL past the last. */
const lt_setting *lt_setting_at(size_t position);

/* Finds a setting by its name or a former one. NULL if there is none; *error, which may be NULL,
 * then suggests a similar name. */
const lt_setting *lt_setting_find(const char *name, livetcp_error *error);

/* Parses a value into the field. Errors: LIVETCP_ERR_INVALID_ARGUMENT; the config is unchanged
 * then. */
livetcp_result lt_setting_parse(const lt_setting *setting, livetcp_config *config,
                                const char *value, livetcp_error *error);

/* Formats the field as lt_setting_parse() reads it. Errors: LIVETCP_ERR_INVALID_ARGUMENT if it does
 * not fit, or no text represents the value. */
livetcp_result lt_setting_format(const lt_setting *setting, const livetcp_config *config,
                                 char *text, size_t size, livetcp_error *error);

/* True for "file:NAME" and "env:NAME", which refer to a secret. */
bool lt_setting_is_reference(const char *secret);

/* Checks the range of the field, which the application may have written directly. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT. */
livetcp_result lt_setting_check(const lt_setting *setting, const livetcp_config *config,
                                livetcp_error *error);

/* lt_setting_check() for all settings, in order, until the first failure. */
livetcp_result lt_settings_check(const livetcp_config *config, livetcp_error *error);

/* True if a program's config, which may be older than the setting, has the field. */
static inline bool lt_setting_fits(const lt_setting *setting, const livetcp_config *config)
{
    return setting->offset + setting->size <= config->struct_size;
}

/* Minimum length of a passphrase, in bytes. */
#define LT_PASSPHRASE_MIN 10

/* TLS is enabled, by `tls` or by a passphrase. */
static inline bool lt_config_has_tls(const livetcp_config *config)
{
    return config->tls != LIVETCP_TLS_OFF || config->passphrase[0] != 0;
}

/* TLS is required on every connection. */
static inline bool lt_config_needs_tls(const livetcp_config *config)
{
    return lt_config_has_tls(config) && config->tls != LIVETCP_TLS_AUTO;
}

/* LIVETCP_ERR_INVALID_ARGUMENT for NULL, and for a config not initialized by livetcp_config_init().
 */
livetcp_result lt_config_check_size(const livetcp_config *config, livetcp_error *error);

/* Converts a program's config of any version to the library's size; missing settings get their
 * defaults. Errors: those of lt_config_check_size(), with all settings at their defaults. */
livetcp_result lt_config_read(livetcp_config *to, const livetcp_config *given,
                              livetcp_error *error);

/* livetcp_config_check() without host and port, for this policy; NULL = the one named in the
 * config. `config` is from lt_config_read(). */
livetcp_result lt_config_check_session(const livetcp_config *config, const livetcp_policy *policy,
                                       livetcp_error *error);

#endif
