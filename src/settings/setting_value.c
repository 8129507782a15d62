/* SPDX-License-Identifier: MIT */
/* Parsing, formatting and checking of one value. */
#include "settings/settings.h"

#include "base/error.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static livetcp_result refuse(const lt_setting *setting, const char *value, livetcp_error *error)
{
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                   "setting '%s' does not accept '%.40s': it takes %s", setting->listed.name, value,
                   setting->listed.accepts);
}

/* ---- integers of the field's width ---- */

/* load() of an int that is -1. */
#define NONE UINT32_MAX

/* load() of a livetcp_usec that is -1. */
#define AUTO UINT64_MAX

static void store(const lt_setting *setting, livetcp_config *config, uint64_t value)
{
    char *field = (char *)config + setting->offset;

    if (setting->size == sizeof(uint8_t)) { /* of a bool */
        uint8_t narrow = (uint8_t)value;
        memcpy(field, &narrow, sizeof narrow);
    } else if (setting->size == sizeof(uint16_t)) {
        uint16_t narrow = (uint16_t)value;
        memcpy(field, &narrow, sizeof narrow);
    } else if (setting->size == sizeof(uint32_t)) {
        uint32_t narrow = (uint32_t)value;
        memcpy(field, &narrow, sizeof narrow);
    } else {
        memcpy(field, &value, sizeof value);
    }
}

static uint64_t load(const lt_setting *setting, const livetcp_config *config)
{
    const char *field = (const char *)config + setting->offset;
    uint8_t octet;
    uint16_t half;
    uint32_t word;
    uint64_t value;

    if (setting->size == sizeof octet) {
        memcpy(&octet, field, sizeof octet);
        return octet;
    }
    if (setting->size == sizeof half) {
        memcpy(&half, field, sizeof half);
        return half;
    }
    if (setting->size == sizeof word) {
        memcpy(&word, field, sizeof word);
        return word;
    }
    memcpy(&value, field, sizeof value);
    return value;
}

/* Parses digits only; strtoull() would accept a sign and leading blanks. */
static bool parse_digits(const char *text, uint64_t *value)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return !errno && !*end;
}

static size_t count_choices(const lt_setting *setting)
{
    size_t count = 0;

    while (setting->choices[count])
        count++;
    return count;
}

/* ---- parsing ---- */

/* The first word of each row is the one that is written. */
static livetcp_result parse_bool(const lt_setting *setting, livetcp_config *config,
                                 const char *value, livetcp_error *error)
{
    static const char *const words[][4] = {{"false", "0", "no", "off"}, {"true", "1", "yes", "on"}};

    for (unsigned truth = 0; truth < 2; truth++) {
        for (size_t i = 0; i < sizeof words[truth] / sizeof *words[truth]; i++) {
            if (!strcmp(words[truth][i], value)) {
                store(setting, config, truth);
                return LIVETCP_OK;
            }
        }
    }
    return refuse(setting, value, error);
}

static uint64_t unit_of(const lt_setting *setting)
{
    bool msec = setting->kind == LT_SETTING_MSEC || setting->kind == LT_SETTING_AUTO_MSEC;

    return msec ? LIVETCP_USEC_MSEC : 1;
}

static livetcp_result parse_number(const lt_setting *setting, livetcp_config *config,
                                   const char *value, livetcp_error *error)
{
    uint64_t number;

    if (!parse_digits(value, &number) || number < setting->min || number > setting->max)
        return refuse(setting, value, error);
    store(setting, config, number * unit_of(setting));
    return LIVETCP_OK;
}

static livetcp_result parse_optional(const lt_setting *setting, livetcp_config *config,
                                     const char *value, livetcp_error *error)
{
    if (strcmp(value, "-1"))
        return parse_number(setting, config, value, error);
    store(setting, config, NONE);
    return LIVETCP_OK;
}

static livetcp_result parse_auto_msec(const lt_setting *setting, livetcp_config *config,
                                      const char *value, livetcp_error *error)
{
    if (strcmp(value, "auto"))
        return parse_number(setting, config, value, error);
    store(setting, config, AUTO);
    return LIVETCP_OK;
}

