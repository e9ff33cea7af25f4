/* A correct plugin, which runs next to a faulty plugin. */
#include "bad.h"

#include "bad_table.h"
