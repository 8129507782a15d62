/* SPDX-License-Identifier: MIT */
/* The elements' log, caught: lines of the categories whose names begin with livetcp. */
#ifndef LT_TESTS_GST_LOG_H
#define LT_TESTS_GST_LOG_H

#include "support.h"

#include <mutex>

namespace lt
{

class Log
{
  public:
    explicit Log(GstDebugLevel threshold)
    {
        init();
        gst_debug_set_active(TRUE);
        gst_debug_set_threshold_for_name("livetcp*", threshold);
        gst_debug_remove_log_function(gst_debug_log_default);
        gst_debug_add_log_function(take, this, nullptr);
    }
    ~Log()
    {
        gst_debug_remove_log_function_by_data(this);
        gst_debug_unset_threshold_for_name("livetcp*");
    }
    Log(const Log &) = delete;
    Log &operator=(const Log &) = delete;

    /* "category level: object: text" each. */
    std::string text()
    {
        std::lock_guard<std::mutex> guard(lock_);
        std::string all;
        for (const Line &line : lines_) {
            all += line.category + " " + gst_debug_level_get_name(line.level) + ": " + line.text +
                   "\n";
        }
        return all;
    }
    /* Whether there is a line with this in it. */
    bool has(const std::string &category, GstDebugLevel level, const std::string &text)
    {
        std::lock_guard<std::mutex> guard(lock_);
        for (const Line &line : lines_) {
            if (line.category == category && line.level == level &&
                line.text.find(text) != std::string::npos) {
                return true;
            }
        }
        return false;
    }

  private:
    struct Line {
        std::string category;
        GstDebugLevel level;
        std::string text;
    };

    static void take(GstDebugCategory *category, GstDebugLevel level, const gchar *, const gchar *,
                     gint, GObject *object, GstDebugMessage *message, gpointer user)
    {
        auto *self = static_cast<Log *>(user);
        const gchar *name = gst_debug_category_get_name(category);
        if (!g_str_has_prefix(name, "livetcp")) {
            return;
        }
        std::string who = GST_IS_OBJECT(object) ? GST_OBJECT_NAME(object) : "";
        std::lock_guard<std::mutex> guard(self->lock_);
        self->lines_.push_back({name, level, who + ": " + gst_debug_message_get(message)});
    }

    std::mutex lock_;
    std::vector<Line> lines_;
};

} // namespace lt

#endif