/* Synonyms of on and off, for settings with these choices. */
static const char *plain_word(const char *value)
{
    static const char *const words[][2] = {{"1", "on"},  {"true", "on"},   {"yes", "on"},
                                           {"0", "off"}, {"false", "off"}, {"no", "off"}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i][0], value))
            return words[i][1];
    return value;
}

static livetcp_result parse_choice(const lt_setting *setting, livetcp_config *config,
                                   const char *value, livetcp_error *error)
{
    const char *given = value;

    value = plain_word(value);
    for (size_t i = 0; setting->choices[i]; i++) {
        if (!strcmp(setting->choices[i], value)) {
            store(setting, config, i);
            return LIVETCP_OK;
        }
    }
    return refuse(setting, given, error);
}

/* ---- ratios, in thousandths: strtod() depends on the locale ---- */

#define THOUSAND 1000

static double load_ratio(const lt_setting *setting, const livetcp_config *config)
{
    double value;

    memcpy(&value, (const char *)config + setting->offset, sizeof value);
    return value;
}

static bool parse_decimals(const char *text, uint64_t *thousandths)
{
    uint64_t unit = THOUSAND;

    *thousandths = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (unit == 1)
            return false;
        unit /= 10;
        *thousandths += (uint64_t)(*text - '0') * unit;
    }
    return unit < THOUSAND && !*text;
}

static bool parse_ratio_text(const char *text, double *value)
{
    char whole_text[8];
    size_t length = strcspn(text, ".");
    uint64_t whole, thousandths = 0;

    if (!strcmp(text, "auto")) {
        *value = LIVETCP_REDUNDANCY_AUTO;
        return true;
    }
    if (length >= sizeof whole_text)
        return false;
    memcpy(whole_text, text, length);
    whole_text[length] = 0;
    if (!parse_digits(whole_text, &whole) ||
        (text[length] && !parse_decimals(text + length + 1, &thousandths)))
        return false;
    *value = (double)(whole * THOUSAND + thousandths) / THOUSAND;
    return true;
}

static bool ratio_in_range(const lt_setting *setting, double value)
{
    return value == LIVETCP_REDUNDANCY_AUTO ||
           (value >= (double)setting->min && value <= (double)setting->max);
}

static livetcp_result parse_ratio(const lt_setting *setting, livetcp_config *config,
                                  const char *text, livetcp_error *error)
{
    double value;

    if (!parse_ratio_text(text, &value) || !ratio_in_range(setting, value))
        return refuse(setting, text, error);
    memcpy((char *)config + setting->offset, &value, sizeof value);
    return LIVETCP_OK;
}

static livetcp_result check_ratio(const lt_setting *setting, const livetcp_config *config,
                                  livetcp_error *error)
{
    double value = load_ratio(setting, config);

    if (!ratio_in_range(setting, value)) /* NaN is in no range */
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "setting '%s' is %g: it takes %s",
                       setting->listed.name, value, setting->listed.accepts);
    return LIVETCP_OK;
}

static void format_number(double value, char *text, size_t size)
{
    unsigned thousandths = (unsigned)(value * THOUSAND + 0.5);
    unsigned decimals = thousandths % THOUSAND;

    if (!decimals)
        snprintf(text, size, "%u", thousandths / THOUSAND);
    else if (decimals % 100 == 0)
        snprintf(text, size, "%u.%u", thousandths / THOUSAND, decimals / 100);
    else if (decimals % 10 == 0)
        snprintf(text, size, "%u.%02u", thousandths / THOUSAND, decimals / 10);
    else
        snprintf(text, size, "%u.%03u", thousandths / THOUSAND, decimals);
}

static void format_ratio(double value, char *text, size_t size)
{
    if (value == LIVETCP_REDUNDANCY_AUTO)
        snprintf(text, size, "auto"); /* negative, so no unsigned number */
    else
        format_number(value, text, size);
}

/* True if the field is a char array. */
static bool is_text(const lt_setting *setting)
{
    return setting->kind == LT_SETTING_TEXT || setting->kind == LT_SETTING_HOST ||
           setting->kind == LT_SETTING_LINE || setting->kind == LT_SETTING_NAME ||
           setting->kind == LT_SETTING_SECRET || setting->kind == LT_SETTING_URL;
}

