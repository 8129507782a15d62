/* SPDX-License-Identifier: MIT */
/*
 * An agent of libnice that waits for one ICE-TCP connection on loopback and says what comes on it.
 * It prints "local PORT USERNAME PASSWORD", then a line for every tenth packet. The peer's name is
 * "peer", its password the argument.
 */
#include <agent.h>
#include <stdio.h>
#include <string.h>

static unsigned rtp, other;

static void on_receive(NiceAgent *agent, guint stream, guint component, guint size, gchar *data,
                       gpointer user)
{
    (void)agent, (void)stream, (void)component, (void)user;
    if (size >= 12 && (guchar)data[0] >> 6 == 2)
        rtp++;
    else
        other++;
    if ((rtp + other) % 10 == 0) {
        printf("rtp %u other %u last %u\n", rtp, other, size);
        fflush(stdout);
    }
}

static void on_gathered(NiceAgent *agent, guint stream, gpointer user)
{
    gchar *name = NULL, *password = NULL;

    (void)user;
    nice_agent_get_local_credentials(agent, stream, &name, &password);
    for (GSList *l = nice_agent_get_local_candidates(agent, stream, 1); l; l = l->next) {
        const NiceCandidate *candidate = l->data;
        if (candidate->transport == NICE_CANDIDATE_TRANSPORT_TCP_PASSIVE)
            printf("local %u %s %s\n", nice_address_get_port(&candidate->addr), name, password);
    }
    fflush(stdout);
}

static NiceAgent *make_agent(void)
{
    NiceAgent *agent = nice_agent_new(NULL, NICE_COMPATIBILITY_RFC5245);
    NiceAddress address;

    g_object_set(agent, "ice-udp", FALSE, "ice-tcp", TRUE, "controlling-mode", FALSE, "upnp", FALSE,
                 NULL);
    nice_address_init(&address);
    nice_address_set_from_string(&address, "127.0.0.1");
    nice_agent_add_local_address(agent, &address);
    return agent;
}

/* Active: the peer connects, so its address is of no use. */
static void add_peer(NiceAgent *agent, guint stream, const char *password)
{
    NiceCandidate *candidate = nice_candidate_new(NICE_CANDIDATE_TYPE_HOST);
    GSList *candidates = g_slist_append(NULL, candidate);

    candidate->transport = NICE_CANDIDATE_TRANSPORT_TCP_ACTIVE;
    candidate->stream_id = stream;
    candidate->component_id = 1;
    candidate->priority = 1000;
    strcpy(candidate->foundation, "1");
    nice_address_set_from_string(&candidate->addr, "127.0.0.1");
    nice_address_set_port(&candidate->addr, 9);
    nice_agent_set_remote_credentials(agent, stream, "peer", password);
    nice_agent_set_remote_candidates(agent, stream, 1, candidates);
}

int main(int argc, char **argv)
{
    NiceAgent *agent = make_agent();
    guint stream = nice_agent_add_stream(agent, 1);

    if (argc != 2)
        return 2;
    g_signal_connect(agent, "candidate-gathering-done", G_CALLBACK(on_gathered), NULL);
    nice_agent_attach_recv(agent, stream, 1, g_main_context_default(), on_receive, NULL);
    if (!nice_agent_gather_candidates(agent, stream))
        return 1;
    add_peer(agent, stream, argv[1]);
    g_main_loop_run(g_main_loop_new(NULL, FALSE)); /* until it is killed */
    return 0;
}
