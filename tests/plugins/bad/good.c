/* Does nothing wrong: it stands beside the others. */
#include "bad.h"

#include "bad_table.h"