/* Names and addresses have no blanks or control characters; a line may have blanks. */
static bool is_visible(const lt_setting *setting, const char *text)
{
    bool line = setting->kind == LT_SETTING_LINE || setting->kind == LT_SETTING_SECRET ||
                setting->kind == LT_SETTING_URL; /* file:NAME */

    if (setting->kind == LT_SETTING_NAME)
        return lt_utf8_is_text(text, strlen(text));
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f || (*text == ' ' && !line))
            return false;
    return true;
}

bool lt_setting_is_reference(const char *secret)
{
    return !strncmp(secret, "file:", 5) || !strncmp(secret, "env:", 4);
}

/* True if the value is a secret that must not be shown. */
static bool is_hidden(const lt_setting *setting, const char *value)
{
    if (setting->kind != LT_SETTING_SECRET && setting->kind != LT_SETTING_URL)
        return false;
    return !lt_setting_is_reference(value) &&
           (setting->kind == LT_SETTING_SECRET || strchr(value, '@'));
}

/* The part of a rejected value that may be shown. */
static const char *printable(const lt_setting *setting, const char *value)
{
    return setting->kind == LT_SETTING_SECRET || setting->kind == LT_SETTING_URL ? "" : value;
}

static livetcp_result parse_text(const lt_setting *setting, livetcp_config *config,
                                 const char *value, livetcp_error *error)
{
    char *field = (char *)config + setting->offset;
    size_t length = strlen(value);

    if (length >= setting->size)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "setting '%s' does not accept %zu bytes ('%.40s...'): it takes at most %zu",
                       setting->listed.name, length, printable(setting, value), setting->size - 1);
    if (setting->kind == LT_SETTING_NAME && !is_visible(setting, value))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "setting '%s' takes UTF-8 without control characters", setting->listed.name);
    if (!is_visible(setting, value))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "setting '%s' does not accept blanks or control characters",
                       setting->listed.name);
    memset(field, 0, setting->size);
    memcpy(field, value, length);
    return LIVETCP_OK;
}

/* Copies the item at `value`, up to a comma or the end, without its brackets. Returns its end; NULL
 * if a port follows. */
static const char *take_host(const char *value, char *out, size_t *used)
{
    const char *end = value + strcspn(value, ","), *from = value, *to = end;
    const char *port = *value == '[' ? memchr(value, ']', (size_t)(end - value)) : NULL;

    if (port && end[-1] != ']' && port[1] == ':' && memchr(value, ':', (size_t)(port - value)))
        return NULL;
    while (to - from > 2 && *from == '[' && to[-1] == ']' &&
           memchr(from, ':', (size_t)(to - from))) {
        from++;
        to--;
    }
    memcpy(out + *used, from, (size_t)(to - from));
    *used += (size_t)(to - from);
    return end;
}

/* Parses hosts; IPv6 addresses may be in brackets, as in URIs. */
static livetcp_result parse_host(const lt_setting *setting, livetcp_config *config,
                                 const char *value, livetcp_error *error)
{
    char hosts[2 * sizeof config->host];
    const char *next = value;
    size_t used = 0;

    if (strlen(value) >= sizeof hosts)
        return parse_text(setting, config, value, error); /* which reports the reason */
    do {
        next = take_host(next, hosts, &used);
        if (!next)
            return lt_fail(
                error, LIVETCP_ERR_INVALID_ARGUMENT,
                "setting '%s' does not accept '%.60s': it takes the address without a port, "
                "which is a setting of its own",
                setting->listed.name, value);
        if (*next)
            hosts[used++] = *next++;
        else
            next = NULL;
    } while (next);
    hosts[used] = '\0';
    return parse_text(setting, config, hosts, error);
}

