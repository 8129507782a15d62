/* SPDX-License-Identifier: MIT */
/* The public functions over the table of settings, and conversion of configs from programs of any
 * version. */
#include "base/error.h"
#include "base/sized.h"
#include "settings/settings.h"

#include <string.h>

/* Size of livetcp_config in version 0.1, whose initializer cleared this many bytes. */
#define SIZE_0_1 LT_SIZE_THROUGH(livetcp_config, timestamps)

livetcp_result lt_config_check_size(const livetcp_config *config, livetcp_error *error)
{
    return LT_CHECK_INITIALIZED(config, livetcp_config, SIZE_0_1, error);
}

static void set_defaults(livetcp_config *config)
{
    const lt_setting *setting;

    memset(config, 0, sizeof *config);
    config->struct_size = sizeof *config;
    for (size_t i = 0; (setting = lt_setting_at(i)); i++)
        lt_setting_parse(setting, config, setting->initial, NULL);
}

livetcp_result lt_config_read(livetcp_config *to, const livetcp_config *given, livetcp_error *error)
{
    livetcp_result result = lt_config_check_size(given, error);

    set_defaults(to);
    if (result == LIVETCP_OK)
        lt_sized_read(to, sizeof *to, given);
    return result;
}

void livetcp_config_init_sized(livetcp_config *config, size_t size)
{
    livetcp_config defaults;

    set_defaults(&defaults);
    lt_sized_write(config, size, &defaults, sizeof defaults);
}

void(livetcp_config_init)(livetcp_config *config)
{
    livetcp_config_init_sized(config, SIZE_0_1);
}

const livetcp_setting *livetcp_config_setting(size_t position)
{
    const lt_setting *setting = lt_setting_at(position);

    return setting ? &setting->listed : NULL;
}

livetcp_result livetcp_config_set(livetcp_config *config, const char *name, const char *value,
                                  livetcp_error *error)
{
    livetcp_result result = lt_config_check_size(config, error);
    const lt_setting *setting;

    if (result != LIVETCP_OK)
        return result;
    if (!name || !value)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "setting '%.40s' needs a name and a value, not NULL", name ? name : "");
    setting = lt_setting_find(name, error);
    if (!setting)
        return LIVETCP_ERR_UNKNOWN_SETTING;
    if (!lt_setting_fits(setting, config))
        return lt_fail(error, LIVETCP_ERR_UNKNOWN_SETTING,
                       "setting '%s' is newer than this program, whose livetcp_config has "
                       "struct_size %zu: build it with the headers of this library",
                       name, config->struct_size);
    return lt_setting_parse(setting, config, value, error);
}

livetcp_result livetcp_config_get(const livetcp_config *config, const char *name, char *text,
                                  size_t size, livetcp_error *error)
{
    livetcp_config whole;
    livetcp_result result = lt_config_read(&whole, config, error);
    const lt_setting *setting;

    if (result != LIVETCP_OK)
        return result;
    if (!name || !text)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "setting '%.40s' needs a name and room for the text, not NULL",
                       name ? name : "");
    setting = lt_setting_find(name, error);
    if (!setting)
        return LIVETCP_ERR_UNKNOWN_SETTING;
    return lt_setting_format(setting, &whole, text, size, error);
}
