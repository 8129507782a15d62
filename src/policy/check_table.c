/* SPDX-License-Identifier: MIT */
/* Checks that the engine can use a policy's table. */
#include "policy/builtin.h"

#include "base/error.h"
#include "base/sized.h"

#include <string.h>

/* A larger state size is an error of the program. */
#define STATE_MAX (1u << 20)

/* Size of livetcp_policy in version 0.1. */
#define SIZE_0_1 LT_SIZE_THROUGH(livetcp_policy, review)

#define NAME_SIZE sizeof(((livetcp_config *)NULL)->policy)

#define KNOWN_WANTS (LIVETCP_WANTS_PATHS | LIVETCP_WANTS_TAIL_PROBES | LIVETCP_WANTS_PARITY)

/* Names appear in URIs and on command lines: lower-case letters, digits, single hyphens inside. */
static bool is_kebab(const char *name)
{
    char before = '-';

    for (; *name; name++) {
        bool letter = *name >= 'a' && *name <= 'z', digit = *name >= '0' && *name <= '9';
        if (!letter && !digit && (*name != '-' || before == '-'))
            return false;
        before = *name;
    }
    return before != '-';
}

static livetcp_result check_names(const livetcp_policy *policy, livetcp_error *error)
{
    if (!policy->name || !policy->name[0])
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the policy has no name");
    if (!memchr(policy->name, 0, NAME_SIZE))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the policy's name '%.40s...' is longer than %zu bytes", policy->name,
                       NAME_SIZE - 1);
    if (!is_kebab(policy->name))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the policy's name '%s' must be of lower-case letters and digits, with "
                       "single hyphens between them",
                       policy->name);
    if (!policy->summary || !policy->summary[0])
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' has no summary: say in a line what it does", policy->name);
    return LIVETCP_OK;
}

static livetcp_result check_connections(const livetcp_policy *policy, livetcp_error *error)
{
    if (policy->min_connections > LIVETCP_MAX_CONNECTIONS)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' has min_connections %u, and a session has at most %u",
                       policy->name, policy->min_connections, LIVETCP_MAX_CONNECTIONS);
    if (policy->max_connections && policy->max_connections < policy->min_connections)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' has min_connections %u above max_connections %u", policy->name,
                       policy->min_connections, policy->max_connections);
    return LIVETCP_OK;
}

static livetcp_result check_functions(const livetcp_policy *policy, livetcp_error *error)
{
    if (!policy->place)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' has no place(): nothing would ever be sent", policy->name);
    if (policy->wants & ~(uint32_t)KNOWN_WANTS)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' wants 0x%x, which has bits that are no LIVETCP_WANTS_*",
                       policy->name, (unsigned)policy->wants);
    if (policy->review && !(policy->wants & LIVETCP_WANTS_PATHS))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' has review() without LIVETCP_WANTS_PATHS, which tells what is "
                       "acknowledged",
                       policy->name);
    if (policy->state_size > STATE_MAX)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' has state_size %zu; at most %u bytes are given", policy->name,
                       policy->state_size, STATE_MAX);
    return LIVETCP_OK;
}

static livetcp_result check_path_size(const livetcp_policy *policy, livetcp_error *error)
{
    size_t size = 0;

    if (policy->struct_size >= LT_SIZE_THROUGH(livetcp_policy, path_size))
        size = policy->path_size;
    if (size == 0)
        return LIVETCP_OK;
    if (size < LT_PATH_SIZE_0_1 || size > LT_SIZED_MAX || size % _Alignof(livetcp_path))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' has path_size %zu: set it to sizeof(livetcp_path), or to 0 and "
                       "take paths by livetcp_view_path()",
                       policy->name, size);
    return LIVETCP_OK;
}

/* A table of a newer program relies on functions that this library would not call. The size of a
 * struct is a multiple of its alignment; another one was never sizeof. */
static livetcp_result check_size(const livetcp_policy *policy, livetcp_error *error)
{
    if (!lt_sized_valid(policy, SIZE_0_1) || policy->struct_size % _Alignof(livetcp_policy))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the livetcp_policy has struct_size %zu instead of %zu: set it to "
                       "sizeof(livetcp_policy), and compile with this library's headers",
                       policy->struct_size, sizeof *policy);
    for (size_t i = sizeof *policy; i < policy->struct_size; i++)
        if (((const char *)policy)[i])
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "the livetcp_policy has functions that this library, which knows %zu "
                           "of its %zu bytes, would not call: leave them NULL, or load a newer "
                           "library",
                           sizeof *policy, policy->struct_size);
    return LIVETCP_OK;
}

livetcp_result lt_policy_check_table(const livetcp_policy *policy, livetcp_error *error)
{
    livetcp_result result;

    if (!policy)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "the livetcp_policy is NULL");
    result = check_size(policy, error);
    if (result == LIVETCP_OK)
        result = check_names(policy, error);
    if (result == LIVETCP_OK)
        result = check_path_size(policy, error);
    if (result == LIVETCP_OK)
        result = check_connections(policy, error);
    return result == LIVETCP_OK ? check_functions(policy, error) : result;
}