livetcp_result lt_setting_parse(const lt_setting *setting, livetcp_config *config,
                                const char *value, livetcp_error *error)
{
    switch (setting->kind) {
    case LT_SETTING_CHOICE:
        return parse_choice(setting, config, value, error);
    case LT_SETTING_TEXT:
    case LT_SETTING_LINE:
    case LT_SETTING_NAME:
    case LT_SETTING_SECRET:
    case LT_SETTING_URL:
        return parse_text(setting, config, value, error);
    case LT_SETTING_HOST:
        return parse_host(setting, config, value, error);
    case LT_SETTING_RATIO:
        return parse_ratio(setting, config, value, error);
    case LT_SETTING_BOOL:
        return parse_bool(setting, config, value, error);
    case LT_SETTING_AUTO_MSEC:
        return parse_auto_msec(setting, config, value, error);
    case LT_SETTING_OPTIONAL:
        return parse_optional(setting, config, value, error);
    default:
        return parse_number(setting, config, value, error);
    }
}

/* ---- checking ---- */

static livetcp_result check_text(const lt_setting *setting, const livetcp_config *config,
                                 livetcp_error *error)
{
    const char *field = (const char *)config + setting->offset;

    if (!memchr(field, 0, setting->size))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "setting '%s' is not NUL-terminated: it takes at most %zu bytes",
                       setting->listed.name, setting->size - 1);
    if (!is_visible(setting, field))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       setting->kind == LT_SETTING_NAME
                           ? "setting '%s' is not UTF-8, or holds control characters"
                           : "setting '%s' holds blanks or control characters",
                       setting->listed.name);
    return LIVETCP_OK;
}

livetcp_result lt_setting_check(const lt_setting *setting, const livetcp_config *config,
                                livetcp_error *error)
{
    uint64_t unit = unit_of(setting);
    uint64_t max = setting->max * unit;
    uint64_t value;

    if (is_text(setting))
        return check_text(setting, config, error);
    if (setting->kind == LT_SETTING_RATIO)
        return check_ratio(setting, config, error);
    if (setting->kind == LT_SETTING_CHOICE)
        max = count_choices(setting) - 1;
    /* A negative time is a very large number here, and out of range. */
    value = load(setting, config);
    if ((setting->kind == LT_SETTING_OPTIONAL && value == NONE) ||
        (setting->kind == LT_SETTING_AUTO_MSEC && value == AUTO))
        return LIVETCP_OK;
    if (value < setting->min * unit || value > max)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "setting '%s' is %" PRId64 "%s: it takes %s", setting->listed.name,
                       (int64_t)value, unit > 1 ? " us" : "", setting->listed.accepts);
    return LIVETCP_OK;
}

livetcp_result lt_settings_check(const livetcp_config *config, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    const lt_setting *setting;

    for (size_t i = 0; result == LIVETCP_OK && (setting = lt_setting_at(i)); i++)
        result = lt_setting_check(setting, config, error);
    return result;
}

/* ---- formatting ---- */

livetcp_result lt_setting_format(const lt_setting *setting, const livetcp_config *config,
                                 char *text, size_t size, livetcp_error *error)
{
    char digits[24];
    const char *value = digits;
    livetcp_result result = lt_setting_check(setting, config, error);

    if (result != LIVETCP_OK)
        return result;
    if (is_text(setting)) {
        value = (const char *)config + setting->offset;
        if (is_hidden(setting, value))
            value = "";
    } else if (setting->kind == LT_SETTING_CHOICE) {
        value = setting->choices[load(setting, config)];
    } else if (setting->kind == LT_SETTING_RATIO) {
        format_ratio(load_ratio(setting, config), digits, sizeof digits);
    } else if (setting->kind == LT_SETTING_BOOL) {
        value = load(setting, config) ? "true" : "false";
    } else if (setting->kind == LT_SETTING_OPTIONAL && load(setting, config) == NONE) {
        value = "-1";
    } else if (setting->kind == LT_SETTING_AUTO_MSEC && load(setting, config) == AUTO) {
        value = "auto";
    } else {
        uint64_t unit = unit_of(setting);
        uint64_t number = load(setting, config);
        if (number % unit)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "setting '%s' is %" PRIu64 " us, which is not a whole number of ms",
                           setting->listed.name, number);
        snprintf(digits, sizeof digits, "%" PRIu64, number / unit);
    }
    if (strlen(value) >= size)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the value of setting '%s' needs %zu bytes, not %zu", setting->listed.name,
                       strlen(value) + 1, size);
    memcpy(text, value, strlen(value) + 1);
    return LIVETCP_OK;
}
