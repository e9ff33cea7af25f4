#ifndef REEVE_NATIVE_TREE_H
#define REEVE_NATIVE_TREE_H

#include <stdbool.h>

/* Trees of files: that of a bundle, and what goes. */

/* The archive's members become files in this folder, which is empty: modes without what the umask takes, times of the archive, owned by
 * whoever runs this. Archives of plain members (reeve writes no others) are read here; for any other, tar is asked. The process ends with a fault
 * where it cannot be; the folder is gone then. */
void tree_expand(const char *archive, const char *folder);

/* Whatever is at this path goes, with all that is in it; nothing has to be there. False: errno says why. */
bool tree_remove(const char *path);

#endif
