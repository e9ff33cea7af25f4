#ifndef REEVE_SSH_KRL_PARTS_H
#define REEVE_SSH_KRL_PARTS_H

/* private to src/ssh */

/* Constants of the format; internal to krl.h. */

#define KRL_MAGIC "SSHKRL\n" /* with its NUL */

enum { KRL_FORMAT = 1 };

/* Types of sections in a list, and of subsections for one authority. */
enum { KRL_CERTIFICATES = 1, KRL_KEYS = 2 };
enum { KRL_SERIALS = 0x20, KRL_RANGE = 0x21, KRL_BITMAP = 0x22, KRL_IDS = 0x23 };

#endif
