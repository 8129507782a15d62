/* SPDX-License-Identifier: MIT */
/* The table of settings behind livetcp_config: names, ranges and defaults, and functions to read,
 * write and check one value. Everything else iterates over it. */
#ifndef LT_SETTINGS_SETTINGS_H
#define LT_SETTINGS_SETTINGS_H

#include <livetcp/policy.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum lt_setting_kind {
    LT_SETTING_CHOICE,    /* an enum, by name */
    LT_SETTING_BOOL,      /* a bool: "true" or "false", and other words for them */
    LT_SETTING_NUMBER,    /* an unsigned integer of any width */
    LT_SETTING_OPTIONAL,  /* an int: a number, or -1 for none */
    LT_SETTING_MSEC,      /* livetcp_usec, in milliseconds as text */
    LT_SETTING_TEXT,      /* a char array */
    LT_SETTING_HOST,      /* the same: a name or address, as text an IPv6 one perhaps in brackets */
    LT_SETTING_LINE,      /* the same: blanks are allowed, as in names of files */
    LT_SETTING_NAME,      /* the same: UTF-8, blanks are allowed */
    LT_SETTING_SECRET,    /* the same: never written back, but for "file:NAME" and "env:NAME" */
    LT_SETTING_URL,       /* the same: with an '@', that is with a user, as a SECRET */
    LT_SETTING_AUTO_MSEC, /* the same as MSEC, or "auto" for -1 */
    LT_SETTING_RATIO      /* a double: at most three decimals as text, or "auto" for -1 */
} lt_setting_kind;

typedef struct lt_setting {
    livetcp_setting listed;
    lt_setting_kind kind;
    size_t offset; /* of the field in livetcp_config */
    size_t size;
    uint64_t min; /* NUMBER, OPTIONAL, MSEC, AUTO_MSEC and RATIO, as the text has it */
    uint64_t max;
    const char *const *choices; /* CHOICE: names in the enum's order, ended by NULL */
    const char *initial;        /* default, as text */
} lt_setting;

/* The settings in order, or NULL past the last. */
const lt_setting *lt_setting_at(size_t position);

/* By its name or one that it had before. NULL if there is none; *error, which may be NULL, then
 * suggests one. */
const lt_setting *lt_setting_find(const char *name, livetcp_error *error);

/* Text to field. Errors: LIVETCP_ERR_INVALID_ARGUMENT, the config is unchanged then. */
livetcp_result lt_setting_parse(const lt_setting *setting, livetcp_config *config,
                                const char *value, livetcp_error *error);

/* Field to text, as lt_setting_parse() reads it. Errors: LIVETCP_ERR_INVALID_ARGUMENT if it does
 * not fit, or if no text represents the field's value. */
livetcp_result lt_setting_format(const lt_setting *setting, const livetcp_config *config,
                                 char *text, size_t size, livetcp_error *error);

/* True of "file:NAME" and "env:NAME", which say where a secret is. */
bool lt_setting_is_reference(const char *secret);

/* Checks the range of the field, which the application may have written itself. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT. */
livetcp_result lt_setting_check(const lt_setting *setting, const livetcp_config *config,
                                livetcp_error *error);

/* lt_setting_check() of all, in order, up to the first failure. */
livetcp_result lt_settings_check(const livetcp_config *config, livetcp_error *error);

/* True if a program's config, which may be older than the setting, has the field. */
static inline bool lt_setting_fits(const lt_setting *setting, const livetcp_config *config)
{
    return setting->offset + setting->size <= config->struct_size;
}

/* Bytes that a passphrase has at least. */
#define LT_PASSPHRASE_MIN 10

/* A passphrase turns TLS on. */
static inline bool lt_config_has_tls(const livetcp_config *config)
{
    return config->tls != LIVETCP_TLS_OFF || config->passphrase[0] != 0;
}

/* No connection of it is in the clear. */
static inline bool lt_config_needs_tls(const livetcp_config *config)
{
    return lt_config_has_tls(config) && config->tls != LIVETCP_TLS_AUTO;
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
