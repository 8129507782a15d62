/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <gst/rtp/rtp.h>

#include <arpa/inet.h>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

namespace lt
{

void init()
{
    static bool done = [] {
        gst_init(nullptr, nullptr);
        return true;
    }();
    (void)done;
}

void Unref::operator()(gpointer object) const
{
    gst_object_unref(object);
}

void FreeMessage::operator()(GstMessage *message) const
{
    gst_message_unref(message);
}

void FreeStructure::operator()(GstStructure *structure) const
{
    gst_structure_free(structure);
}

void FreeBuffer::operator()(GstBuffer *buffer) const
{
    gst_buffer_unref(buffer);
}

Element make(const char *factory)
{
    init();
    GstElement *element = gst_element_factory_make(factory, nullptr);
    if (element == nullptr) {
        throw std::runtime_error(std::string("no element ") + factory);
    }
    return Element(GST_ELEMENT(gst_object_ref_sink(element)));
}

std::string get_string(gpointer object, const char *property)
{
    gchar *value = nullptr;
    g_object_get(object, property, &value, nullptr);
    std::string text = value != nullptr ? value : "(null)";
    g_free(value);
    return text;
}

guint get_uint(gpointer object, const char *property)
{
    guint value = 0;
    g_object_get(object, property, &value, nullptr);
    return value;
}

Structure stats(gpointer element)
{
    GstStructure *structure = nullptr;
    g_object_get(element, "stats", &structure, nullptr);
    return Structure(structure);
}

guint64 counter(const GstStructure *structure, const char *field)
{
    guint64 wide = 0;
    guint narrow = 0;
    if (gst_structure_get_uint64(structure, field, &wide)) {
        return wide;
    }
    if (gst_structure_get_uint(structure, field, &narrow)) {
        return narrow;
    }
    throw std::runtime_error(std::string("no counter ") + field);
}

guint64 counter(gpointer element, const char *field)
{
    return counter(stats(element).get(), field);
}

bool eventually(const std::function<bool()> &condition)
{
    gint64 deadline = g_get_monotonic_time() + (gint64)(patience / GST_USECOND);
    while (!condition()) {
        if (g_get_monotonic_time() > deadline) {
            return false;
        }
        g_usleep(2000);
    }
    return true;
}

Buffer rtp_packet(guint16 sequence, gsize size, guint32 ssrc)
{
    init();
    GstBuffer *buffer = gst_buffer_new_allocate(nullptr, size, nullptr);
    GstMapInfo map;
    gst_buffer_map(buffer, &map, GST_MAP_WRITE);
    memset(map.data, sequence & 0xff, size);
    map.data[0] = 0x80;
    map.data[1] = 96;
    GST_WRITE_UINT16_BE(map.data + 2, sequence);
    GST_WRITE_UINT32_BE(map.data + 4, sequence * 3000u);
    GST_WRITE_UINT32_BE(map.data + 8, ssrc);
    gst_buffer_unmap(buffer, &map);
    return Buffer(buffer);
}

Buffer rtcp_packet()
{
    init();
    GstBuffer *buffer = gst_rtcp_buffer_new(1400);
    GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
    GstRTCPPacket packet;
    gst_rtcp_buffer_map(buffer, GST_MAP_READWRITE, &rtcp);
    gst_rtcp_buffer_add_packet(&rtcp, GST_RTCP_TYPE_SR, &packet);
    gst_rtcp_packet_sr_set_sender_info(&packet, 0x11223344, 1, 2, 3, 4);
    gst_rtcp_buffer_unmap(&rtcp);
    return Buffer(buffer);
}

guint16 sequence_of(GstBuffer *buffer)
{
    guint8 bytes[2] = {0, 0};
    gst_buffer_extract(buffer, 2, bytes, sizeof(bytes));
    return GST_READ_UINT16_BE(bytes);
}

bool same_bytes(GstBuffer *a, GstBuffer *b)
{
    GstMapInfo map;
    gst_buffer_map(b, &map, GST_MAP_READ);
    bool same =
        gst_buffer_get_size(a) == map.size && gst_buffer_memcmp(a, 0, map.data, map.size) == 0;
    gst_buffer_unmap(b, &map);
    return same;
}

Subject::Subject(const char *factory, const std::string &uri)
    : element_(factory != nullptr ? make(factory) : nullptr), bus_(nullptr)
{
    if (element_ == nullptr) {
        return;
    }
    bus_ = gst_bus_new();
    gst_element_set_bus(element_.get(), bus_);
    if (!uri.empty()) {
        g_object_set(element_.get(), "uri", uri.c_str(), nullptr);
    }
}

Subject::~Subject()
{
    if (element_ == nullptr) {
        return;
    }
    gst_element_set_state(element_.get(), GST_STATE_NULL);
    gst_bus_set_flushing(bus_, TRUE);
    gst_object_unref(bus_);
}

bool Subject::state(GstState state)
{
    return gst_element_set_state(element_.get(), state) != GST_STATE_CHANGE_FAILURE;
}

Message Subject::wait(GstMessageType types)
{
    return Message(gst_bus_timed_pop_filtered(bus_, patience, types));
}

Message Subject::wait_element(const char *name)
{
    for (;;) {
        Message message = wait(GST_MESSAGE_ELEMENT);
        if (message == nullptr || gst_message_has_name(message.get(), name)) {
            return message;
        }
    }
}

std::vector<Message> Subject::posted(GstMessageType types)
{
    std::vector<Message> messages;
    while (GstMessage *message = gst_bus_pop_filtered(bus_, types)) {
        messages.emplace_back(message);
    }
    return messages;
}

Harness::Harness(const char *factory, const std::string &uri, bool start)
    : Subject(factory, uri), harness_(nullptr)
{
    bool sink = std::string(factory) == "livetcpsink";
    /* the harness looks at the bus of nobody, so ours stays */
    harness_ = gst_harness_new_with_element(get(), sink ? "sink" : nullptr, sink ? nullptr : "src");
    gst_element_set_bus(get(), bus_);
    if (sink) {
        gst_harness_set_src_caps_str(harness_, "application/x-rtp");
    }
    if (start) {
        play();
    }
}

Harness::~Harness()
{
    gst_harness_teardown(harness_);
}

void Harness::play()
{
    gst_harness_play(harness_);
}

void Harness::stop()
{
    gst_element_set_state(get(), GST_STATE_NULL);
}

/* An RTCP compound with LiveTCP's mark in it. */
static bool is_report(GstBuffer *buffer)
{
    GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
    GstRTCPPacket packet;
    bool found = false;
    if (!gst_rtcp_buffer_validate_reduced(buffer)) {
        return false;
    }
    gst_rtcp_buffer_map(buffer, GST_MAP_READ, &rtcp);
    for (gboolean more = gst_rtcp_buffer_get_first_packet(&rtcp, &packet); more && !found;
         more = gst_rtcp_packet_move_to_next(&packet)) {
        found = gst_rtcp_packet_get_type(&packet) == GST_RTCP_TYPE_APP &&
                memcmp(gst_rtcp_packet_app_get_name(&packet), "LTCP", 4) == 0;
    }
    gst_rtcp_buffer_unmap(&rtcp);
    return found;
}

Buffer Harness::try_pull()
{
    Buffer buffer(gst_harness_try_pull(harness_));
    return buffer && is_report(buffer.get()) ? try_pull() : std::move(buffer);
}

Buffer Harness::pull()
{
    Buffer buffer;
    eventually([&] { return (buffer = try_pull()) != nullptr; });
    return buffer;
}

Pipeline::Pipeline(const std::string &description) : Subject(nullptr)
{
    init();
    GError *error = nullptr;
    GstElement *element =
        gst_parse_launch_full(description.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
    if (element == nullptr) {
        std::string why = error->message;
        g_error_free(error);
        throw std::runtime_error(description + ": " + why);
    }
    element_.reset(GST_ELEMENT(gst_object_ref_sink(element)));
    bus_ = gst_element_get_bus(element);
}

Element Pipeline::child(const char *name)
{
    return Element(gst_bin_get_by_name(GST_BIN(get()), name));
}

guint16 free_port()
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {};
    socklen_t size = sizeof(address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        throw std::runtime_error("no free port");
    }
    close(fd);
    return ntohs(address.sin_port);
}

Complaint complaint(const Message &message)
{
    Complaint result;
    GError *error = nullptr;
    const GstStructure *details = nullptr;
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR) {
        gst_message_parse_error(message.get(), &error, nullptr);
        gst_message_parse_error_details(message.get(), &details);
    } else {
        gst_message_parse_warning(message.get(), &error, nullptr);
        gst_message_parse_warning_details(message.get(), &details);
    }
    result.domain = error->domain;
    result.code = error->code;
    result.text = error->message;
    result.details.reset(details != nullptr ? gst_structure_copy(details) : nullptr);
    g_error_free(error);
    return result;
}

std::string call_uri(gpointer listener, const std::string &query)
{
    return "livetcp://127.0.0.1:" + std::to_string(get_uint(listener, "bound-port")) +
           (query.empty() ? "" : "?" + query);
}

} // namespace lt
