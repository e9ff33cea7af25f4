#ifndef REEVE_MODEL_CHECK_H
#define REEVE_MODEL_CHECK_H

#include "base/err.h"
#include "base/macros.h"
#include "base/text.h"

/* Check functions that schema.def names. Each checks one text. On an error it sets *err with the
 * expected form; the caller adds the position. */

/* Names (FILE.md 7): `[A-Za-z][A-Za-z0-9_.-]*`. Kind words are reserved as cluster names. */
MUST_CHECK bool check_cluster_name(struct text value, struct err *err);
/* Check a zone or an owner (printable ASCII without spaces). Their size is limited, because they
 * are stored in the record and the facts of each machine. */
MUST_CHECK bool check_zone(struct text value, struct err *err);
MUST_CHECK bool check_owner(struct text value, struct err *err);

MUST_CHECK bool check_group_name(struct text value, struct err *err);
MUST_CHECK bool check_role(struct text value, struct err *err);
MUST_CHECK bool check_object_name(struct text value, struct err *err);
MUST_CHECK bool check_plugin_name(struct text value, struct err *err);

/* Check an id: `[A-Za-z0-9_-]{1,64}`. */
MUST_CHECK bool check_id(struct text value, struct err *err);

/* Names separated by `/`: outer/inner. */
MUST_CHECK bool check_group_path(struct text value, struct err *err);

/* check_template_path checks a template: T or CT/T. check_group_reference checks CLUSTER/GROUP,
 * where the group may be a path. */
MUST_CHECK bool check_template_path(struct text value, struct err *err);
MUST_CHECK bool check_group_reference(struct text value, struct err *err);

/* Check the name of a slot, as `naming` forms it. */
MUST_CHECK bool check_slot(struct text value, struct err *err);

/* check_label_key checks the key of a label, check_label_value its value. */
MUST_CHECK bool check_label_key(struct text value, struct err *err);
MUST_CHECK bool check_label_value(struct text value, struct err *err);

/* Check a format of member names; see naming.h. */
MUST_CHECK bool check_naming(struct text value, struct err *err);

/* Names separated by dots: defaults.network.cidr. The existence of the field is checked later. */
MUST_CHECK bool check_fixed_path(struct text value, struct err *err);

/* Check a login name. */
MUST_CHECK bool check_user(struct text value, struct err *err);

/* Check an IPv4 or IPv6 address; check_cidr checks an address with /PREFIX. */
MUST_CHECK bool check_address(struct text value, struct err *err);
MUST_CHECK bool check_cidr(struct text value, struct err *err);
MUST_CHECK bool check_auto_commission(struct text value, struct err *err);
MUST_CHECK bool check_selector(struct text value, struct err *err);

/* Check a URL: https:// or file:// with a nonempty rest, without blanks and without a user name. */
MUST_CHECK bool check_url(struct text value, struct err *err);

/* Check a digest of 64 hexadecimal digits. */
MUST_CHECK bool check_sha256(struct text value, struct err *err);

/* Check a reference to a bundle: NAME@REV or NAME@sha256:DIGEST. */
MUST_CHECK bool check_bundle(struct text value, struct err *err);

/* Check NAME, or NAME@rN: a configuration, or one of its revisions. */
MUST_CHECK bool check_configuration(struct text value, struct err *err);

/* Check an absolute path without . or .. in it: /var/lib/db. */
MUST_CHECK bool check_absolute_path(struct text value, struct err *err);

/* Check a path of files that belong to the baseline of a node. */
MUST_CHECK bool check_verified_path(struct text value, struct err *err);

/* Check an interval of verifications: off, or a duration. */
MUST_CHECK bool check_verify_every(struct text value, struct err *err);

#endif
