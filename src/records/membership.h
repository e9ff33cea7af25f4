#ifndef REEVE_RECORDS_MEMBERSHIP_H
#define REEVE_RECORDS_MEMBERSHIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "wire/frame.h"

/* public names start with: membership_ */

/* The membership port: a source that reports which machines exist and which of them are alive. Its
 * reports are evidence, never the only reason for an action (I33).
 *
 * The first report is either SNAPSHOT or UNAVAILABLE. When the source answers again after
 * UNAVAILABLE, it reports AVAILABLE and then a SNAPSHOT. A report may be repeated. */
enum membership_change {
    MEMBERSHIP_SNAPSHOT, /* all members that the source knows */
    MEMBERSHIP_JOIN,     /* these members are alive */
    MEMBERSHIP_FAILED,   /* these members do not answer; a normal reboot looks the same */
    MEMBERSHIP_LEFT,     /* these members announced their departure */
    MEMBERSHIP_REAPED,   /* the source has forgotten these members */
    MEMBERSHIP_UPDATED,  /* address or tags of these members have changed */
    MEMBERSHIP_UNAVAILABLE,
    MEMBERSHIP_AVAILABLE,
    MEMBERSHIP_CHANGE_COUNT,
};

/* What a source reports about one member. */
enum membership_status {
    MEMBERSHIP_ALIVE,
    MEMBERSHIP_GONE_LEFT,
    MEMBERSHIP_GONE_FAILED,
    MEMBERSHIP_STATUS_UNKNOWN,
};

struct membership_member {
    struct text name;
    struct text address; /* numeric, without a port; empty: unknown */
    enum membership_status status;
    struct wire_list tags; /* list of struct wire_pair, in the order of the source */
};

struct membership_report {
    enum membership_change change;
    const struct membership_member *members;
    size_t count;
    struct text own; /* SNAPSHOT: the name of the manager's own agent; empty: unknown */
    struct text why; /* UNAVAILABLE: the reason, for display */
};

/* The callback for reports. It is called from the event loop, never before the source was started
 * completely. The report is valid until the call returns. */
typedef void on_membership_report(void *arg, const struct membership_report *report);

#endif
