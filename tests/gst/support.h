/* SPDX-License-Identifier: MIT */
/* What the element tests share: elements, harnesses and pipelines that clean up after themselves,
 * RTP packets, and waiting for things that another thread brings about. */
#ifndef LT_TESTS_GST_SUPPORT_H
#define LT_TESTS_GST_SUPPORT_H

#include <gst/check/gstharness.h>
#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lt
{

/* Nothing here takes long; this is how long we wait before calling it a failure. */
constexpr GstClockTime patience = 200 * GST_SECOND;

/* gst_init(), once. The classes below do it themselves. */
void init();

struct Unref {
    void operator()(gpointer object) const;
};
struct FreeMessage {
    void operator()(GstMessage *message) const;
};
struct FreeStructure {
    void operator()(GstStructure *structure) const;
};
struct FreeBuffer {
    void operator()(GstBuffer *buffer) const;
};
using Element = std::unique_ptr<GstElement, Unref>;
using Message = std::unique_ptr<GstMessage, FreeMessage>;
using Structure = std::unique_ptr<GstStructure, FreeStructure>;
using Buffer = std::unique_ptr<GstBuffer, FreeBuffer>;

Element make(const char *factory);

std::string get_string(gpointer object, const char *property);
guint get_uint(gpointer object, const char *property);
Structure stats(gpointer element);
guint64 counter(const GstStructure *structure, const char *field);
guint64 counter(gpointer element, const char *field);

/* Runs the condition until it holds; false after `patience`. */
bool eventually(const std::function<bool()> &condition);

/* An RTP packet of `size` bytes, payload type 96, whose payload is a function of `sequence`. */
Buffer rtp_packet(guint16 sequence, gsize size = 200, guint32 ssrc = 0x11223344);
Buffer rtcp_packet();
guint16 sequence_of(GstBuffer *buffer);
bool same_bytes(GstBuffer *a, GstBuffer *b);

/* An element with a bus of its own, taken to NULL in the end. */
class Subject
{
  public:
    explicit Subject(const char *factory, const std::string &uri = "");
    ~Subject();
    GstElement *get() const
    {
        return element_.get();
    }
    /* True unless the element refused. */
    bool state(GstState state);
    /* The next message of one of these types; NULL after `patience`. */
    Message wait(GstMessageType types);
    /* The next element message of that name. */
    Message wait_element(const char *name);
    /* Everything posted so far of these types, taken off the bus. */
    std::vector<Message> posted(GstMessageType types);

  protected:
    Element element_;
    GstBus *bus_;
};

/* Subject in a GstHarness, playing unless told otherwise. A sink takes buffers with push(), a
 * source gives them with pull(). */
class Harness : public Subject
{
  public:
    Harness(const char *factory, const std::string &uri, bool play = true);
    ~Harness();
    void play();
    void stop();
    GstFlowReturn push(Buffer buffer)
    {
        return gst_harness_push(harness_, buffer.release());
    }
    /* NULL after `patience`. */
    Buffer pull();
    /* NULL at once if there is none. Neither hands out LiveTCP's own reports. */
    Buffer try_pull();
    GstHarness *harness() const
    {
        return harness_;
    }

  private:
    GstHarness *harness_;
};

/* gst_parse_launch(), with the same messages as a Subject. */
class Pipeline : public Subject
{
  public:
    explicit Pipeline(const std::string &description);
    Element child(const char *name);
};

/* A TCP port nobody listens on at the moment. */
guint16 free_port();

/* The text and the debug text of an ERROR or WARNING, and its code. */
struct Complaint {
    GQuark domain = 0;
    int code = 0;
    std::string text;
    Structure details;
};
Complaint complaint(const Message &message);

/* A listener's URI with this host's address and the port it really has. */
std::string call_uri(gpointer listener, const std::string &query = "");

} // namespace lt

#endif
